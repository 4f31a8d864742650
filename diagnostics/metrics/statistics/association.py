"""How strongly a score depends on a condition: point-biserial correlation, unpaired and paired."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DiagnosticsError
from .samples import checked_pair

__all__ = ["paired_point_biserial", "point_biserial"]

_ROUNDING = 1e-12  # scores nearer than this, against their size, are equal: their correlation would be noise


def point_biserial(flags: ArrayLike, scores: ArrayLike) -> float | None:
    """|r| between a yes/no flag and a score: SpaceDG's sensitivity to a degradation.

    Range: [0, 1]; higher is a stronger effect of the condition; it does not say which way.

    The spread between models goes into the denominator, so a small r can hide an effect that every single model shows:
    read it beside ``paired_point_biserial``.

    Source: SpaceDG (arXiv 2605.22536), section 4.3, equation 2.

    Args:
        flags: (n,) 0 or 1, or bool: whether the score comes from the degraded condition.
        scores: (n,) finite scores.

    Returns:
        None when it cannot be estimated: one flag value only, or all scores equal.

    >>> round(point_biserial([0, 0, 1, 1], [0.8, 0.6, 0.5, 0.3]), 6)
    0.83205

    Raises:
        DiagnosticsError: lengths differ, there is no score, a flag is not 0 or 1, or a score is not finite.
    """
    x, y = checked_pair(flags, scores, names=("flags", "scores"))
    if not np.isin(x, (0.0, 1.0)).all():
        raise DiagnosticsError("point_biserial: flags must be 0 or 1")
    spread = float(np.ptp(y))
    if x.min() == x.max() or spread <= _ROUNDING * float(np.abs(y).max()):
        return None
    x, y = x - x.mean(), y / spread
    y -= y.mean()
    return min(1.0, abs(float(x @ y)) / math.sqrt(float(x @ x) * float(y @ y)))


def paired_point_biserial(before: ArrayLike, after: ArrayLike) -> float | None:
    """|r| between condition and score once each pair's own level is taken out.

    Range: [0, 1]; higher is a stronger effect of the condition; 1 when all pairs move by the same amount.

    It is the point-biserial correlation of the scores centred pair by pair, ``|mean d| / sqrt(mean d²)`` for the
    differences d, and equals ``|t| / sqrt(t² + n - 1)`` of the paired t-test.

    Args:
        before, after: (n,) scores of the same models (or items) under both conditions, in the same order.

    Returns:
        None when it cannot be estimated: fewer than two pairs, or no pair moved.

    >>> round(point_biserial([0, 0, 1, 1], [0.9, 0.1, 0.8, 0.0]), 6)
    0.124035
    >>> round(paired_point_biserial([0.9, 0.1], [0.8, 0.0]), 6)
    1.0

    Raises:
        DiagnosticsError: lengths differ, there is no score, or a score is not finite.
    """
    first, second = checked_pair(before, after)
    moved = second - first
    scale = float(np.abs(moved).max())
    if first.size < 2 or scale <= _ROUNDING * float(np.abs(np.concatenate([first, second])).max()):
        return None
    moved /= scale
    return min(1.0, abs(float(moved.mean())) / math.sqrt(float(np.mean(moved**2))))
