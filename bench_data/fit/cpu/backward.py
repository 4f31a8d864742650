"""The way back through alpha compositing: from gradients of pixels to gradients of projected Gaussians.

With weights ``w_i = alpha_i T_i``, features f (colour and z) and ``q_i = f_i . dL/dpixel``:

    dL/dalpha_i = T_i q_i - (sum over j behind i of w_j q_j  -  T_last dL/dalpha) / (1 - alpha_i)

A pixel is walked from back to front, so that the sum is at hand, and ``T_i = T_(i+1) / (1 - alpha_i)``. Each entry of a
tile's list adds up its own pixels; `records.sum_by_record` then adds the entries of a Gaussian in a fixed order. So the
bytes of the result do not depend on the threads.
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
from .kernels import kernel

__all__ = ["SUMS", "composite_backward"]

f4 = np.float32
ZERO, HALF, ONE = f4(0), f4(0.5), f4(1)

# Planes of a tile's state: the light behind the Gaussian at hand, the sum over what is behind it, the pixel's gradients
# of colour and of summed z, and the last entry that it took.
BEHIND, GRAD_R, GRAD_G, GRAD_B, GRAD_Z, LAST = STRIDE, 2 * STRIDE, 3 * STRIDE, 4 * STRIDE, 5 * STRIDE, 6 * STRIDE
PLANES = 7

AHEAD = 8

SUMS = 10
"""What is added up: dL/dsigma times 1, dx, dy, dx dx, dx dy, dy dy, and the gradients of r, g, b and z."""


@inlined
def _subtract_block(
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
) -> tuple[np.float32, np.float32, np.float32, np.float32, np.float32, np.float32, np.float32]:
    """Takes one Gaussian out of the eight pixels of a block.

    Returns:
        Sums over the pixels: dL/dsigma times 1, dx and dx dx, and gradients of r, g, b and z.
    """
    s_1 = s_x = s_xx = s_r = s_g = s_b = s_z = ZERO
    for lane in range(LANES):
        i = at + lane
        dx = dx0 + f4(np.int32(lane))
        power = (half_a * dx + b_dy) * dx + c_dy2
        full = opacity * power_of_two(max(power, f4(-115.0)))
        alpha = min(max_alpha, full)
        taken = (power <= ZERO) & (alpha >= alpha_min) & (entry <= state[np.uint64(i + LAST)])
        alpha = alpha if taken else ZERO
        rest = ONE / (ONE - alpha)
        before = state[np.uint64(i)] * rest
        grad_r, grad_g = state[np.uint64(i + GRAD_R)], state[np.uint64(i + GRAD_G)]
        grad_b, grad_z = state[np.uint64(i + GRAD_B)], state[np.uint64(i + GRAD_Z)]
        w = alpha * before
        q = red * grad_r + green * grad_g + blue * grad_b + z * grad_z
        behind = state[np.uint64(i + BEHIND)]
        grad_alpha = before * q - behind * rest
        state[np.uint64(i)] = before
        state[np.uint64(i + BEHIND)] = behind + w * q
        # Where alpha is cut to its maximum it no longer depends on sigma or the opacity.
        grad_sigma = -alpha * grad_alpha if full <= max_alpha else ZERO
        s_1 += grad_sigma
        s_x += grad_sigma * dx
        s_xx += grad_sigma * dx * dx
        s_r += w * grad_r
        s_g += w * grad_g
        s_b += w * grad_b
        s_z += w * grad_z
    return s_1, s_x, s_xx, s_r, s_g, s_b, s_z


@inlined
def _load_tile(
    state: NDArray[np.float32],
    last_of_block: NDArray[np.int32],
    left: int,
    top: int,
    light_left: NDArray[np.float32],
    last: NDArray[np.int32],
    grad_drawn: NDArray[np.float32],
    grad_alpha: NDArray[np.float32],
) -> int:
    """Fills the state of a tile; returns the last entry that any of its pixels took."""
    height, width = light_left.shape
    state[:] = ZERO
    state[:STRIDE] = ONE
    state[LAST:] = -ONE
    last_of_block[:] = -1
    last_of_all = -1
    for y in range(min(TILE, height - top)):
        for x in range(min(TILE, width - left)):
            block = (x // LANES) * TILE + y
            i = block * LANES + x % LANES
            final = light_left[top + y, left + x]
            state[i] = final
            state[i + BEHIND] = -final * grad_alpha[top + y, left + x]
            for channel in range(4):
                state[i + GRAD_R + channel * STRIDE] = grad_drawn[top + y, left + x, channel]
            entry = last[top + y, left + x]
            state[i + LAST] = f4(entry)
            last_of_block[block] = max(last_of_block[block], entry)
            last_of_all = max(last_of_all, int(entry))
    return last_of_all


@kernel
def composite_backward(
    records: NDArray[np.float32],
    starts: NDArray[np.int64],
    lists: NDArray[np.int32],
    tiles: NDArray[np.int64],
    counter: NDArray[np.int64],
    max_alpha: np.float32,
    alpha_min: np.float32,
    light_left: NDArray[np.float32],
    last: NDArray[np.int32],
    grad_drawn: NDArray[np.float32],
    grad_alpha: NDArray[np.float32],
    entry_sums: NDArray[np.float32],
) -> None:
    """Walks tiles from back to front until none is left.

    Args:
        records, starts, lists, tiles, counter, max_alpha, alpha_min, light_left, last: as `composite_forward` had them.
        grad_drawn, grad_alpha: (H, W, 4), (H, W) gradients of its pictures.
        entry_sums: (entries, SUMS) output, zeros before.
    """
    height, width = light_left.shape
    across = (width + TILE - 1) // TILE
    state = np.empty(PLANES * STRIDE, np.float32)
    last_of_block = np.empty(BLOCKS, np.int32)
    while True:
        turn = take_next(counter)
        if turn >= tiles.shape[0]:
            break
        tile = tiles[turn]
        left, top = (tile % across) * TILE, (tile // across) * TILE
        columns, rows = min(TILE, width - left), min(TILE, height - top)
        last_of_all = _load_tile(state, last_of_block, left, top, light_left, last, grad_drawn, grad_alpha)
        for place in range(last_of_all, -1, -1):
            entry = starts[tile] + place
            prefetch(records, lists[max(entry - AHEAD, 0)], 0)
            at = lists[entry]
            mx, my = records[at, MEAN_X] - f4(left) - HALF, records[at, MEAN_Y] - f4(top) - HALF
            half_a, b, half_c, opacity = records[at, HALF_A], records[at, B], records[at, HALF_C], records[at, OPACITY]
            red, green, blue, z = records[at, RED], records[at, GREEN], records[at, BLUE], records[at, DEPTH]
            radius_x, slope = records[at, RADIUS_X], records[at, SLOPE]
            half_height, top_x = records[at, HALF_HEIGHT], records[at, TOP_X]
            reach = radius_x + SLACK_PX
            t_1 = t_x = t_y = t_xx = t_xy = t_yy = t_r = t_g = t_b = t_z = ZERO
            first_column, last_column = within_tile(mx - reach, mx + reach, columns)
            for strip in range(first_column // LANES, last_column // LANES + 1):
                dx0 = f4(np.int32(strip * LANES)) - mx
                least, most = rows_of_ellipse(dx0, dx0 + f4(LANES - 1), radius_x, slope, half_height, top_x)
                first_row, last_row = within_tile(my + least, my + most, rows)
                for y in range(first_row, last_row + 1):
                    block = strip * TILE + y
                    if place <= last_of_block[np.uint64(block)]:
                        dy = f4(np.int32(y)) - my
                        s_1, s_x, s_xx, s_r, s_g, s_b, s_z = _subtract_block(
                            state, block * LANES, dx0, b * dy, half_c * dy * dy, half_a, opacity,
                            red, green, blue, z, f4(np.int32(place)), max_alpha, alpha_min,
                        )  # fmt: skip
                        t_1, t_x, t_xx, t_xy = t_1 + s_1, t_x + s_x, t_xx + s_xx, t_xy + dy * s_x
                        t_y, t_yy = t_y + dy * s_1, t_yy + dy * dy * s_1
                        t_r, t_g, t_b, t_z = t_r + s_r, t_g + s_g, t_b + s_b, t_z + s_z
            entry_sums[entry, 0], entry_sums[entry, 1], entry_sums[entry, 2] = t_1, t_x, t_y
            entry_sums[entry, 3], entry_sums[entry, 4], entry_sums[entry, 5] = t_xx, t_xy, t_yy
            entry_sums[entry, 6], entry_sums[entry, 7] = t_r, t_g
            entry_sums[entry, 8], entry_sums[entry, 9] = t_b, t_z
