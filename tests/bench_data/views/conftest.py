"""Kernels are compiled once a session, or come from numba's cache."""

from __future__ import annotations

import pytest

from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.views import observe
from tests.bench_data.views.boxes import camera_at, scene_of


@pytest.fixture(scope="session", autouse=True)
def _compiled_kernels() -> None:
    observe(scene_of({1: OrientedBox.upright((0, 0, 0.5), (1, 1, 1))}), camera_at((3, 0, 1)))
