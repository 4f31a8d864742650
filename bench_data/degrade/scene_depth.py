"""Depth for degradations that need it: holes filled, normalised, or guessed when a photograph comes without."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from ..images.picture import Picture

__all__ = [
    "FAR_PERCENTILE",
    "depth_sha256",
    "far_depth_m",
    "filled_depth_m",
    "ground_plane_relative_depth",
    "known_depth_m",
    "relative_depth",
]

FAR_PERCENTILE = 95.0
"""The depth that counts as 1 in relative depth; a percentile, so that a few far outliers do not thin the air."""

_HORIZONS = np.linspace(0.1, 0.5, 9)
"""Heights of the horizon in the guess, from the top; the guess is their mean, as nobody knows where it is."""

_FAR_OVER_NEAR = 5.0
"""Ratio of the farthest depth to that of the bottom row in the guess."""


def known_depth_m(depth_m: NDArray[np.float32], picture: Picture) -> NDArray[np.float32]:
    """(H, W) float32 depth with every value that means "nothing measured" (zero, negative, infinite) as NaN.

    Raises:
        BenchDataError: it is not of the picture's size, or knows no depth at all.
    """
    depth = np.asarray(depth_m, dtype=np.float32)
    if depth.shape != (picture.height, picture.width):
        raise BenchDataError(
            f"{picture.source}: the depth map is {depth.shape}, the picture {(picture.height, picture.width)}; "
            "resample the depth (nearest) to the picture first"
        )
    depth = np.where(np.isfinite(depth) & (depth > 0), depth, np.float32(np.nan))
    if np.isnan(depth).all():
        raise BenchDataError(f"{picture.source}: the depth map has no valid value (finite, above 0); leave it out")
    return depth


def depth_sha256(depth_m: NDArray[np.float32] | None) -> str | None:
    """Hash of shape and values of a depth map from :func:`known_depth_m`; None for no map."""
    if depth_m is None:
        return None
    return hashlib.sha256(f"{depth_m.shape}".encode() + np.ascontiguousarray(depth_m).tobytes()).hexdigest()


def filled_depth_m(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) depth in metres with each unknown (NaN) pixel taking the value of the nearest known one."""
    from scipy.ndimage import distance_transform_edt

    unknown = np.isnan(depth_m)
    if not unknown.any():
        return depth_m
    nearest = distance_transform_edt(unknown, return_distances=False, return_indices=True)
    return np.asarray(depth_m[tuple(nearest)], dtype=np.float32)


def far_depth_m(depth_m: NDArray[np.float32]) -> float:
    """The 95th percentile of the known depths (any shape, NaN = unknown)."""
    return float(np.nanpercentile(depth_m, FAR_PERCENTILE))


def relative_depth(depth_m: NDArray[np.float32], far_m: float | None = None) -> NDArray[np.float32]:
    """(H, W) depth over ``far_m``, or its own 95th percentile: 1 is "far in this scene"; values above 1 stay."""
    return filled_depth_m(depth_m) / np.float32(far_depth_m(depth_m) if far_m is None else far_m)


def ground_plane_relative_depth(height: int, width: int) -> NDArray[np.float32]:
    """(H, W) guess: a flat floor seen by a level camera, far (1) above its horizon and five times nearer at the bottom.

    On a floor the depth is inversely proportional to the distance of the row from the horizon. The mean over horizons
    at 10 to 50 % of the height is taken, which leaves no visible edge.
    """
    rows = (np.arange(height) + 0.5) / height
    below_horizon = (rows[:, None] - _HORIZONS) / (1 - _HORIZONS)
    depth = 1 / (_FAR_OVER_NEAR * np.maximum(below_horizon, 1 / _FAR_OVER_NEAR))
    return np.repeat(depth.mean(axis=1).astype(np.float32)[:, None], width, axis=1)
