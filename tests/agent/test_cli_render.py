"""``seeworthy render``: pictures, depth, movies, and messages that say what to do."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.camera_formats import NamedCamera, write_nerfstudio
from seeworthy.bench_data.images import load_depth, load_image
from seeworthy.bench_data.render import render
from seeworthy.bench_data.render.camera_file import camera_as_json
from seeworthy.bench_data.splats import read_splats, write_splats
from tests.bench_data.render.scenes import a_camera, furnished_room


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_splats(furnished_room(3000), tmp_path / "room.ply")
    (tmp_path / "camera.json").write_text(camera_as_json(a_camera(64, 48)))
    other = a_camera(64, 48, eye=(5.0, 1.0, 2.0))
    write_nerfstudio(
        [NamedCamera("images/a.png", a_camera(64, 48)), NamedCamera("images/b.png", other)],
        tmp_path / "transforms.json",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "render", *arguments])
    return int(run_app(build_app()))


def test_a_picture_from_a_camera_file_is_what_render_draws(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("room.ply", "--camera", "camera.json", "-o", "out.png", "--depth", "--engine", "numba")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    truth = render(read_splats("room.ply"), a_camera(64, 48), engine="numba")
    assert np.array_equal(load_image("out.png").image_srgb_u8, truth.image_srgb_u8)
    depth_m = load_depth("out.depth.tiff", metres_per_unit=1.0)
    assert np.array_equal(depth_m, truth.depth_m, equal_nan=True)


def test_an_overview_needs_no_camera(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("room.ply", "-o", "out.png", "--size", "80x60", "--up", "z-up", monkeypatch=monkeypatch) == ExitCode.OK
    assert load_image("out.png").image_srgb_u8.shape == (60, 80, 3)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "3,000 Gaussians" in captured.err
    assert "wrote out.png" in captured.err


def test_one_of_several_cameras_by_name_or_number(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for view in ("b.png", "images/b.png", "1"):
        arguments = ("room.ply", "--camera", "transforms.json", "--view", view, "-o", "out.png", "--engine", "numba")
        assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
        truth = render(read_splats("room.ply"), a_camera(64, 48, eye=(5.0, 1.0, 2.0)), engine="numba")
        steps = load_image("out.png").image_srgb_u8.astype(int) - truth.image_srgb_u8
        assert np.abs(steps).max() <= 1  # the file's numbers are rounded


def test_a_camera_can_be_drawn_at_another_size(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("room.ply", "--camera", "camera.json", "--size", "32x24", "-o", "out.png")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    assert load_image("out.png").image_srgb_u8.shape == (24, 32, 3)


@pytest.mark.parametrize("name", ["out.gif", "out.mp4"])
def test_an_orbit_is_a_movie(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("room.ply", "--orbit", "5", "--size", "64x48", "-o", name, "--up", "z-up")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    if name.endswith(".gif"):
        with Image.open(name) as movie:
            assert movie.n_frames == 5  # type: ignore[attr-defined]
            assert movie.info["loop"] == 0
            frames = [np.asarray(movie.convert("RGB"))]
    else:
        import cv2

        capture = cv2.VideoCapture(name)
        frames = []
        while (read := capture.read())[0]:
            frames.append(read[1])
        assert len(frames) == 5
        assert np.abs(frames[0].astype(int) - frames[2]).mean() > 1
    assert frames[0].shape == (48, 64, 3)
    assert frames[0].std() > 5


@pytest.mark.parametrize("name", ["out.gif", "out.mp4"])
def test_a_movie_that_is_not_whole_is_an_error_and_no_file(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import cv2

    def save(image: Image.Image, out: Path, **_: object) -> None:
        out.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Image.Image, "save", save)
    monkeypatch.setattr(cv2.VideoWriter, "write", lambda *_: None)  # as on a full disk, where it says nothing
    arguments = ("room.ply", "--orbit", "3", "--size", "64x48", "-o", name, "--engine", "numba")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.FAILED
    assert f"error: cannot write {name}" in capsys.readouterr().err
    assert not list(here.glob("*.gif")) and not list(here.glob("*.mp4")) and not list(here.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.ply", "-o", "out.png"), "missing.ply"),
        (("room.ply", "-o", "out.jpg"), ".png"),
        (("room.ply", "-o", "nowhere/out.png"), "no folder"),
        (("room.ply", "-o", "out.png", "--orbit", "5"), ".mp4 or .gif"),
        (("room.ply", "-o", "out.mp4", "--orbit", "5", "--size", "65x48"), "even"),
        (("room.ply", "-o", "out.mp4", "--orbit", "5", "--depth"), "--depth"),
        (("room.ply", "-o", "out.mp4", "--orbit", "5", "--camera", "camera.json"), "leave out --camera"),
        (("room.ply", "-o", "out.png", "--size", "640"), "WIDTHxHEIGHT"),
        (("room.ply", "-o", "out.png", "--size", "0x480"), "WIDTHxHEIGHT"),
        (("room.ply", "-o", "out.png", "--size", "99999x99999"), "smaller --size"),
        (("room.ply", "-o", "out.png", "--camera", "nothing.json"), "nothing.json"),
        (("room.ply", "-o", "out.png", "--camera", "camera.json", "--view", "3"), "single camera"),
        (("room.ply", "-o", "out.png", "--camera", "transforms.json", "--view", "7"), "no such camera"),
        (("room.ply", "-o", "out.png", "--engine", "gsplat"), "engine"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: tuple[str, ...],
    message: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("seeworthy.bench_data.render.engines._has_cuda_driver", lambda: False)
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("error: ")
    assert message in error


def test_a_camera_file_with_a_fault_names_the_field(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = json.loads(Path("camera.json").read_text())
    Path("camera.json").write_text(json.dumps({**fields, "fx": -1}))
    assert run("room.ply", "--camera", "camera.json", "-o", "out.png", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "fx" in capsys.readouterr().err
