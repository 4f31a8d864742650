"""The guided filter: smoothing that keeps the edges of a guide (He, Sun and Tang, TPAMI 2013, equations 5, 6 and 8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["guided_filter"]

Plane = NDArray[np.float32]
# Above this radius the coefficients are computed on a smaller copy (He and Sun, "Fast guided filter", 2015): the result
# is smooth at that scale anyway.
_FULL_SIZE_RADIUS = 8


def guided_filter(guide: Plane, plane: Plane, *, radius_px: int, epsilon: float) -> Plane:
    """``plane`` as a locally linear function of ``guide``.

    Args:
        guide: (H, W) float32; its edges stay.
        plane: (H, W) float32 to be smoothed or refined.
        radius_px: half the width of the windows.
        epsilon: variance of the guide below which a window counts as flat and is averaged.
    """
    import cv2

    height, width = guide.shape
    factor = max(1, radius_px // _FULL_SIZE_RADIUS)
    if factor > 1 and min(height, width) >= 4 * factor:
        size = (-(-width // factor), -(-height // factor))
        small_guide = cv2.resize(guide, size, interpolation=cv2.INTER_AREA)
        small_plane = cv2.resize(plane, size, interpolation=cv2.INTER_AREA)
        slope, shift = _coefficients(small_guide, small_plane, max(1, radius_px // factor), epsilon)
        slope = cv2.resize(slope, (width, height), interpolation=cv2.INTER_LINEAR)
        shift = cv2.resize(shift, (width, height), interpolation=cv2.INTER_LINEAR)
    else:
        slope, shift = _coefficients(guide, plane, radius_px, epsilon)
    filtered: Plane = slope * guide + shift
    return filtered


def _coefficients(guide: Plane, plane: Plane, radius_px: int, epsilon: float) -> tuple[Plane, Plane]:
    guide_mean, plane_mean = _mean(guide, radius_px), _mean(plane, radius_px)
    covariance = _mean(guide * plane, radius_px) - guide_mean * plane_mean
    variance = np.maximum(_mean(guide * guide, radius_px) - guide_mean * guide_mean, 0)
    slope = covariance / (variance + np.float32(epsilon))
    shift = plane_mean - slope * guide_mean
    return _mean(slope, radius_px), _mean(shift, radius_px)


def _mean(plane: Plane, radius_px: int) -> Plane:
    import cv2

    side = 2 * radius_px + 1
    averaged: Plane = cv2.boxFilter(plane, -1, (side, side), borderType=cv2.BORDER_REPLICATE)
    return averaged
