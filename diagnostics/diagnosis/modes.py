"""The modes of failure, the rules by which scores speak for one, and what to do about each.

The modes are those of CRISP (arXiv 2606.26535) with two more: a model that sees little or nothing, and one that shows
no clear pattern. They name patterns of behaviour, not causes. The rules are tried in order and the first that holds
decides, so that exactly one mode holds. What an intervention showed comes before what scores suggest.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from .evidence import Score

__all__ = ["ADVICE", "MEANING", "Mode", "Quadrant", "Thresholds", "modes_of", "quadrants_of", "rule_in_words"]

Scores = Mapping[Score, NDArray[np.float64]]


class Mode(StrEnum):
    """A pattern of behaviour, in the order in which the rules are tried."""

    TRUST_BIAS = "modality trust bias"
    SEMANTIC_SHORTCUT = "semantic shortcut"
    DISCONNECTION = "perception-reasoning disconnection"
    CONSISTENT_HALLUCINATION = "consistent hallucination"
    WEAK_SIGHT = "weak or no sight"
    GROUNDED = "grounded"
    MIXED = "no clear pattern"


class Quadrant(StrEnum):
    """Where a model stands by the score of its answers and that of its graph."""

    UNDERSTANDING = "answers right, graph right"
    SHORTCUT = "answers right, graph wrong"
    DISCONNECTED = "answers wrong, graph right"
    UNGROUNDED = "answers wrong, graph wrong"


class Thresholds(BaseModel):
    """When a score speaks for a mode.

    Args:
        high: answers, graph and consistency from here on are high.
        gap: answers and graph that differ by this much do not come from one and the same picture of the scene.
        trust_drop: a model that loses this much by being shown its own graph believes the graph more than its eyes.
        shared_errors: this share of questions beyond chance, wrong in the same way on both routes, is no accident.
        sight: a model that gains less than this share of what a picture could add sees it poorly, or not at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    high: float = Field(default=0.5, gt=0, lt=1)
    gap: float = Field(default=0.2, gt=0, lt=1)
    trust_drop: float = Field(default=0.1, gt=0, lt=1)
    shared_errors: float = Field(default=0.12, gt=0, lt=1)
    sight: float = Field(default=0.75, gt=0, lt=1)


MEANING: Mapping[Mode, str] = {
    Mode.TRUST_BIAS: "It answers worse once it reads its own scene graph: it believes its text before its eyes.",
    Mode.SEMANTIC_SHORTCUT: "It answers far better than its graph would allow: it does not work from geometry.",
    Mode.DISCONNECTION: "Its graph is far better than its answers: it sees, and does not use what it sees.",
    Mode.CONSISTENT_HALLUCINATION: "Answers and graph are wrong alike: it tells of a scene that is not there.",
    Mode.WEAK_SIGHT: "It takes little from the picture: answers and graph are both poor, and not in the same way.",
    Mode.GROUNDED: "Its answers are right, and they follow from a graph of the scene that is right too.",
    Mode.MIXED: "Its scores fit none of the patterns clearly.",
}

ADVICE: Mapping[Mode, str] = {
    Mode.TRUST_BIAS: "Do not feed it its own descriptions, or train it to weigh text against the picture.",
    Mode.SEMANTIC_SHORTCUT: "Strengthen its sense of depth, size and place; do not trust it with unusual scenes.",
    Mode.DISCONNECTION: "Let it write the graph first and answer from it, or derive the answers from its graph.",
    Mode.CONSISTENT_HALLUCINATION: "Its agreement with itself is no evidence; check it by depth or another model.",
    Mode.WEAK_SIGHT: "Check that pictures reach it at a size it can use, then choose one with stronger vision.",
    Mode.GROUNDED: "Nothing to repair at this difficulty; look at its hardest abilities and worst examples.",
    Mode.MIXED: "Ask more pictures, and all conditions, before concluding anything.",
}


def modes_of(scores: Scores, limits: Thresholds) -> dict[Mode, NDArray[np.bool_]]:
    """Which mode each set of scores speaks for; exactly one is true of each. A score that is NaN speaks for nothing."""
    answers, graph = scores[Score.ANSWERS], scores[Score.GRAPH]
    rules: dict[Mode, NDArray[np.bool_]] = {
        Mode.TRUST_BIAS: scores[Score.TRUST] <= -limits.trust_drop,
        Mode.SEMANTIC_SHORTCUT: answers - graph >= limits.gap,
        Mode.DISCONNECTION: graph - answers >= limits.gap,
        Mode.CONSISTENT_HALLUCINATION: scores[Score.SHARED_ERRORS] >= limits.shared_errors,
        Mode.WEAK_SIGHT: _sight(scores) < limits.sight,
        Mode.GROUNDED: (answers >= limits.high) & (graph >= limits.high) & (scores[Score.CONSISTENCY] >= limits.high),
        Mode.MIXED: np.ones_like(answers, dtype=bool),
    }
    free = np.ones_like(answers, dtype=bool)
    found = {}
    for mode, holds in rules.items():
        found[mode] = free & holds
        free = free & ~holds
    return found


def quadrants_of(scores: Scores, limits: Thresholds) -> dict[Quadrant, NDArray[np.bool_]]:
    """In which quadrant each set of scores lies."""
    answers, graph = scores[Score.ANSWERS] >= limits.high, scores[Score.GRAPH] >= limits.high
    return {
        Quadrant.UNDERSTANDING: answers & graph,
        Quadrant.SHORTCUT: answers & ~graph,
        Quadrant.DISCONNECTED: ~answers & graph,
        Quadrant.UNGROUNDED: ~answers & ~graph,
    }


def rule_in_words(mode: Mode, limits: Thresholds) -> str:
    """The rule of a mode with its numbers."""
    return {
        Mode.TRUST_BIAS: f"its own graph beside the picture costs at least {limits.trust_drop:.0%}",
        Mode.SEMANTIC_SHORTCUT: f"answers score at least {limits.gap:.0%} above the graph",
        Mode.DISCONNECTION: f"the graph scores at least {limits.gap:.0%} above the answers",
        Mode.CONSISTENT_HALLUCINATION: f"at least {limits.shared_errors:.0%} beyond chance are wrong alike",
        Mode.WEAK_SIGHT: f"the picture adds less than {limits.sight:.0%} of what it could",
        Mode.GROUNDED: f"answers, graph and consistency are all at least {limits.high:.0%}",
        Mode.MIXED: "none of the others holds",
    }[mode]


def _sight(scores: Scores) -> NDArray[np.float64]:
    """Sight; without a blind run, what answers add to guessing."""
    sight = scores[Score.SIGHT]
    return np.where(np.isnan(sight), scores[Score.ANSWERS], sight)
