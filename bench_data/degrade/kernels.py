"""Compiled loops of what NumPy can only do by long lists: sums of many small things, each at its own place.

Callers give arrays of the stated types and sizes; nothing is checked here. See `compiled` for how they are built.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled

__all__ = ["add_bells", "add_dots", "add_stamps", "blend_levels"]

Array = NDArray[np.float64]
Image = NDArray[np.float32]


@compiled
def add_bells(
    weight: Image, weighted_radius: Image, x: Array, y: Array, radius: Array, sharpness: float, reach: float
) -> None:
    """Adds exp(-sharpness q), and the same times the radius, of each drop to the pixels within ``reach`` radii.

    q is the squared distance from the drop's centre over its squared radius.

    Args:
        weight, weighted_radius: (H, W), added to.
        x, y, radius: (N,) pixels, pixel centres at +0.5.
    """
    height, width = weight.shape
    across = np.empty(width, dtype=np.float32)
    for drop in range(len(x)):
        size = radius[drop]
        left, right = max(0, math.floor(x[drop] - reach * size)), min(width, math.floor(x[drop] + reach * size) + 1)
        top, bottom = max(0, math.floor(y[drop] - reach * size)), min(height, math.floor(y[drop] + reach * size) + 1)
        for column in range(left, right):
            across[column] = math.exp(-sharpness * ((column + 0.5 - x[drop]) / size) ** 2)
        for row in range(top, bottom):
            down = np.float32(math.exp(-sharpness * ((row + 0.5 - y[drop]) / size) ** 2))
            down_radius = np.float32(down * size)
            for column in range(left, right):
                weight[row, column] += down * across[column]
                weighted_radius[row, column] += down_radius * across[column]


@compiled
def add_dots(
    bordered: Image,
    chosen: NDArray[np.int64],
    dots: NDArray[np.int64],
    position_m: Array,
    way_m: Array,
    area_px_m2: Array,
    flicker: Array,
    focal_px: tuple[float, float],
    centre_px: tuple[float, float],
    nearest_m: float,
    depth_m: Image,
) -> None:
    """Adds the area that moving particles cover, averaged over the exposure, each as a thin line of dots.

    A dot is shared by the four pixels around it. One behind the scene is not drawn; outside the picture the scene is as
    far away as at its border.

    Args:
        bordered: (H + 2 margin, W + 2 margin), the picture and what lies beside it, added to; the margin is 1 or more.
        chosen: (K,) which particles.
        dots: (K,) how many dots each of them becomes.
        position_m: (N, 3) in camera axes, in the middle of the exposure.
        way_m: (N, 3) from the beginning of the exposure to its end.
        area_px_m2: (N,) square pixels that a particle covers at a depth of one metre.
        flicker: (N, 3) amplitude, phase in radians, and radians per exposure of the area; (0, 3) for none.
        focal_px, centre_px: (x, y).
        nearest_m: nothing is drawn nearer than this.
        depth_m: (H, W) of the scene.
    """
    height, width = depth_m.shape
    margin = (bordered.shape[0] - height) // 2
    outside = margin - 0.5
    for item in range(len(chosen)):
        particle, count = chosen[item], dots[item]
        x, y, z = position_m[particle, 0], position_m[particle, 1], position_m[particle, 2]
        way_x, way_y, way_z = way_m[particle, 0], way_m[particle, 1], way_m[particle, 2]
        dot_area = area_px_m2[particle] / count
        amplitude, sine, cosine, turn_sine, turn_cosine = 0.0, 0.0, 0.0, 0.0, 1.0
        if len(flicker):
            amplitude = flicker[particle, 0]
            turn, begin = (
                flicker[particle, 2] / count,
                flicker[particle, 1] + flicker[particle, 2] * (0.5 / count - 0.5),
            )
            sine, cosine, turn_sine, turn_cosine = math.sin(begin), math.cos(begin), math.sin(turn), math.cos(turn)
        for dot in range(count):
            swing = 1 + amplitude * sine
            # The angle of the next dot, by the addition theorems.
            sine, cosine = sine * turn_cosine + cosine * turn_sine, cosine * turn_cosine - sine * turn_sine
            when = (dot + 0.5) / count - 0.5
            at_z = z + way_z * when
            if at_z <= nearest_m:
                continue
            nearness = 1 / at_z
            u = focal_px[0] * (x + way_x * when) * nearness + centre_px[0]
            v = focal_px[1] * (y + way_y * when) * nearness + centre_px[1]
            if not (-outside < u < width + outside and -outside < v < height + outside):
                continue
            if at_z >= depth_m[min(max(int(v), 0), height - 1), min(max(int(u), 0), width - 1)]:
                continue
            area = dot_area * swing * nearness * nearness
            # Counted from the outermost pixel's centre, so never negative.
            u, v = u + outside, v + outside
            column, row = int(u), int(v)
            right, lower = u - column, v - row
            bordered[row, column] += area * (1 - lower) * (1 - right)
            bordered[row, column + 1] += area * (1 - lower) * right
            bordered[row + 1, column] += area * lower * (1 - right)
            bordered[row + 1, column + 1] += area * lower * right


@compiled
def add_stamps(blurred: Image, dots: Image, held: NDArray[np.int64], stamp: Image) -> None:
    """Adds a stamp for each dot, as strong as the dot.

    Args:
        blurred: (H, W), added to.
        dots: (H + 2 margin, W + 2 margin), the picture and what lies beside it.
        held: (N,) where dots are, counted row by row.
        stamp: (K, K), K odd.
    """
    height, width = blurred.shape
    side = len(stamp)
    corner = side // 2 + (dots.shape[0] - height) // 2
    for place in held:
        row, column = place // dots.shape[1], place % dots.shape[1]
        top, left = row - corner, column - corner
        for y in range(max(0, top), min(height, top + side)):
            for x in range(max(0, left), min(width, left + side)):
                blurred[y, x] += dots[row, column] * stamp[y - top, x - left]


@compiled
def _mirrored(at: float, count: int) -> float:
    """A coordinate folded into [0, count - 1] about the outermost pixels."""
    if 0 <= at <= count - 1:
        return at
    if count == 1:
        return 0.0
    turns = abs(at) % (2 * (count - 1))
    return min(turns, 2 * (count - 1) - turns)


@compiled
def blend_levels(pixels: Image, sizes: NDArray[np.int64], x: Image, y: Image, level: Image, seen: Image) -> None:
    """Looks up a pyramid of ever smaller pictures at places between pixels and between levels; the border mirrors.

    Args:
        pixels: (P, 3) all levels one after the other, each row by row.
        sizes: (L, 2) height and width of the levels.
        x, y: (N,) places in the first level, pixel centres at +0.5.
        level: (N,) 0 is the first.
        seen: (3, N), written to.
    """
    first = np.zeros(len(sizes) + 1, dtype=np.int64)
    for step in range(len(sizes)):
        first[step + 1] = first[step] + sizes[step, 0] * sizes[step, 1]
    for item in range(len(x)):
        sharper = int(level[item])
        coarser_share = level[item] - np.float32(sharper)
        red = green = blue = 0.0
        for step in range(sharper, min(sharper + 2, len(sizes))):
            share = coarser_share if step > sharper else 1 - coarser_share
            height, width = sizes[step]
            column = _mirrored(x[item] * (width / sizes[0, 1]) - 0.5, width)
            row = _mirrored(y[item] * (height / sizes[0, 0]) - 0.5, height)
            left, top = int(column), int(row)
            right, lower = np.float32(column - left), np.float32(row - top)
            aside, below = min(left + 1, width - 1) - left, (min(top + 1, height - 1) - top) * width
            corner = first[step] + top * width + left
            for down in range(2):
                for across in range(2):
                    pixel = corner + down * below + across * aside
                    part = share * (lower if down else 1 - lower) * (right if across else 1 - right)
                    red += part * pixels[pixel, 0]
                    green += part * pixels[pixel, 1]
                    blue += part * pixels[pixel, 2]
        seen[0, item], seen[1, item], seen[2, item] = red, green, blue
