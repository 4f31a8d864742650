"""Alpha compositing of depth-ordered Gaussians that remembers what the way back needs.

The pictures are those of `render.cpu.raster`, block by block in the same way, before a background is added and before
colours are cut to [0, 1]. Beside them each pixel keeps the light that is left and the last Gaussian that it took.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...render.cpu.binning import TILE
from ...render.cpu.ellipse import SLACK_PX, rows_of_ellipse
from ...render.cpu.kernels import inlined, power_of_two, prefetch, take_next
from ...render.cpu.layout import (
    BLUE,
    DEPTH,
    GREEN,
    HALF_A,
    HALF_C,
    HALF_HEIGHT,
    MEAN_X,
    MEAN_Y,
    OPACITY,
    RADIUS_X,
    RED,
    SLOPE,
    TOP_X,
    B,
)
from ...render.cpu.raster import BLOCKS, LANES, STRIDE, within_tile
from ...render.settings import MIN_TRANSMITTANCE
from .kernels import kernel

__all__ = ["composite_forward"]

f4 = np.float32
ZERO, HALF, ONE = f4(0), f4(0.5), f4(1)
T_MIN = f4(MIN_TRANSMITTANCE)

# Planes of a tile's state after the first, the transmittance, whose sign is turned once the pixel is finished.
SUM_R, SUM_G, SUM_B, SUM_Z, LAST = STRIDE, 2 * STRIDE, 3 * STRIDE, 4 * STRIDE, 5 * STRIDE
PLANES = 6

CHECK_EVERY = 16
AHEAD = 8


@inlined
def _add_block(
    state: NDArray[np.float32],
    at: int,
    dx0: np.float32,
    b_dy: np.float32,
    c_dy2: np.float32,
    half_a: np.float32,
    opacity: np.float32,
    red: np.float32,
    green: np.float32,
    blue: np.float32,
    z: np.float32,
    entry: np.float32,
    max_alpha: np.float32,
    alpha_min: np.float32,
) -> None:
    """Adds one Gaussian to the eight pixels of a block; written so that it becomes packed instructions."""
    for lane in range(LANES):
        i = at + lane
        dx = dx0 + f4(np.int32(lane))
        power = (half_a * dx + b_dy) * dx + c_dy2
        alpha = min(max_alpha, opacity * power_of_two(max(power, f4(-115.0))))
        alpha = alpha if (power <= ZERO) & (alpha >= alpha_min) else ZERO
        before = state[np.uint64(i)]
        after = before * (ONE - alpha)
        ends = after <= T_MIN
        w = ZERO if ends else alpha * before
        state[np.uint64(i)] = -abs(before) if ends else after
        state[np.uint64(i + SUM_R)] += w * red
        state[np.uint64(i + SUM_G)] += w * green
        state[np.uint64(i + SUM_B)] += w * blue
        state[np.uint64(i + SUM_Z)] += w * z
        state[np.uint64(i + LAST)] = entry if w > ZERO else state[np.uint64(i + LAST)]


@inlined
def _find_open_blocks(state: NDArray[np.float32], is_open: NDArray[np.bool_]) -> bool:
    """Marks the blocks in which a pixel still lets light through; False when there are none."""
    any_open = False
    for block in range(BLOCKS):
        most = ZERO
        for lane in range(LANES):
            most = max(most, state[np.uint64(block * LANES + lane)])
        is_open[np.uint64(block)] = most > ZERO
        any_open = any_open or bool(most > ZERO)
    return any_open


@kernel
def composite_forward(
    records: NDArray[np.float32],
    starts: NDArray[np.int64],
    lists: NDArray[np.int32],
    tiles: NDArray[np.int64],
    counter: NDArray[np.int64],
    max_alpha: np.float32,
    alpha_min: np.float32,
    drawn: NDArray[np.float32],
    light_left: NDArray[np.float32],
    last: NDArray[np.int32],
) -> None:
    """Draws tiles until none is left.

    Args:
        records: (M, 16) projected Gaussians, see `render.cpu.layout`.
        starts, lists: records of each tile in depth order, those of tile t at starts[t] .. starts[t + 1].
        tiles, counter: the tiles in the order in which to take them, and (1,) how many are taken by all threads.
        max_alpha, alpha_min: limits of one Gaussian's alpha.
        drawn: (H, W, 4) output, sums of weight times colour and of weight times z.
        light_left: (H, W) output, 1 - alpha.
        last: (H, W) output, place in its tile's list of the last Gaussian that a pixel took, -1 for none.
    """
    height, width = light_left.shape
    across = (width + TILE - 1) // TILE
    state = np.empty(PLANES * STRIDE, np.float32)
    is_open = np.empty(BLOCKS, np.bool_)
    while True:
        turn = take_next(counter)
        if turn >= tiles.shape[0]:
            break
        tile = tiles[turn]
        left, top = (tile % across) * TILE, (tile // across) * TILE
        columns, rows = min(TILE, width - left), min(TILE, height - top)
        state[:STRIDE] = ONE
        state[STRIDE:] = ZERO
        state[LAST:] = -ONE
        is_open[:] = True
        for place in range(starts[tile + 1] - starts[tile]):
            entry = starts[tile] + place
            prefetch(records, lists[min(entry + AHEAD, lists.shape[0] - 1)], 0)
            if place % CHECK_EVERY == CHECK_EVERY - 1 and not _find_open_blocks(state, is_open):
                break
            at = lists[entry]
            # From here on, pixel centres of the tile are whole numbers.
            mx, my = records[at, MEAN_X] - f4(left) - HALF, records[at, MEAN_Y] - f4(top) - HALF
            half_a, b, half_c, opacity = records[at, HALF_A], records[at, B], records[at, HALF_C], records[at, OPACITY]
            red, green, blue, z = records[at, RED], records[at, GREEN], records[at, BLUE], records[at, DEPTH]
            radius_x, slope = records[at, RADIUS_X], records[at, SLOPE]
            half_height, top_x = records[at, HALF_HEIGHT], records[at, TOP_X]
            reach = radius_x + SLACK_PX
            first_column, last_column = within_tile(mx - reach, mx + reach, columns)
            for strip in range(first_column // LANES, last_column // LANES + 1):
                dx0 = f4(np.int32(strip * LANES)) - mx
                least, most = rows_of_ellipse(dx0, dx0 + f4(LANES - 1), radius_x, slope, half_height, top_x)
                first_row, last_row = within_tile(my + least, my + most, rows)
                for y in range(first_row, last_row + 1):
                    block = strip * TILE + y
                    if is_open[np.uint64(block)]:
                        dy = f4(np.int32(y)) - my
                        _add_block(
                            state, block * LANES, dx0, b * dy, half_c * dy * dy, half_a, opacity,
                            red, green, blue, z, f4(np.int32(place)), max_alpha, alpha_min,
                        )  # fmt: skip
        for y in range(rows):
            for x in range(columns):
                i = (x // LANES) * TILE * LANES + y * LANES + x % LANES
                light_left[top + y, left + x] = abs(state[i])
                last[top + y, left + x] = np.int32(state[i + LAST])
                for channel in range(4):
                    drawn[top + y, left + x, channel] = state[i + (1 + channel) * STRIDE]
