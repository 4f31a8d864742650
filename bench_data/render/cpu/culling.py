"""Which Gaussians can touch the picture: a cheap test that never rejects one that does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .kernels import inlined, kernel, take_next
from .view import View

__all__ = ["BLOCK", "find_candidates"]

BLOCK = 4096
"""Gaussians that one thread takes at a time. Blocks begin at fixed rows, whatever the number of threads."""


@inlined
def _fisheye_reach(x: float, y: float, z: float, view: View) -> tuple[float, float, float]:
    """theta, theta_d / r, and the largest stretch of the lens per metre, at a camera-space point."""
    r2 = x * x + y * y
    r = math.sqrt(r2)
    theta = math.atan2(r, z)
    u = theta * theta
    theta_d = theta * (1 + u * (view.k1 + u * (view.k2 + u * (view.k3 + u * view.k4))))
    slope = 1 + u * (3 * view.k1 + u * (5 * view.k2 + u * (7 * view.k3 + u * 9 * view.k4)))
    distance = math.sqrt(r2 + z * z)
    along_axis = r < 1e-6 * z
    scale = 1 / z if along_axis else theta_d / r
    return theta, scale, max(scale, slope / distance)


@kernel
def find_candidates(
    means: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    view: View,
    fisheye: bool,
    counter: NDArray[np.int64],
    candidates: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """Writes the rows that may be visible, block by block.

    A projected Gaussian reaches at most as far as a ball of its largest scale would: its variance is below
    ``|J_row|^2 max(scale)^2``, with J the Jacobian of the projection.

    Args:
        means, scales, opacities: (N, 3), (N, 3), (N,).
        view, fisheye: the camera.
        counter: (1,) the next block, shared by all threads.
        candidates: (N,) output; those of block b begin at b BLOCK.
        counts: (blocks,) output, how many of each block.
    """
    total = means.shape[0]
    faintest = np.float32(view.alpha_min)
    most_sigmas2 = 2 * math.log(1 / view.alpha_min)
    while True:
        block = take_next(counter)
        begin = block * BLOCK
        if begin >= total:
            break
        found = begin
        for i in range(begin, min(begin + BLOCK, total)):
            dx, dy, dz = means[i, 0] - view.x_m, means[i, 1] - view.y_m, means[i, 2] - view.z_m
            z = view.r20 * dx + view.r21 * dy + view.r22 * dz
            if z < view.near_m or z > view.far_m or opacities[i] <= faintest:
                continue
            x = view.r00 * dx + view.r01 * dy + view.r02 * dz
            y = view.r10 * dx + view.r11 * dy + view.r12 * dz
            if fisheye:
                theta, scale, stretch = _fisheye_reach(x, y, z, view)
                if theta > view.theta_limit_rad:
                    continue
                u, v = x * scale, y * scale
                x_stretch2 = y_stretch2 = stretch * stretch
            else:
                u, v = x / z, y / z
                tx, ty = min(max(u, view.left), view.right), min(max(v, view.top), view.bottom)
                x_stretch2, y_stretch2 = (1 + tx * tx) / (z * z), (1 + ty * ty) / (z * z)
            size = max(scales[i, 0], scales[i, 1], scales[i, 2])
            size2 = float(size) * float(size)
            coc = min(view.aperture_px * abs(z - view.focus_m) / z, view.largest_coc_px)
            base = view.low_pass_px2 + coc * coc
            px, py = view.fx * u + view.cx, view.fy * v + view.cy
            x_reach2 = most_sigmas2 * (view.fx * view.fx * x_stretch2 * size2 + base)
            y_reach2 = most_sigmas2 * (view.fy * view.fy * y_stretch2 * size2 + base)
            x_out, y_out = max(-px, px - view.width), max(-py, py - view.height)
            if (x_out > 0 and x_out * x_out > x_reach2) or (y_out > 0 and y_out * y_out > y_reach2):
                continue
            candidates[found] = i
            found += 1
        counts[block] = found - begin
