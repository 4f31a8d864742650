"""What all parsers share: split off the reasoning, clean the text, tell silence from a cut, keep what is left over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from .clean import CleanText, clean
from .reasoning import split_reasoning
from .refusal import find_refusal
from .result import Candidate, Flag, ParsedReply, ParseStatus, Rule, Span

__all__ = ["Reading", "nothing_found", "read", "unseen"]

T = TypeVar("T")


@dataclass(frozen=True)
class Reading:
    """The visible part of one reply, ready for the rules.

    Attributes:
        cut: the reply did not end by itself.
        raw: the visible text as it was given, and where it begins in the given text.
    """

    text: CleanText
    cut: bool
    raw: str
    offset: int = 0
    flags: tuple[Flag, ...] = ()

    @property
    def plain(self) -> str:
        return self.text.text

    @property
    def lower(self) -> str:
        return self.text.lower

    def raw_span(self, start: int, end: int) -> Span:
        """raw[start:end] in the text that was given."""
        return start + self.offset, end + self.offset

    @cached_property
    def refusal(self) -> Span | None:
        """Where the visible text refuses, in the text that was given."""
        found = find_refusal(self.lower)
        return None if found is None else self.text.span(*found)

    def refused(self) -> ParsedReply[T]:
        return ParsedReply(ParseStatus.REFUSAL, span=self.refusal, rule=Rule.REFUSAL_PHRASE, flags=self.flags)

    def unless_cut(self, result: ParsedReply[T]) -> ParsedReply[T]:
        """``result``, unless the reply was cut: what was only mentioned does not stand then."""
        if not self.cut or result.value is None:
            return result
        candidate = Candidate(result.value, result.span, result.rule)
        return cut_short(self, (candidate,))


def read(
    text: str, decide: Callable[[Reading], ParsedReply[T]], *, cut: bool = False, whole: bool = False
) -> ParsedReply[T]:
    """Run the rules of one parser over the visible part of ``text``.

    A block of reasoning that never closed means that the reply was cut. An answer that stands only in the reasoning is
    kept as a candidate and never becomes the value. ``whole`` says that ``decide`` reads the raw text and not only the
    window of the cleaned one.
    """
    split = split_reasoning(text)
    flags = (Flag.UNCLOSED_REASONING,) if split.unclosed else ()
    cut = cut or split.unclosed
    if split.visible and not split.visible.isspace():
        cleaned = clean(split.visible, split.offset)
        if cleaned.skipped_middle and not whole:
            flags = (*flags, Flag.MIDDLE_SKIPPED)
        result = decide(Reading(cleaned, cut, split.visible, split.offset, flags))
        return (
            replace(result, flags=(*flags, *(flag for flag in result.flags if flag not in flags))) if flags else result
        )
    inner: ParsedReply[T] | None = None
    if split.reasoning:
        inner = decide(Reading(clean(split.reasoning), False, split.reasoning))
    return unseen(inner, cut=cut, flags=flags)


def unseen(inner: ParsedReply[T] | None, *, cut: bool, flags: tuple[Flag, ...] = ()) -> ParsedReply[T]:
    """The result of a reply that says nothing visible; ``inner`` is what its reasoning says, kept as candidates."""
    candidates: tuple[Candidate[T], ...] = ()
    if inner is not None:
        values = [inner.value] if inner.value is not None else [one.value for one in inner.candidates]
        candidates = tuple(Candidate(value, None, Rule.IN_REASONING) for value in values)
    if cut:
        return ParsedReply(
            ParseStatus.TRUNCATED,
            rule=Rule.EMPTY,
            flags=(*flags, Flag.RAISE_OUTPUT_BUDGET),
            candidates=candidates,
            detail="the reply was cut before it said anything visible; raise the output budget",
        )
    return ParsedReply(ParseStatus.NO_ANSWER, rule=Rule.EMPTY, candidates=candidates, detail="nothing visible was said")


def nothing_found(reading: Reading, candidates: tuple[Candidate[T], ...] = ()) -> ParsedReply[T]:
    """No rule found an answer: a refusal, a cut, or none."""
    if reading.refusal is not None:
        return reading.refused()
    if reading.cut:
        return cut_short(reading, candidates)
    return ParsedReply(ParseStatus.NO_ANSWER, flags=reading.flags, candidates=candidates)


def cut_short(reading: Reading, candidates: tuple[Candidate[T], ...] = ()) -> ParsedReply[T]:
    return ParsedReply(
        ParseStatus.TRUNCATED,
        flags=(*reading.flags, Flag.RAISE_OUTPUT_BUDGET),
        candidates=candidates,
        detail="the reply was cut before it declared an answer; raise the output budget",
    )
