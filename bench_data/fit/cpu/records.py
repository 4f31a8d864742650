"""From what the torch projection gives to the records, tile boxes and order that the CPU engine's kernels work on."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...render.cpu.binning import tile_span
from ...render.cpu.ellipse import SLACK_PX
from ...render.cpu.layout import (
    BLUE,
    DEPTH,
    GREEN,
    HALF_A,
    HALF_C,
    HALF_HEIGHT,
    LABEL,
    MEAN_X,
    MEAN_Y,
    OPACITY,
    RADIUS_X,
    RED,
    SLOPE,
    TOP_X,
    B,
)
from .kernels import kernel

__all__ = ["fill_records", "sum_by_record"]

LOG2_E = 1.4426950408889634

FAR_PX = 1e9
"""Sizes end here, so that no float32 overflows."""


@kernel
def fill_records(
    rows: NDArray[np.int64],
    means_px: NDArray[np.float32],
    conics: NDArray[np.float32],
    variances: NDArray[np.float32],
    opacities: NDArray[np.float32],
    colours: NDArray[np.float32],
    depth_m: NDArray[np.float32],
    alpha_min: float,
    width: int,
    height: int,
    records: NDArray[np.float32],
    boxes: NDArray[np.uint16],
) -> int:
    """Writes a record (see `render.cpu.layout`) and a box of tiles for each of the rows that touches a pixel centre.

    The ellipse follows from the conic as far as it can: the determinant of a thin one's covariance has lost its digits.

    Args:
        rows: (M,) Gaussians that may be visible, near to far; those that are not are taken out, the rest moves up.
        means_px, conics, variances, opacities, colours, depth_m: (N, 2), (N, 3), (N, 2) xx and yy of the 2D covariance,
            (N,), (N, 3), (N,).
        alpha_min: what covers less is not drawn.
        width, height: of the picture.
        records, boxes: (M, 16) and (M, 4) outputs, first and last tile column, first and last tile row.

    Returns:
        How many rows are left.
    """
    k = 0
    for row in rows:
        a, b, c = float(conics[row, 0]), float(conics[row, 1]), float(conics[row, 2])
        opacity = float(opacities[row])
        if opacity <= alpha_min:
            continue
        sigmas2 = 2 * math.log(opacity / alpha_min)
        radius_x = min(math.sqrt(sigmas2 * float(variances[row, 0])), FAR_PX)
        radius_y = min(math.sqrt(sigmas2 * float(variances[row, 1])), FAR_PX)
        u, v = means_px[row, 0], means_px[row, 1]
        reach_x, reach_y = np.float32(radius_x) + SLACK_PX, np.float32(radius_y) + SLACK_PX
        first_column, last_column = tile_span(u - reach_x, u + reach_x, width)
        first_row, last_row = tile_span(v - reach_y, v + reach_y, height)
        if first_column > last_column or first_row > last_row:
            continue
        boxes[k, 0], boxes[k, 1], boxes[k, 2], boxes[k, 3] = first_column, last_column, first_row, last_row
        records[k, MEAN_X], records[k, MEAN_Y] = u, v
        records[k, HALF_A], records[k, B], records[k, HALF_C] = -0.5 * LOG2_E * a, -LOG2_E * b, -0.5 * LOG2_E * c
        records[k, OPACITY], records[k, DEPTH], records[k, LABEL] = opacity, depth_m[row], -1
        records[k, RADIUS_X], records[k, SLOPE] = radius_x, min(max(-b / c, -FAR_PX), FAR_PX)
        records[k, HALF_HEIGHT] = min(math.sqrt(sigmas2 / c), FAR_PX)
        records[k, TOP_X] = min(max(-b / a * radius_y, -FAR_PX), FAR_PX)
        records[k, RED], records[k, GREEN], records[k, BLUE] = colours[row, 0], colours[row, 1], colours[row, 2]
        rows[k] = row
        k += 1
    return k


@kernel
def sum_by_record(lists: NDArray[np.int32], entry_sums: NDArray[np.float32], sums: NDArray[np.float64]) -> None:
    """Adds up what the tiles found for each record, (entries, S) to (M, S), always in the order of the lists."""
    for entry in range(lists.shape[0]):
        at = lists[entry]
        for column in range(entry_sums.shape[1]):
            sums[at, column] += entry_sums[entry, column]
