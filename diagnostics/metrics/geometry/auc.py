"""Area under the accuracy-over-threshold curve of pose errors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DiagnosticsError

__all__ = ["pose_auc"]


def pose_auc(errors_deg: ArrayLike, threshold_deg: float, method: Literal["exact", "histogram"] = "exact") -> float:
    """Mean of the accuracy over all thresholds from 0 to ``threshold_deg``.

    Range: [0, 1]; higher is better.

    ``"exact"`` is the area itself, ``mean(max(0, 1 - e / T))``. ``"histogram"`` is the published rule with bins of one
    degree, ``mean(max(0, T - floor(e)) / T)``: too high by up to 1 / T, so by a third at 3 degrees. Never compare one
    with the other.

    Args:
        errors_deg: (P,) one error a pair, not negative; infinity or NaN for a pair that failed counts as 0 in either
            method. ``PairwisePoseErrors.combined_deg`` is made for it.
        threshold_deg: T. A whole number for ``"histogram"``, whose last bin includes T.

    >>> pose_auc([0.0, 1.5, 40.0], 3)
    0.5
    >>> round(pose_auc([0.0, 1.5, 40.0], 3, method="histogram"), 4)
    0.5556

    Raises:
        DiagnosticsError: no error given, a negative one, a threshold that is not positive, or an unknown method.
    """
    errors = np.asarray(errors_deg, dtype=np.float64).ravel()
    if errors.size == 0 or (errors < 0).any():
        raise DiagnosticsError(
            "pose_auc needs at least one error, none of them negative; two frames make the first pair"
        )
    if not 0 < threshold_deg < np.inf:
        raise DiagnosticsError(f"pose_auc: the threshold must be positive, got {threshold_deg}")
    errors = np.where(np.isnan(errors), np.inf, errors)
    if method == "exact":
        return float(np.maximum(0.0, 1 - errors / threshold_deg).mean())
    if method != "histogram":
        raise DiagnosticsError(f'pose_auc: unknown method {method!r}; use "exact" or "histogram"')
    if threshold_deg != round(threshold_deg):
        raise DiagnosticsError(f"pose_auc: the histogram has bins of one degree, so {threshold_deg} must be whole")
    steps = np.maximum(0.0, threshold_deg - np.floor(errors))
    steps[errors == threshold_deg] = 1.0
    return float(steps.mean() / threshold_deg)
