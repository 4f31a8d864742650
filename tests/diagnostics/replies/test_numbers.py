"""Numbers: every unit in every spelling against constants of their own, words against an independent speller."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.questions import Dimension, Unit
from seeworthy.diagnostics.replies import Flag, Interval, ParseStatus, Rule, parse_number
from seeworthy.diagnostics.replies.number_words import chinese_value, english_value

# (spellings, asked unit, size of one in it), from the international definitions and not from the code under test
SPELLINGS = [
    (("mm", "millimetre", "millimeters", "毫米"), "m", 0.001),
    (("cm", "centimetre", "centimeters", "厘米"), "m", 0.01),
    (("dm", "decimetre", "decimeters"), "m", 0.1),
    (("m", "metre", "meter", "metres", "meters", "米"), "m", 1.0),
    (("km", "kilometre", "kilometers", "公里"), "m", 1000.0),
    (("inch", "inches"), "m", 0.0254),
    (("ft", "foot", "feet", "英尺"), "m", 0.3048),
    (("yd", "yard", "yards"), "m", 0.9144),
    (("mile", "miles", "mi"), "m", 1609.344),
    (("cm2", "cm²", "cm^2", "square centimetres"), "m2", 1e-4),
    (("m2", "m²", "m^2", "square meters", "sq m", "平方米"), "m2", 1.0),
    (("ft2", "ft²", "square feet", "sq ft"), "m2", 0.09290304),
    (("cm3", "cm³", "ml", "cubic centimetres"), "m3", 1e-6),
    (("m3", "m³", "cubic meters", "立方米"), "m3", 1.0),
    (("l", "L", "litre", "liters", "升"), "m3", 1e-3),
    (("deg", "degree", "degrees", "°", "度"), "deg", 1.0),
    (("rad", "radian", "radians"), "deg", 180 / math.pi),
    (("%", "percent"), "ratio", 0.01),
]
POSITIVE = st.decimals(0, 9999, places=2).map(str)


@pytest.mark.parametrize(("words", "asked", "size"), SPELLINGS, ids=lambda value: str(value)[:24])
@pytest.mark.parametrize("form", ["{} {}", "{}{}", "It is {} {}.", "about {} {} away", "**{} {}**", "Answer: {} {}"])
def test_every_spelling_of_every_unit(words: tuple[str, ...], asked: str, size: float, form: str) -> None:
    for word in words:
        result = parse_number(form.format("2.5", word), asked)
        assert result.value == pytest.approx(2.5 * size), word
        assert Flag.UNIT_ASSUMED not in result.flags


@given(POSITIVE, st.sampled_from([(word, asked, size) for words, asked, size in SPELLINGS for word in words]))
def test_any_number_in_any_unit(number: str, unit: tuple[str, str, float]) -> None:
    word, asked, size = unit
    assert parse_number(f"roughly {number} {word}", asked).value == pytest.approx(float(number) * size)


@pytest.mark.parametrize("unit", [unit for unit in Unit if unit.dimension is not Dimension.COUNT])
def test_a_number_of_another_dimension_is_invalid(unit: Unit) -> None:
    foreign = {Dimension.LENGTH: "degrees", Dimension.RATIO: "m"}.get(unit.dimension, "m")
    result = parse_number(f"3 {foreign}", unit)
    assert result.status is ParseStatus.INVALID
    assert result.flags == (Flag.WRONG_DIMENSION,)


@given(POSITIVE)
def test_a_bare_number_takes_the_asked_unit_and_says_so(number: str) -> None:
    result = parse_number(f"The answer is {number}.", Unit.METRE)
    assert result.value == float(number)
    assert result.flags == (Flag.UNIT_ASSUMED,)


@given(st.integers(0, 14), st.integers(0, 11))
def test_feet_and_inches(feet: int, inches: int) -> None:
    metres = feet * 0.3048 + inches * 0.0254
    for reply in (
        f"{feet}'{inches}\"",
        f"{feet} ft {inches} in",
        f"{feet} feet and {inches} inches",
        f"{feet}′ {inches}″",
    ):
        assert parse_number(reply, Unit.METRE).value == pytest.approx(metres), reply


@given(
    st.integers(1, 400),
    st.integers(1, 400),
    st.sampled_from(["{} to {} cm", "{}-{} cm", "between {} and {} cm", "{}~{}厘米", "from {} cm to {} cm"]),
)
def test_ranges_stay_ranges(one: int, other: int, form: str) -> None:
    low, high = sorted((one, other))
    if low == high:
        return
    reply = form.format(low, high)
    value = parse_number(reply, Unit.METRE).value
    assert isinstance(value, Interval)
    assert (value.low, value.high) == (pytest.approx(low / 100), pytest.approx(high / 100))
    middle = parse_number(reply, Unit.METRE, intervals="midpoint")
    assert middle.value == pytest.approx((low + high) / 200)
    assert Flag.INTERVAL_MIDPOINT in middle.flags


def test_a_bound_has_no_midpoint() -> None:
    value = parse_number("less than 3 m", Unit.METRE, intervals="midpoint").value
    assert value == Interval(-math.inf, 3.0)


ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
ONES += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def speak(number: int) -> str:
    """An independent speller, 0 to 999,999."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{ONES[number // 100]} hundred" + (f" and {speak(number % 100)}" if number % 100 else "")
    return f"{speak(number // 1000)} thousand" + (f" {speak(number % 1000)}" if number % 1000 else "")


