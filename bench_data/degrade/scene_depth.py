"""Depth for degradations that need it: holes filled, normalised, or guessed when a photograph comes without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAR_PERCENTILE", "filled_depth_m", "ground_plane_relative_depth", "relative_depth"]

FAR_PERCENTILE = 95.0
"""The depth that counts as 1 in relative depth; a percentile, so that a few far outliers do not thin the air."""

_HORIZON = 0.4
"""Height of the horizon in the guess, from the top: the common framing with a camera a little below level."""

_FAR_OVER_NEAR = 10.0
"""Ratio of the farthest depth to that of the bottom row in the guess."""


def filled_depth_m(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) depth in metres with each unknown (NaN) pixel taking the value of the nearest known one."""
    from scipy.ndimage import distance_transform_edt

    unknown = np.isnan(depth_m)
    if not unknown.any():
        return depth_m
    nearest = distance_transform_edt(unknown, return_distances=False, return_indices=True)
    return np.asarray(depth_m[tuple(nearest)], dtype=np.float32)


def relative_depth(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) depth over its 95th percentile: 1 is "far in this scene"; values above 1 stay."""
    far_m = np.float32(np.nanpercentile(depth_m, FAR_PERCENTILE))
    return filled_depth_m(depth_m) / far_m


def ground_plane_relative_depth(height: int, width: int) -> NDArray[np.float32]:
    """(H, W) guess: a flat floor seen by a level camera below a horizon, everything above it far (1).

    On a floor the depth is inversely proportional to the distance of the row from the horizon. The farthest depth is
    ten times that of the bottom row.
    """
    rows = (np.arange(height, dtype=np.float32) + np.float32(0.5)) / np.float32(height)
    below_horizon = np.maximum((rows - _HORIZON) / (1 - _HORIZON), 1 / _FAR_OVER_NEAR)
    column = (1 / (_FAR_OVER_NEAR * below_horizon)).astype(np.float32)
    return np.repeat(column[:, None], width, axis=1)
