"""Joint bilateral smoothing of depth, guided by a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .neighbours import padded, shifted
from .settings import CleaningSettings

__all__ = ["smoothed_depth"]

_RADIUS = 2


def smoothed_depth(
    depth_m: NDArray[np.float64], luma: NDArray[np.float64] | None, settings: CleaningSettings
) -> NDArray[np.float64]:
    """(H, W) weighted means over 5x5 pixels, no depth changed by more than ``settings.smooth_most_ratio``.

    A neighbour's weight falls with its distance in the picture, the difference of luma, and the difference of depth
    relative to the depth in the middle. Unknown depths have no weight and are not filled.

    Args:
        depth_m: (H, W) with NaN for unknown.
        luma: (H, W) from 0 to 255; None when there is no picture.
        settings: the standard deviations.
    """
    depths = padded(depth_m, _RADIUS)
    lumas = None if luma is None else np.pad(luma, _RADIUS, mode="edge")
    per_depth2 = 1 / (2 * (settings.smooth_ratio * depth_m) ** 2)
    per_luma2 = 1 / (2 * settings.smooth_luma**2)
    weights, moves = np.zeros_like(depth_m), np.zeros_like(depth_m)
    for down in range(-_RADIUS, _RADIUS + 1):
        for right in range(-_RADIUS, _RADIUS + 1):
            difference = shifted(depths, _RADIUS, down, right) - depth_m
            exponent = difference**2 * per_depth2 + (down**2 + right**2) / (2 * settings.smooth_space_px**2)
            if lumas is not None and luma is not None:
                exponent += (shifted(lumas, _RADIUS, down, right) - luma) ** 2 * per_luma2
            weight = np.exp(-exponent)
            known = ~np.isnan(weight)
            np.add(weights, weight, out=weights, where=known)
            np.add(moves, weight * difference, out=moves, where=known)
    # Summing differences from the middle keeps a flat surface flat to the last digit.
    move = np.divide(moves, weights, out=np.zeros_like(moves), where=weights > 0)
    most = settings.smooth_most_ratio * depth_m
    return np.asarray(depth_m + np.clip(move, -most, most))
