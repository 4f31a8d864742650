"""The check that every metric makes of its truth: a missing or non-finite truth is an error of the data."""

from __future__ import annotations

import math

from ..errors import DiagnosticsError

__all__ = ["EDGE_TOLERANCE", "finite_truth"]

EDGE_TOLERANCE = 1e-9
"""Relative slack at a threshold: 8 against 10 is an error of exactly 20 %, whatever binary fractions make of it."""


def finite_truth(truth: float | None, *, metric: str) -> float:
    """``truth`` as a finite float.

    >>> finite_truth(2, metric="band_success")
    2.0

    Raises:
        DiagnosticsError: it is missing, NaN or infinite. No model can be blamed for that, so it is never scored 0.
    """
    if truth is None or not math.isfinite(truth):
        raise DiagnosticsError(
            f"{metric}: the truth is {truth}, so the item cannot be scored; "
            "this is an error of the data, found by validating the questions before a run"
        )
    return float(truth)
