"""Alpha compositing of depth-ordered Gaussians, a tile at a time.

A tile is four strips, eight pixels wide. The rows in which an ellipse meets a strip are one interval, solved once; it
is walked in blocks of eight pixels whose inner loop has a constant length and no branch, so that it becomes packed
instructions. A tile's state lies in one flat buffer of planes, strip by strip, padded so that the planes do not share
cache sets; blocks whose pixels are all finished are skipped. Records are asked for ahead of their use.

A pixel follows gsplat: ``alpha = min(max_alpha, o exp(-sigma))`` is left out below ``alpha_min``; the Gaussian that
would push the transmittance to 1e-4 or less is left out and ends the pixel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..settings import MIN_TRANSMITTANCE
from .binning import TILE
from .ellipse import SLACK_PX, rows_of_ellipse
from .kernels import inlined, kernel, power_of_two, prefetch, take_next
from .layout import (
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

__all__ = ["BLOCKS", "LANES", "STRIDE", "composite_tiles", "within_tile"]

f4 = np.float32
ZERO, HALF, ONE = f4(0), f4(0.5), f4(1)
T_MIN = f4(MIN_TRANSMITTANCE)

LANES = 8
"""Pixels of a block."""

STRIPS = TILE // LANES
BLOCKS = TILE * STRIPS
STRIDE = TILE * TILE + 16
# Planes of the state. The first is the transmittance, with its sign turned once the pixel is finished.
SUM_R, SUM_G, SUM_B, SUM_Z = STRIDE, 2 * STRIDE, 3 * STRIDE, 4 * STRIDE
PLANES = 5
# More of them when instances and median depth are asked for.
MEDIAN_Z = 5 * STRIDE
LABEL_1, LABEL_2, LABEL_3 = 6 * STRIDE, 7 * STRIDE, 8 * STRIDE
WEIGHT_1, WEIGHT_2, WEIGHT_3 = 9 * STRIDE, 10 * STRIDE, 11 * STRIDE
LABELLED_PLANES = 12
NOBODY = f4(-2)

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
    label: np.float32,
    max_alpha: np.float32,
    alpha_min: np.float32,
    instances: NDArray[np.int32] | None,
) -> None:
    """Adds one Gaussian to the eight pixels of a block.

    The loop becomes packed instructions only as it stands: in one function, with scalar arguments, and with unsigned
    indices, which spare a test for negative ones. Its last part is left out of the kernel that has no instances.

    The three heaviest labels of a pixel are kept after Metwally et al. 2005 ("Space-Saving"): a label that is not among
    them takes the place of the lightest and adds to its weight. The sum of the three stays exact, so a label with more
    than half of it always ends up first.
    """
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
        if instances is not None:
            median = state[np.uint64(i + MEDIAN_Z)]
            state[np.uint64(i + MEDIAN_Z)] = z if (before > HALF) & (before - w <= HALF) else median
            label_1, w_1 = state[np.uint64(i + LABEL_1)], state[np.uint64(i + WEIGHT_1)]
            label_2, w_2 = state[np.uint64(i + LABEL_2)], state[np.uint64(i + WEIGHT_2)]
            label_3, w_3 = state[np.uint64(i + LABEL_3)], state[np.uint64(i + WEIGHT_3)]
            is_1, is_2, is_3 = label_1 == label, label_2 == label, label_3 == label
            is_new = (w > ZERO) & ~(is_1 | is_2 | is_3)
            least = min(w_1, min(w_2, w_3))
            take_3 = is_new & (w_3 <= least)
            take_2 = is_new & ~take_3 & (w_2 <= least)
            take_1 = is_new & ~take_3 & ~take_2
            state[np.uint64(i + WEIGHT_1)] = w_1 + w if is_1 | take_1 else w_1
            state[np.uint64(i + WEIGHT_2)] = w_2 + w if is_2 | take_2 else w_2
            state[np.uint64(i + WEIGHT_3)] = w_3 + w if is_3 | take_3 else w_3
            state[np.uint64(i + LABEL_1)] = label if take_1 else label_1
            state[np.uint64(i + LABEL_2)] = label if take_2 else label_2
            state[np.uint64(i + LABEL_3)] = label if take_3 else label_3


@inlined
def within_tile(low: np.float32, high: np.float32, count: int) -> tuple[int, int]:
    """(first, last) whole number in [low, high] and in 0 .. count - 1."""
    first = int(np.ceil(min(max(low, ZERO), f4(TILE))))
    return first, int(np.floor(min(max(high, -ONE), f4(np.int32(count - 1)))))


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


@inlined
def _clear(state: NDArray[np.float32], is_open: NDArray[np.bool_]) -> None:
    state[:STRIDE] = ONE
    state[STRIDE:] = ZERO
    if state.shape[0] > PLANES * STRIDE:
        state[LABEL_1:WEIGHT_1] = NOBODY
    is_open[:] = True


@inlined
def _write_pixel(
    state: NDArray[np.float32],
    i: int,
    y: int,
    x: int,
    background: NDArray[np.float32],
    image: NDArray[np.float32],
    depth: NDArray[np.float32],
    alpha: NDArray[np.float32],
) -> None:
    light_left = abs(state[i])
    covered = ONE - light_left
    for channel in range(3):
        light = state[i + (1 + channel) * STRIDE] + light_left * background[channel]
        image[y, x, channel] = min(ONE, light)
    alpha[y, x] = covered
    depth[y, x] = state[i + SUM_Z] / max(covered, f4(1e-10))


@inlined
def _heaviest_label(state: NDArray[np.float32], i: int) -> np.int32:
    best = i
    for other in (i + STRIDE, i + 2 * STRIDE):
        if state[other + WEIGHT_1] > state[best + WEIGHT_1]:
            best = other
    return np.int32(state[best + LABEL_1])


@kernel
def composite_tiles(
    records: NDArray[np.float32],
    starts: NDArray[np.int64],
    lists: NDArray[np.int32],
    tiles: NDArray[np.int64],
    counter: NDArray[np.int64],
    max_alpha: np.float32,
    alpha_min: np.float32,
    background: NDArray[np.float32],
    image: NDArray[np.float32],
    depth: NDArray[np.float32],
    alpha: NDArray[np.float32],
    instances: NDArray[np.int32] | None,
    median: NDArray[np.float32] | None,
) -> None:
    """Draws tiles until none is left.

    Args:
        records: (candidates, 16) projected Gaussians, see `layout`.
        starts, lists: records of each tile in depth order, those of tile t at starts[t] .. starts[t + 1].
        tiles, counter: the tiles in the order in which to take them, and (1,) how many are taken by all threads.
        max_alpha, alpha_min: limits of one Gaussian's alpha.
        background: (3,) behind everything.
        image, depth, alpha: (H, W, 3), (H, W), (H, W) outputs; colour is cut to [0, 1], depth is the weighted mean.
        instances, median: (H, W) outputs, or both None, which compiles to a leaner kernel.
    """
    height, width = alpha.shape
    across = (width + TILE - 1) // TILE
    state = np.empty((PLANES if instances is None else LABELLED_PLANES) * STRIDE, np.float32)
    is_open = np.empty(BLOCKS, np.bool_)
    while True:
        turn = take_next(counter)
        if turn >= tiles.shape[0]:
            break
        tile = tiles[turn]
        left, top = (tile % across) * TILE, (tile // across) * TILE
        columns, rows = min(TILE, width - left), min(TILE, height - top)
        _clear(state, is_open)
        for entry in range(starts[tile], starts[tile + 1]):
            prefetch(records, lists[min(entry + AHEAD, lists.shape[0] - 1)], 0)
            if (entry - starts[tile]) % CHECK_EVERY == CHECK_EVERY - 1 and not _find_open_blocks(state, is_open):
                break
            at = lists[entry]
            # From here on, pixel centres of the tile are whole numbers.
            mx, my = records[at, MEAN_X] - f4(left) - HALF, records[at, MEAN_Y] - f4(top) - HALF
            b, half_c, label = records[at, B], records[at, HALF_C], records[at, LABEL]
            half_a, opacity = records[at, HALF_A], records[at, OPACITY]
            red, green, blue, z = records[at, RED], records[at, GREEN], records[at, BLUE], records[at, DEPTH]
            radius_x, slope = records[at, RADIUS_X], records[at, SLOPE]
            half_height, top_x = records[at, HALF_HEIGHT], records[at, TOP_X]
            reach = radius_x + SLACK_PX
            first_column, last_column = within_tile(mx - reach, mx + reach, columns)
            first_strip, last_strip = first_column // LANES, last_column // LANES
            for strip in range(first_strip, last_strip + 1):
                dx0 = f4(np.int32(strip * LANES)) - mx
                least, most = rows_of_ellipse(dx0, dx0 + f4(LANES - 1), radius_x, slope, half_height, top_x)
                first_row, last_row = within_tile(my + least, my + most, rows)
                for y in range(first_row, last_row + 1):
                    block = strip * TILE + y
                    if is_open[np.uint64(block)]:
                        dy = f4(np.int32(y)) - my
                        _add_block(
                            state, block * LANES, dx0, b * dy, half_c * dy * dy, half_a, opacity,
                            red, green, blue, z, label, max_alpha, alpha_min, instances,
                        )  # fmt: skip
        for y in range(rows):
            for x in range(columns):
                i = (x // LANES) * TILE * LANES + y * LANES + x % LANES
                _write_pixel(state, i, top + y, left + x, background, image, depth, alpha)
                if instances is not None and median is not None:
                    instances[top + y, left + x] = _heaviest_label(state, i)
                    median[top + y, left + x] = state[i + MEDIAN_Z]
