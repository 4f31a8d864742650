"""The right answer in the form that the prompt asks for, with no more digits than a model can learn."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ...errors import BenchDataError
from ...questions import AnswerType, Unit
from ...questions.prompts import Places
from ..item import SuiteItem

__all__ = ["short_number", "taught_answer"]

_DIGITS = 3
"""Rounding moves a number by at most half a per cent, less than anyone reads off a picture."""
_PLACE_UNITS: dict[Places, tuple[float, int]] = {"permille": (1000.0, 0), "fraction": (1.0, 3)}
"""Places -> (how many make a whole width or height, decimals)."""


def taught_answer(item: SuiteItem, *, places: Places = "permille", size: tuple[int, int] | None = None) -> str:
    """What a model is taught to reply to `prompt_text` of the item.

    Args:
        item: with its truth.
        places: what boxes and points are wanted in.
        size: (width, height) in pixels of the first picture; for boxes and points.

    Returns:
        A letter; "Yes" or "No"; a number of three digits with its unit; numbers with commas between them; an hour; a
        box or point in brackets; or, of graphs and texts, the truth as it is.

    Raises:
        BenchDataError: the truth is withheld or not of the form, or the size is needed and not given.
    """
    truth, form = item.truth, item.answer_format
    match form.answer_type:
        case AnswerType.YES_NO if isinstance(truth, bool):
            return "Yes" if truth else "No"
        case AnswerType.CLOCK if isinstance(truth, int):
            return f"{truth} o'clock"
        case AnswerType.NUMBER if isinstance(truth, int | float) and form.unit is Unit.COUNT:
            return str(round(truth))
        case AnswerType.NUMBER if isinstance(truth, int | float):
            number = short_number(truth)
            return number if form.unit in (None, Unit.RATIO) else f"{number} {form.unit}"
        case AnswerType.LIST if isinstance(truth, tuple):
            return ", ".join(short_number(value) for value in truth)
        case AnswerType.BOX | AnswerType.POINT if isinstance(truth, tuple):
            return _place(item, truth, places, size)
        case AnswerType.CHOICE | AnswerType.GRAPH | AnswerType.TEXT if isinstance(truth, str):
            return truth
        case _:
            raise BenchDataError(
                f"item {item.id}: its truth {truth!r} is no {form.answer_type}; leave such items out, or mend the suite"
            )


def short_number(value: float) -> str:
    """Three significant digits, without an exponent.

    >>> [short_number(value) for value in (2.34567, 0.0123456, 1234.5, 2.0)]
    ['2.35', '0.0123', '1230', '2']
    """
    return format(Decimal(f"{value + 0.0:.{_DIGITS}g}"), "f")


def _place(item: SuiteItem, truth: Sequence[float], places: Places, size: tuple[int, int] | None) -> str:
    """Corners (x, y, x, y) or a point (x, y) in brackets; whole numbers, but fractions."""
    if item.coordinates == places:
        whole, decimals = (1.0, 1.0), 0
        values = list(truth)
    else:
        if size is None or min(size) < 1:
            raise BenchDataError(f"item {item.id}: places in {places} need the size of its picture")
        source = size if item.coordinates == "pixels" else (1000, 1000)
        count, decimals = _PLACE_UNITS.get(places, (0.0, 0))
        whole = (count, count) if count else (float(size[0]), float(size[1]))
        values = [value / source[axis % 2] * whole[axis % 2] for axis, value in enumerate(truth)]
    return "[" + ", ".join(f"{value + 0.0:.{decimals}f}" for value in values) + "]"
