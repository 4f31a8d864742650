"""Depth cleaning once more, pixel by pixel: slow, and what the fast one is compared with."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
from numpy.typing import NDArray

from seeworthy.bench_data.depth_cleaning import CleaningSettings

Depth = dict[tuple[int, int], float]
"""Known depths by (row, column)."""


def plain_clean(
    depth_m: NDArray[np.float64],
    luma: NDArray[np.float64] | None,
    sky: NDArray[np.bool_] | None,
    settings: CleaningSettings,
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """(H, W) depth with NaN, and the stage map."""
    stages = np.zeros(depth_m.shape, np.uint8)
    known: Depth = {}
    for pixel in np.ndindex(depth_m.shape):
        value = float(depth_m[pixel])
        if not (math.isfinite(value) and value > 0):
            stages[pixel] = 6
        elif value < settings.near_m or value > settings.far_m:
            stages[pixel] = 1
        else:
            known[pixel] = value
    flying = [pixel for pixel in known if _flies(pixel, known, settings)]
    _take(known, stages, flying, 2)
    known = {pixel: _smoothed(pixel, known, luma, settings) for pixel in known}
    small = []
    for component in _components(known, settings.link_ratio):
        if len(component) < max(settings.component_least_px, round(settings.component_least_share * depth_m.size)):
            small += component
    _take(known, stages, small, 4)
    if sky is not None:
        near_sky = [(r, c) for r, c in known if sky[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2].any()]
        _take(known, stages, near_sky, 5)
    result = np.full(depth_m.shape, np.nan)
    for pixel, value in known.items():
        result[pixel] = value
    return result, stages


def ratio(one: float, other: float) -> float:
    return abs(one - other) / min(one, other)


def _take(known: Depth, stages: NDArray[np.uint8], pixels: list[tuple[int, int]], stage: int) -> None:
    for pixel in pixels:
        stages[pixel] = stage
        del known[pixel]


def _flies(pixel: tuple[int, int], known: Depth, settings: CleaningSettings) -> bool:
    row, column = pixel
    window = [(r, c) for r in range(row - 2, row + 3) for c in range(column - 2, column + 3)]
    steps = [
        ratio(known[one], known[other])
        for one in window
        for other in ((one[0], one[1] + 1), (one[0] + 1, one[1]))
        if other in window and one in known and other in known
    ]
    threshold = max(settings.flying_ratio, settings.flying_slopes * (median(steps) if steps else 0.0))

    def torn(other: tuple[int, int]) -> bool:
        return other in known and ratio(known[pixel], known[other]) > threshold

    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        one, other = (row + down, column + right), (row - down, column - right)
        if torn(one) and torn(other):
            low, high = sorted((known[one], known[other]))
            if low < known[pixel] < high:
                return True
    around = [(r, c) for r in range(row - 1, row + 2) for c in range(column - 1, column + 2) if (r, c) != pixel]
    valid = [other for other in around if other in known]
    return len(valid) >= 3 and 10 * sum(torn(other) for other in valid) >= 7 * len(valid)


def _smoothed(
    pixel: tuple[int, int], known: Depth, luma: NDArray[np.float64] | None, settings: CleaningSettings
) -> float:
    row, column = pixel
    centre = known[pixel]
    weights = total = 0.0
    for r in range(row - 2, row + 3):
        for c in range(column - 2, column + 3):
            if (r, c) not in known:
                continue
            weight = math.exp(-((r - row) ** 2 + (c - column) ** 2) / (2 * settings.smooth_space_px**2))
            weight *= math.exp(-(((known[r, c] - centre) / (settings.smooth_ratio * centre)) ** 2) / 2)
            if luma is not None:
                weight *= math.exp(-((luma[r, c] - luma[row, column]) ** 2) / (2 * settings.smooth_luma**2))
            weights += weight
            total += weight * known[r, c]
    most = settings.smooth_most_ratio * centre
    return min(max(total / weights, centre - most), centre + most)


def _components(known: Depth, link_ratio: float) -> list[list[tuple[int, int]]]:
    left, components = set(known), []
    while left:
        component, edge = [], [left.pop()]
        while edge:
            row, column = edge.pop()
            component.append((row, column))
            for other in ((row, column + 1), (row, column - 1), (row + 1, column), (row - 1, column)):
                if other in left and ratio(known[row, column], known[other]) <= link_ratio:
                    left.remove(other)
                    edge.append(other)
        components.append(component)
    return components
