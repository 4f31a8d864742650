"""``seeworthy fit``: from files to a PLY and a report, stopped, resumed, and told what is wrong."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.errors import OutputError
from seeworthy.bench_data.fit import Trainer
from seeworthy.bench_data.splats import read_splats
from tests.bench_data.fit.test_loading_images import recording
from tests.bench_data.fit.test_loading_rgbd import open3d_folder

pytest.importorskip("torch")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    points = "".join(f"{i + 1} {2 + i % 4} {2 + i % 3} {0.5 + i % 2} 90 120 150 0.5\n" for i in range(12))
    recording(tmp_path, points=points)
    (tmp_path / "folder.ply").mkdir()
    open3d_folder(tmp_path / "rgbd")
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "fit", *arguments])
    return int(run_app(build_app()))


IMAGES = ("--images", "images", "--colmap", "model", "--engine", "numba", "--steps", "20", "-o", "out.ply")


def test_pictures_become_a_cloud_and_a_report(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*IMAGES, "--hold-out", "2", "--sh-degree", "1", monkeypatch=monkeypatch) == ExitCode.OK
    captured = capsys.readouterr()
    assert captured.out == ""
    for words in ("4 pictures, first 64x48; numba", "step 20/20", "held out: PSNR", "wrote out.ply"):
        assert words in captured.err
    cloud, report = read_splats("out.ply"), json.loads(Path("out.fit.json").read_text())
    assert cloud.sh_degree == 1
    assert report["gaussians"] == len(cloud)
    assert report["started_with"] == 12
    assert report["held_out"]["views"] == 2
    assert [view["name"] for view in report["fitted"]["by_view"]] == ["1.png", "3.png"]
    assert sorted(path.name for path in here.glob("out*")) == ["out.fit.json", "out.ply"]


def test_a_result_that_cannot_be_written_is_not_lost(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*IMAGES, monkeypatch=monkeypatch) == ExitCode.OK
    whole = Path("out.ply").read_bytes()
    Path("out.ply").unlink()

    def full(*_: object, **__: object) -> None:
        raise OutputError("cannot write out.ply: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("seeworthy.bench_data.splats.write_splats", full)
        assert run(*IMAGES, monkeypatch=monkeypatch) == ExitCode.FAILED
    assert run(*IMAGES, "--resume", monkeypatch=monkeypatch) == ExitCode.OK
    assert Path("out.ply").read_bytes() == whole
    assert not list(here.glob("*.npz"))


def test_rgbd_with_its_depth(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--rgbd", "rgbd", "-o", "out.ply", "--steps", "10", "--max-gaussians", "400", "--downscale", "2")
    assert run(*arguments, "--engine", "numba", monkeypatch=monkeypatch) == ExitCode.OK
    assert "4 pictures, first 32x24, with depth" in capsys.readouterr().err
    assert 100 < len(read_splats("out.ply")) <= 400


def test_an_interrupt_keeps_a_checkpoint_and_resuming_gives_the_same_file(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*IMAGES, monkeypatch=monkeypatch) == ExitCode.OK
    whole = Path("out.ply").read_bytes(), Path("out.fit.json").read_bytes()
    Path("out.ply").unlink()
    advance = Trainer.advance

    def advance_and_be_interrupted(trainer: Trainer) -> object:
        if trainer.steps_done == 7:
            os.kill(os.getpid(), signal.SIGINT)
        return advance(trainer)

    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "advance", advance_and_be_interrupted)
        assert run(*IMAGES, monkeypatch=monkeypatch) == ExitCode.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before
    assert "stopped after 8 of 20 steps; the same command with --resume goes on" in capsys.readouterr().err
    assert not Path("out.ply").exists()
    assert Path("out.checkpoint.npz").exists()
    assert run(*IMAGES, "--resume", "--seed", "5", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "another seed" in capsys.readouterr().err
    assert run(*IMAGES, "--resume", monkeypatch=monkeypatch) == ExitCode.OK
    assert (Path("out.ply").read_bytes(), Path("out.fit.json").read_bytes()) == whole
    assert not Path("out.checkpoint.npz").exists()


def test_a_second_interrupt_quits(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def advance(trainer: Trainer) -> object:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the second one did not get through")

    monkeypatch.setattr(Trainer, "advance", advance)
    assert run(*IMAGES, monkeypatch=monkeypatch) == ExitCode.INTERRUPTED


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "out.ply"), "either --images or --rgbd"),
        (("--images", "images", "--rgbd", "rgbd", "-o", "out.ply"), "either --images or --rgbd"),
        (("--rgbd", "rgbd", "--colmap", "model", "-o", "out.ply"), "--colmap is the model of --images"),
        (("--images", "images", "-o", "out.splat"), "must end in .ply"),
        (("--images", "images", "-o", "nowhere/out.ply"), "no folder nowhere"),
        (("--images", "nowhere", "-o", "out.ply"), "no such folder"),
        (("--images", "images", "-o", "folder.ply"), "it is a folder"),
        (("--images", "images", "-o", "out.ply", "--depth-units", "1000"), "belong to --rgbd"),
        ((*IMAGES, "--resume"), "there is no out.checkpoint.npz"),
        (("--rgbd", "rgbd", "-o", "out.ply", "--intrinsics", "1,2,3"), "FX,FY,CX,CY"),
        (("--images", "images", "--colmap", "nowhere", "-o", "out.ply"), "no COLMAP model"),
        (("--rgbd", "nowhere", "-o", "out.ply"), "no such folder"),
        ((*IMAGES, "--hold-out", "1"), "at least 2"),
        ((*IMAGES, "--steps", "0"), "steps"),
    ],
)
def test_what_is_wrong_is_said(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert words in capsys.readouterr().err


def test_without_poses_colmap_is_asked(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it finds is kept beside the result, and used by the next run."""
    asked: list[tuple[Path, Path]] = []

    def found(images: Path, workspace: Path) -> Path:
        asked.append((images, workspace))
        return Path("model")

    monkeypatch.setattr("seeworthy.bench_data.fit.loading.find_poses", found)
    arguments = ("--images", "images", "--engine", "numba", "--steps", "2", "-o", "out.ply")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    assert asked == [(Path("images"), Path("out.colmap"))]


def test_a_terminal_sees_one_line_that_changes(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "140")
    assert run(*IMAGES, monkeypatch=monkeypatch) == ExitCode.OK
    shown = capsys.readouterr().err
    assert "20/20" in shown
    assert "12 Gaussians" in shown
