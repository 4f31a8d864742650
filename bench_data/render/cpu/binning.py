"""Which tiles each Gaussian touches, exactly, and the depth-ordered list of every tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .ellipse import rows_of_ellipse
from .kernels import inlined, kernel, prefetch
from .layout import HALF_HEIGHT, MEAN_X, MEAN_Y, RADIUS_X, SLOPE, TOP_X

__all__ = ["TILE", "count_tiles", "fill_lists", "offsets_of_tiles", "tile_span"]

TILE = 32
"""Side of a tile in pixels."""

HALF = np.float32(0.5)


@inlined
def tile_span(low: np.float32, high: np.float32, size: int) -> tuple[int, int]:
    """(first, last) tile with a pixel centre in [low, high] along a side of ``size`` pixels; first > last: none."""
    # Kept to the picture before they become whole numbers, which would overflow.
    first = int(np.ceil(min(max(low - HALF, np.float32(0)), np.float32(size))))
    last = int(np.floor(min(max(high - HALF, np.float32(-1)), np.float32(size - 1))))
    return first // TILE, (last // TILE if last >= first else first // TILE - 1)


@inlined
def _rows_in_column(records: NDArray[np.float32], at: int, column: int, height: int) -> tuple[int, int]:
    """(first, last) tile row in which an ellipse meets a tile column."""
    from_dx = np.float32(column * TILE) + HALF - records[at, MEAN_X]
    least, most = rows_of_ellipse(
        from_dx,
        from_dx + np.float32(TILE - 1),
        records[at, RADIUS_X],
        records[at, SLOPE],
        records[at, HALF_HEIGHT],
        records[at, TOP_X],
    )
    return tile_span(records[at, MEAN_Y] + least, records[at, MEAN_Y] + most, height)


@kernel
def count_tiles(
    records: NDArray[np.float32],
    boxes: NDArray[np.uint16],
    order: NDArray[np.int32],
    begin: int,
    end: int,
    width: int,
    height: int,
    counts: NDArray[np.int64],
) -> None:
    """Counts (tiles,) how many records of one part of the depth order touch each tile.

    A box (candidates, 4) holds the first and last tile column and row. Only where it is more than one tile wide and
    high can the ellipse miss some of its tiles.
    """
    across = (width + TILE - 1) // TILE
    counts[:] = 0
    for k in range(begin, end):
        at = order[k]
        ahead = order[min(k + 12, end - 1)]
        prefetch(boxes, ahead, 0)
        prefetch(records, ahead, 0)
        first_column, last_column = int(boxes[at, 0]), int(boxes[at, 1])
        top_row, bottom_row = int(boxes[at, 2]), int(boxes[at, 3])
        narrow = first_column == last_column or top_row == bottom_row
        for column in range(first_column, last_column + 1):
            first_row, last_row = top_row, bottom_row
            if not narrow:
                first_row, last_row = _rows_in_column(records, at, column, height)
            for row in range(first_row, last_row + 1):
                counts[row * across + column] += 1


@kernel
def offsets_of_tiles(counts: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
    """Turns counts (parts, tiles) into where each part begins in each tile's list.

    The lists' limits are written to starts (tiles + 1,).
    """
    before = 0
    for tile in range(counts.shape[1]):
        starts[tile] = before
        for part in range(counts.shape[0]):
            count = counts[part, tile]
            counts[part, tile] = before
            before += count
    starts[counts.shape[1]] = before


@kernel
def fill_lists(
    records: NDArray[np.float32],
    boxes: NDArray[np.uint16],
    order: NDArray[np.int32],
    begin: int,
    end: int,
    width: int,
    height: int,
    offsets: NDArray[np.int64],
    lists: NDArray[np.int32],
) -> None:
    """Writes the records of one part of the depth order into the lists of the tiles that they touch."""
    across = (width + TILE - 1) // TILE
    for k in range(begin, end):
        at = order[k]
        ahead = order[min(k + 12, end - 1)]
        prefetch(boxes, ahead, 0)
        prefetch(records, ahead, 0)
        first_column, last_column = int(boxes[at, 0]), int(boxes[at, 1])
        top_row, bottom_row = int(boxes[at, 2]), int(boxes[at, 3])
        narrow = first_column == last_column or top_row == bottom_row
        for column in range(first_column, last_column + 1):
            first_row, last_row = top_row, bottom_row
            if not narrow:
                first_row, last_row = _rows_in_column(records, at, column, height)
            for row in range(first_row, last_row + 1):
                tile = row * across + column
                lists[offsets[tile]] = at
                offsets[tile] += 1
