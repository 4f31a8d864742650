"""What cannot be built is said before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from seeworthy.bench_data.building import BuildSettings, build_data_set
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render.engines import why_no_gsplat

SMALL = BuildSettings(scenes=1, views=1, width=32, height=24, density=0.05)


def test_a_file_is_no_folder_of_a_data_set(tmp_path: Path) -> None:
    file = tmp_path / "set"
    file.write_text("mine")
    with pytest.raises(BenchDataError, match="is no folder"):
        build_data_set(SMALL, file, jobs=1)
    assert file.read_text() == "mine"


@pytest.mark.skipif(why_no_gsplat() is None, reason="gsplat works here")
def test_an_engine_that_cannot_run_here_stops_the_build_at_once(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="gsplat"):
        build_data_set(SMALL.model_copy(update={"engine": "gsplat"}), tmp_path / "set", jobs=1)
    assert not (tmp_path / "set").exists()
