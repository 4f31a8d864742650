"""Compiles the kernels before they are needed, and says what that took."""

from __future__ import annotations

import time

import numpy as np

__all__ = ["warm_up"]


def warm_up() -> str | None:
    """Draws two Gaussians there and back, which compiles the kernels or loads them from numba's cache.

    Returns:
        A line about the time that compiling took and where the result is kept; None when nothing had to be compiled.
    """
    from ..render.cpu import binning
    from .cpu.kernels import KERNELS
    from .cpu.tiles import draw_tiles, gradients_of_tiles

    shared = [binning.count_tiles, binning.offsets_of_tiles, binning.fill_lists]

    def compiled() -> int:
        return sum(sum(one.stats.cache_misses.values()) for one in [*KERNELS, *shared])

    before, start = compiled(), time.perf_counter()
    ones = np.ones((2, 3), np.float32)
    conics, opacities = np.array([[0.1, 0, 0.1]] * 2, np.float32), np.full(2, 0.5, np.float32)
    means_px, variances, depth_m = 8 * ones[:, :2], 10 * ones[:, :2], ones[:, 0].copy()
    limits = {"max_alpha": 0.999, "alpha_min": 1 / 255, "threads": 1}
    drawn = draw_tiles(
        np.ascontiguousarray(means_px), conics, np.ascontiguousarray(variances), opacities, ones, depth_m,
        np.ones(2, bool), width=16, height=16, **limits,  # type: ignore[arg-type]
    )  # fmt: skip
    gradients_of_tiles(drawn, drawn.drawn, drawn.light_left, conics, opacities, **limits)  # type: ignore[arg-type]
    count = compiled() - before
    if count == 0:
        return None
    folder = KERNELS[0].stats.cache_path
    kept = f"kept in {folder} for the next time" if folder else "kept for this process only"
    return f"compiled {count} kernels for this processor in {time.perf_counter() - start:.1f} s, {kept}"
