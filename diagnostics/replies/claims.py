"""Claims in the order of the text, and which of them still stand at its end.

Rules:
1. A claim of a value that already stands changes nothing.
2. A claim of another value replaces what stood if a word of revision lies between, or if it is the first *final* one
   ("final answer", an answer tag, a box). Otherwise both stand, and the reply is ambiguous.
3. A denial takes its value back; a withdrawal ("that is wrong") takes back the last claim.
4. Weak claims ("it might be B", "A or B") count only when there is no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, TypeVar

from .clean import CleanText
from .context import REVISION, WITHDRAWAL
from .result import Candidate, Flag, ParsedReply, ParseStatus, Rule

__all__ = ["Claim", "conclude", "settle"]

T = TypeVar("T")

MAX_STANDING = 16


@dataclass(frozen=True, slots=True)
class Claim(Generic[T]):
    """One value that the text states (or denies) at text[start:end] of the plain text."""

    value: T
    start: int
    end: int
    rule: Rule
    final: bool = False
    weak: bool = False
    denied: bool = False
    flags: tuple[Flag, ...] = ()


def settle(claims: Iterable[Claim[T]], lower: str, same: Callable[[T, T], bool] | None = None) -> list[Claim[T]]:
    """The claims that stand at the end of the small-letter text, at most one for each value and ``MAX_STANDING`` in
    all."""
    events = sorted(claims, key=attrgetter("start"))
    if len(events) > 1 and any(not claim.weak and not claim.denied for claim in events):
        events = [claim for claim in events if not claim.weak]
    standing: list[Claim[T]] = []
    at = 0
    for claim in events:
        if standing and WITHDRAWAL.search(lower, at, claim.start):
            standing.pop()
        others = [kept for kept in standing if not _equal(kept.value, claim.value, same)]
        if claim.denied:
            # of more conflicting claims than are kept, a denial can make none certain
            standing = standing if len(standing) == MAX_STANDING else others
        else:
            if others and (_is_first_final(claim, others) or REVISION.search(lower, at, claim.start)):
                others = []
            standing = [*others, claim] if len(others) < MAX_STANDING else others
        at = max(at, claim.end)
    if standing and WITHDRAWAL.search(lower, at):
        standing.pop()
    return standing


def _equal(one: T, other: T, same: Callable[[T, T], bool] | None) -> bool:
    return one == other if same is None else same(one, other)


def _is_first_final(claim: Claim[T], others: Sequence[Claim[T]]) -> bool:
    return claim.final and not any(other.final for other in others)


def conclude(standing: Sequence[Claim[T]], text: CleanText, *, cut: bool = False) -> ParsedReply[T] | None:
    """The result of settled claims, or None when nothing stands.

    ``cut`` says that the reply was cut off: an answer then stands only if something follows it, for its last word may
    have been longer, and only if nothing after it begins to take it back.
    """
    if not standing:
        return None
    last = standing[-1]
    if len(standing) > 1:
        candidates = tuple(Candidate(one.value, text.span(one.start, one.end), one.rule) for one in standing)
        return ParsedReply(
            ParseStatus.AMBIGUOUS,
            span=candidates[0].span,
            rule=last.rule,
            flags=last.flags,
            candidates=candidates,
            detail=f"{len(standing)} answers stand without a word that revises one of them",
        )
    span = text.span(last.start, last.end)
    flags = last.flags
    if cut:
        rest = text.lower[last.end :]
        if not rest.strip() or REVISION.search(rest):
            return ParsedReply(
                ParseStatus.TRUNCATED,
                span=span,
                rule=last.rule,
                flags=(*flags, Flag.RAISE_OUTPUT_BUDGET),
                candidates=(Candidate(last.value, span, last.rule),),
                detail="the reply was cut at the answer or while it was being revised; raise the output budget",
            )
        flags = (*flags, Flag.ANSWER_BEFORE_CUT)
    return ParsedReply(ParseStatus.OK, last.value, span, last.rule, flags)
