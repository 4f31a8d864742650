"""Lengths, angles and numbers of objects as models write them: 4.5, "about 120 cm", {"value": 4, "unit": "m"}."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ...bench_data.questions import Unit
from ..replies import Interval, JsonValue
from ..replies.clean import clean
from ..replies.quantities import find_quantities
from ..replies.unit_words import unit_at

__all__ = ["MAX_LENGTH_M", "ReadNumber", "length_unit", "read_id", "read_number"]

MAX_LENGTH_M = 1e9
"""What is longer is no length of a scene."""

MAX_ID = 10**9
_MAX_CHARS = 64
_CONVERTED = "a number in words or with a unit"
_ID = re.compile(
    r"(?:the )?(?:objects?|obj|nodes?|ids?|marks?|markers?|numbers?|no|item|entity|物体|物品|对象|目标|编号)?"
    r"[\s_#:.\-\[(]{0,4}([0-9]{1,9})[\])]?"
)
_PLAIN = re.compile(r"([-+]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:e[-+]?[0-9]{1,3})?)(?: ?([a-z]{1,12}))?", re.IGNORECASE)
"""A number, perhaps with a word after it; other texts go through the grammar of replies, which is slower."""


@dataclass(frozen=True, slots=True)
class ReadNumber:
    """A number in the asked unit, or why there is none.

    Attributes:
        value: None where there is none.
        problem: why there is none; "" for one that is simply not stated.
        note: what had to be understood; "" for a plain number.
    """

    value: float | None = None
    problem: str = ""
    note: str = ""


def read_number(value: JsonValue, unit: Unit, *, assumed: Unit | None = None, signed: bool = False) -> ReadNumber:
    """A number in ``unit``.

    Args:
        value: as it stands in the JSON.
        unit: what it is to be in.
        assumed: the unit of a number without one; None for ``unit``.
        signed: negative ones are right, as in positions.

    >>> read_number("about 120 cm", Unit.METRE).value, read_number("5 kg", Unit.METRE).problem
    (1.2, 'measures something else: 5 kg')
    """
    if value is None:
        return ReadNumber()
    if isinstance(value, dict):
        return _of_record(value, unit, assumed, signed)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return ReadNumber(problem="no number")
    if isinstance(value, str):
        return _of_text(value.strip(), unit, assumed, signed)
    return _checked(_as_float(value), unit, assumed, signed)


def _of_record(value: dict[str, JsonValue], unit: Unit, assumed: Unit | None, signed: bool) -> ReadNumber:
    inner, named = value.get("value"), value.get("unit", value.get("units"))
    if isinstance(inner, dict | list) or inner is None:
        return ReadNumber(problem="no number")
    known = length_unit(named) if isinstance(named, str) and unit.dimension is Unit.METRE.dimension else None
    if isinstance(named, str) and known is None and unit is Unit.METRE:
        return ReadNumber(problem=f"the unit is not known: {_short(named)}")
    found = read_number(inner, unit, assumed=known or assumed, signed=signed)
    return ReadNumber(found.value, found.problem, found.note or "given as a record")


def _of_text(text: str, unit: Unit, assumed: Unit | None, signed: bool) -> ReadNumber:
    if not text or text.casefold() in ("null", "none", "unknown", "n/a", "?", "-"):
        return ReadNumber()
    if len(text) > _MAX_CHARS:
        return ReadNumber(problem=f"no number: {_short(text)}")
    plain = _PLAIN.fullmatch(text)
    if plain and plain[2] is None:
        found = _checked(float(plain[1]), unit, assumed, signed)
        return ReadNumber(found.value, found.problem, found.note or "a number in quotes")
    if plain and unit is Unit.METRE and (named := length_unit(plain[2])) is not None:
        found = _checked(float(plain[1]), unit, named, signed)
        return ReadNumber(found.value, found.problem, _CONVERTED)
    return _checked_text(text, unit, assumed, signed)


@lru_cache(maxsize=4096)
def _checked_text(text: str, unit: Unit, assumed: Unit | None, signed: bool) -> ReadNumber:
    quantities = find_quantities(clean(text).lower)
    if len(quantities) != 1:
        return ReadNumber(problem=f"no single number: {_short(text)}")
    quantity = quantities[0]
    told = quantity.in_unit(unit)
    if told is None:
        return ReadNumber(problem=f"measures something else: {_short(text)}")
    value = told.midpoint if isinstance(told, Interval) else told
    found = _checked(value, unit, assumed if quantity.unit is None else None, signed)
    note = "the middle of a range" if isinstance(told, Interval) else _CONVERTED
    return ReadNumber(found.value, found.problem, note)


def _checked(value: float, unit: Unit, assumed: Unit | None, signed: bool) -> ReadNumber:
    note = ""
    if assumed is not None and assumed is not unit:
        value, note = assumed.convert(value, unit), f"told in {assumed.value}"
    if not math.isfinite(value):
        return ReadNumber(problem="not finite")
    if value < 0 and not signed:
        return ReadNumber(problem="negative")
    if abs(value) > MAX_LENGTH_M:
        return ReadNumber(problem="too large")
    return ReadNumber(value + 0.0, note=note)


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf


@lru_cache(maxsize=256)
def length_unit(text: str) -> Unit | None:
    """The unit of length that a word names.

    >>> length_unit("Centimetres"), length_unit("px")
    (<Unit.CENTIMETRE: 'cm'>, None)
    """
    lower = clean(text[:_MAX_CHARS]).lower.strip()
    if lower in ("in", "inch", "inches"):
        return Unit.INCH
    found = unit_at(lower, 0)
    if found is None or found[1] != len(lower) or found[0].factor != 1.0:
        return None
    unit = found[0].unit
    return unit if unit is not None and unit.dimension is Unit.METRE.dimension else None


def read_id(value: JsonValue) -> int | None:
    """The number of an object: 3, 3.0, "3", "object 3", "[3]"; None for what is none.

    >>> [read_id(one) for one in (3, 3.0, "Object_3", "３", "chair", True, -1, 2.5)]
    [3, 3, 3, 3, None, None, None, None]
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        if len(value) > _MAX_CHARS:
            return None
        match = _ID.fullmatch(unicodedata.normalize("NFKC", value).casefold().strip())
        return int(match[1]) if match else None
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) and value == int(value) else -1
    return value if isinstance(value, int) and 0 <= value <= MAX_ID else None


def _short(text: str) -> str:
    return " ".join(text.split())[:40]
