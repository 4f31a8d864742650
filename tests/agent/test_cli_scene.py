"""``seeworthy scene``: results on stdout, talk on stderr, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.camera_formats import NamedCamera, write_colmap, write_nerfstudio
from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.splats import GaussianCloud, read_splats, write_splats
from tests.bench_data.splats.clouds import random_cloud


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_splats(random_cloud(200, 2, instances=True), tmp_path / "room.ply")
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "scene", *arguments])
    return int(run_app(build_app()))


class TestInfo:
    def test_text(self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        assert run("info", "room.ply", monkeypatch=monkeypatch) == ExitCode.OK
        out, err = capsys.readouterr()
        assert "format     ply" in out
        assert "Gaussians  200" in out
        assert "SH degree  2" in out
        assert "instances  4" in out
        assert err == ""

    def test_json(self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        assert run("info", "room.ply", "--json", monkeypatch=monkeypatch) == ExitCode.OK
        table = json.loads(capsys.readouterr().out)
        cloud = read_splats("room.ply")
        assert table["gaussians"] == 200
        assert table["low_m"] == pytest.approx(cloud.means.min(axis=0).tolist())
        assert table["mean_opacity"] == pytest.approx(float(cloud.opacities.mean()))
        assert table["cameras"] is None

    def test_an_empty_scene(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_splats(GaussianCloud.empty(), "empty.ply")
        assert run("info", "empty.ply", monkeypatch=monkeypatch) == ExitCode.OK
        assert "Gaussians  0" in capsys.readouterr().out

    def test_bad_rows_are_said_once_and_without_a_traceback(self, here: Path) -> None:
        damage_first_row(Path("room.ply"))
        done = subprocess.run(
            [sys.executable, "-m", "seeworthy.agent.cli", "scene", "info", "room.ply"], capture_output=True, text=True
        )
        assert done.returncode == 0
        assert done.stderr == "room.ply: 200 rows, 1 dropped: 1 non-finite\n"
        assert "Gaussians  199" in done.stdout

    def test_strict(self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        damage_first_row(Path("room.ply"))
        assert run("info", "room.ply", "--strict", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "row 0 has position nan" in capsys.readouterr().err

    def test_a_missing_file(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert run("info", "none.ply", monkeypatch=monkeypatch) == ExitCode.USAGE
        out, err = capsys.readouterr()
        assert out == ""
        assert err == "error: cannot read none.ply: No such file or directory\n"


class TestCameras:
    @staticmethod
    def cameras(centre: tuple[float, float, float], target: tuple[float, float, float]) -> list[NamedCamera]:
        pose = look_at(centre, target)
        return [NamedCamera("a.png", Camera(width=100, height=80, fx=80, fy=80, cx=50, cy=40, world_from_camera=pose))]

    def test_they_see_the_scene(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_nerfstudio(self.cameras((0, -9, 0), (0, 0, 0)), "transforms.json")
        (here / "sparse").mkdir()
        write_colmap(self.cameras((0, -9, 0), (0, 0, 0)), "sparse")
        for source in ("transforms.json", "sparse"):
            assert run("info", "room.ply", "--cameras", source, monkeypatch=monkeypatch) == ExitCode.OK
            assert "cameras    1, the median one sees" in capsys.readouterr().out

    def test_a_wrong_convention_is_named(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_nerfstudio(self.cameras((0, -9, 0), (0, -20, 0)), "transforms.json")
        assert run("info", "room.ply", "--cameras", "transforms.json", monkeypatch=monkeypatch) == ExitCode.FAILED
        assert "all points are behind all cameras: convention wrong?" in capsys.readouterr().err

    def test_no_cameras(self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        write_nerfstudio([], "transforms.json")
        assert run("info", "room.ply", "--cameras", "transforms.json", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "holds no cameras" in capsys.readouterr().err


class TestConvert:
    def test_to_splat_says_what_is_lost(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert run("convert", "room.ply", "room.splat", monkeypatch=monkeypatch) == ExitCode.OK
        out, err = capsys.readouterr()
        assert out == ""
        assert "SH degree 2) is left out" in err
        assert "wrote room.splat: 200 Gaussians" in err
        assert len(read_splats("room.splat")) == 200

    @pytest.mark.parametrize("kind", ["compressed.ply", "spz", "sog"])
    def test_compressed_formats(self, here: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("gsply")
        pytest.importorskip("gaussforge")
        assert run("convert", "room.ply", f"room.{kind}", monkeypatch=monkeypatch) == ExitCode.OK
        assert read_splats(f"room.{kind}").sh_degree == 2

    def test_options(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        options = ("--up", "y-down", "--sh-degree", "1", "--ply-encoding", "ascii")
        assert run("convert", "room.ply", "b.ply", *options, monkeypatch=monkeypatch) == ExitCode.OK
        before, after = read_splats("room.ply"), read_splats("b.ply")
        assert after.sh_degree == 1
        assert after.means[:, 2] == pytest.approx(-before.means[:, 1])
        assert Path("b.ply").read_bytes().startswith(b"ply\nformat ascii")

    def test_an_existing_file_is_kept(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("b.ply").write_bytes(b"mine")
        assert run("convert", "room.ply", "b.ply", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "pass --force" in capsys.readouterr().err
        assert Path("b.ply").read_bytes() == b"mine"
        assert run("convert", "room.ply", "b.ply", "--force", monkeypatch=monkeypatch) == ExitCode.OK
        assert np.array_equal(read_splats("b.ply").means, read_splats("room.ply").means)

    def test_an_unknown_format(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert run("convert", "room.ply", "room.obj", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "must end in .ply" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("--help",), ("info", "--help"), ("convert", "--help")])
def test_help(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*arguments, monkeypatch=monkeypatch) == 0
    assert capsys.readouterr().out.strip()


def damage_first_row(path: Path) -> None:
    """x becomes NaN."""
    data = bytearray(path.read_bytes())
    at = data.index(b"end_header\n") + len(b"end_header\n")
    data[at : at + 4] = np.array([np.nan], "<f4").tobytes()
    path.write_bytes(data)
