"""Settings of all tests."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest

# Small products are many times slower on several threads that wait for each other; read when numpy is first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """A Ray cluster of this process, with room for four workers; its tests belong to the xdist group "ray".

    Where RAY_ADDRESS names a cluster, it is that one, with four cores or more.
    """
    if importlib.util.find_spec("ray") is None:
        pytest.skip("needs ray: pip install 'seeworthy[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    from seeworthy.bench_data.cluster.connecting import start_local

    if "RAY_ADDRESS" in os.environ:
        ray.init(address="auto", log_to_driver=False, logging_level="ERROR")
    else:
        start_local(4)
    yield
    ray.shutdown()
