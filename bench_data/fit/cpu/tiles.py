"""Runs the kernels over one picture: records, tile lists, the way there and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...render.cpu.binning import TILE, count_tiles, fill_lists, offsets_of_tiles
from ...render.cpu.crew import Crew
from ...render.cpu.layout import RECORD
from .backward import SUMS, composite_backward
from .forward import composite_forward
from .records import fill_records, sum_by_record

__all__ = ["DrawnTiles", "Gradients", "draw_tiles", "gradients_of_tiles"]

_Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class DrawnTiles:
    """A picture, and what the way back needs of how it was drawn."""

    drawn: _Floats
    """(H, W, 4) colour without background and summed z."""
    light_left: _Floats
    """(H, W) 1 - alpha."""
    last: NDArray[np.int32]
    """(H, W) place in the tile's list of the last Gaussian that a pixel took."""
    rows: NDArray[np.int64]
    """(M,) Gaussians that may touch the picture, near to far."""
    records: _Floats
    """(M, 16) see `render.cpu.layout`."""
    starts: NDArray[np.int64]
    lists: NDArray[np.int32]
    """Records of each tile in depth order, those of tile t at starts[t] .. starts[t + 1]."""


@dataclass(frozen=True, eq=False)
class Gradients:
    """Derivatives of the loss, float64, zero for Gaussians that touch no pixel."""

    means_px: NDArray[np.float64]
    conics: NDArray[np.float64]
    opacities: NDArray[np.float64]
    colours: NDArray[np.float64]
    depth_m: NDArray[np.float64]


def draw_tiles(
    means_px: _Floats,
    conics: _Floats,
    variances: _Floats,
    opacities: _Floats,
    colours: _Floats,
    depth_m: _Floats,
    visible: NDArray[np.bool_],
    *,
    width: int,
    height: int,
    max_alpha: float,
    alpha_min: float,
    threads: int,
) -> DrawnTiles:
    """Composites projected Gaussians; arguments as for `records.fill_records`, and (N,) which may be visible."""
    rows = np.flatnonzero(visible)
    rows = rows[np.argsort(depth_m[rows], kind="stable")]
    records, boxes = np.empty((len(rows), RECORD), np.float32), np.empty((len(rows), 4), np.uint16)
    count = fill_records(
        rows, means_px, conics, variances, opacities, colours, depth_m, alpha_min, width, height, records, boxes
    )
    starts, lists = _tile_lists(records, boxes, count, width, height)
    drawn, light_left = np.empty((height, width, 4), np.float32), np.empty((height, width), np.float32)
    last = np.empty((height, width), np.int32)
    tiles, counter = _fullest_first(starts), np.zeros(1, np.int64)
    with Crew(threads) as crew:
        crew.each(
            lambda part: composite_forward(
                records, starts, lists, tiles, counter, np.float32(max_alpha), np.float32(alpha_min),
                drawn, light_left, last,
            )
        )  # fmt: skip
    return DrawnTiles(drawn, light_left, last, rows[:count], records, starts, lists)


def gradients_of_tiles(
    tiles: DrawnTiles,
    grad_drawn: _Floats,
    grad_alpha: _Floats,
    conics: _Floats,
    opacities: _Floats,
    *,
    max_alpha: float,
    alpha_min: float,
    threads: int,
) -> Gradients:
    """Gradients of N projected Gaussians from those of the picture, (H, W, 4) and (H, W).

    A conic's xy entry stands for both places in the matrix, so its gradient counts both.
    """
    entry_sums = np.zeros((len(tiles.lists), SUMS), np.float32)
    order, counter = _fullest_first(tiles.starts), np.zeros(1, np.int64)
    with Crew(threads) as crew:
        crew.each(
            lambda part: composite_backward(
                tiles.records, tiles.starts, tiles.lists, order, counter, np.float32(max_alpha), np.float32(alpha_min),
                tiles.light_left, tiles.last, grad_drawn, grad_alpha, entry_sums,
            )
        )  # fmt: skip
    of_record = np.zeros((len(tiles.rows), SUMS))
    sum_by_record(tiles.lists, entry_sums, of_record)
    sums = np.zeros((len(opacities), SUMS))
    sums[tiles.rows] = of_record
    s_1, s_x, s_y, s_xx, s_xy, s_yy = sums[:, :6].T
    a, b, c = conics.T.astype(np.float64)
    # sigma = (a dx^2 + c dy^2) / 2 + b dx dy with d = pixel - mean; alpha = opacity exp(-sigma).
    faint = np.maximum(opacities.astype(np.float64), 1e-30)
    return Gradients(
        means_px=np.stack([-(a * s_x + b * s_y), -(b * s_x + c * s_y)], -1),
        conics=np.stack([s_xx / 2, s_xy, s_yy / 2], -1),
        opacities=-s_1 / faint,
        colours=sums[:, 6:9],
        depth_m=sums[:, 9],
    )


def _tile_lists(
    records: _Floats, boxes: NDArray[np.uint16], count: int, width: int, height: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    tiles = -(-width // TILE) * -(-height // TILE)
    counts, starts = np.zeros((1, tiles), np.int64), np.empty(tiles + 1, np.int64)
    order = np.arange(count, dtype=np.int32)
    if count:
        count_tiles(records, boxes, order, 0, count, width, height, counts[0])
    offsets_of_tiles(counts, starts)
    lists = np.empty(int(starts[-1]), np.int32)
    if count:
        fill_lists(records, boxes, order, 0, count, width, height, counts[0], lists)
    return starts, lists


def _fullest_first(starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """So that no thread is left with a full tile at the end."""
    return np.argsort(-np.diff(starts), kind="stable")
