"""Stopped at any moment, a build goes on and ends with the same bytes."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seeworthy.bench_data.building import DataSet, Progress, build_data_set
from seeworthy.bench_data.building import output as output_module
from seeworthy.bench_data.building.journal import journal_of
from seeworthy.bench_data.errors import BenchDataError
from tests.bench_data.building.small import SMALL, TINY, contents

pytestmark = pytest.mark.xdist_group("building")

JOURNAL = Path(".build/journal.jsonl")
BUILD = """
import sys
from pathlib import Path
from seeworthy.bench_data.building import BuildSettings, build_data_set

if __name__ == "__main__":
    build_data_set(BuildSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]), jobs=2)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of `TINY`, built in one go by one process."""
    root = tmp_path_factory.mktemp("whole") / "set"
    build_data_set(TINY, root, jobs=1)
    return contents(root)


ONE = TINY.model_copy(update={"scenes": 1})


@pytest.fixture(scope="module")
def whole_one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of `ONE`."""
    root = tmp_path_factory.mktemp("whole") / "set"
    build_data_set(ONE, root, jobs=1)
    return contents(root)


def units_in(root: Path) -> int:
    path = root / JOURNAL
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def test_kills_at_random_moments(whole: dict[str, bytes], folder: Path, tmp_path: Path) -> None:
    """Two processes, killed after a random number of units and a random pause, until they get through.

    Their workers end with them.
    """
    script = tmp_path / "build.py"
    script.write_text(BUILD)
    rng = random.Random(7)
    command = [sys.executable, str(script), TINY.model_dump_json(), str(folder)]
    kills = 0
    for wanted in (1, rng.randint(3, 5), None):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while wanted is not None and process.poll() is None and units_in(folder) < wanted:
            time.sleep(0.005)
        if wanted is not None and process.poll() is None:
            time.sleep(rng.uniform(0, 0.1))
            workers = children(process.pid)
            process.kill()
            kills += process.wait() == -signal.SIGKILL
            wait_for_the_end_of(workers)
        _, errors = process.communicate()
        if wanted is None:
            assert process.returncode == 0, errors.decode()
    assert kills >= 1
    assert contents(folder) == whole


