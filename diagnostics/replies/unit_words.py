"""How replies write units, English and Chinese, and which of them measure something that no question asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...bench_data.questions import Dimension, Unit

__all__ = ["UNIT_PATTERN", "UnitWord", "unit_at"]


@dataclass(frozen=True, slots=True)
class UnitWord:
    """A unit as written: ``factor`` times ``unit``.

    Attributes:
        unit: None for what no question asks for: seconds, pixels, steps.
        countable: what is counted rather than measured (steps, floors), so a plain number to a question for a count.
    """

    unit: Unit | None
    factor: float = 1.0
    countable: bool = False

    @property
    def dimension(self) -> Dimension | None:
        return None if self.unit is None else self.unit.dimension


_SQUARE = r"(?:[2²]|[ ]?\^[ ]?\{?2\}?)"
_CUBE = r"(?:[3³]|[ ]?\^[ ]?\{?3\}?)"
_COUNTABLE = r"units?|steps?|paces?|floors?|stor(?:e?ys?|ies)|blocks?|步|层|(?:body|arm|car|bed)[ -]?lengths?"
_WORDS: tuple[tuple[str, Unit | None, float], ...] = (
    ("mm|millimet(?:er|re)s?|毫米", Unit.MILLIMETRE, 1.0),
    ("cms?|centimet(?:er|re)s?|厘米|公分", Unit.CENTIMETRE, 1.0),
    ("dm|decimet(?:er|re)s?|分米", Unit.DECIMETRE, 1.0),
    ("m|met(?:er|re)s?|mtrs?|米|公尺|mètres?|metros?", Unit.METRE, 1.0),
    ("kms?|kilomet(?:er|re)s?|千米|公里", Unit.KILOMETRE, 1.0),
    ("inch(?:es)?|ins|英寸|英吋|吋|寸", Unit.INCH, 1.0),
    ("ft|feet|foot|英尺|英呎|呎", Unit.FOOT, 1.0),
    ("yds?|yards?|码", Unit.YARD, 1.0),
    ("mi|miles?|英里", Unit.MILE, 1.0),
    (rf"mm{_SQUARE}|square millimet(?:er|re)s?|sq\.? ?mm", Unit.SQUARE_METRE, 1e-6),
    (rf"cm{_SQUARE}|square centimet(?:er|re)s?|sq\.? ?cm|平方厘米", Unit.SQUARE_CENTIMETRE, 1.0),
    (
        rf"m{_SQUARE}|square met(?:er|re)s?|met(?:er|re)s? squared|sq\.? ?m(?:et(?:er|re)s?)?|sqm|平方米|㎡",
        Unit.SQUARE_METRE,
        1.0,
    ),
    (rf"km{_SQUARE}|square kilomet(?:er|re)s?|平方公里", Unit.SQUARE_METRE, 1e6),
    (rf"in{_SQUARE}|square inch(?:es)?|sq\.? ?in(?:ch(?:es)?)?", Unit.SQUARE_METRE, 0.0254**2),
    (rf"ft{_SQUARE}|square (?:feet|foot)|sq\.? ?(?:ft|feet|foot)|sqft|平方英尺", Unit.SQUARE_FOOT, 1.0),
    (r"square yards?|sq\.? ?yds?", Unit.SQUARE_METRE, 0.9144**2),
    (
        rf"cm{_CUBE}|cubic centimet(?:er|re)s?|cc|millilit(?:er|re)s?|ml|立方厘米|毫升",
        Unit.CUBIC_CENTIMETRE,
        1.0,
    ),
    (rf"m{_CUBE}|cubic met(?:er|re)s?|met(?:er|re)s? cubed|立方米", Unit.CUBIC_METRE, 1.0),
    (rf"ft{_CUBE}|cubic (?:feet|foot)|cu\.? ?ft", Unit.CUBIC_METRE, 0.3048**3),
    (rf"in{_CUBE}|cubic inch(?:es)?|cu\.? ?in", Unit.CUBIC_METRE, 0.0254**3),
    ("l|lit(?:er|re)s?|升|公升", Unit.LITRE, 1.0),
    ("deg|degs|degrees?|°(?! ?[cf]\\b)|度", Unit.DEGREE, 1.0),
    ("rad|rads|radians?|弧度", Unit.RADIAN, 1.0),
    ("%|percent|per cent|pct", Unit.PERCENT, 1.0),
    ("times|x(?= ?(?:\\Z|[.,;\\n]))|fold|倍", Unit.RATIO, 1.0),
    ("s|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|秒|分钟|小时", None, 1.0),
    ("kg|kilograms?|g|grams?|lbs?|pounds?|公斤|千克|克", None, 1.0),
    ("px|pix|pixels?|像素", None, 1.0),
    ("o'? ?clock|°[cf]|km/h|m/s|mph|点钟", None, 1.0),
    (_COUNTABLE, None, 1.0),
)
_UNIT_WORDS = tuple(UnitWord(unit, factor, countable=words == _COUNTABLE) for words, unit, factor in _WORDS)
_CJK_END = "\u3000-\u9fff"
UNIT_PATTERN = "(?:" + "|".join(f"(?:{pattern})" for pattern, _, _ in _WORDS) + ")"
_BY_LENGTH = [
    (re.compile(f"(?:{pattern})(?:(?![0-9a-zà-ɏ_'²³^])|(?<=[{_CJK_END}%°]))"), word)
    for (pattern, _, _), word in zip(_WORDS, _UNIT_WORDS, strict=True)
]
_QUICK = re.compile("[a-z%°²³㎡" + "\u3000-\u9fff" + "]")
_IN = re.compile(
    r"in(?:\.(?![a-z0-9])|(?=\s*(?:\Z|"
    r"[,;:)\]\"'}!?\n/]))|(?=[ ](?:away|apart|long|wide|tall|high|deep|thick|across|from|or|and|by|x|"
    r"in length|in width|in height)\b))"
)
_TOUCHING_IN = re.compile(r"in(?![0-9a-zà-ɏ_²³^])")
_INCH = UnitWord(Unit.INCH)
_BEFORE_DIGIT = re.compile(r"(?:km|cm|m|ft)(?=[0-9])(?![23](?![0-9.]|in|cm|mm|[\"']))")
"""A unit that touches the next number, "60ft1in", "1m20"; "m2" and "m3" are areas and volumes."""
_LENGTHS = {
    "km": UnitWord(Unit.KILOMETRE),
    "cm": UnitWord(Unit.CENTIMETRE),
    "m": UnitWord(Unit.METRE),
    "ft": UnitWord(Unit.FOOT),
}


def unit_at(lower: str, position: int, *, touching: bool = False) -> tuple[UnitWord, int] | None:
    """The longest unit written at ``position`` of small-letter text, and where it ends.

    "in" is an inch only where no preposition can stand ("10 in away", not "10 in the image"), or when it touches its
    number.
    """
    if _QUICK.match(lower, position) is None:
        return None
    best: tuple[UnitWord, int] | None = None
    for pattern, word in _BY_LENGTH:
        match = pattern.match(lower, position)
        if match and (best is None or match.end() > best[1]):
            best = (word, match.end())
    if best is None and touching and (length := _BEFORE_DIGIT.match(lower, position)):
        return _LENGTHS[length[0]], length.end()
    if best is None:
        inch = (_TOUCHING_IN if touching else _IN).match(lower, position)
        return None if inch is None else (_INCH, inch.end())
    return best
