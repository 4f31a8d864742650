"""The diagnosis of a model: its scores with intervals, and how surely they speak for each mode and quadrant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from ..errors import DiagnosticsError
from ..metrics import Interval, cluster_resampled_sums
from ..metrics.statistics.intervals import FEW_CLUSTERS, checked_confidence
from .evidence import Evidence, Score, scores_of, terms_of
from .modes import ADVICE, MEANING, Mode, Quadrant, Thresholds, modes_of, quadrants_of, rule_in_words

__all__ = ["Diagnosis", "ModeFinding", "diagnose"]


class ModeFinding(BaseModel):
    """How surely the scores speak for a mode.

    Attributes:
        probability: share of the resamples for which its rule decides.
        rule: the rule, with its numbers.
        tested: its condition was asked; an untested mode cannot be found, and is not excluded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode
    probability: float
    rule: str
    tested: bool


class Diagnosis(BaseModel):
    """What a model's scores speak for.

    Attributes:
        mode: the most probable one.
        quadrant: the most probable one.
        modes: all, in the order of their rules; the probabilities add up to 1.
        quadrants: with their probabilities.
        scores: with intervals over pictures; those that were not asked for are left out.
        questions, pictures: that it rests on.
        warnings: what a reader must know.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode
    quadrant: Quadrant
    modes: tuple[ModeFinding, ...]
    quadrants: dict[Quadrant, float]
    scores: dict[Score, Interval]
    questions: int
    pictures: int
    thresholds: Thresholds
    warnings: tuple[str, ...] = ()

    @property
    def probability(self) -> float:
        """Of the mode."""
        return next(finding.probability for finding in self.modes if finding.mode is self.mode)

    @property
    def meaning(self) -> str:
        """One sentence on what the mode says."""
        return MEANING[self.mode]

    @property
    def advice(self) -> str:
        """One sentence on what to do."""
        return ADVICE[self.mode]


_TESTED_BY = {
    Mode.TRUST_BIAS: Score.TRUST,
    Mode.CONSISTENT_HALLUCINATION: Score.SHARED_ERRORS,
    Mode.WEAK_SIGHT: Score.SIGHT,
}


def diagnose(
    evidence: Sequence[Evidence],
    *,
    seed: int,
    thresholds: Thresholds | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Diagnosis:
    """What a model's answers and graphs speak for.

    Whole pictures are drawn again ``resamples`` times; each time the rules decide for one mode, and its probability is
    how often they decide for it.

    Args:
        evidence: questions that the true graph decides.
        seed: of the resampling.
        thresholds: of the rules.

    Raises:
        DiagnosticsError: no evidence.
    """
    if not evidence:
        raise DiagnosticsError("a diagnosis needs at least one question that the true graph decides")
    limits, level = thresholds or Thresholds(), checked_confidence(confidence)
    terms, pictures = terms_of(evidence), [one.picture for one in evidence]
    estimates = scores_of(terms.sum(axis=0))
    drawn = scores_of(cluster_resampled_sums(terms, pictures, seed=seed, resamples=resamples))
    modes = {mode: float(holds.mean()) for mode, holds in modes_of(drawn, limits).items()}
    quadrants = {quadrant: float(holds.mean()) for quadrant, holds in quadrants_of(drawn, limits).items()}
    asked = {score for score, value in estimates.items() if np.isfinite(value)}
    count = len(set(pictures))
    return Diagnosis(
        mode=max(modes, key=lambda mode: modes[mode]),
        quadrant=max(quadrants, key=lambda quadrant: quadrants[quadrant]),
        modes=tuple(
            ModeFinding(
                mode=mode,
                probability=probability,
                rule=rule_in_words(mode, limits),
                tested=_TESTED_BY.get(mode, Score.ANSWERS) in asked,
            )
            for mode, probability in modes.items()
        ),
        quadrants=quadrants,
        scores={
            score: _interval(float(estimates[score]), drawn[score], level, len(evidence), count, resamples)
            for score in Score
            if score in asked
        },
        questions=len(evidence),
        pictures=count,
        thresholds=limits,
        warnings=_warnings(asked, count),
    )


def _interval(
    estimate: float, drawn: NDArray[np.float64], level: float, items: int, pictures: int, resamples: int
) -> Interval:
    defined = drawn[np.isfinite(drawn)]
    flags = ["few_clusters"] if 1 < pictures < FEW_CLUSTERS else ["one_cluster"] if pictures == 1 else []
    if defined.size < drawn.size:
        flags.append("undefined_resamples")
    known = pictures > 1 and defined.size > drawn.size // 2
    low, high = np.quantile(defined, [0.5 - level / 2, 0.5 + level / 2]) if known else (None, None)
    return Interval(
        estimate=estimate,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        standard_error=float(defined.std(ddof=1)) if known else None,
        confidence=level,
        n_items=items,
        n_clusters=pictures,
        method=f"cluster bootstrap, percentile, {resamples} resamples",
        flags=tuple(flags),
    )


def _warnings(asked: set[Score], pictures: int) -> tuple[str, ...]:
    found = []
    if pictures < FEW_CLUSTERS:
        found.append(f"{pictures} pictures are few; probabilities come out too sure below {FEW_CLUSTERS}")
    if Score.TRUST not in asked:
        found.append("trust in its own text was not tested; that needs the condition with its own graph")
    if Score.SIGHT not in asked:
        found.append("it was not asked without the picture; chance stands in for that")
    if Score.SHARED_ERRORS not in asked:
        found.append("no question on which two wrong answers could differ was compared")
    return tuple(found)
