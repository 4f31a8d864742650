"""Free text: what was said, without reasoning, answer tags and superfluous blanks."""

from __future__ import annotations

from .reading import Reading, nothing_found, read
from .result import Candidate, ParsedReply, ParseStatus, Rule
from .structured import answer_regions

__all__ = ["parse_text"]


def parse_text(text: str, *, cut: bool = False) -> ParsedReply[str]:
    """The text of a reply: its answer tag, box or field if there is one, else all of it, with single blanks.

    >>> parse_text("<think>hm</think>  a red\\n mug ").value
    'a red mug'
    """
    return read(text, _decide, cut=cut, whole=True)


def _decide(reading: Reading) -> ParsedReply[str]:
    regions = answer_regions(reading.lower)
    if regions:
        region = regions[-1]
        words = " ".join(reading.text.text[region.start : region.end].split())
        span = reading.text.span(region.start, region.end)
        if words and not (reading.cut and not reading.text.text[region.end :].strip()):
            return ParsedReply(ParseStatus.OK, words, span, region.rule)
    if reading.refusal is not None:
        return reading.refused()
    words = " ".join(reading.raw.split())
    span = reading.raw_span(0, len(reading.raw))
    if reading.cut:
        return nothing_found(reading, (Candidate(words, span, Rule.FREE_TEXT),))
    return ParsedReply(ParseStatus.OK, words, span, Rule.FREE_TEXT)
