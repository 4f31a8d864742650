"""How strongly scores depend on a degradation."""

from __future__ import annotations

from ...metrics import Interval
from .base import By, Subject, Value

__all__ = ["SensitivityRow"]


class SensitivityRow(Value):
    """Point-biserial correlation between "degraded" and the score, with its sign: below 0, scores fall.

    SpaceDG's sensitivity (arXiv 2605.22536, equation 2 and figure 6) is the absolute value of ``models``.

    Attributes:
        subject: None for all subjects together, those whose prompt shows no picture left out.
        degradation: a degradation, its levels pooled; a mixture; or `ALL` for every condition but clean.
        by, category: which items: all, one answer format, or one task.
        n: pairs of a clean and a degraded reply to one question.
        items: over the scores of all pairs.
        items_paired: once each pair's own level is taken out: mean difference by root mean square difference.
        subjects: that have such pairs.
        models: over the subjects' mean scores, as published; None with fewer than two subjects.
        models_paired: once each subject's own level is taken out.
    """

    subject: Subject | None
    degradation: str
    by: By
    category: str
    n: int
    items: Interval | None
    items_paired: Interval | None
    subjects: int
    models: float | None
    models_paired: float | None
