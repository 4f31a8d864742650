"""Gaussians from coloured points: a depth camera's frame, or a structure-from-motion cloud."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from .cloud import GaussianCloud
from .harmonics import SH_C0

__all__ = ["cloud_from_points"]

_NEIGHBOURS = 3
_STRAY = 4.0
_SMALLEST_M = 1e-7


def cloud_from_points(
    points_m: ArrayLike,
    colours_srgb: ArrayLike,
    *,
    scale_m: ArrayLike | None = None,
    opacity: float = 0.99,
    instance_ids: ArrayLike | None = None,
) -> GaussianCloud:
    """One round Gaussian a point, of constant colour.

    Args:
        points_m: (N, 3).
        colours_srgb: (N, 3) display-encoded, in [0, 1].
        scale_m: standard deviation, one or (N,). By default half the root mean square distance to the three nearest
            other points, and at most four times the median of that: neighbours then touch without blurring each other,
            and strays do not cover the scene. (3D Gaussian Splatting starts its training from the whole distance.)
        opacity: of all.
        instance_ids: (N,) or None.

    Raises:
        BenchDataError: shapes that do not match, colours outside [0, 1], or fewer than two points without ``scale_m``.
    """
    points = np.asarray(points_m, dtype=np.float32)
    colours = np.asarray(colours_srgb, dtype=np.float32)
    if points.ndim != 2 or points.shape[1] != 3 or colours.shape != points.shape:
        raise BenchDataError(f"points and colours must both be (N, 3), got {points.shape} and {colours.shape}")
    if not ((colours >= 0) & (colours <= 1)).all():
        raise BenchDataError("colours_srgb must lie in [0, 1]; divide 8-bit values by 255")
    scales = np.ones((len(points), 3), dtype=np.float32)
    if scale_m is not None:
        scales *= np.asarray(scale_m, dtype=np.float32).reshape(-1, 1)
    elif len(points):
        scales *= _touching_scale(points)[:, None]
    quats = np.zeros((len(points), 4), dtype=np.float32)
    quats[:, 0] = 1
    return GaussianCloud(
        means=points,
        quats_wxyz=quats,
        scales=scales,
        opacities=np.full(len(points), opacity, dtype=np.float32),
        sh=((colours - 0.5) / SH_C0)[:, None, :],
        instance_ids=None if instance_ids is None else np.asarray(instance_ids),
    )


def _touching_scale(points: NDArray[np.float32]) -> NDArray[np.float32]:
    from scipy.spatial import cKDTree

    if len(points) < 2:
        raise BenchDataError("one point has no neighbours that would tell its size; pass scale_m")
    if not np.isfinite(points).all():
        raise BenchDataError("points_m are not all finite; drop the unknown ones first")
    nearest = min(_NEIGHBOURS, len(points) - 1)
    distances, _ = cKDTree(points).query(points, k=nearest + 1)
    half = np.sqrt((np.asarray(distances)[:, 1:] ** 2).mean(axis=1)) / 2
    # Points that coincide would have no size.
    largest = max(_STRAY * float(np.median(half)), _SMALLEST_M)
    return np.asarray(np.clip(half, _SMALLEST_M, largest), dtype=np.float32)
