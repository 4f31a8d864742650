"""Directions as hours of a clock face: 12 is straight ahead, 3 is right, 6 is behind."""

from __future__ import annotations

import math
from typing import Literal

from ..errors import DiagnosticsError
from .truth import finite_truth

__all__ = ["clock_error_deg", "clock_hour"]

_DEGREES_PER_HOUR = 30.0


def clock_hour(bearing_deg: float, *, published: Literal["open3dvqa"] | None = None) -> int:
    """The hour nearest to a bearing: hour h covers [30 h - 15, 30 h + 15) degrees.

    Range: 1 to 12; no direction, it is a truth and not a score.

    A bearing half-way between two hours goes to the later one; questions should not be asked there.

    Args:
        bearing_deg: right positive, 0 straight ahead, any number of turns.
        published: ``"open3dvqa"`` rounds the bearing to two decimals and takes the floor, so its hour h covers
            [30 h, 30 h + 30) and 29.9 degrees to the right is "12".

    >>> clock_hour(-1), clock_hour(29.9), clock_hour(180)
    (12, 1, 6)
    >>> clock_hour(-1, published="open3dvqa")
    11

    Raises:
        DiagnosticsError: the bearing is not finite.
    """
    bearing = finite_truth(bearing_deg, metric="clock_hour")
    if published is None:
        hour = math.floor(((bearing % 360) + _DEGREES_PER_HOUR / 2) / _DEGREES_PER_HOUR) % 12
    else:
        hour = math.floor((round(bearing, 2) % 360) / _DEGREES_PER_HOUR) % 12
    return hour or 12


def clock_error_deg(predicted_hour: float | None, true_hour: float) -> float:
    """Angle between two hours the short way round: 12 against 1 is 30 degrees, not 330.

    Range: [0, 180] degrees; lower is better.

    No predicted hour, or one off the face, gives NaN: average over the answered items and report how many they are.

    Args:
        predicted_hour: in [0, 12]; 0 is read as 12, half hours are fine.
        true_hour: in [0, 12]; ``clock_hour`` makes it from a bearing.

    >>> clock_error_deg(12, 1), clock_error_deg(3, 9)
    (30.0, 180.0)

    Raises:
        DiagnosticsError: the true hour is not on the face.
    """
    truth = finite_truth(true_hour, metric="clock_error_deg")
    if not 0 <= truth <= 12:
        raise DiagnosticsError(f"clock_error_deg: the true hour is {truth}, expected 0 to 12; correct the question")
    if predicted_hour is None or not 0 <= predicted_hour <= 12:
        return math.nan
    apart = abs(float(predicted_hour) - truth)
    return min(apart, 12 - apart) * _DEGREES_PER_HOUR