def children(pid: int) -> list[int]:
    """Where the system tells."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in path.read_text().split()] if path.is_file() else []


def wait_for_the_end_of(workers: list[int]) -> None:
    deadline = time.monotonic() + 60
    while any(alive(one) for one in workers) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not [one for one in workers if alive(one)]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class TestStoppedInside:
    """An interrupt at each of some writes, before or in the middle of a file."""

    @pytest.mark.parametrize("at", [0, 3, 7, 9, 12, 16])
    def test_at_a_write(
        self, at: int, whole_one: dict[str, bytes], folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        left = at
        write = output_module.HashedFile.write

        def stopping(self: output_module.HashedFile, data: bytes) -> None:
            nonlocal left
            if left == 0:
                write(self, data[: len(data) // 2])
                raise KeyboardInterrupt
            left -= 1
            write(self, data)

        with monkeypatch.context() as patch:
            patch.setattr(output_module.HashedFile, "write", stopping)
            with pytest.raises(KeyboardInterrupt):
                build_data_set(ONE, folder, jobs=1)
        assert not list(folder.rglob("*.part"))
        report = build_data_set(ONE, folder, jobs=1)
        assert not report.was_finished
        assert contents(folder) == whole_one

    def test_done_units_are_not_made_again(self, folder: Path) -> None:
        def stop_at_pictures(progress: Progress) -> None:
            if progress.stage == "pictures" and progress.done == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            build_data_set(ONE, folder, jobs=1, on_progress=stop_at_pictures)
        report = build_data_set(ONE, folder, jobs=1)
        assert report.pictures_made == 2 * 2 - 3
        assert report.questions_made == 0

    def test_a_full_disk(self, whole_one: dict[str, bytes], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write = output_module.HashedFile.write

        def full(self: output_module.HashedFile, data: bytes) -> None:
            if data[:4] == b"\x89PNG" and units_in(folder) >= 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            write(self, data)

        with monkeypatch.context() as patch:
            patch.setattr(output_module.HashedFile, "write", full)
            with pytest.raises(BenchDataError, match=r"cannot write .*\.png: No space left on device; .*same command"):
                build_data_set(ONE, folder, jobs=1)
        build_data_set(ONE, folder, jobs=1)
        assert contents(folder) == whole_one


def begun(folder: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == "questions":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_data_set(ONE, folder, jobs=1, on_progress=stop)


def test_damage_after_a_crash_is_mended(whole_one: dict[str, bytes], folder: Path) -> None:
    """Files that were lost or emptied, a torn line and a line of zeros in the journal."""
    begun(folder)
    truths = sorted((folder / "truth").iterdir())
    truths[0].write_bytes(b"")
    (folder / "truth" / f".x.json.1{output_module.PART_SUFFIX}").write_bytes(b"half")
    with (folder / JOURNAL).open("ab") as file:
        file.write(b"\0\0\0\n" + b'{"unit": "questions", "files": {}}'[:20])
    build_data_set(ONE, folder, jobs=1)
    assert contents(folder) == whole_one


def test_other_settings_are_refused_with_what_differs(folder: Path) -> None:
    begun(folder)
    with pytest.raises(BenchDataError, match=r"begun with other settings \(views: 3, not 2; seed: 9, not 0\)"):
        build_data_set(ONE.model_copy(update={"views": 3, "seed": 9}), folder, jobs=1)


def test_other_versions_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(folder)
    monkeypatch.setattr("seeworthy.bench_data.building.journal.versions_here", lambda: {"numpy": "0.1"})
    with pytest.raises(BenchDataError, match=r"other versions \(.*numpy 0\.1, not .*other pixels"):
        build_data_set(ONE, folder, jobs=1)


def test_a_finished_set_is_left_alone(built: DataSet) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.root.rglob("*")}
    assert build_data_set(SMALL, built.root, jobs=1).was_finished
    with pytest.raises(BenchDataError, match=r"finished data set of other settings \(seed: 5, not 4\)"):
        build_data_set(SMALL.model_copy(update={"seed": 5}), built.root)
    assert {path: path.stat().st_mtime_ns for path in built.root.rglob("*")} == before


def test_a_kill_after_the_manifest(whole_one: dict[str, bytes], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("seeworthy.bench_data.building.journal.shutil.rmtree", lambda *_, **__: None)
        build_data_set(ONE, folder, jobs=1)
    assert (folder / JOURNAL).is_file()
    assert build_data_set(ONE, folder, jobs=1).was_finished
    assert contents(folder) == whole_one


def test_a_second_builder_is_kept_out(folder: Path) -> None:
    with (
        journal_of(folder, TINY),
        pytest.raises(BenchDataError, match=f"is being built by process {os.getpid()}"),
    ):
        build_data_set(TINY, folder, jobs=1)


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"x")
    with pytest.raises(BenchDataError, match="other files"):
        build_data_set(TINY, tmp_path, jobs=1)
    with pytest.raises(BenchDataError, match=r"photo.png is no folder"):
        build_data_set(TINY, tmp_path / "photo.png", jobs=1)
    with pytest.raises(BenchDataError, match=r"cannot write .*photo.png/set"):
        build_data_set(TINY, tmp_path / "photo.png" / "set", jobs=1)
    with pytest.raises(BenchDataError, match="jobs must be at least 1"):
        build_data_set(TINY, tmp_path / "set", jobs=0)


def test_what_goes_wrong_in_a_worker_is_said(folder: Path) -> None:
    crowded = TINY.model_copy(update={"objects": 100})
    with pytest.raises(BenchDataError, match=r"scene room-00\d: a room takes 1 to 60 objects"):
        build_data_set(crowded, folder, jobs=2)
