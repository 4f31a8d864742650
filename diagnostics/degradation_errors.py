"""What degradation did to a wrong answer: SpaceDG's four kinds of errors, assigned by rules.

The kinds are those that SpaceDG (arXiv 2605.22536, section 5.2) found by reading the reasoning of one model. Here they
are assigned by what was asked, what was right on the clean picture, what could be seen, and, in a chain of two stages,
what the model said was done to the picture. One answer may be of several kinds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from ..bench_data.questions.query import (
    Choose,
    DirectionWords,
    Exceeds,
    Exists,
    Query,
    Ranking,
    Related,
    RelationSet,
    Sector,
    TurnWords,
    Value,
    Values,
)

__all__ = ["DegradedAnswer", "ErrorCounts", "ErrorKind", "count_errors", "error_kinds"]

_RELATIONS = (Related, RelationSet, DirectionWords, Sector, TurnWords)
_AMOUNTS = (Value, Values, Exceeds, Choose, Ranking, Exists)


class ErrorKind(StrEnum):
    """A kind of error.

    attribution: it named another degradation than the one there was. relation: a direction or relation that was right
    on the clean picture is wrong. artefact: so is a count, a measure or a comparison of measures. low visibility: it
    answered, wrongly, about something that no one could make out any more. not induced: it is wrong on the clean
    picture too, so the degradation need not be the cause. other: none of these.
    """

    ATTRIBUTION = "degradation attribution"
    RELATION = "spatial relation distortion"
    ARTEFACT = "artefact-induced"
    LOW_VISIBILITY = "low-visibility guess"
    NOT_INDUCED = "wrong without it too"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class DegradedAnswer:
    """An answer to a question about a degraded picture.

    Args:
        condition: what reports group by: the degradation, the condition it was asked under.
        query: what was asked.
        answered: there was an answer, right or wrong.
        right: it was right.
        right_when_clean: so was the answer on the clean picture; None where that was not asked.
        answerable: what is asked could still be made out in the picture.
        degradations: what was done to the picture.
        named: what the model said was done to it; None where it was not asked or did not say.
    """

    condition: str
    query: Query
    answered: bool
    right: bool
    right_when_clean: bool | None
    answerable: bool
    degradations: tuple[str, ...]
    named: str | None = None


class ErrorCounts(BaseModel):
    """Errors under one condition.

    Attributes:
        questions, wrong: asked, and answered wrongly.
        declined: not answered, of which so many were about something that no one could make out any more: rightly so.
        kinds: of the wrong answers; they may add up to more.
        named, named_rightly: how often the model said what was done to the picture, and how often rightly.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    condition: str
    questions: int
    wrong: int
    declined: int
    declined_rightly: int
    kinds: dict[ErrorKind, int]
    named: int
    named_rightly: int


def error_kinds(one: DegradedAnswer) -> tuple[ErrorKind, ...]:
    """The kinds of an answer, in the order of `ErrorKind`; () for one that is right or missing."""
    if one.right or not one.answered:
        return ()
    found = []
    if _is_misnamed(one):
        found.append(ErrorKind.ATTRIBUTION)
    if one.right_when_clean:
        if isinstance(one.query, _RELATIONS):
            found.append(ErrorKind.RELATION)
        if isinstance(one.query, _AMOUNTS):
            found.append(ErrorKind.ARTEFACT)
    if not one.answerable:
        found.append(ErrorKind.LOW_VISIBILITY)
    if one.right_when_clean is False:
        found.append(ErrorKind.NOT_INDUCED)
    return tuple(found) or (ErrorKind.OTHER,)


def count_errors(answers: Iterable[DegradedAnswer]) -> tuple[ErrorCounts, ...]:
    """The errors of each condition, in order of first appearance."""
    groups: dict[str, list[DegradedAnswer]] = {}
    for one in answers:
        groups.setdefault(one.condition, []).append(one)
    return tuple(_counts(condition, group) for condition, group in groups.items())


def _counts(condition: str, group: list[DegradedAnswer]) -> ErrorCounts:
    kinds = Counter(kind for one in group for kind in error_kinds(one))
    named = [one for one in group if one.named is not None]
    return ErrorCounts(
        condition=condition,
        questions=len(group),
        wrong=sum(one.answered and not one.right for one in group),
        declined=sum(not one.answered for one in group),
        declined_rightly=sum(not one.answered and not one.answerable for one in group),
        kinds={kind: kinds[kind] for kind in ErrorKind},
        named=len(named),
        named_rightly=sum(not _is_misnamed(one) for one in named),
    )


def _is_misnamed(one: DegradedAnswer) -> bool:
    return one.named is not None and one.named not in (one.degradations or ("none",))
