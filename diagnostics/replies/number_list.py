"""A list of numbers, such as the three extents of a box.

Rules, in order:

1. an answer tag, box or JSON field with exactly ``length`` numbers; a bracketed list of that length; the last of
   several lists counts only if a word of revision stands between, else the reply is ambiguous;
2. numbers joined by "x", commas or "and" in one run of that length;
3. all quantities of the reply, if there are exactly ``length`` of them.

A unit after the list belongs to all its numbers, a unit after one number only to that one, unless it is the last and
the only one. A bracketed list of another length is ``invalid``: an answer was given, and it is not what was asked for.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from ...bench_data.questions import Dimension, Unit
from .claims import Claim, conclude, settle
from .declared_text import declared_spans, final_cue
from .number import answering_quantities, flag_skipped
from .number_grammar import LIST_NUMBER, number_value
from .quantities import Quantity, stated_unit
from .reading import Reading, nothing_found, read
from .result import Flag, Interval, ParsedReply, ParseStatus, Rule
from .structured import answer_regions
from .unit_words import UnitWord, unit_at

__all__ = ["parse_list"]

_GROUP = re.compile(r"\[(?P<square>[^\[\]]{1,400})\]|\((?P<round>[^()]{1,400})\)|\{(?P<curly>[^{}]{1,400})\}")
_SEPARATOR = re.compile(
    r"[ ]{0,3}(?:,|;|x|×|·|\n|by|and|/|,[ ]?and)?[ ]{0,3}(?:(?:[a-z]{1,12}[ ]?[:=]|[a-z]{1,2}=)[ ]?)?"
)
_OPENING = re.compile(r"[\s\[({]{0,8}")
_FIRST_NAME = re.compile(r"[ \"']{0,3}[a-z]{1,12}[\"']?[ ]?[:=][ ]?")
_JOINS = re.compile(r"[ ]{0,3}(?:x|×|·|,|;|by|and|,[ ]?and)[ ]{0,3}")


@dataclass(frozen=True, slots=True)
class _Item:
    value: float
    unit: UnitWord | None
    start: int
    end: int


def parse_list(text: str, length: int, unit: Unit | str, *, cut: bool = False) -> ParsedReply[tuple[float, ...]]:
    """``length`` numbers in ``unit``, in the order of the reply.

    >>> parse_list("about 30 x 20 x 10 cm", 3, Unit.METRE).value
    (0.3, 0.2, 0.1)
    >>> parse_list("[0.3, 0.2]", 3, Unit.METRE).status.value
    'invalid'
    """
    asked = Unit(unit)
    return read(text, lambda reading: flag_skipped(_decide(reading, length, asked), reading), cut=cut)


def _decide(reading: Reading, length: int, unit: Unit) -> ParsedReply[tuple[float, ...]]:
    lower = reading.lower
    claims, wrong_length = _listed(lower, length)
    if not claims:
        claims = _runs(lower, length) or _all(lower, length)
        if wrong_length is not None:  # "[1,200, 2, 3]" is a list of four, not of three
            _, start, end = wrong_length
            claims = [claim for claim in claims if claim.end <= start or end <= claim.start]
    claims = [replace(claim, value=_with_stated_unit(claim.value, lower)) for claim in claims]
    standing = settle(claims, lower, lambda one, other: _values(one, unit) == _values(other, unit))
    if standing:
        return _conclude(reading, standing, unit)
    if wrong_length is not None and reading.refusal is None and not reading.cut:
        count, start, end = wrong_length
        return ParsedReply(
            ParseStatus.INVALID,
            span=reading.text.span(start, end),
            rule=Rule.BRACKETED_LIST,
            flags=reading.flags,
            detail=f"a list of {count} numbers where {length} are asked for",
        )
    return nothing_found(reading)


def _all(lower: str, length: int) -> list[Claim[tuple[_Item, ...]]]:
    quantities = answering_quantities(lower)
    if len(quantities) != length or any(isinstance(one.value, Interval) for one in quantities):
        return []
    items = tuple(_item(one) for one in quantities)
    return [Claim(items, items[0].start, items[-1].end, Rule.ALL_NUMBERS)]


def _with_stated_unit(items: tuple[_Item, ...], lower: str) -> tuple[_Item, ...]:
    """Numbers without any unit take the one that the reply names apart from them, "sizes in cm: 30, 20, 10"."""
    if any(item.unit is not None for item in items):
        return items
    unit = stated_unit(lower)
    return tuple(replace(item, unit=unit) for item in items)


def _item(quantity: Quantity) -> _Item:
    return _Item(float(quantity.value), quantity.unit, quantity.start, quantity.end)  # type: ignore[arg-type]


def _listed(lower: str, length: int) -> tuple[list[Claim[tuple[_Item, ...]]], tuple[int, int, int] | None]:
    """Lists in tags, boxes, fields and brackets, and the last list of a wrong length."""
    claims: list[Claim[tuple[_Item, ...]]] = []
    wrong: tuple[int, int, int] | None = None
    declared = [(start, end, final_cue(lower, start)) for start, end in declared_spans(lower)]
    regions = [(one.start, one.end, one.rule) for one in answer_regions(lower, numeric=True)]
    groups = [(*match.span(match.lastgroup or 0), Rule.BRACKETED_LIST) for match in _GROUP.finditer(lower)]
    for start, end, rule in [*regions, *groups]:
        set_apart = rule is not Rule.BRACKETED_LIST
        if not set_apart and any(a <= start and end <= b for a, b, _ in regions):
            continue
        items = _items(lower, start, end)
        if len(items) != length:
            if len(items) > 1 and (not set_apart or rule is Rule.ANSWER_TAG):
                wrong = (len(items), start, end)
            continue
        final = set_apart or any(a <= start < b and last for a, b, last in declared)
        claims.append(Claim(items, start, end, rule, final=final))
    return claims, wrong


def _items(lower: str, start: int, end: int) -> tuple[_Item, ...]:
    """The numbers between start and end if these hold nothing else, with a unit that may follow the bracket."""
    inner = _OPENING.match(lower, start, end)
    at = inner.end() if inner else start
    items: list[_Item] = []
    while at < end:
        name = None if items else _FIRST_NAME.match(lower, at, end)
        match = LIST_NUMBER.match(lower, name.end() if name else at, end)
        read_number = number_value(match) if match else None
        if match is None or read_number is None:
            break
        unit, after = _unit(lower, match.end(), end)
        items.append(_Item(read_number[0], unit, match.start(), after))
        gap = _SEPARATOR.match(lower, after, end)
        at = gap.end() if gap else after
        if at == match.end() and at < end:
            break
    if lower[at:end].strip(" \n])}\"'.,"):
        return ()
    if items and all(item.unit is None for item in items):
        after_bracket = end + 1 if lower[end : end + 1] in ("]", ")", "}") else end
        unit, _ = _unit(lower, after_bracket, len(lower))
        items = [_Item(item.value, unit, item.start, item.end) for item in items]
    return tuple(items)


def _unit(lower: str, at: int, end: int) -> tuple[UnitWord | None, int]:
    gap = at + 1 if lower[at : at + 1] == " " else at
    found = unit_at(lower, gap, touching=gap == at)
    return (None, at) if found is None or found[1] > end else found


def _runs(lower: str, length: int) -> list[Claim[tuple[_Item, ...]]]:
    """Quantities joined by "x", commas or "and", in runs of exactly ``length``."""
    runs: list[list[Quantity]] = []
    for quantity in answering_quantities(lower):
        if runs and _JOINS.fullmatch(lower, runs[-1][-1].end, quantity.start):
            runs[-1].append(quantity)
        else:
            runs.append([quantity])
    claims = []
    for run in runs:
        if len(run) == length and not any(isinstance(one.value, Interval) for one in run):
            items = tuple(_item(one) for one in run)
            if items[-1].unit is not None and all(item.unit is None for item in items[:-1]):
                items = tuple(_Item(item.value, items[-1].unit, item.start, item.end) for item in items)
            claims.append(Claim(items, items[0].start, items[-1].end, Rule.ALL_NUMBERS))
    return claims


def _values(items: tuple[_Item, ...], unit: Unit) -> tuple[float, ...] | None:
    """In ``unit``; None when one of them measures something else."""
    values = []
    for item in items:
        value = Quantity(item.value, item.unit, item.start, item.end, item.end).in_unit(unit)
        if not isinstance(value, float) or not math.isfinite(value):
            return None
        values.append(value)
    return tuple(values)


def _conclude(reading: Reading, standing: list[Claim[tuple[_Item, ...]]], unit: Unit) -> ParsedReply[tuple[float, ...]]:
    lists: list[Claim[tuple[float, ...]]] = []
    for claim in standing:
        values = _values(claim.value, unit)
        if values is None or (unit.dimension is Dimension.COUNT and any(value != int(value) for value in values)):
            return ParsedReply(
                ParseStatus.INVALID,
                span=reading.text.span(claim.start, claim.end),
                rule=claim.rule,
                flags=(*reading.flags, Flag.WRONG_DIMENSION),
                detail=f"a number of the list is no finite {unit.dimension.value}",
            )
        assumed = any(item.unit is None for item in claim.value) and unit.dimension is not Dimension.COUNT
        flags = (Flag.UNIT_ASSUMED,) if assumed else ()
        lists.append(Claim(values, claim.start, claim.end, claim.rule, claim.final, flags=flags))
    result = conclude(lists, reading.text, cut=reading.cut)
    return nothing_found(reading) if result is None else result
