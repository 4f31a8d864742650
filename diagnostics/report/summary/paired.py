"""Differences between two sets of replies to the same questions."""

from __future__ import annotations

from typing import Literal

from ...metrics import Flips, Interval
from .base import By, Subject, Value

__all__ = ["Contrast", "PairedRow"]

Contrast = Literal["condition", "arm", "prompt", "run"]
"""What differs between the two sides: the condition of the pictures, the model, the prompt, or the run."""


class PairedRow(Value):
    """``after - before`` over the questions that both sides have a score for.

    Attributes:
        contrast: what differs.
        before, after: the same subject twice when the condition differs.
        condition_before, condition_after: the same twice unless the condition differs, which then is "clean" before.
        by, category: which items.
        n: pairs.
        score_before, score_after: mean scores over the pairs.
        difference: with its interval over scenes.
        flip_items: pairs whose answers are right or wrong and nothing between, by the form of the question.
        flips: of those; None without any.
        negative_flip_rate: share of them that were right before and are wrong after (Yan et al. 2021, "Positive-
            congruent training"); lower is better. `Flips.loss_rate` has it among the right ones.
        mcnemar_p: exact and two-sided, as if the items were independent; when they come in scenes, trust the interval.
            None where a question comes several times: with repeats, and under `ALL_DEGRADED`.
        mcnemar_p_holm: the same after Holm's correction over the rows with the same contrast and ``by``.
    """

    contrast: Contrast
    before: Subject
    after: Subject
    condition_before: str
    condition_after: str
    by: By
    category: str
    n: int
    score_before: float
    score_after: float
    difference: Interval
    flip_items: int
    flips: Flips | None
    negative_flip_rate: float | None
    mcnemar_p: float | None
    mcnemar_p_holm: float | None
