"""Plain relative error of a number, and success inside a band around the truth."""

from __future__ import annotations

import math

from ..errors import DiagnosticsError
from .truth import EDGE_TOLERANCE, finite_truth

__all__ = ["absolute_relative_error", "band_success"]


def absolute_relative_error(prediction: float | None, truth: float | None) -> float:
    """``|prediction - truth| / |truth|``.

    Range: [0, ∞]; lower is better.

    A truth of zero gives 0 for a prediction of zero and infinity for any other. Without a finite prediction there is
    no error to speak of: NaN. Average over the answered items only and report how many they are beside it.

    >>> absolute_relative_error(3, 4)
    0.25
    >>> absolute_relative_error(1, 0)
    inf

    Raises:
        DiagnosticsError: the truth is missing, NaN or infinite.
    """
    target = finite_truth(truth, metric="absolute_relative_error")
    if prediction is None or not math.isfinite(prediction):
        return math.nan
    error = abs(float(prediction) - target)
    if target == 0:
        return 0.0 if error == 0 else math.inf
    return error / abs(target)


def band_success(prediction: float | None, truth: float | None, *, low: float = 0.75, high: float = 1.25) -> bool:
    """Whether ``prediction / truth`` lies in [low, high], both ends included.

    Range: False or True; True is better (a mean over items lies in [0, 1], higher is better).

    A truth of zero is met by exactly zero. A prediction of the other sign never succeeds.

    Source: Open3DVQA (arXiv 2503.11094), success of the metric question types.

    >>> band_success(7.5, 10), band_success(7.4, 10), band_success(-1.2, -1)
    (True, False, True)

    Raises:
        DiagnosticsError: the truth is missing, NaN or infinite, or the band is empty.
    """
    target = finite_truth(truth, metric="band_success")
    if not 0 <= low <= high:
        raise DiagnosticsError(f"band_success: the band [{low}, {high}] is empty or negative; give 0 <= low <= high")
    if prediction is None or not math.isfinite(prediction):
        return False
    if target == 0:
        return float(prediction) == 0
    ratio = float(prediction) / target
    return low * (1 - EDGE_TOLERANCE) <= ratio <= high * (1 + EDGE_TOLERANCE)
