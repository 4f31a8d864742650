"""One small data set, built once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from seeworthy.bench_data.building import DataSet, build_data_set
from tests.bench_data.building.small import SMALL


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """Two scenes, three views, four conditions; nobody may change it."""
    root = tmp_path_factory.mktemp("built") / "small"
    build_data_set(SMALL, root, jobs=1)
    return DataSet(str(root))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "set"
