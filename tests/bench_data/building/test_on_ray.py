"""Data sets built by Ray workers: the bytes of a build on one machine, also when a worker is killed on the way."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from seeworthy.bench_data.building import BuildSettings, Progress, build_data_set, parse_conditions
from seeworthy.bench_data.building.cluster.worker import SceneWorker
from seeworthy.bench_data.building.manifest import versions_here
from seeworthy.bench_data.cluster import ClusterSettings, connected
from seeworthy.bench_data.errors import BenchDataError
from tests.bench_data.building.small import TINY, contents


def scene_workers() -> list[int]:
    """The processes of our cluster's workers that make scenes."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                title = (entry / "cmdline").read_bytes()
            except OSError:
                continue  # it has just ended
            if title.startswith(b"ray::SceneWorker"):
                found.append(int(entry.name))
    return found


@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds workers to kill in /proc")
def test_a_build_on_ray_has_the_bytes_of_a_local_one_though_a_worker_is_killed(tmp_path: Path) -> None:
    build_data_set(TINY, tmp_path / "here", jobs=1)
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.stage == "pictures" and progress.done == 1 and not killed:
            killed.extend(scene_workers()[:1])
            os.kill(killed[0], signal.SIGKILL)

    with connected(ClusterSettings(workers=2)) as cluster:
        report = build_data_set(TINY, tmp_path / "ray", cluster=cluster, on_progress=kill_one)
    assert killed and report.pictures_made == 8
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")


class _StopHereError(Exception):
    pass


@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_a_build_goes_on_across_modes(tmp_path: Path) -> None:
    one = TINY.model_copy(update={"scenes": 1})
    build_data_set(one, tmp_path / "whole", jobs=1)

    def stop(progress: Progress) -> None:
        if progress.stage == "pictures" and progress.done == 2:
            raise _StopHereError

    with connected(ClusterSettings(workers=1)) as cluster, pytest.raises(_StopHereError):
        build_data_set(one, tmp_path / "set", cluster=cluster, on_progress=stop)
    report = build_data_set(one, tmp_path / "set", jobs=1)
    assert report.pictures_made == 2
    assert contents(tmp_path / "set") == contents(tmp_path / "whole")


@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_a_scene_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    crowded = TINY.model_copy(update={"scenes": 1, "objects": 120})
    with connected(ClusterSettings(workers=1)) as cluster, pytest.raises(BenchDataError, match=r"^scene room-000: "):
        build_data_set(crowded, tmp_path / "set", cluster=cluster)


@pytest.mark.parametrize(
    ("settings", "versions", "words"),
    [
        (TINY, {"numpy": "0.1"}, r"they have numpy .*, not 0\.1"),
        (TINY, {"a package of tomorrow": "1"}, r"they have a package of tomorrow None, not 1"),
        (TINY.model_copy(update={"engine": "gsplat"}), {}, "gsplat"),
    ],
)
def test_workers_that_would_draw_other_pixels_say_so(
    settings: BuildSettings, versions: dict[str, str], words: str
) -> None:
    problem = SceneWorker().prepare(settings.model_dump_json(), {**versions_here(), **versions})
    assert re.search(words, problem)


def test_a_worker_sends_what_a_local_build_writes(tmp_path: Path) -> None:
    """Without a cluster: unit by unit, and nothing that is there already."""
    one = TINY.model_copy(update={"scenes": 1, "suites": (), "conditions": parse_conditions("clean")})
    build_data_set(one, tmp_path, jobs=1)
    worker = SceneWorker()
    (spec,) = one.scene_specs()
    assert next(iter(worker.make("scenes", spec.model_dump_json(), {}, ())))["error"]
    assert worker.prepare(one.model_dump_json(), versions_here()) == ""
    (truth,) = worker.make("scenes", spec.model_dump_json(), {}, ())
    first, second = worker.make("pictures", spec.model_dump_json(), {}, ())
    for made in (truth, first, second):
        assert made["files"]
        for name, data in made["files"].items():
            assert (tmp_path / name).read_bytes() == data
    (left,) = worker.make("pictures", spec.model_dump_json(), {}, (first["unit"],))
    assert left == second
