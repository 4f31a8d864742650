"""The rows that an ellipse covers between two columns."""

from __future__ import annotations

import math

import numpy as np

from .kernels import inlined

__all__ = ["SLACK_PX", "rows_of_ellipse"]

SLACK_PX = np.float32(0.01)
"""Ellipses are taken this much larger, so that rounding cannot lose a pixel; each pixel is tested by itself anyway."""

ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def rows_of_ellipse(
    from_dx: np.float32,
    to_dx: np.float32,
    radius_x: np.float32,
    slope: np.float32,
    half_height: np.float32,
    top_x: np.float32,
) -> tuple[np.float32, np.float32]:
    """(least, most) dy of the part of an ellipse with dx in [from_dx, to_dx], all from its centre.

    The ellipse is ``|dy - slope dx| <= half_height sqrt(1 - (dx / radius_x)^2)``; dy is most at ``top_x`` and least at
    ``-top_x``. It is convex, so between two columns the extremes lie at those points, or else at the nearer column.
    """
    low, high = max(from_dx, -radius_x), min(to_dx, radius_x)
    up, down = min(max(top_x, low), high), min(max(-top_x, low), high)
    q_up, q_down = up / radius_x, down / radius_x
    most = slope * up + half_height * np.float32(math.sqrt(max(ZERO, ONE - q_up * q_up)))
    least = slope * down - half_height * np.float32(math.sqrt(max(ZERO, ONE - q_down * q_down)))
    return least - SLACK_PX, most + SLACK_PX
