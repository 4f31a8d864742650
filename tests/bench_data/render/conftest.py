"""Kernels are compiled once a session, or come from numba's cache; torch keeps to one thread."""

from __future__ import annotations

import pytest

from seeworthy.bench_data.render import render
from tests.bench_data.render.scenes import a_camera, blob


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels() -> None:
    cloud = blob((4.0, 3.0, 1.2), instance=1)
    for extras in (False, True):
        render(cloud, a_camera(64, 48), engine="numba", threads=1, instances=extras, median_depth=extras)


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
