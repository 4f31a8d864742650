"""Quantities in a text: numbers with the units that belong to them, joined where they are one measure ("60 ft 1 in"),
one range ("2 to 3 m") or one quantity told twice ("4 m (13 ft)")."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache

from ...bench_data.questions import Unit
from .number_grammar import NUMBER, number_value
from .result import Flag, Interval
from .unit_words import UnitWord, unit_at

__all__ = ["MAX_NUMBERS", "Quantity", "find_quantities", "numbers_skipped", "stated_unit"]

MAX_NUMBERS = 2_000
"""More numbers are no answer, and reading them all would take long."""

_FOOT, _INCH = UnitWord(Unit.FOOT), UnitWord(Unit.INCH)
_ARC_MINUTE, _ARC_SECOND = UnitWord(Unit.DEGREE, 1 / 60), UnitWord(Unit.DEGREE, 1 / 3600)
_METRIC = (Unit.KILOMETRE, Unit.METRE, Unit.DECIMETRE, Unit.CENTIMETRE, Unit.MILLIMETRE)
_IMPERIAL = (Unit.MILE, Unit.YARD, Unit.FOOT, Unit.INCH)
_QUOTE_REACH = 80
_RESTATEMENT_TOLERANCE = 0.1  # "4 m (13 ft)": both figures are rounded

_GAP = re.compile(r"[ \u2009]{0,12}-?[ ]{0,2}(?:linear )?")
_UNIT_APART = re.compile(
    r"(?:(?<![0-9])[(\[][ ]?(?:in |unit:? )?|(?<![a-z0-9])(?<![0-9] )in[ ])"
    r"(?=[a-zµ]{1,2}[23]?[)\]:]|[a-z]{2}|[\u3000-\u9fff])"
)
_AND_HALF = re.compile(r"(?:[ ]and[ ](?:a[ ]|one[ ])?half(?![a-z])|半)")
_A_UNIT = re.compile(r"(?<![a-z])(?:an?|one)[ ](?:single )?(?=[a-z])")
_JOINT = re.compile(r"[ ]{0,2}(?:,|and|&|又|零)?[ ]{0,2}")
_RANGE = re.compile(r"[ ]{0,3}(?:-{1,3}|–|—|~|to|through|till|到|至)[ ]{0,3}(?:about |around |approximately |约)?")
_BETWEEN = re.compile(r"(?:\bbetween|\bfrom|在)[ ]{0,3}(?:about |around |roughly |approximately )?\Z")
_SIDE_BY_SIDE = re.compile(r"[ ]{0,2}(?:,?[ ]?or|,|/|x|×|by|或者?)[ ]{0,2}")
_CLAUSE_ENDS = re.compile(r"\s{0,8}(?:\Z|[.;!?)\n](?![0-9]))")
_PLUS_MINUS = re.compile(r"[ ]{0,3},?[ ]?(?:±|\+/-|\+-|plus or minus|give or take)[ ]{0,3}")
_RESTATED = re.compile(
    r"[ ]{0,3}(?:\(|\[|=|~|/|,? ?or|,? ?i\.e\.,?|,? ?that is,?|,? ?which is|,)[ ]{0,3}(?:about |around |roughly |"
    r"approximately |approx\.? |~|=|or )?"
)
_LOWER_BOUND = re.compile(
    r"(?:\bat least|\b(?:no|not) (?:less|fewer) than|\b(?<!no )(?<!not )(?:more|greater) than|\bover|\babove|"
    r"\bexceed(?:s|ing)|\bbeyond|"
    r"(?<![a-z\"'/\]-])>=?|≥|"
    r"至少|不少于|超过|大于|多于)[ ]{0,2}(?:about |approximately )?\Z"
)
_UPPER_BOUND = re.compile(
    r"(?:\bat most|\b(?:no|not) (?:more|greater) than|\bless than|\bfewer than|\bsmaller than|\bunder|\bbelow|"
    r"\bup to|\bwithin|"
    r"(?<![a-z\"'/\]-])<=?|≤|"
    r"至多|不超过|不到|小于|少于)[ ]{0,2}(?:about |approximately )?\Z"
)
_BOUND_REACH = 36


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a range as written, in its own unit.

    Attributes:
        value: in units of ``unit``.
        unit: None when none is written.
        start, end: in the small-letter text, unit included.
        bare_end: where the number itself ends.
        restated: the same quantity as told once more in another unit.
    """

    value: float | Interval
    unit: UnitWord | None
    start: int
    end: int
    bare_end: int
    flags: tuple[Flag, ...] = ()
    restated: Quantity | None = None

    def in_unit(self, unit: Unit) -> float | Interval | None:
        """The value in ``unit``; None when the written unit measures something else. No unit is taken as ``unit``.

        Of a quantity told twice, the figure that is given in ``unit`` itself counts.
        """
        if self.restated is not None and self.restated.unit == UnitWord(unit):
            return self.restated.value
        if self.unit is None:
            return self.value
        if self.unit.unit is None or self.unit.dimension is not unit.dimension:
            return None
        factor = self.unit.unit.convert(self.unit.factor, unit)
        return _scaled(self.value, factor)


