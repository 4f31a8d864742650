"""Numbers written as words, English and Chinese."""

from __future__ import annotations

import re

__all__ = ["ENGLISH_NUMBER", "chinese_value", "english_value", "spelled"]

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_SMALL = "|".join(sorted([*_UNITS, *_TENS], key=len, reverse=True))
_ANY = "|".join(sorted([*_UNITS, *_TENS, *_SCALES, "dozen"], key=len, reverse=True))

ENGLISH_NUMBER = (
    rf"(?:(?:(?:{_SMALL})\b|an?(?=[ ](?:hundred|thousand|million|dozen)\b))"
    rf"(?:(?:(?<=hundred)[ ]and[ ]|(?<=thousand)[ ]and[ ]|"
    rf"[ -])(?:{_ANY})\b){{0,8}}(?:[ ]point(?:[ ](?:{'|'.join(_UNITS)})\b){{1,8}})?)"
)
"""Pattern of an English number, such as "twenty-one", "a hundred and five", "two point five"."""

_DIGITS_ZH = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "兩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_SCALES_ZH = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_NAMES = {str(value): (name,) for name, value in _UNITS.items()}
_ZH_NAMES = {str(value): sign for sign, value in _DIGITS_ZH.items()}


def english_value(text: str) -> float | None:
    """Value of English number words, or None when they make no number ("five twenty", "one two").

    >>> english_value("two point five"), english_value("a hundred and five"), english_value("twenty-one")
    (2.5, 105.0, 21.0)
    """
    whole, _, decimals = text.lower().partition(" point ")
    words = [word for word in re.split(r"[ -]+", whole) if word != "and"]
    total, group, last = 0, 0, 1_000_000_000
    for word in words:
        if word in ("a", "an"):
            group, last = 1, 1
        elif word == "dozen":
            group, last = max(group, 1) * 12, 1
        elif word in _SCALES:
            scale = _SCALES[word]
            if scale == 100:
                group, last = max(group, 1) * 100, 100
            else:
                total, group, last = total + max(group, 1) * scale, 0, scale
        else:
            value = _UNITS.get(word, _TENS.get(word))
            if value is None or not _may_follow(value, last):
                return None
            group, last = group + value, (10 if value >= 20 else 1)
    number = float(total + group)
    if decimals:
        digits = [_UNITS.get(word, 10) for word in decimals.split()]
        if any(digit > 9 for digit in digits):
            return None
        number += float("0." + "".join(map(str, digits)))
    return number


def _may_follow(value: int, last: int) -> bool:
    """Tens follow a scale, units follow tens or a scale."""
    return value < last and not (last == 10 and value > 9)


def chinese_value(text: str) -> float | None:
    """Value of Chinese number signs, or None.

    >>> chinese_value("二十五"), chinese_value("两"), chinese_value("一百零五"), chinese_value("三点五")
    (25.0, 2.0, 105.0, 3.5)
    """
    whole, point, decimals = text.partition("点")
    total, digit = 0, None
    for sign in whole:
        if sign in _DIGITS_ZH:
            digit = _DIGITS_ZH[sign] if digit in (None, 0) else None
            if digit is None:
                return None
        elif sign in _SCALES_ZH:
            scale = _SCALES_ZH[sign]
            if scale == 10_000:
                total, digit = (total + (digit or 0)) * scale, None
            else:
                total, digit = total + (1 if digit is None else digit) * scale, None
        else:
            return None
    number = float(total + (digit or 0))
    if point:
        if not decimals or any(sign not in _DIGITS_ZH for sign in decimals):
            return None
        number += float("0." + "".join(str(_DIGITS_ZH[sign]) for sign in decimals))
    return number


def spelled(digits: str) -> tuple[str, ...]:
    """The words for a small whole number written in digits, empty for anything else.

    >>> spelled("3")
    ('three', '三')
    """
    return (*_NAMES.get(digits, ()), *((_ZH_NAMES[digits],) if digits in _ZH_NAMES else ()))
