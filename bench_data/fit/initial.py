"""The cloud that a fit starts from: points of the model, measured depth, or chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..degrade.seeds import derived_rng
from ..errors import BenchDataError
from ..splats import GaussianCloud, cloud_from_points
from .settings import FitSettings
from .views import FitPoints, FitView

__all__ = ["initial_cloud", "points_from_depth", "random_points", "scene_extent_m"]

_Floats = NDArray[np.float64]

_START_OPACITY = 0.1
"""Of points, as in the 3DGS code."""
_MEASURED_OPACITY = 0.5
"""Of points whose depth was measured: there is something."""

_DEPTH_START_SHARE = 0.5
"""Measured depth gives more points than a start needs: at most this share of the Gaussians, the rest may grow."""
_MOST_PIXELS = 400_000
_RANDOM_START = 10_000
_RANDOM_ROUNDS = 20
_NEAR_SHARE, _FAR_SHARE = 0.2, 2.5
"""Random points lie between these shares of the distance at which the cameras look."""

_CAMERA_MARGIN = 1.1
_LEAST_PARALLAX = 0.1


def initial_cloud(views: Sequence[FitView], points: FitPoints | None, settings: FitSettings) -> GaussianCloud:
    """Round Gaussians at the model's points; else where depth was measured; else at random in the common view.

    Never more than ``settings.max_gaussians``. Colours have as many bands as the fit will use.

    Raises:
        BenchDataError: fewer than two points, or cameras that have no view in common.
    """
    rng = derived_rng("start of a fit", settings.seed)
    opacity, most = _START_OPACITY, settings.max_gaussians
    if points is not None and len(points.points_m) >= 2:
        chosen = points
    elif any(view.depth_m is not None for view in views):
        chosen, opacity = points_from_depth(views, max(2, round(_DEPTH_START_SHARE * most))), _MEASURED_OPACITY
    else:
        chosen = random_points(views, min(_RANDOM_START, most), rng)
    if len(chosen.points_m) > most:
        rows = np.sort(rng.choice(len(chosen.points_m), most, replace=False))
        chosen = FitPoints(points_m=chosen.points_m[rows], colours_srgb=chosen.colours_srgb[rows])
    if len(chosen.points_m) < 2:
        raise BenchDataError("a fit starts from at least two points; the pictures' depth or the model has fewer")
    cloud = cloud_from_points(chosen.points_m, chosen.colours_srgb, opacity=opacity)
    # The whole distance to the neighbours, not half of it: a fit can shrink what overlaps sooner than close gaps.
    return replace(cloud, scales=2 * cloud.scales).with_sh_degree(settings.sh_degree)


def points_from_depth(views: Sequence[FitView], most: int) -> FitPoints:
    """Pixels with depth as points, each the mean of a voxel, of the least size that leaves no more than ``most``.

    Raises:
        BenchDataError: no view has depth.
    """
    with_depth = [view for view in views if view.depth_m is not None]
    if not with_depth:
        raise BenchDataError("no picture has depth")
    each = max(_MOST_PIXELS // len(with_depth), 1)
    points, colours = [], []
    for view in with_depth:
        where = view.camera.unproject_depth(np.asarray(view.depth_m)).reshape(-1, 3)
        known = np.flatnonzero(np.isfinite(where[:, 0]))
        known = known[:: -(-len(known) // each) or 1]
        points.append(where[known])
        colours.append(view.image_srgb_u8.reshape(-1, 3)[known] / 255)
    return _thinned(np.concatenate(points), np.concatenate(colours), most)


def _thinned(points: _Floats, colours: _Floats, most: int) -> FitPoints:
    if len(points) <= most:
        return FitPoints(points_m=points, colours_srgb=colours)
    origin, side = points.min(axis=0), float(np.ptp(points, axis=0).max())
    low, high = side / 1e5, 1.001 * side
    for _ in range(24):
        middle = float(np.sqrt(low * high))
        count = len(np.unique(_voxels(points, origin, middle)))
        low, high = (low, middle) if count <= most else (middle, high)
    _, owner, counts = np.unique(_voxels(points, origin, high), return_inverse=True, return_counts=True)

    def means(values: _Floats) -> _Floats:
        return np.stack([np.bincount(owner, values[:, i]) / counts for i in range(3)], axis=1)

    return FitPoints(points_m=means(points), colours_srgb=np.clip(means(colours), 0, 1))


def _voxels(points: _Floats, origin: _Floats, side_m: float) -> NDArray[np.int64]:
    """(N,) the number of the voxel that each point lies in."""
    x, y, z = np.floor((points - origin) / side_m).astype(np.int64).T
    return np.asarray((x << 42) | (y << 21) | z)


def random_points(views: Sequence[FitView], count: int, rng: np.random.Generator) -> FitPoints:
    """Points that at least two cameras see (one, if there is only one), with the colour of the pixel that drew them.

    They lie at depths about that at which the optical axes come closest to each other.

    Raises:
        BenchDataError: hardly any point is seen by two cameras.
    """
    cameras = [view.camera for view in views]
    depths = _looked_at_depths(cameras)
    points, colours, found = [], [], 0
    for _ in range(_RANDOM_ROUNDS):
        chosen = rng.integers(len(views), size=count)
        place = rng.random((count, 3))
        where, colour = np.full((count, 3), np.nan), np.zeros((count, 3))
        for i, view in enumerate(views):
            rows = chosen == i
            pixels = place[rows, :2] * [view.camera.width, view.camera.height]
            share = _NEAR_SHARE + (_FAR_SHARE - _NEAR_SHARE) * place[rows, 2]
            where[rows] = view.camera.unproject(pixels, share * depths[i])
            x, y = pixels.astype(int).T
            colour[rows] = view.image_srgb_u8[y, x] / 255
        seen = np.sum([camera.sees(where) for camera in cameras], axis=0) >= min(2, len(cameras))
        points.append(where[seen])
        colours.append(colour[seen])
        found += int(seen.sum())
        if found >= count:
            break
    if found < 2:
        raise BenchDataError(
            "no two cameras see the same place: check the convention of the poses (OpenCV or OpenGL axes, "
            "camera-to-world or world-to-camera)"
        )
    return FitPoints(points_m=np.concatenate(points)[:count], colours_srgb=np.concatenate(colours)[:count])


def scene_extent_m(views: Sequence[FitView], cloud: GaussianCloud) -> float:
    """The length that rates of positions and limits of size are relative to.

    As in the 3DGS code 1.1 times the largest distance of a camera from their mean; but for cameras that hardly move, at
    least a tenth of the median distance of the starting cloud.
    """
    centres = np.stack([view.camera.centre_m for view in views])
    spread = _CAMERA_MARGIN * float(np.linalg.norm(centres - centres.mean(axis=0), axis=1).max())
    away = float(np.median(np.linalg.norm(cloud.means - centres.mean(axis=0), axis=1)))
    return max(spread, _LEAST_PARALLAX * away, 1e-6)


def _looked_at_depths(cameras: Sequence[Camera]) -> _Floats:
    """(C,) depth, for each camera, of the point that is nearest to all optical axes.

    Where axes are parallel or that point is behind a camera, ten times the spread of the cameras, or 1.
    """
    centres = np.stack([camera.centre_m for camera in cameras])
    axes = np.stack([camera.world_from_camera[:3, 2] for camera in cameras])
    spread = float(np.linalg.norm(centres - centres.mean(axis=0), axis=1).max())
    fallback = 10 * spread if spread > 0 else 1.0
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    target, _, rank, _ = np.linalg.lstsq(across.sum(axis=0), (across @ centres[:, :, None]).sum(axis=0), rcond=1e-4)
    depths = ((target[:, 0] - centres) * axes).sum(axis=1)
    return np.where((rank == 3) & (depths > 1e-3 * fallback), depths, fallback)
