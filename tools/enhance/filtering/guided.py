"""The guided filter: smoothing that keeps the edges of a guide (He, Sun and Tang, TPAMI 2013, equations 5, 6 and 8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .spatial import box_mean, resize_linear, shrink_area

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
    height, width = guide.shape
    factor = max(1, radius_px // _FULL_SIZE_RADIUS)
    if factor > 1 and min(height, width) >= 4 * factor:
        size = (-(-width // factor), -(-height // factor))
        small_guide = shrink_area(guide, size)
        small_plane = shrink_area(plane, size)
        slope, shift = _coefficients(small_guide, small_plane, max(1, radius_px // factor), epsilon)
        slope = resize_linear(slope, (width, height))
        shift = resize_linear(shift, (width, height))
    else:
        slope, shift = _coefficients(guide, plane, radius_px, epsilon)
    return slope * guide + shift


def _coefficients(guide: Plane, plane: Plane, radius_px: int, epsilon: float) -> tuple[Plane, Plane]:
    guide_mean, plane_mean = box_mean(guide, radius_px), box_mean(plane, radius_px)
    covariance = box_mean(np.multiply(guide, plane, dtype=np.float32), radius_px) - guide_mean * plane_mean
    variance = np.maximum(box_mean(np.square(guide), radius_px) - guide_mean * guide_mean, 0)
    slope = np.asarray(covariance / (variance + epsilon), dtype=np.float32)
    shift = np.asarray(plane_mean - slope * guide_mean, dtype=np.float32)
    return box_mean(slope, radius_px), box_mean(shift, radius_px)
