"""Clock directions: "at your 3 o'clock", 3点钟方向, "10:30".

The value is the hour as a float in (0, 12]: half past ten is 10.5, half past twelve 0.5. An hour outside 1 to 12 (0,
13, "15:00") is ``invalid``, and so are degrees: the question asks for a clock. A range across 12 begins below 0.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...bench_data.questions import Unit
from .claims import Claim, conclude, settle
from .context import is_asked, is_conditional, is_denied_before
from .declared_text import declared_spans, final_cue
from .number import answering_quantities, flag_skipped
from .number_words import ENGLISH_NUMBER, chinese_value, english_value
from .reading import Reading, nothing_found, read
from .result import Candidate, Flag, Interval, ParsedReply, ParseStatus, Rule
from .structured import answer_regions

__all__ = ["Hour", "parse_clock"]

Hour = float | Interval

_WORD = ENGLISH_NUMBER
_ZH = "[一二三四五六七八九十两]{1,3}"
_CLOCK = re.compile(
    rf"(?<![0-9a-z.:])(?:(?P<before>half past|(?:a )?quarter past|(?:a )?quarter to)[ ])?"
    rf"(?:(?P<from>[0-9]{{1,2}}|{_WORD})[ ]{{0,2}}(?:-|to|and|or|~)[ ]{{0,2}})?"
    rf"(?P<hour>[0-9]{{1,3}}|{_WORD})(?:[:.](?P<minute>[0-5][0-9])(?![0-9]))?[ -]{{0,2}}o[' ]{{0,2}}clock"
    r"|(?<![0-9.:])(?P<colon>[0-9]{1,2}):(?P<colon_minute>[0-5][0-9])(?![0-9:])"
    rf"|(?<![0-9a-z.:])(?P<past>half past|(?:a )?quarter past|(?:a )?quarter to)[ ](?P<past_hour>[0-9]{{1,2}}|{_WORD})"
    rf"|(?:(?P<zh_from>[0-9]{{1,2}}|{_ZH})[ ]?(?:点)?[ ]?(?:到|至|-|~)[ ]?)?(?P<zh>[0-9]{{1,2}}|"
    rf"{_ZH})[ ]?点(?:钟)?(?P<zh_half>半)?"
)
_SHIFTS = {"half past": 0.5, "quarter past": 0.25, "quarter to": -0.25}
_CLOCK_WORD = re.compile(r"clock|点")


def parse_clock(text: str, *, cut: bool = False) -> ParsedReply[Hour]:
    """The hour of a clock direction, in (0, 12], or an ``Interval`` of hours.

    >>> parse_clock("at your 3 o'clock").value, parse_clock("10:30").value, parse_clock("3点钟方向").value
    (3.0, 10.5, 3.0)
    """
    return read(text, lambda reading: flag_skipped(_decide(reading), reading), cut=cut)


def _decide(reading: Reading) -> ParsedReply[Hour]:
    lower = reading.lower
    claims: list[Claim[Hour]] = []
    regions = answer_regions(lower, numeric=True)
    declared = [(start, end, final_cue(lower, start)) for start, end in declared_spans(lower)]
    for match in _CLOCK.finditer(lower):
        at, end = match.span()
        hour = _hour(match)
        if hour is None or is_asked(lower, at, end) or is_conditional(lower, at):
            continue
        final = any(one.start <= at < one.end for one in regions) or any(
            a <= at < b and last for a, b, last in declared
        )
        claims.append(Claim(hour, at, end, Rule.OCLOCK, final, denied=is_denied_before(lower, at)))
    if not any(not claim.denied for claim in claims):
        claims += _bare(lower)
    result = conclude(settle(claims, lower), reading.text, cut=reading.cut)
    if result is None or result.value is None:
        return result or _wrong(reading) or nothing_found(reading)
    value = result.value
    if (isinstance(value, Interval) and value.high <= 12) or (isinstance(value, float) and 1 <= value < 13):
        return result if isinstance(value, Interval) or value <= 12 else replace(result, value=value - 12)
    return ParsedReply(
        ParseStatus.INVALID,
        span=result.span,
        rule=result.rule,
        flags=(*result.flags, Flag.OUT_OF_RANGE),
        candidates=(Candidate(value, result.span, result.rule),),
        detail=f"a clock direction has an hour from 1 to 12, got {value}",
    )


def _hour(match: re.Match[str]) -> Hour | None:
    """The hour as written; "quarter to one" is 12.75."""
    if match["colon"]:
        return int(match["colon"]) + int(match["colon_minute"]) / 60
    if match["zh"]:
        hour, start = _number(match["zh"]), match["zh_from"]
        shift = 0.5 if match["zh_half"] else 0.0
    else:
        hour, start = _number(match["hour"] or match["past_hour"]), match["from"]
        words = (match["before"] or match["past"] or "").removeprefix("a ")
        shift = _SHIFTS.get(words, 0.0) + int(match["minute"] or 0) / 60
    if hour is None:
        return None
    end = hour + shift
    if start is not None:
        low = _number(start)
        if low is None or not 1 <= low <= 12:
            return None
        return Interval(low if low <= end else low - 12, end)
    return end + 12 if end < 1 <= hour else end


def _number(written: str) -> float | None:
    if written.isdigit():
        return float(written)
    value = chinese_value(written)
    return english_value(written) if value is None else value


def _bare(lower: str) -> list[Claim[Hour]]:
    """A number that is declared or all that is said, taken as an hour."""
    spans = declared_spans(lower) + [(one.start, one.end) for one in answer_regions(lower, numeric=True)]
    quantities = [one for one in answering_quantities(lower) if one.unit is None]
    alone = len(quantities) == 1 and not lower[: quantities[0].start].strip(" \n\"'([") and len(lower.strip()) < 12
    return [
        Claim(one.value, one.start, one.end, Rule.BARE_NUMBER, flags=(Flag.UNIT_ASSUMED,))
        for one in quantities
        if alone or any(start <= one.start < end for start, end in spans)
    ]


def _wrong(reading: Reading) -> ParsedReply[Hour] | None:
    """Degrees or metres instead of an hour."""
    lower = reading.lower
    for one in answering_quantities(lower):
        if (
            one.unit is not None
            and one.in_unit(Unit.COUNT) is None
            and not _CLOCK_WORD.search(lower, one.start, one.end)
        ):
            span = reading.text.span(one.start, one.end)
            return ParsedReply(
                ParseStatus.INVALID,
                span=span,
                rule=Rule.WITH_UNIT,
                flags=(*reading.flags, Flag.WRONG_DIMENSION),
                candidates=(Candidate(one.value, span, Rule.WITH_UNIT),),
                detail=f"{lower[one.start : one.end]!r} is no clock direction",
            )
    return None
