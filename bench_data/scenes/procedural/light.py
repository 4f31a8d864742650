"""Light that stays the same from every side, computed once for each surfel: windows or sun, sky, and soft shade.

What blocks light is a grid of voxels, filled from the surfels themselves and blurred, so that shadows have soft edges
and no surfel shades itself by chance. A room's walls are known as planes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...images import srgb_from_linear
from ..box import OrientedBox
from .surfels import Array

__all__ = ["Lamp", "Lighting", "Occluders", "Occupancy", "WindowLight", "displayed", "light_on", "sun_direction"]


@dataclass(frozen=True, eq=False)
class WindowLight:
    """An upright rectangle that lights a room: its middle, half its edges (3,) each, and the way in."""

    centre_m: Array
    half_along_m: Array
    half_up_m: Array
    inward: Array


@dataclass(frozen=True, eq=False)
class Lamp:
    """A lit lamp: where, how bright (linear, at one metre) and of what colour."""

    centre_m: Array
    power: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Lighting:
    """The light of a scene; colours (3,) are linear.

    Args:
        sky: from above; ground: from below.
        sun: direct sunlight on a surface across it; to_sun: unit vector towards it.
        windows: what lets light into a room; without any, sky and sun are overhead.
        window_power: light of a window of one square metre at one metre.
        lamps: small lights.
        room_m: lower and upper corner of the room, whose corners are darker; None outdoors.
        mean_light: what the exposure makes of the mean light on the place itself; 1 shows a surface in its own colour.
    """

    sky: Array
    ground: Array
    sun: Array
    to_sun: Array
    windows: tuple[WindowLight, ...] = ()
    window_power: Array | None = None
    lamps: tuple[Lamp, ...] = ()
    room_m: tuple[Array, Array] | None = None
    mean_light: float = 0.85


@dataclass(frozen=True, eq=False)
class Occluders:
    """Three grids (X, Y, Z) of how full each voxel is, ever more blurred, and where they lie."""

    sharp: NDArray[np.float32]
    soft: NDArray[np.float32]
    softer: NDArray[np.float32]
    origin_m: Array
    voxel_m: float


@dataclass(frozen=True, eq=False)
class Occupancy:
    """How full each voxel (X, Y, Z) of a part of the world is, in [0, 1]."""

    full: NDArray[np.float32]
    origin_m: Array
    voxel_m: float

    @classmethod
    def of_points(cls, points_m: Array, area_m2: Array, *, voxel_m: float, low_m: Array, high_m: Array) -> Occupancy:
        """From surfels (N, 3) with their areas (N,), inside a box."""
        shape = np.maximum(np.ceil((high_m - low_m) / voxel_m).astype(int), 2)
        index = np.floor((points_m - low_m) / voxel_m).astype(int)
        inside = ((index >= 0) & (index < shape)).all(axis=1)
        flat = np.ravel_multi_index(tuple(index[inside].T), tuple(shape))
        filled = np.bincount(flat, weights=area_m2[inside] / voxel_m**2, minlength=int(np.prod(shape)))
        return cls(np.minimum(filled, 1.0).reshape(shape).astype(np.float32), low_m, voxel_m)

    def fill(self, box: OrientedBox) -> None:
        """Makes a box solid, but for half a voxel at its skin."""
        low = np.floor((box.corners_m.min(axis=0) - self.origin_m) / self.voxel_m).astype(int)
        high = np.ceil((box.corners_m.max(axis=0) - self.origin_m) / self.voxel_m).astype(int) + 1
        low, high = np.maximum(low, 0), np.minimum(high, self.full.shape)
        if (low >= high).any():
            return
        ranges = [np.arange(a, b) for a, b in zip(low, high, strict=True)]
        index = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1)
        middles = (index + 0.5) * self.voxel_m + self.origin_m
        inside = box.contains(middles.reshape(-1, 3), margin_m=-self.voxel_m / 2).reshape(index.shape[:3])
        block = self.full[low[0] : high[0], low[1] : high[1], low[2] : high[2]]
        block[inside] = 1.0

    def blurred(self) -> Occluders:
        """What rays are sent through."""
        from scipy.ndimage import gaussian_filter

        sharp, soft, softer = (gaussian_filter(self.full, sigma, mode="constant") for sigma in (0.6, 1.2, 2.4))
        return Occluders(sharp, soft, softer, self.origin_m, self.voxel_m)


def light_on(points_m: Array, normals: Array, occluders: Occluders, lighting: Lighting) -> tuple[Array, Array]:
    """Light on surfels at ``points_m`` (N, 3) with outward ``normals`` (N, 3).

    Returns:
        (N, 3) linear light that falls on each, and (N,) how openly it lies, from 0 (nobody sees it) to 1.
    """
    from .light_kernels import ambient_shade, sun_shade, way_to_light

    out = np.empty(len(points_m))
    grids = (occluders.sharp, occluders.soft, occluders.softer, occluders.origin_m, occluders.voxel_m)
    low, high = lighting.room_m if lighting.room_m is not None else (np.full(3, -1e9), np.full(3, 1e9))
    ambient_shade(points_m, normals, *grids, low, high, lighting.room_m is not None, out)
    openness = out.copy()
    up = (0.5 + 0.5 * normals[:, 2])[:, None]
    light = out[:, None] * (lighting.sky * up + lighting.ground * (1 - up))
    rectangles = np.array(
        [np.stack([w.centre_m, w.half_along_m, w.half_up_m, w.inward]) for w in lighting.windows]
    ).reshape(-1, 4, 3)
    if lighting.window_power is not None:
        for sample, inward, area in _window_samples(lighting.windows):
            way_to_light(points_m, normals, sample, inward, *grids, out)
            light += out[:, None] * (lighting.window_power * area)
    for lamp in lighting.lamps:
        way_to_light(points_m, normals, lamp.centre_m, np.zeros(3), *grids, out)
        light += out[:, None] * lamp.power
    if lighting.sun.any():
        sun_shade(points_m, normals, lighting.to_sun, rectangles, *grids, out)
        light += out[:, None] * lighting.sun
    return np.asarray(light), openness


def displayed(radiance: Array) -> NDArray[np.float32]:
    """Display-encoded colours (N, 3) in [0, 1] of linear light, with bright light rolled off as film does."""
    knee = 0.7
    over = np.maximum(radiance - knee, 0.0)
    rolled = np.minimum(radiance, knee) + (1 - knee) * (1 - np.exp(-over / (1 - knee)))
    return srgb_from_linear(rolled.astype(np.float32))


def _window_samples(windows: tuple[WindowLight, ...]) -> list[tuple[Array, Array, float]]:
    """Four points of each window, a little inside the room, with the area that each stands for."""
    samples = []
    for window in windows:
        area = 4 * float(np.linalg.norm(window.half_along_m) * np.linalg.norm(window.half_up_m))
        for a, b in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)):
            place = window.centre_m + a * window.half_along_m + b * window.half_up_m + 0.12 * window.inward
            samples.append((place, window.inward, area / 4))
    return samples


def sun_direction(azimuth_rad: float, elevation_rad: float) -> Array:
    """(3,) unit vector towards a sun at that direction over the ground (x towards y) and height."""
    flat = math.cos(elevation_rad)
    return np.array([flat * math.cos(azimuth_rad), flat * math.sin(azimuth_rad), math.sin(elevation_rad)])
