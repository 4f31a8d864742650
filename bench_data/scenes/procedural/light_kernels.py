"""Compiled loops of `light`: rays through blurred voxels.

Unlike the renderer's kernels these keep to the written order of float operations, so that a scene's colours do not
depend on the processor.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...compiled import compiled
from .surfels import Array

__all__ = ["ambient_shade", "sun_shade", "way_to_light"]

Grid = NDArray[np.float32]

_CONE_TILT = math.radians(52)
_CONES = 5
_LAMP_REACH_M = 2.5
"""A lamp's light is taken to fade to nothing over this distance: by day nobody sees it further off."""

_CORNER_REACH_M = 0.7
_CORNER_SHADE = 0.5
"""Light from a wall that is just beside a surface, against one that is further than the reach: walls are lit less in
their corners, which is what makes them look like corners."""


@compiled
def _fullness(grid: Grid, x: float, y: float, z: float) -> float:
    """How full the grid is at a place in voxels, between the middles of voxels; nothing outside."""
    x, y, z = x - 0.5, y - 0.5, z - 0.5
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    if i < 0 or j < 0 or k < 0 or i + 1 >= grid.shape[0] or j + 1 >= grid.shape[1] or k + 1 >= grid.shape[2]:
        return 0.0
    fx, fy, fz = x - i, y - j, z - k
    low = (1 - fy) * ((1 - fx) * grid[i, j, k] + fx * grid[i + 1, j, k])
    low += fy * ((1 - fx) * grid[i, j + 1, k] + fx * grid[i + 1, j + 1, k])
    high = (1 - fy) * ((1 - fx) * grid[i, j, k + 1] + fx * grid[i + 1, j, k + 1])
    high += fy * ((1 - fx) * grid[i, j + 1, k + 1] + fx * grid[i + 1, j + 1, k + 1])
    return float((1 - fz) * low + fz * high)


@compiled
def _cone(
    sharp: Grid, soft: Grid, softer: Grid, x: float, y: float, z: float, dx: float, dy: float, dz: float
) -> float:
    """Light left after a widening cone of some twenty voxels."""
    left, step = 1.0, 1.9
    for k in range(6):
        grid = sharp if k < 1 else (soft if k < 3 else softer)
        full = _fullness(grid, x + dx * step, y + dy * step, z + dz * step)
        left *= 1.0 - min(1.0, full * (1.15 + 0.25 * k))
        step *= 1.6
    return left


@compiled
def ambient_shade(
    points_m: Array,
    normals: Array,
    sharp: Grid,
    soft: Grid,
    softer: Grid,
    origin_m: Array,
    voxel_m: float,
    room_low_m: Array,
    room_high_m: Array,
    in_room: bool,
    out: Array,
) -> None:
    """Writes the share in [0, 1] of light from all around that reaches each surfel (N,)."""
    for n in range(points_m.shape[0]):
        nx, ny, nz = normals[n, 0], normals[n, 1], normals[n, 2]
        # Two directions across the normal.
        ax, ay, az = (0.0, 0.0, 1.0) if abs(nz) < 0.9 else (1.0, 0.0, 0.0)
        tx, ty, tz = ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
        length = math.sqrt(tx * tx + ty * ty + tz * tz)
        tx, ty, tz = tx / length, ty / length, tz / length
        bx, by, bz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
        px, py, pz = points_m[n, 0], points_m[n, 1], points_m[n, 2]
        x, y, z = (px - origin_m[0]) / voxel_m, (py - origin_m[1]) / voxel_m, (pz - origin_m[2]) / voxel_m
        total, weights = 0.0, 0.0
        for k in range(_CONES + 1):
            across = math.sin(_CONE_TILT) if k > 0 else 0.0
            along = math.cos(_CONE_TILT) if k > 0 else 1.0
            c, s = across * math.cos(2 * math.pi * k / _CONES), across * math.sin(2 * math.pi * k / _CONES)
            dx, dy, dz = along * nx + c * tx + s * bx, along * ny + c * ty + s * by, along * nz + c * tz + s * bz
            open_share = _cone(sharp, soft, softer, x, y, z, dx, dy, dz)
            if in_room:
                reach = 1e9
                for axis in range(3):
                    d = dx if axis == 0 else (dy if axis == 1 else dz)
                    p = px if axis == 0 else (py if axis == 1 else pz)
                    if d > 1e-6:
                        reach = min(reach, (room_high_m[axis] - p) / d)
                    elif d < -1e-6:
                        reach = min(reach, (room_low_m[axis] - p) / d)
                open_share *= 1 - _CORNER_SHADE * (1 - min(1.0, max(0.0, reach) / _CORNER_REACH_M))
            total += open_share * along
            weights += along
        out[n] = total / weights