@lru_cache(maxsize=8)
def numbers_skipped(lower: str) -> bool:
    """Whether a text holds more numbers than are read."""
    return sum(1 for _ in NUMBER.finditer(lower)) > MAX_NUMBERS


@lru_cache(maxsize=8)
def find_quantities(lower: str) -> tuple[Quantity, ...]:
    """The quantities of small-letter text, in order; of more than ``MAX_NUMBERS`` only the first and the last ones."""
    found: list[Quantity] = []
    matches = list(NUMBER.finditer(lower))
    if len(matches) > MAX_NUMBERS:
        matches = matches[: MAX_NUMBERS // 4] + matches[-(MAX_NUMBERS - MAX_NUMBERS // 4) :]
    for match in matches:
        if found and match.start() < found[-1].end:  # the half of "two and a half"
            continue
        quantity = _quantity(lower, match)
        if quantity is not None:
            found.append(quantity)
    found += _article_quantities(lower, found)
    found.sort(key=lambda quantity: quantity.start)
    for join in (_composites, _ranges, _inherited, _restatements):
        if len(found) > 1:
            found = join(lower, found)
    return tuple(_bounded(lower, quantity) for quantity in found)


def stated_unit(lower: str) -> UnitWord | None:
    """The one unit that a text names apart from its numbers: "in centimetres", "(cm)", "[cm]"."""
    units = {unit[0] for match in _UNIT_APART.finditer(lower) if (unit := unit_at(lower, match.end())) is not None}
    units = {unit for unit in units if unit.unit is not None}
    return units.pop() if len(units) == 1 else None


def _quantity(lower: str, match: re.Match[str]) -> Quantity | None:
    read = number_value(match)
    if read is None:
        return None
    value, flags = read
    start, bare_end = match.span()
    end = bare_end
    half = _AND_HALF.match(lower, end)
    if half:
        value, end = value + 0.5, half.end()
    unit, end = _unit_after(lower, start, end)
    if unit is not None and match.lastgroup != "zh" and (half := _AND_HALF.match(lower, end)):
        value, end = value + 0.5, half.end()
    elif unit is not None and match.lastgroup == "zh" and lower.startswith("半", end):
        value, end = value + 0.5, end + 1
    if unit is None and bare_end < len(lower) and _glued(lower, match, bare_end):
        return None
    return Quantity(value, unit, start, end, bare_end, flags)


def _glued(lower: str, match: re.Match[str], end: int) -> bool:
    """Whether letters that are no unit touch the digits ("3rd", "2d"): then it is a name, not a number."""
    if match.lastgroup in ("words", "parts", "zh"):
        return False
    following = lower[end]
    if following == "^":  # the base of a power
        return True
    if following == "x" and lower[end + 1 : end + 2] in (" ", *"0123456789."):
        return False
    return following.isalpha() and following < "\u3000"


def _unit_after(lower: str, start: int, end: int) -> tuple[UnitWord | None, int]:
    mark = _feet_or_inch_mark(lower, start, end)
    if mark is not None:
        return mark
    gap = _GAP.match(lower, end)
    at = gap.end() if gap else end
    found = unit_at(lower, at, touching=at == end)
    if found is None and at != end:
        found = unit_at(lower, end, touching=True)
    return (None, end) if found is None else found


def _feet_or_inch_mark(lower: str, start: int, end: int) -> tuple[UnitWord, int] | None:
    """6' and 2", unless the mark closes a quotation; 30' and 15" after degrees are minutes and seconds of arc."""
    mark = lower[end : end + 1]
    if mark not in ("'", '"', "′", "″") or not mark or lower[start - 1 : start] == mark:
        return None
    after = end + 1
    if mark == "'" and lower[after : after + 1] == "'":
        mark, after = '"', after + 1
    if lower[after : after + 1].isalpha() and lower[after] < "\u3000":
        return None
    before = lower[max(0, start - _QUOTE_REACH) : start]
    arc = "°" in before[-8:]
    if mark in "'′":
        return (_ARC_MINUTE if arc else _FOOT), after
    if before.count('"') % 2 and "'" not in before[-8:]:
        return None
    return (_ARC_SECOND if arc else _INCH), after


def _article_quantities(lower: str, found: list[Quantity]) -> list[Quantity]:
    """ "a metre", "an inch", "a metre and a half"."""
    taken = [(quantity.start, quantity.end) for quantity in found]
    extra = []
    for match in _A_UNIT.finditer(lower):
        unit = unit_at(lower, match.end())
        if unit is None or unit[0].unit is None or unit[1] - match.end() < 2:
            continue
        if any(a < unit[1] and match.start() < b for a, b in _near(taken, match.start())):
            continue
        half = _AND_HALF.match(lower, unit[1])
        end = half.end() if half else unit[1]
        extra.append(Quantity(1.5 if half else 1.0, unit[0], match.start(), end, match.end()))
    return extra


def _near(spans: list[tuple[int, int]], position: int) -> list[tuple[int, int]]:
    at = bisect_left(spans, (position, 0))
    return spans[max(0, at - 1) : at + 1]


def _composites(lower: str, quantities: list[Quantity]) -> list[Quantity]:
    """Falling units of one system, side by side, are one measure; "6 foot 2" and "1米8" leave the last unit out."""
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
        factor = None if last is None else _part_of(lower, last, quantity)
        if last is None or factor is None:
            joined.append(quantity)
            continue
        value = float(last.value) + float(quantity.value) * factor  # type: ignore[arg-type]
        joined[-1] = replace(last, value=value, end=quantity.end, flags=last.flags + quantity.flags)
    return joined


def _part_of(lower: str, whole: Quantity, part: Quantity) -> float | None:
    """How much of the whole's unit the part's unit is, or None when they do not belong together."""
    if (
        whole.unit is None
        or whole.unit.unit is None
        or isinstance(whole.value, Interval)
        or isinstance(part.value, Interval)
    ):
        return None
    if _JOINT.fullmatch(lower, whole.end, part.start) is None or part.value < 0:
        return None
    big, big_unit = whole.unit, whole.unit.unit
    if part.unit is None:
        touching = part.start - whole.end <= 1
        if big_unit is Unit.FOOT and touching and part.value < 12 and _ends(lower, part.end):
            return 1 / 12
        width = part.end - part.start
        if big_unit is Unit.METRE and part.start == whole.end and _ends(lower, part.end) and 0 < part.value < 100:
            return 0.1 if part.value < 10 and width == 1 else 0.01
        if big_unit is Unit.METRE and touching and width == 2 and _CLAUSE_ENDS.match(lower, part.end):
            return 0.01
        return None
    small = part.unit
    if small.unit is None or small.dimension is not big.dimension:
        return None
    for system in (_METRIC, _IMPERIAL):
        if big_unit in system and small.unit in system and system.index(big_unit) < system.index(small.unit):
            factor = small.unit.convert(1.0, big_unit)
            return factor if part.value * factor < 1 else None
    if big_unit is Unit.DEGREE and small.factor < big.factor and part.value < 60:
        return small.factor
    return None


def _ends(lower: str, end: int) -> bool:
    return not lower[end : end + 1].isalnum() and lower[end : end + 2] not in (" m", " c", " i", " f")


def _ranges(lower: str, quantities: list[Quantity]) -> list[Quantity]:
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
        merged = None if last is None else _range(lower, last, quantity)
        if merged is not None:
            joined[-1] = merged
            continue
        joined.append(quantity)
    return joined


def _inherited(lower: str, quantities: list[Quantity]) -> list[Quantity]:
    """ "2 or 3 m", "30 x 20 x 10 cm": the unit of the last belongs to all."""
    passed = [quantities[-1]]
    for quantity in reversed(quantities[:-1]):
        after = passed[-1]
        if quantity.unit is None and after.unit and _SIDE_BY_SIDE.fullmatch(lower, quantity.end, after.start):
            quantity = replace(quantity, unit=after.unit, flags=(*quantity.flags, Flag.UNIT_INHERITED))
        passed.append(quantity)
    return passed[::-1]


def _range(lower: str, first: Quantity, second: Quantity) -> Quantity | None:
    if isinstance(first.value, Interval) or isinstance(second.value, Interval):
        return None
    unit = second.unit or first.unit
    if unit is None or unit.unit is None:
        low, high = first.value, second.value
    else:
        ends = [replace(one, unit=one.unit or unit).in_unit(unit.unit) for one in (first, second)]
        if ends[0] is None or ends[1] is None:
            return None
        unit = UnitWord(unit.unit)
        low, high = float(ends[0]), float(ends[1])  # type: ignore[arg-type]
    whole = replace(first, unit=unit, end=second.end, bare_end=second.bare_end, flags=first.flags + second.flags)
    if _PLUS_MINUS.fullmatch(lower, first.end, second.start) and high >= 0:
        return replace(whole, value=Interval(low - high, low + high), flags=(*whole.flags, Flag.INTERVAL))
    between = _BETWEEN.search(lower, max(0, first.start - _BOUND_REACH), first.start) is not None
    gap = lower[first.end : second.start]
    if low < high and (_RANGE.fullmatch(gap) or (between and gap.strip() in ("and", "和", "与"))):
        return replace(whole, value=Interval(low, high), flags=(*whole.flags, Flag.INTERVAL))
    return None


def _restatements(lower: str, quantities: list[Quantity]) -> list[Quantity]:
    """ "4 m (13 ft)" is one quantity, as first written."""
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
        if last is not None and _restates(lower, last, quantity):
            joined[-1] = replace(last, end=quantity.end, flags=(*last.flags, Flag.RESTATED), restated=quantity)
        else:
            joined.append(quantity)
    return joined


def _restates(lower: str, first: Quantity, second: Quantity) -> bool:
    if first.unit is None or second.unit is None or first.unit == second.unit or first.unit.unit is None:
        return False
    if _RESTATED.fullmatch(lower, first.end, second.start) is None:
        return False
    one, other = first.value, second.in_unit(first.unit.unit)
    if other is None:
        return False
    one, other = _middle(_scaled(one, first.unit.factor)), _middle(other)
    return math.isfinite(one) and abs(one - other) <= _RESTATEMENT_TOLERANCE * max(abs(one), abs(other))


def _bounded(lower: str, quantity: Quantity) -> Quantity:
    """ "less than 3 m" is a range with an open side."""
    if isinstance(quantity.value, Interval) or math.isnan(quantity.value):
        return quantity
    before = lower[max(0, quantity.start - _BOUND_REACH) : quantity.start]
    for pattern, low, high in ((_LOWER_BOUND, quantity.value, math.inf), (_UPPER_BOUND, -math.inf, quantity.value)):
        match = pattern.search(before)
        # "above 3 chairs" says where, "above 3 m" says how much
        if match and (
            quantity.unit is not None
            or not match[0].strip().startswith(("over", "above", "under", "below", "within", "beyond"))
        ):
            return replace(quantity, value=Interval(low, high), flags=(*quantity.flags, Flag.INTERVAL, Flag.BOUND))
    return quantity


def _scaled(value: float | Interval, factor: float) -> float | Interval:
    if isinstance(value, Interval):
        return Interval(value.low * factor, value.high * factor)
    return value if factor == 1.0 else value * factor


def _middle(value: float | Interval) -> float:
    return value.midpoint if isinstance(value, Interval) else value
