"""What is known of each question under each condition, and the scores that a diagnosis rests on.

All scores stand on the same questions and the same scale, so that they can be held against each other: only questions
that the true graph decides count, and the graph is scored by the answers that follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..errors import DiagnosticsError

__all__ = ["Evidence", "Score", "scores_of", "terms_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One question that the true graph decides. Scores are in [0, 1]; None where a condition was not asked.

    Args:
        picture: questions of one picture share its fate.
        chance: what a guess scores.
        direct: of the answer given to the picture alone; 0 without an answer.
        derived: of the answer that follows from the model's own graph; 0 where none follows.
        agreement, agreement_chance: between these two answers; None where there are not two.
        same_wrong, same_wrong_chance: both answers are wrong in the same way, 1 or 0, and how likely that is by chance;
            None where wrong answers cannot differ, or there are not two.
        blind: without the picture.
        own, true, shuffled: with that graph beside the picture.
    """

    picture: str
    chance: float
    direct: float
    derived: float
    agreement: float | None = None
    agreement_chance: float | None = None
    same_wrong: float | None = None
    same_wrong_chance: float | None = None
    blind: float | None = None
    own: float | None = None
    true: float | None = None
    shuffled: float | None = None


class Score(StrEnum):
    """The scores of a diagnosis.

    answers: of the direct answers, 0 is chance and 1 perfect. graph: the same of those that follow from its own graph.
    consistency: agreement of the two, 0 is chance. shared errors: share of questions on which both are wrong in the
    same way, beyond chance. sight: share of what the picture could add to blind answers that it does add. trust: what
    its own graph beside the picture changes. perception gap: what the true graph changes. grounding: what the true
    graph adds to one with its numbers shuffled.
    """

    ANSWERS = "answers"
    GRAPH = "graph"
    CONSISTENCY = "consistency"
    SHARED_ERRORS = "shared errors"
    SIGHT = "sight"
    TRUST = "trust"
    PERCEPTION_GAP = "perception gap"
    GROUNDING = "grounding"


_ROUNDING = 1e-9

_Parts = Callable[[Evidence], tuple[float, float] | None]
"""What an item adds above and below a score's fraction line; None where it has no part in it."""


def _change(before: float | None, after: float | None) -> tuple[float, float] | None:
    return None if before is None or after is None else (after - before, 1.0)


def _sight(one: Evidence) -> tuple[float, float] | None:
    return None if one.blind is None else (one.direct - one.blind, 1 - one.blind)


def _consistency(one: Evidence) -> tuple[float, float] | None:
    if one.agreement is None or one.agreement_chance is None:
        return None
    return one.agreement - one.agreement_chance, 1 - one.agreement_chance


def _shared(one: Evidence) -> tuple[float, float] | None:
    return None if one.same_wrong is None else (one.same_wrong - (one.same_wrong_chance or 0.0), 1.0)


_PARTS: dict[Score, _Parts] = {
    Score.ANSWERS: lambda one: (one.direct - one.chance, 1 - one.chance),
    Score.GRAPH: lambda one: (one.derived - one.chance, 1 - one.chance),
    Score.CONSISTENCY: _consistency,
    Score.SHARED_ERRORS: _shared,
    Score.SIGHT: _sight,
    Score.TRUST: lambda one: _change(one.direct, one.own),
    Score.PERCEPTION_GAP: lambda one: _change(one.direct, one.true),
    Score.GROUNDING: lambda one: _change(one.shuffled, one.true),
}


def terms_of(evidence: Sequence[Evidence]) -> NDArray[np.float64]:
    """(n, 2 k): for each of the k scores, what each item adds above and below its fraction line."""
    rows = [[value for parts in _PARTS.values() for value in (parts(one) or (0.0, 0.0))] for one in evidence]
    return np.array(rows, dtype=np.float64)


def scores_of(sums: NDArray[np.float64]) -> dict[Score, NDArray[np.float64]]:
    """Sums (..., 2 k) of `terms_of` as scores (...); NaN for a score that nothing has a part in.

    Raises:
        DiagnosticsError: not that many sums.
    """
    if sums.shape[-1] != 2 * len(_PARTS):
        raise DiagnosticsError(f"scores need {2 * len(_PARTS)} sums, got shape {sums.shape}")
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(sums[..., 1::2] > _ROUNDING, sums[..., 0::2] / sums[..., 1::2], np.nan)
    return {score: values[..., place] for place, score in enumerate(_PARTS)}