@compiled
def _way(sharp: Grid, soft: Grid, x: float, y: float, z: float, dx: float, dy: float, dz: float, reach: float) -> float:
    """Light left on a straight way of ``reach`` voxels; steps and blur grow along it, as half-shadows do."""
    left, at = 1.0, 1.8
    while at < reach and left > 0.01:
        grid = sharp if at < 8 else soft
        step = 0.9 + 0.035 * at
        full = _fullness(grid, x + dx * at, y + dy * at, z + dz * at)
        left *= 1.0 - min(1.0, full * 1.15 * step)
        at += step
    return left


@compiled
def way_to_light(
    points_m: Array,
    normals: Array,
    light_m: Array,
    facing: Array,
    sharp: Grid,
    soft: Grid,
    softer: Grid,
    origin_m: Array,
    voxel_m: float,
    out: Array,
) -> None:
    """Writes cos cos / d^2 times the open share of the way to a small light; ``facing`` zero: it shines all round."""
    one_sided = facing[0] * facing[0] + facing[1] * facing[1] + facing[2] * facing[2] > 0
    for n in range(points_m.shape[0]):
        wx, wy, wz = light_m[0] - points_m[n, 0], light_m[1] - points_m[n, 1], light_m[2] - points_m[n, 2]
        distance = math.sqrt(wx * wx + wy * wy + wz * wz) + 1e-6
        wx, wy, wz = wx / distance, wy / distance, wz / distance
        cosine = normals[n, 0] * wx + normals[n, 1] * wy + normals[n, 2] * wz
        at_light = -(facing[0] * wx + facing[1] * wy + facing[2] * wz) if one_sided else 1.0
        if cosine <= 0 or at_light <= 0 or (not one_sided and distance > _LAMP_REACH_M):
            out[n] = 0.0
            continue
        x = (points_m[n, 0] - origin_m[0]) / voxel_m + normals[n, 0]
        y = (points_m[n, 1] - origin_m[1]) / voxel_m + normals[n, 1]
        z = (points_m[n, 2] - origin_m[2]) / voxel_m + normals[n, 2]
        reach = (distance - (0.1 if one_sided else 0.3)) / voxel_m
        left = _way(sharp, soft, x, y, z, wx, wy, wz, reach)
        fade = 1.0 if one_sided else 1 - (distance / _LAMP_REACH_M) ** 2
        out[n] = fade * left * cosine * at_light / max(distance * distance, 0.25)


@compiled
def sun_shade(
    points_m: Array,
    normals: Array,
    to_sun: Array,
    windows: Array,
    sharp: Grid,
    soft: Grid,
    softer: Grid,
    origin_m: Array,
    voxel_m: float,
    out: Array,
) -> None:
    """Writes the share of direct sun on each surfel; in a room (windows (W, 4, 3)) only through their panes."""
    for n in range(points_m.shape[0]):
        cosine = normals[n, 0] * to_sun[0] + normals[n, 1] * to_sun[1] + normals[n, 2] * to_sun[2]
        out[n] = 0.0
        if cosine <= 0:
            continue
        reach_m = 60.0
        if windows.shape[0] > 0:
            reach_m = _through_a_pane(points_m[n], to_sun, windows)
            if reach_m < 0:
                continue
        x = (points_m[n, 0] - origin_m[0]) / voxel_m + normals[n, 0]
        y = (points_m[n, 1] - origin_m[1]) / voxel_m + normals[n, 1]
        z = (points_m[n, 2] - origin_m[2]) / voxel_m + normals[n, 2]
        reach = (reach_m - 0.1) / voxel_m
        out[n] = cosine * _way(sharp, soft, x, y, z, to_sun[0], to_sun[1], to_sun[2], reach)


@compiled
def _through_a_pane(point_m: Array, to_sun: Array, windows: Array) -> float:
    """Metres to the pane (two beside each other in a window) that lets the sun in; -1 without one."""
    for w in range(windows.shape[0]):
        centre, along, up, inward = windows[w, 0], windows[w, 1], windows[w, 2], windows[w, 3]
        slope, distance, a, b, aa, bb = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            slope += to_sun[k] * inward[k]
            distance += (centre[k] - point_m[k]) * inward[k]
        if slope >= -1e-3:
            continue
        reach = distance / slope
        for k in range(3):
            offset = point_m[k] + to_sun[k] * reach - centre[k]
            a += offset * along[k]
            b += offset * up[k]
            aa += along[k] * along[k]
            bb += up[k] * up[k]
        a, b = abs(a / aa), abs(b / bb)
        if reach > 0 and 0.05 < a < 0.95 and b < 0.95:
            return float(reach)
    return -1.0
