"""``seeworthy scene import``: a scene's folder out of other people's files; talk on stderr, exit codes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.scenes import read_scene
from seeworthy.bench_data.scenes.importing import SCENE_IMPORTERS
from tests.bench_data.scenes.importing import test_cameras_and_splats, test_nuscenes, test_open3dvqa, test_scannetpp
from tests.bench_data.scenes.importing.places import FOCAL, HEIGHT, WIDTH


def run(*arguments: str | Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "scene", "import", *map(str, arguments)])
    return int(run_app(build_app()))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder whose y points down, in decimetres."""
    root = tmp_path / "hall"
    test_cameras_and_splats.write_nerfstudio(root, test_cameras_and_splats.Y_DOWN, 10.0)
    test_cameras_and_splats.write_cloud(root / "splat.ply", test_cameras_and_splats.Y_DOWN, 10.0)
    test_cameras_and_splats.write_boxes(root, test_cameras_and_splats.Y_DOWN, 10.0)
    return root


def test_a_scene_is_written_and_what_was_done_is_said(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    code = run(source, "-o", out, "--up", "-y", "--metres-per-unit", "0.1", "--max-views", "3", monkeypatch=monkeypatch)
    assert code == ExitCode.OK
    scene = read_scene(out)
    assert scene.id == "hall"
    assert len(scene.views) == 3
    assert scene.objects[0].description == "the crate"
    np.testing.assert_allclose(scene.objects[0].box.size_m, 0.5)
    stdout, stderr = capsys.readouterr()
    assert stdout == ""
    assert "camera-to-world, OpenGL axes" in stderr
    assert "600 Gaussians, 3 views, 1 objects, 1 of them with a description" in stderr
    assert run(source, "-o", out, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "--force" in capsys.readouterr().err
    assert run(source, "-o", out, "--force", "--format", "nerfstudio", monkeypatch=monkeypatch) == ExitCode.OK
    assert "the unit is not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("scannetpp", ()),
        ("open3dvqa", ("--max-depth", "200")),
        ("nuscenes", ("--scene", "scene-0061")),
        ("colmap", ("--up", "z")),
        ("rgbd", ("--intrinsics", f"{FOCAL},{FOCAL},{WIDTH / 2 - 0.5},{HEIGHT / 2 - 0.5}")),
    ],
)
def test_formats_are_told_by_their_files(
    tmp_path: Path,
    name: str,
    arguments: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tmp_path / "source"
    root.mkdir()
    if name == "colmap":
        test_cameras_and_splats.write_colmap(root, np.eye(3), 1.0)
    elif name == "rgbd":
        test_cameras_and_splats.write_tum(root)
    else:
        {"scannetpp": test_scannetpp, "open3dvqa": test_open3dvqa, "nuscenes": test_nuscenes}[name].write(root)
    assert run(root, "-o", tmp_path / "out", *arguments, monkeypatch=monkeypatch) == ExitCode.OK, capsys.readouterr()
    scene = read_scene(tmp_path / "out")
    assert scene.views
    assert len(scene.cloud) > 0
    assert [spec.name for _, spec in SCENE_IMPORTERS.specs() if spec.detect(root)] == [name]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--format", "blender"), "unknown scene format 'blender'"),
        (("--intrinsics", "1,2"), "FX,FY,CX,CY"),
        (("--scene", "a"), "scene cannot be given for nerfstudio"),
        (("--metres-per-unit", "-1"), "above 0"),
    ],
)
def test_wrong_arguments(
    source: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    what: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run(source, "-o", tmp_path / "out", *arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert what in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_every_importer_states_its_convention_in_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
    for name, spec in SCENE_IMPORTERS.specs():
        assert len(spec.convention) > 40
        assert f"`{name}`" in page
