"""Kernels are compiled once a session, or come from numba's cache; torch keeps to one thread."""

from __future__ import annotations

import pytest

from seeworthy.bench_data.fit.warm_up import warm_up


@pytest.fixture(scope="session", autouse=True)
def _compiled_kernels() -> None:
    warm_up()


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
