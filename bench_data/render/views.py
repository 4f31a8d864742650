"""Cameras that see a whole cloud, for looking at a scene of which nothing else is known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..camera_paths import look_at
from ..cameras import Camera, rigid_transform
from ..errors import BenchDataError
from ..splats import GaussianCloud

__all__ = ["orbit_views", "overview"]

_CORE = (0.005, 0.995)
"""Shares of the Gaussians along each axis between which lies what should be seen; captures have stray ones far out."""

_VISIBLE_OPACITY = 0.1
_MARGIN = 0.92
_MOST_POINTS = 20_000

_CLOSEST_M = 0.1
"""A single point is looked at from here."""


def overview(
    cloud: GaussianCloud,
    *,
    width: int = 1024,
    height: int = 768,
    fov_rad: float = math.radians(60),
    azimuth_rad: float = math.radians(-60),
    elevation_rad: float = math.radians(20),
    z_up_from_world: ArrayLike | None = None,
) -> Camera:
    """A pinhole outside the cloud that looks down on it from one side and has nearly all of it in its picture.

    Args:
        cloud: what to see.
        width, height: picture size in pixels.
        fov_rad: angle across the picture's width.
        azimuth_rad: the side it stands on, counter-clockwise from x as seen from above.
        elevation_rad: how far above the level it looks down from.
        z_up_from_world: (4, 4) rotation into a world whose z points up; None when it does already. The camera is in the
            cloud's own world.

    Raises:
        BenchDataError: an empty cloud, or an angle out of range.
    """
    tan_x, tan_y = _half_widths(fov_rad, elevation_rad, width, height)
    upright, points = _upright_core(cloud, z_up_from_world)
    pose = look_at(_outwards(azimuth_rad, elevation_rad), np.zeros(3)).copy()
    x, y, z = (points @ pose[:3, :3]).T
    # A point is in the picture when |x - x0| <= tan_x (z - z0), which bounds tan_x z0 + x0 and tan_x z0 - x0.
    low_x, high_x = (tan_x * z + x).min(), (tan_x * z - x).min()
    low_y, high_y = (tan_y * z + y).min(), (tan_y * z - y).min()
    forward = min((low_x + high_x) / tan_x, (low_y + high_y) / tan_y) / 2
    extent = float(np.ptp(points, axis=0).max())
    centre = np.array([(low_x - high_x) / 2, (low_y - high_y) / 2, forward - max(1e-3 * extent, _CLOSEST_M)])
    pose[:3, 3] = pose[:3, :3] @ centre
    return _pinhole(np.linalg.inv(upright) @ pose, width, height, fov_rad)


def orbit_views(
    cloud: GaussianCloud,
    count: int,
    *,
    width: int = 1024,
    height: int = 768,
    fov_rad: float = math.radians(60),
    start_rad: float = math.radians(-60),
    elevation_rad: float = math.radians(20),
    z_up_from_world: ArrayLike | None = None,
) -> list[Camera]:
    """Pinholes on a level circle around a cloud, evenly spaced, that look at its middle.

    Args:
        count: how many.
        start_rad: where the first stands, counter-clockwise from x as seen from above.
        cloud, width, height, fov_rad, elevation_rad, z_up_from_world: as for `overview`.

    Raises:
        BenchDataError: an empty cloud, or an angle or count out of range.
    """
    if count < 1:
        raise BenchDataError(f"an orbit needs at least one view, got {count}")
    tan_x, tan_y = _half_widths(fov_rad, elevation_rad, width, height)
    upright, points = _upright_core(cloud, z_up_from_world)
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    ways = [_outwards(start_rad + turn * 2 * math.pi / count, elevation_rad) for turn in range(count)]
    distance = _CLOSEST_M
    for way in ways:
        x, y, z = ((points - target) @ look_at(way, np.zeros(3))[:3, :3]).T
        distance = max(distance, float((np.maximum(np.abs(x) / tan_x, np.abs(y) / tan_y) - z).max()))
    world_from_upright = np.linalg.inv(upright)
    return [
        _pinhole(world_from_upright @ look_at(target + distance * way, target), width, height, fov_rad) for way in ways
    ]


def _pinhole(world_from_camera: NDArray[np.float64], width: int, height: int, fov_rad: float) -> Camera:
    focal = width / 2 / math.tan(fov_rad / 2)
    return Camera(
        width=width,
        height=height,
        fx=focal,
        fy=focal,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=world_from_camera,
    )


def _half_widths(fov_rad: float, elevation_rad: float, width: int, height: int) -> tuple[float, float]:
    """Tangents of the angles within which everything shall be, across and down."""
    if not (0 < fov_rad < math.pi and abs(elevation_rad) < math.pi / 2):
        raise BenchDataError("fov_rad must lie within (0, pi) and elevation_rad within a right angle")
    tan_x = _MARGIN * math.tan(fov_rad / 2)
    return tan_x, tan_x * height / width


def _outwards(azimuth_rad: float, elevation_rad: float) -> NDArray[np.float64]:
    """(3,) unit vector."""
    level = math.cos(elevation_rad)
    return np.array([level * math.cos(azimuth_rad), level * math.sin(azimuth_rad), math.sin(elevation_rad)])


def _upright_core(
    cloud: GaussianCloud, z_up_from_world: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rotation (4, 4) into the upright world, and the core (M, 3) of the cloud in it."""
    upright = np.eye(4) if z_up_from_world is None else rigid_transform(z_up_from_world, "z_up_from_world")
    return upright, _core(cloud).astype(np.float64) @ upright[:3, :3].T + upright[:3, 3]


def _core(cloud: GaussianCloud) -> NDArray[np.float32]:
    """(M, 3) means of a sample of the visible Gaussians without the outermost along each axis."""
    if len(cloud) == 0:
        raise BenchDataError("an empty cloud cannot be looked at")
    visible = cloud.opacities >= _VISIBLE_OPACITY
    means = cloud.means[visible] if visible.any() else cloud.means
    means = means[:: -(-len(means) // _MOST_POINTS)]
    low, high = np.quantile(means, _CORE, axis=0)
    inside = ((means >= low) & (means <= high)).all(axis=1)
    return means[inside] if inside.any() else means
