"""Compiles the kernels before they are needed, and says what that took."""

from __future__ import annotations

import time

import numpy as np

from ...cameras import Camera
from ...splats import GaussianCloud
from ..settings import RenderSettings
from .frame import draw_frame
from .kernels import KERNELS

__all__ = ["warm_up"]


def warm_up(*, extras: bool = False) -> str | None:
    """Draws a small picture, which compiles the kernels or loads them from numba's cache.

    Args:
        extras: also the kernel that finds instances and median depth.

    Returns:
        A line about the time that compiling took and where the result is kept; None when nothing had to be compiled.
    """
    before, start = _compiled(), time.perf_counter()
    cloud = GaussianCloud(
        means=np.array([[0, 0, 2]], np.float32),
        quats_wxyz=np.array([[1, 0, 0, 0]], np.float32),
        scales=np.full((1, 3), 0.2, np.float32),
        opacities=np.array([0.9], np.float32),
        sh=np.zeros((1, 1, 3), np.float32),
        instance_ids=np.zeros(1, np.int32),
    )
    camera = Camera(width=32, height=32, fx=32, fy=32, cx=16, cy=16, world_from_camera=np.eye(4))
    draw_frame(cloud, camera, RenderSettings(), threads=1)
    if extras:
        draw_frame(cloud, camera, RenderSettings(instances=True, median_depth=True), threads=1)
    count = _compiled() - before
    if count == 0:
        return None
    took = time.perf_counter() - start
    folder = KERNELS[0].stats.cache_path
    kept = f"kept in {folder} for the next time" if folder else "kept for this process only"
    return f"compiled {count} kernels for this processor in {took:.1f} s, {kept}"


def _compiled() -> int:
    return sum(sum(compiled.stats.cache_misses.values()) for compiled in KERNELS)