@given(st.integers(0, 999_999))
def test_english_words(number: int) -> None:
    assert english_value(speak(number)) == number
    assert parse_number(f"{speak(number)} metres", Unit.METRE).value == number


@given(st.integers(0, 99), st.text("0123456789", min_size=1, max_size=3))
def test_english_decimals(whole: int, decimals: str) -> None:
    words = f"{speak(whole)} point {' '.join(ONES[int(digit)] for digit in decimals)}"
    assert english_value(words) == pytest.approx(float(f"{whole}.{decimals}"))


DIGITS = "零一二三四五六七八九"


def speak_chinese(number: int) -> str:
    """An independent speller, 0 to 9,999."""
    if number < 10:
        return DIGITS[number]
    text, pending = "", False
    for scale, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            text += ("零" if pending else "") + DIGITS[digit] + sign
            pending = False
        elif text:
            pending = True
    return text.removeprefix("一") if 10 <= number < 20 else text


@given(st.integers(0, 9999))
def test_chinese_words(number: int) -> None:
    assert chinese_value(speak_chinese(number)) == number


@pytest.mark.parametrize("words", ["five twenty", "one two", "twenty thirty", "three four five"])
def test_words_that_make_no_number(words: str) -> None:
    assert english_value(words) is None


@given(st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3)))
def test_python_floats_come_back(value: float) -> None:
    assert parse_number(repr(value), Unit.METRE).value == value


@pytest.mark.parametrize("reply", ["9" * 400, "1e400", "9" * 5000 + " m", "nan", "inf m"])
def test_what_is_not_finite_is_no_answer(reply: str) -> None:
    result = parse_number(reply, Unit.METRE)
    assert result.value is None
    assert result.status in (ParseStatus.INVALID, ParseStatus.NO_ANSWER)


def test_a_restated_quantity_counts_in_the_asked_unit() -> None:
    assert parse_number("1.57 radians (90°)", Unit.DEGREE).value == 90
    assert parse_number("4 m (13 ft)", Unit.FOOT).value == 13


def test_rules_are_named() -> None:
    assert parse_number("1 m + 2 m = 3 m", Unit.METRE).rule is Rule.AFTER_EQUALS
    assert parse_number("no chairs are visible; none", Unit.COUNT).rule is Rule.NONE_IS_ZERO
    assert parse_number("3 m", Unit.METRE).rule is Rule.WITH_UNIT


def test_very_many_numbers_are_no_answer() -> None:
    result = parse_number("1 2 3 4 5 " * 3000, Unit.METRE)
    assert result.status is ParseStatus.AMBIGUOUS
    assert Flag.MIDDLE_SKIPPED in result.flags
