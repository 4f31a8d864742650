"""Replies as in the public RoboStressBench evaluation, faults included.

Known faults, kept on purpose: the first letter of the first line counts as an answer ("Cannot determine ..." is C), the
article "a" is option A, digits inside words and names are numbers ("x1=100" begins with 1).
"""

from __future__ import annotations

import ast
import re

__all__ = ["extract_choice_index", "extract_numbers"]

_MAX_LITERAL_CHARS = 2_000
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_CUED_LETTER = re.compile(r"\b(?:answer|option|choice)\b[^A-Z]*([A-Z])\b", re.IGNORECASE)
_SINGLE_LETTER = re.compile(r"\b([A-Z])\b", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"\b(\d+)\b")


def extract_choice_index(reply: str, option_count: int) -> int | None:
    """Index of the option, or None.

    >>> extract_choice_index("Cup is left of the plate", 4), extract_choice_index("The answer is C", 4)
    (2, 2)
    """
    text = reply.strip()
    if not text:
        return None
    single = _SINGLE_LETTER.findall(text)
    cued = _CUED_LETTER.search(text)
    first_line = text.splitlines()[0].strip()
    for letter in (
        text if len(text.upper()) == 1 else "",
        cued[1] if cued else "",
        single[0] if len(single) == 1 else "",
        first_line[:1],
    ):
        index = _index(letter, option_count)
        if index is not None:
            return index
    number = _WHOLE_NUMBER.search(text)
    if number is None or len(number[1]) > 9:
        return None
    value = int(number[1])
    if 1 <= value <= option_count:
        return value - 1
    return value if 0 <= value < option_count else None


def _index(letter: str, option_count: int) -> int | None:
    capital = letter.upper()
    if len(capital) != 1 or not "A" <= capital <= "Z":
        return None
    index = ord(capital) - ord("A")
    return index if index < option_count else None


def extract_numbers(reply: str, count: int) -> list[float] | None:
    """``count`` numbers: the first bracketed group or the whole reply as a literal, else the first ones found anywhere.

    >>> extract_numbers("x1=100, y1=200, x2=600, y2=800", 4)
    [1.0, 100.0, 1.0, 200.0]
    """
    text = reply.strip()
    for candidate in (_first_group(text), text):
        numbers = _literal_numbers(candidate, count)
        if numbers is not None:
            return numbers
    found = []
    for match in _NUMBER.finditer(text):
        found.append(float(match[0]))
        if len(found) == count:
            return found
    return None


def _first_group(text: str) -> str:
    """The first "[...]" or "(...)" that is not empty."""
    last = {"[": text.rfind("]"), "(": text.rfind(")")}
    closer = {"[": "]", "(": ")"}
    for match in re.finditer(r"[\[(]", text):
        start, opener = match.start(), match[0]
        if last[opener] > start + 1 and text[start + 1] != closer[opener]:
            return text[start : text.index(closer[opener], start + 1) + 1]
    return ""


def _literal_numbers(text: str, count: int) -> list[float] | None:
    if not text or len(text) > _MAX_LITERAL_CHARS:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if not isinstance(value, list | tuple) or len(value) != count:
        return None
    try:
        return [float(one) for one in value]
    except (TypeError, ValueError, OverflowError):
        return None
