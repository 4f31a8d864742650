"""A number in the unit that the question asks for.

Rules, in order; ``claims`` says what stands when several numbers are claimed:

1. numbers that are set apart (answer tag, box, JSON field) or declared ("the answer is 2.5");
2. numbers with a unit of the asked dimension; after an equals sign before others;
3. numbers without a unit, taken in the asked unit and flagged ``unit_assumed``; for lengths and angles not those that
   count things ("2 chairs");
4. only numbers of another dimension: ``invalid``.

Numbers that name things ("image 2", "1." before a list item) are none. "a (b)" with two units is one quantity if both
agree within 10 %. A range stays a range: nothing is averaged unless ``intervals="midpoint"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeVar

from ...bench_data.questions import Dimension, Unit
from .claims import Claim, conclude, settle
from .context import is_asked, is_conditional, is_denied_before
from .declared_text import declared_spans, final_cue
from .quantities import MAX_NUMBERS, Quantity, find_quantities, numbers_skipped, stated_unit
from .reading import Reading, nothing_found, read
from .result import Candidate, Flag, Interval, ParsedReply, ParseStatus, Rule
from .structured import answer_regions

__all__ = ["Number", "answering_quantities", "flag_skipped", "parse_number"]

Number = float | Interval
T = TypeVar("T")

_LABEL_REACH = 24
_NAMED = re.compile(
    r"\b(?:objects?|obj|images?|img|pictures?|photos?|figures?|fig\.?|views?|cameras?|cam|steps?|frames?|items?|boxe?s?|regions?|"
    r"options?|choices?|questions?|rooms?|number|no\.?|points?|markers?|labels?|id|case|method|part|line|level|scene|node|"
    r"candidate|version|page|confidence(?: of| is|:)?|certainty(?: of|:)?|probability(?: of|:)?|table(?= \d+:)|图|"
    r"图像|图片|物体|对象|第)[ ]{0,3}(?:#|id )?\Z"
)
_NAMED_LIST = re.compile(
    r"\b(?:objects|images|views|cameras|frames|items|boxes)[ ][0-9]{1,3}(?:, ?[0-9]{1,3}){0,8},? ?(?:and|&|or)[ ]\Z"
)
_LINE_MARKER = re.compile(r"^[ ]{0,8}([0-9]{1,3})[.)][ ]", re.MULTILINE)
_MARKER_AFTER = re.compile(r"[.)][ ]{1,3}(?=[0-9a-z\"'(\[\u3000-\u9fff])")
_NOUN_AFTER = re.compile(
    r"[ ]{1,2}(?!(?:approximately|approx|roughly|about|or|and|away|from|apart|long|wide|tall|high|deep|in|on|at|"
    r"to|based|because|since|"
    r"as|given|which|for|between|overall|total|is|are|was|would|if|but|so|measured|estimated|by|with|x|this|that|the|according|when|"
    r"according|considering|here|by)\b)[a-z]{2,}"
)
_PRONOUN_ONE = re.compile(
    r"(?:[ ](?:of|is|near|at|on|by|in|and|that|which|to|with|has|can|the|or|would|whose|further|closer|"
    r"closest)\b|s?[.,;]|\Z)"
)
_ONE_BEFORE = re.compile(
    r"(?:\b(?:the|this|that|each|no|any|every|which|another|other|first|second|third|last|left|right|some|"
    r"only the|every)[ ]|some|any|every|no)\Z"
)
_NOT_EVEN_ONE = re.compile(r"一[\u4e00-\u9fff]{0,3}[都也](?:没|不)")
_ONE_COUNTS = re.compile(r"\b(?:there(?: i|')s|only|exactly|just) (?:only |exactly |just )?\Z")
_EQUALS = re.compile(r"(?:=|→)[ ]{0,3}(?:about |around |approximately |~|\+)?\Z")
_EQUALS_GAP = re.compile(r"[^.;!?\n=~→]{0,24}[=~→][ ]{0,3}(?:about |around |approximately |~)?")
_OPERATOR_GAP = re.compile(r"[ ]{0,3}(?:[+*/×x,-]|,? ?or|by|and|plus|minus|times)[ ]{0,3}")
_CUE_REACH = 80
_MEASURE_BEFORE = re.compile(
    r"(?:distance|length|height|width|depth|angle|area|volume|size|estimate|value|距离|长度|高度|宽度|角度)"
    r"[^.;!?\n0-9]{0,40}(?:\bis|\bof|:|=|为|是|约)[ ]{0,3}(?:about |approximately |roughly |around |~|约)?\Z"
)
_TOTAL_BEFORE = re.compile(
    r"(?:\btotal(?: of| is| number(?: of [a-z ]{1,24})?(?: is)?|:)?|\bcount(?: is| of|:)|\baltogether,?|"
    r"\bsum(?: is| of)?|一共有?|总共有?|共有?|总计)[ :]{0,2}"
    r"(?:about |around |approximately |exactly )?\Z"
)
_TOTAL_AFTER = re.compile(r"[ ](?:[a-z]{1,16} ){0,2}(?:in total|in all|altogether|overall)\b")
_NONE = re.compile(
    r"\b(?:there (?:is|are) (?:no|not any|none)|none\b|zero\b|no [a-z]{2,20} (?:is|are|can be)|i (?:can )?(?:see|"
    r"find|count) no )|没有|无"
)
_NOT_A_NUMBER = re.compile(r"[^a-z0-9]{0,24}(?:nan|inf(?:inity)?|infinite|undefined|n/a)[^a-z0-9]{0,24}")


def parse_number(
    text: str, unit: Unit | str, *, intervals: Literal["keep", "midpoint"] = "keep", cut: bool = False
) -> ParsedReply[Number]:
    """The number of a reply, in ``unit``.

    Args:
        text: the reply as it came, reasoning block included.
        unit: what the question asks for, or its symbol; ``Unit.COUNT`` for plain counts.
        intervals: ``keep`` returns a range as ``Interval``; ``midpoint`` takes its middle and says so by a flag.
        cut: the server stopped the reply at its token limit.

    Returns:
        value: float or ``Interval``. ``invalid`` for a wrong dimension, a number that is not finite, and for counts
        that are no whole number or negative.

    >>> parse_number("about 250 cm", Unit.METRE).value
    2.5
    >>> parse_number("between 2 and 3 m", Unit.METRE).value
    Interval(low=2.0, high=3.0)
    >>> parse_number("45 degrees", Unit.METRE).status.value
    'invalid'
    """
    asked = Unit(unit)
    result = read(text, lambda reading: flag_skipped(_decide(reading, asked), reading), cut=cut)
    if intervals == "midpoint" and isinstance(result.value, Interval) and math.isfinite(result.value.midpoint):
        return replace(result, value=result.value.midpoint, flags=(*result.flags, Flag.INTERVAL_MIDPOINT))
    return result


def flag_skipped(result: ParsedReply[T], reading: Reading) -> ParsedReply[T]:
    """``result`` with a flag if the reply holds more numbers than are read."""
    if len(reading.lower) < MAX_NUMBERS or not numbers_skipped(reading.lower):
        return result
    return replace(result, flags=(*result.flags, Flag.MIDDLE_SKIPPED))


def _decide(reading: Reading, unit: Unit) -> ParsedReply[Number]:
    lower = reading.lower
    quantities = answering_quantities(lower)
    for claims in (_declared(lower, quantities), _measured(lower, quantities, unit), _bare(lower, quantities, unit)):
        result = _conclude(reading, claims, unit)
        if result is not None:
            return result
    if unit is Unit.COUNT and not quantities and (none := _NONE.search(lower)):
        zero: Claim[Number] = Claim(0.0, none.start(), none.end(), Rule.NONE_IS_ZERO)
        return conclude([zero], reading.text, cut=reading.cut) or nothing_found(reading)
    if reading.refusal is not None:
        return reading.refused()
    foreign = [one for one in quantities if one.unit is not None and one.in_unit(unit) is None]
    if foreign:
        return _wrong_dimension(reading, foreign[0], unit)
    if _NOT_A_NUMBER.fullmatch(lower):
        return ParsedReply(
            ParseStatus.INVALID, rule=Rule.BARE_NUMBER, flags=reading.flags, detail="the number is not finite"
        )
    return nothing_found(reading)


@lru_cache(maxsize=8)
def answering_quantities(lower: str) -> tuple[Quantity, ...]:
    """Quantities that can be answers: not names of things, list markers, pronouns, questions or conditions."""
    kept = []
    for quantity in find_quantities(lower):
        at = quantity.start
        if quantity.unit is None and (
            _is_name(lower, at) or _is_pronoun(lower, quantity) or _is_marker(lower, quantity)
        ):
            continue
        if is_asked(lower, at, quantity.end) or is_conditional(lower, at):
            continue
        kept.append(quantity)
    return tuple(kept)


def _is_name(lower: str, at: int) -> bool:
    before = lower[max(0, at - _LABEL_REACH) : at]
    return _NAMED.search(before) is not None or _NAMED_LIST.search(lower[max(0, at - 60) : at]) is not None


def _is_pronoun(lower: str, quantity: Quantity) -> bool:
    if _NOT_EVEN_ONE.match(lower, quantity.start):
        return True
    if lower[quantity.start : quantity.end] != "one" or not lower.strip("one \n.!\"'()"):
        return False
    if _ONE_COUNTS.search(lower[max(0, quantity.start - 16) : quantity.start]):
        return False
    if _ONE_BEFORE.search(lower[max(0, quantity.start - 16) : quantity.start]):
        return True
    return (
        quantity.start > 0 and _PRONOUN_ONE.match(lower, quantity.end) is not None and not _is_declared(lower, quantity)
    )


def _is_declared(lower: str, quantity: Quantity) -> bool:
    return any(a <= quantity.start < b for a, b in declared_spans(lower[max(0, quantity.start - 80) : quantity.end]))


def _is_marker(lower: str, quantity: Quantity) -> bool:
    """ "1. The lamp ..." at the beginning of a line; any other "3. ..." only beside the items 2 or 4."""
    at, end = quantity.start, quantity.end
    line = max(0, lower.rfind("\n", max(0, at - 12), at))
    if lower[line:at].strip() or not lower[at:end].isdigit() or end - at > 3:
        return False
    after = _MARKER_AFTER.match(lower, end)
    if after is None:
        return False
    number = int(lower[at:end])
    if number == 1 and not lower[after.end()].isdigit():
        return True
    return bool({number - 1, number + 1} & _line_markers(lower))


@lru_cache(maxsize=8)
def _line_markers(lower: str) -> frozenset[int]:
    """Numbers that begin a line as "2. " or "2) "."""
    return frozenset(int(match[1]) for match in _LINE_MARKER.finditer(lower))


def _declared(lower: str, quantities: Sequence[Quantity]) -> list[Claim[Quantity]]:
    claims: list[Claim[Quantity]] = []
    regions = answer_regions(lower, numeric=True)
    for region in regions:
        inside = [one for one in quantities if region.start <= one.start and one.end <= region.end + 1]
        inside = inside or [_moved(one, region.start) for one in find_quantities(lower[region.start : region.end])]
        claims += [Claim(one, one.start, one.end, region.rule, final=True) for one in inside]
    for start, end in declared_spans(lower):
        stated = _stated([one for one in quantities if start <= one.start < end], lower)
        if not stated or stated[0].start - start > _CUE_REACH or is_denied_before(lower, stated[0].start):
            continue
        if not any(region.start <= stated[0].start < region.end for region in regions):
            final = final_cue(lower, start)
            claims += [Claim(one, one.start, one.end, Rule.DECLARED, final, weak=len(stated) > 1) for one in stated]
    return claims


def _moved(quantity: Quantity, offset: int) -> Quantity:
    return replace(
        quantity, start=quantity.start + offset, end=quantity.end + offset, bare_end=quantity.bare_end + offset
    )


def _stated(inside: list[Quantity], lower: str) -> list[Quantity]:
    """The quantity that a clause states: the first one, or what follows the equals signs of a sum; several where they
    are only listed or joined by an operator."""
    stated = inside[:1]
    for before, after in pairwise(inside):
        gap = lower[before.end : after.start]
        if _EQUALS_GAP.fullmatch(gap):
            stated = [after]
        elif _OPERATOR_GAP.fullmatch(gap):
            stated.append(after)
        else:
            break
    return stated


def _measured(lower: str, quantities: Sequence[Quantity], unit: Unit) -> list[Claim[Quantity]]:
    """Numbers of the asked dimension; beside them also bare ones after the name of a measure ("Distance: 5")."""
    if unit.dimension is Dimension.COUNT:
        return []
    right = [one for one in quantities if one.unit is not None and one.in_unit(unit) is not None]
    if right:
        right += [
            one
            for one in quantities
            if one.unit is None and _MEASURE_BEFORE.search(lower, max(0, one.start - _CUE_REACH), one.start)
        ]
    claims = [_claim(lower, one, Rule.WITH_UNIT) for one in right]
    results = [
        claim for claim in claims if _EQUALS.search(lower, max(0, claim.start - 20), claim.start) and not claim.denied
    ]
    if len({claim.value.in_unit(unit) for claim in results}) == 1:
        return [replace(results[-1], rule=Rule.AFTER_EQUALS)] if len(claims) > len(results) else claims
    return claims


def _bare(lower: str, quantities: Sequence[Quantity], unit: Unit) -> list[Claim[Quantity]]:
    counting = unit.dimension is Dimension.COUNT
    bare = [one for one in quantities if one.unit is None or (counting and one.unit.countable)]
    if counting:
        totals = [
            one
            for one in bare
            if _TOTAL_BEFORE.search(lower, max(0, one.start - 60), one.start) or _TOTAL_AFTER.match(lower, one.end)
        ]
        bare = totals or bare
    else:
        bare = [one for one in bare if not _NOUN_AFTER.match(lower, one.end)]
    return [_claim(lower, one, Rule.BARE_NUMBER) for one in bare]


def _claim(lower: str, quantity: Quantity, rule: Rule) -> Claim[Quantity]:
    denied = is_denied_before(lower, quantity.start) and Flag.BOUND not in quantity.flags
    return Claim(quantity, quantity.start, quantity.end, Rule.DENIED if denied else rule, denied=denied)


def _conclude(reading: Reading, claims: list[Claim[Quantity]], unit: Unit) -> ParsedReply[Number] | None:
    """The number that stands, in the asked unit, or why it is none."""
    claims = _with_stated_unit(claims, reading.lower)
    standing = settle(claims, reading.lower, lambda one, other: _same(one, other, unit))
    if len(standing) == 1 and standing[0].value.in_unit(unit) is None and not _counts(standing[0].value, unit):
        return _wrong_dimension(reading, standing[0].value, unit)
    numbers = [_in_unit(claim, unit) for claim in standing]
    result = conclude(numbers, reading.text, cut=reading.cut)
    if result is None or result.value is None:
        return result
    problem = _problem(result.value, unit)
    if problem is None:
        return result
    return ParsedReply(
        ParseStatus.INVALID,
        span=result.span,
        rule=result.rule,
        flags=result.flags,
        candidates=(Candidate(result.value, result.span, result.rule),),
        detail=problem,
    )


def _with_stated_unit(claims: list[Claim[Quantity]], lower: str) -> list[Claim[Quantity]]:
    """Bare numbers take the unit that the reply names apart from them, "Distance in cm: 250"."""
    if all(claim.value.unit is not None for claim in claims):
        return claims
    unit = stated_unit(lower)
    if unit is None:
        return claims
    return [
        claim
        if claim.value.unit is not None
        else replace(claim, value=replace(claim.value, unit=unit, flags=(*claim.value.flags, Flag.UNIT_INHERITED)))
        for claim in claims
    ]


def _in_unit(claim: Claim[Quantity], unit: Unit) -> Claim[Number]:
    """The same claim with its value in ``unit``."""
    quantity = claim.value
    value = quantity.in_unit(unit)
    flags = quantity.flags
    if quantity.unit is None and unit.dimension is not Dimension.COUNT:
        flags = (*flags, Flag.UNIT_ASSUMED)
    number: Number = quantity.value if value is None else value
    return Claim(number, claim.start, claim.end, claim.rule, claim.final, claim.weak, flags=flags)


def _counts(quantity: Quantity, unit: Unit) -> bool:
    return unit is Unit.COUNT and quantity.unit is not None and quantity.unit.countable


def _same(one: Quantity, other: Quantity, unit: Unit) -> bool:
    first, second = one.in_unit(unit), other.in_unit(unit)
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-12)
    return first == second and first is not None


def _problem(value: Number, unit: Unit) -> str | None:
    ends = (value.low, value.high) if isinstance(value, Interval) else (value,)
    if not isinstance(value, Interval) and not math.isfinite(value):
        return "the number is not finite"
    if unit.dimension is Dimension.COUNT:
        if any(math.isfinite(end) and (end < 0 or end != int(end)) for end in ends):
            return f"a count is a whole number that is not negative, got {value}"
    elif unit.dimension in (Dimension.AREA, Dimension.VOLUME) and ends[-1] < 0:
        return f"{unit.dimension.value} cannot be negative, got {value}"
    return None


def _wrong_dimension(reading: Reading, quantity: Quantity, unit: Unit) -> ParsedReply[Number]:
    span = reading.text.span(quantity.start, quantity.end)
    known = quantity.unit is not None and quantity.unit.unit is not None
    return ParsedReply(
        ParseStatus.INVALID,
        span=span,
        rule=Rule.WITH_UNIT,
        flags=(*reading.flags, Flag.WRONG_DIMENSION if known else Flag.UNIT_UNKNOWN),
        candidates=(Candidate(quantity.value, span, Rule.WITH_UNIT),),
        detail=f"{reading.lower[quantity.start : quantity.end]!r} does not measure {unit.dimension.value}, "
        f"which the question asks for in {unit.value}",
    )
