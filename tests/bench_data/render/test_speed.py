"""The kernels stay vectorised: an update of numba or LLVM can lose that without a word, and with it a factor of six."""

from __future__ import annotations

from time import thread_time

import numpy as np
import pytest

from seeworthy.bench_data.render import RenderSettings
from seeworthy.bench_data.render.cpu.frame import draw_frame
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera

GUARD_NS = 5.0
"""Per pixel and Gaussian, in CPU time of one thread: about 1 as it should be, over 6 without packed instructions."""


def veils(count: int) -> GaussianCloud:
    """Faint Gaussians that each cover the whole picture, so that every pixel blends every one of them."""
    means = np.zeros((count, 3), np.float32)
    means[:, :2] = (4.0, 3.0)
    means[:, 2] = np.linspace(0.5, 2.0, count)
    return GaussianCloud(
        means=means,
        quats_wxyz=np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        scales=np.full((count, 3), 100.0, np.float32),
        opacities=np.full(count, 1.5 / 255, np.float32),
        sh=np.zeros((count, 1, 3), np.float32),
        instance_ids=np.arange(count) % 7,
    )


@pytest.mark.parametrize("extras", [False, True], ids=["colour", "with instances"])
def test_nanoseconds_per_pixel_and_gaussian(extras: bool) -> None:
    count, camera = 400, a_camera(256, 192)
    cloud, settings = veils(count), RenderSettings(instances=extras, median_depth=extras)
    times = []
    for _ in range(6):
        started = thread_time()
        frame = draw_frame(cloud, camera, settings, threads=1)
        times.append(thread_time() - started)
    assert frame.alpha.min() > 0.5
    assert 1e9 * min(times) / (count * camera.width * camera.height) < GUARD_NS * (2 if extras else 1)
