"""How numbers are written: digits with thousands marks or decimal commas, fractions, powers of ten, multiples of pi,
English and Chinese words. One pattern finds them, one function gives their value."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable

from .number_words import ENGLISH_NUMBER, chinese_value, english_value
from .result import Flag
from .unit_words import UNIT_PATTERN

__all__ = ["LIST_NUMBER", "NUMBER", "number_value"]

_START = r"(?:(?<![0-9a-zà-ɏ_^])(?<![0-9]\.)(?<!\^\{)(?<!\^-)|(?<=[0-9]m)|(?<=[0-9]ft)|(?<=[0-9]km))"
_SIGN = r"(?:(?<![0-9%°][ ])(?<![0-9a-z)%°])[-+](?=[0-9.]))?"
_PLAIN = r"(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_ZH = "零〇一二两兩三四五六七八九十百千万萬"

_POWER = (
    rf"(?P<power>10(?:\^\{{?[+-]?[0-9]{{1,2}}\}}?|⁻?[{_SUPERSCRIPTS}]{{1,2}})|{_PLAIN}(?:e[+-]?[0-9]{{1,3}}(?![0-9.])"
    rf"|[ ]{{0,8}}[x×·][ ]{{0,3}}10[ ]?(?:\^[ ]?\{{?[ ]?[+-]?[0-9]{{1,2}}[ ]?\}}?|⁻?[{_SUPERSCRIPTS}]{{1,2}})))"
)
_FRACTION = (
    r"(?P<fraction>(?:[0-9]{1,4}(?:[ ]{1,12}|"
    r"[ ]?-[ ]?(?=[0-9]{1,2}[ ]?/)))?[0-9]{1,4}[ ]{0,8}/[ ]{0,8}[0-9]{1,4}(?![/0-9.]))"
)
_GROUPED = (
    r"(?P<comma>[0-9]{1,3}(?:,[0-9]{3}){1,6}(?:\.[0-9]+)?(?![0-9]|,[0-9]))"
    r"|(?P<thin>[0-9]{1,3}(?:\u2009[0-9]{3}){1,6}(?:[.,][0-9]+)?(?![0-9]))"
    rf"|(?P<space>(?<![0-9] )[0-9]{{1,3}}(?: [0-9]{{3}}){{1,3}}(?![0-9])(?= ?{UNIT_PATTERN}(?![a-z])))"
    r"|(?P<dots>[0-9]{1,3}(?:\.[0-9]{3}){1,6},[0-9]+(?![0-9,])|[0-9]{1,3}(?:\.[0-9]{3}){2,6}(?![0-9]))"
    r"|(?P<decimal_comma>(?<![\[(])[0-9]{1,9},[0-9]{1,9}(?![0-9]|[,.][0-9]|[\])]))"
)
_PI = rf"(?P<pi>(?:{_PLAIN}[ ]{{0,6}}\*?[ ]?)?(?:π|pi\b)(?:[ ]{{0,6}}/[ ]{{0,6}}[0-9]{{1,3}})?)"
_PARTS = r"half|third|quarter|fourth|fifth|eighth|tenth"
_WORDS = (
    rf"(?P<parts>(?:one|two|three|four|five|seven|an?)[ -](?:{_PARTS})s?(?:[ ]of(?:[ ]an?)?)?|"
    rf"half(?:[ ]of)?(?:[ ]an?)?(?=[ ])|half\b)(?![a-z])"
    rf"|(?P<words>{ENGLISH_NUMBER})(?![a-z])"
    rf"|(?P<zh>[{_ZH}]{{1,12}}(?:点[{_ZH}]{{1,8}})?|半(?=[米公英个]))"
)

NUMBER = re.compile(
    rf"{_START}{_SIGN}(?:{_PI}|{_POWER}|{_FRACTION}|(?P<vulgar>[0-9]{{0,4}}[ ]?[{_VULGAR}])|{_GROUPED}|"
    rf"(?P<plain>{_PLAIN}))"
    rf"|(?<![a-zà-ɏ-])(?:{_WORDS})"
)
"""A number in small-letter prose."""

LIST_NUMBER = re.compile(
    rf"(?<![0-9a-zà-ɏ_])(?<![0-9]\.)(?:(?<![0-9a-z)])[-+](?=[0-9.]))?(?:{_POWER}|(?P<plain>{_PLAIN}))"
)
"""A number where commas separate numbers."""

_PART_VALUES = {
    "half": 0.5,
    "third": 1 / 3,
    "quarter": 0.25,
    "fourth": 0.25,
    "fifth": 0.2,
    "eighth": 0.125,
    "tenth": 0.1,
}


def number_value(match: re.Match[str]) -> tuple[float, tuple[Flag, ...]] | None:
    """Value and flags of a match of ``NUMBER`` or ``LIST_NUMBER``; None when it is no number after all (1/0)."""
    kind = match.lastgroup or "plain"
    written = match[kind]
    sign = -1.0 if match[0].startswith("-") else 1.0
    value = _READERS[kind](written)
    if value is None:
        return None
    return sign * value, _FLAGS.get(kind, ())


def _power(text: str) -> float | None:
    if re.match(r"10[\^⁻⁰-⁹²³¹]", text):
        text = "1x" + text
    if "e" in text:
        return float(text)
    base, _, exponent = re.sub(r"[x×·][ ]{0,3}10", "|", text.replace(" ", ""), count=1).partition("|")
    exponent = exponent.strip("^{}")
    digits = "".join(
        "-" if char == "⁻" else str(unicodedata.digit(char)) if char in _SUPERSCRIPTS else char for char in exponent
    )
    return float(base) * 10.0 ** int(digits)


def _fraction(text: str) -> float | None:
    upper, _, lower = text.partition("/")
    pieces = [int(piece) for piece in re.findall(r"[0-9]+", upper)]
    if int(lower) == 0:
        return None
    whole = pieces[0] if len(pieces) == 2 else 0
    return whole + pieces[-1] / int(lower)


def _vulgar(text: str) -> float:
    return float(text[:-1].strip() or 0) + unicodedata.numeric(text[-1])


def _pi(text: str) -> float | None:
    front, _, back = text.replace("pi", "π").partition("π")
    factor = float(front.replace("*", "").strip() or 1)
    divisor = float(back.replace("/", "").strip() or 1)
    return factor * math.pi / divisor if divisor else None


def _parts(text: str) -> float | None:
    words = re.split(r"[ -]", text)
    count = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7}.get(words[0], 1)
    part = next((word for word in words if word.rstrip("s") in _PART_VALUES), None)
    return None if part is None else count * _PART_VALUES[part.rstrip("s")]


def _chinese(text: str) -> float | None:
    return 0.5 if text == "半" else chinese_value(text)


def _without(marks: str) -> dict[int, None]:
    return dict.fromkeys(map(ord, marks))


_READERS: dict[str, Callable[[str], float | None]] = {
    "pi": _pi,
    "power": _power,
    "fraction": _fraction,
    "vulgar": _vulgar,
    "comma": lambda text: float(text.translate(_without(","))),
    "thin": lambda text: float(text.replace("\u2009", "").replace(",", ".")),
    "space": lambda text: float(text.translate(_without(" "))),
    "dots": lambda text: float(text.translate(_without(".")).replace(",", ".")),
    "decimal_comma": lambda text: float(text.replace(",", ".")),
    "plain": float,
    "parts": _parts,
    "words": english_value,
    "zh": _chinese,
}
_FLAGS: dict[str, tuple[Flag, ...]] = {
    "comma": (Flag.THOUSANDS,),
    "thin": (Flag.THOUSANDS,),
    "space": (Flag.THOUSANDS,),
    "dots": (Flag.THOUSANDS, Flag.DECIMAL_COMMA),
    "decimal_comma": (Flag.DECIMAL_COMMA,),
}
