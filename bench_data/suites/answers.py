"""Truths as text, and text as truths: letters, yes and no, numbers with units, lists, hours."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from ..questions import AnswerFormat, AnswerType, Truth, Unit
from .findings import RecordError
from .item import SuiteItem
from .literals import parse_list_cell

__all__ = [
    "UNIT_WORDS",
    "answer_text",
    "lettered_yes_no",
    "number_in",
    "parse_letter",
    "parse_numbers",
    "truth_from_text",
    "yes_no_word",
]

UNIT_WORDS: dict[Unit, str] = {
    Unit.METRE: "meters",
    Unit.KILOMETRE: "kilometers",
    Unit.CENTIMETRE: "centimeters",
    Unit.MILLIMETRE: "millimeters",
    Unit.CUBIC_METRE: "cubic meters",
    Unit.LITRE: "cubic decimeters",
    Unit.SQUARE_METRE: "square meters",
    Unit.DEGREE: "degrees",
    Unit.RADIAN: "radians",
    Unit.PERCENT: "percent",
}
_ALIASES: dict[str, Unit] = {
    **{unit.value: unit for unit in Unit if unit not in (Unit.COUNT, Unit.RATIO)},
    **{word: unit for unit, word in UNIT_WORDS.items()},
    **{word.removesuffix("s"): unit for unit, word in UNIT_WORDS.items()},
    **{word.replace("meter", "metre"): unit for unit, word in UNIT_WORDS.items()},
    **{word.removesuffix("s").replace("meter", "metre"): unit for unit, word in UNIT_WORDS.items()},
    "feet": Unit.FOOT,
    "foot": Unit.FOOT,
    "inches": Unit.INCH,
    "inch": Unit.INCH,
    "litres": Unit.LITRE,
    "liters": Unit.LITRE,
    "m³": Unit.CUBIC_METRE,
    "m^3": Unit.CUBIC_METRE,
    "m²": Unit.SQUARE_METRE,
    "°": Unit.DEGREE,
}
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_UNITS = "|".join(sorted((re.escape(word) for word in _ALIASES), key=len, reverse=True))
_ALONE = re.compile(rf"\s*({_NUMBER})\s*({_UNITS})?\s*\.?\s*", re.IGNORECASE)
_MEASURE = re.compile(rf"(?<![\w.])({_NUMBER})\s*({_UNITS})(?!\w)", re.IGNORECASE)
_HOUR = re.compile(r"(?<![\d.])(1[0-2]|0?[1-9])(?:\s*o['’]?\s*clock|:00)?(?![\d.])", re.IGNORECASE)
_LETTER = re.compile(r"\s*\(?([A-Za-z])\)?\s*(?:[.:)]\s*(.*?)\s*)?", re.DOTALL)
_YES = frozenset({"yes", "true", "indeed", "correct"})
_NO = frozenset({"no", "false", "incorrect"})


def answer_text(item: SuiteItem, *, unit: bool = True) -> str:
    """The truth as a model would be taught to say it; "" when it is withheld.

    Args:
        item: of any answer type.
        unit: whether a number carries its unit's symbol.
    """
    truth = item.truth
    if truth is None:
        return ""
    if isinstance(truth, bool):
        return lettered_yes_no(item, truth) or ("Yes" if truth else "No")
    if item.answer_type is AnswerType.CLOCK:
        return f"{truth} o'clock"
    if isinstance(truth, tuple):
        return json.dumps(list(truth), allow_nan=False)
    symbol = item.answer_format.unit
    if isinstance(truth, int | float) and unit and symbol not in (None, Unit.COUNT, Unit.RATIO):
        return f"{truth!r} {symbol}"
    return truth if isinstance(truth, str) else repr(truth)


def lettered_yes_no(item: SuiteItem, truth: bool) -> str | None:
    """The letter of a yes/no item that is shown with options; None without options."""
    for letter, text in item.options.items():
        if yes_no_word(text) is truth:
            return letter
    return None


def yes_no_word(text: str) -> bool | None:
    """Whether a text is a plain yes or no, with perhaps more behind a comma; None when it is neither."""
    word = re.match(r"\W*(\w+)", text)
    if word is None:
        return None
    first = word[1].lower()
    return True if first in _YES else False if first in _NO else None


def parse_letter(text: str, options: Mapping[str, str]) -> str:
    """The letter of an answer such as "C", "(c)" or "C. the lamp".

    Raises:
        RecordError: no letter, or the words behind it belong to another option.
    """
    found = _LETTER.fullmatch(text)
    if found is None:
        same = [letter for letter, option in options.items() if option.strip().lower() == text.strip().lower()]
        if len(same) == 1:
            raise RecordError(
                "letter_expected", f"the answer repeats the text of option {same[0]}; write the letter {same[0]!r}"
            )
        raise RecordError("letter_expected", f"the answer must be a letter, got {_short(text)}")
    letter = found[1].upper()
    words = (found[2] or "").strip().strip("()").strip().lower()
    shown = options.get(letter)
    if words and shown and words != shown.strip().lower():
        raise RecordError(
            "letter_text_mismatch",
            f"the answer says {letter} and {_short(words)}, but option {letter} reads {_short(shown)}",
        )
    return letter


def number_in(text: str, *, sentence: bool = False) -> tuple[float, Unit | None]:
    """(the number, its unit or None when it has none), where nothing else is said.

    Args:
        text: "2.4 m", "12.0 meters", "3".
        sentence: also take the one measure in a sentence.

    Raises:
        RecordError: no number, several, or one that is not finite.
    """
    found = _ALONE.fullmatch(text)
    if found is None and sentence:
        measures = {(match[1], match[2].lower()) for match in _MEASURE.finditer(text)}
        if len(measures) > 1:
            raise RecordError("number_unparsable", f"{_short(text)} names several measures; keep one")
        found = next(_MEASURE.finditer(text), None)
    if found is None:
        raise RecordError("number_unparsable", f"{_short(text)} is no number with a unit; write it like 2.4 m")
    value = float(found[1])
    if not math.isfinite(value):
        raise RecordError("number_unparsable", f"{_short(text)} is not finite")
    whole = re.fullmatch(r"[+-]?\d{1,15}", found[1])
    return (int(value) if whole and found[2] is None else value), _ALIASES[found[2].lower()] if found[2] else None


def parse_numbers(text: str) -> tuple[float, ...]:
    """The finite numbers of a list cell.

    Raises:
        RecordError: no list, or something else in it.
    """
    try:
        items = parse_list_cell(text)
    except ValueError as error:
        raise RecordError("list_unparsable", f"{_short(text)}: {error}") from error
    numbers = []
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int | float) or not abs(item) <= 1e300:
            raise RecordError("list_unparsable", f"{_short(text)}: {_short(str(item))} is no finite number")
        numbers.append(float(item))
    return tuple(numbers)


def truth_from_text(text: str, form: AnswerFormat, *, sentence: bool = False) -> Truth:
    """What :func:`answer_text` wrote, or a published table's cell, as a truth.

    Args:
        text: of the answer.
        form: of the answer.
        sentence: whether the answer may be said in a sentence.

    Raises:
        RecordError: it is no answer of this form.
    """
    match form.answer_type:
        case AnswerType.CHOICE:
            return parse_letter(text, form.options or {})
        case AnswerType.YES_NO:
            return _yes_no(text, form)
        case AnswerType.NUMBER:
            value, unit = number_in(text, sentence=sentence)
            if unit is not None and unit is not form.unit:
                wanted = "" if form.unit is None else form.unit.value
                raise RecordError("wrong_unit", f"{_short(text)} is in {unit.value}, the question asks for {wanted}")
            if form.unit is Unit.COUNT and value != int(value):
                raise RecordError("number_unparsable", f"{_short(text)} is no whole number of things")
            return int(value) if form.unit is Unit.COUNT else value
        case AnswerType.LIST | AnswerType.BOX | AnswerType.POINT:
            return parse_numbers(text)
        case AnswerType.CLOCK:
            hours = {int(match[1]) for match in _HOUR.finditer(text)}
            if len(hours) != 1:
                raise RecordError("number_unparsable", f"{_short(text)} names no single hour; write it like 3 o'clock")
            return hours.pop()
        case _:
            return text


def _yes_no(text: str, form: AnswerFormat) -> bool:
    if form.options and (letter := _LETTER.fullmatch(text)) and letter[1].upper() in form.options:
        plain = yes_no_word(form.options[letter[1].upper()])
    else:
        plain = yes_no_word(text)
    if plain is None:
        raise RecordError("yes_no_unparsable", f"{_short(text)} is neither yes nor no")
    return plain


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
