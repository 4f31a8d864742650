"""One small data set, built once a session."""

from __future__ import annotations

import pytest

from seeworthy.bench_data.building import BuildSettings, DataSet, build_data_set, parse_conditions

SMALL = BuildSettings(
    scenes=1,
    suites=("crisp", "spacedg"),
    conditions=parse_conditions("clean,low_light@bench"),
    views=6,
    width=160,
    height=120,
    objects=10,
    density=0.05,
    seed=6,
)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """A room, six views, clean and dark; nobody may change it."""
    root = tmp_path_factory.mktemp("audited") / "small"
    build_data_set(SMALL, root, jobs=1)
    return DataSet(root)
