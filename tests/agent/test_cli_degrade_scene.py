"""``seeworthy degrade`` on scenes: every view with its truth, and a manifest from which it can be made again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.camera_formats import NamedCamera, read_nerfstudio, write_nerfstudio
from seeworthy.bench_data.degrade.mixtures import RECIPES
from seeworthy.bench_data.degrade.scene_manifest import SceneManifest, ViewEntry, read_scene_manifest
from seeworthy.bench_data.degrade.views import degrade_view, scene_far_m
from seeworthy.bench_data.images import load_depth, load_image
from seeworthy.bench_data.scenes import Instance, OrientedBox, Scene, SceneKind, SceneView, write_scene
from seeworthy.bench_data.splats import read_splats, write_splats
from tests.bench_data.render.scenes import a_camera, fisheye, furnished_room

CAMERAS = (a_camera(64, 48), a_camera(64, 48, eye=(5.0, 1.0, 2.0)))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_splats(furnished_room(3000), tmp_path / "room.ply")
    named = [NamedCamera(f"images/{name}.png", camera) for name, camera in zip("ab", CAMERAS, strict=True)]
    write_nerfstudio(named, tmp_path / "transforms.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def labelled(here: Path) -> Path:
    """The room as a scene of objects, written by Seeworthy; of Gaussians small enough for a wide lens."""
    cloud = furnished_room(40_000)
    assert cloud.instance_ids is not None
    box = OrientedBox.upright((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    instances = tuple(
        Instance(id=number, label=f"thing {number}", box=box) for number in map(int, np.unique(cloud.instance_ids))
    )
    scene = Scene(
        id="room",
        kind=SceneKind.ROOM,
        cloud=cloud,
        instances=instances,
        views=tuple(SceneView(name, camera) for name, camera in zip("ab", CAMERAS, strict=True)),
    )
    return write_scene(scene, here / "scene")


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "degrade", *arguments, "--engine", "numba"])
    return int(run_app(build_app()))


def made(folder: str = "out") -> SceneManifest:
    return read_scene_manifest(Path(folder) / "manifest.json")


def test_the_manifest_of_something_else_is_not_replaced(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "set").mkdir()
    (here / "set/manifest.json").write_text('{"format": "seeworthy data set 1"}')
    arguments = ("room.ply", "--cameras", "transforms.json", "--type", "noise", "-o", "set")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "would be lost" in capsys.readouterr().err
    assert [one.name for one in (here / "set").iterdir()] == ["manifest.json"]
    assert json.loads((here / "set/manifest.json").read_text()) == {"format": "seeworthy data set 1"}


def test_every_view_is_what_degrade_view_makes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("room.ply", "--cameras", "transforms.json", "--type", "haze,noise", "--severity", "2", "--seed", "9")
    assert run(*arguments, "--mix", "night_capture", "-o", "out", monkeypatch=monkeypatch) == ExitCode.OK
    cloud, named = read_splats("room.ply"), read_nerfstudio("transforms.json")
    far_m = scene_far_m(cloud, [one.camera for one in named], engine="numba")
    manifest = made()
    assert (manifest.scene, manifest.seed, manifest.far_m) == ("room.ply", 9, far_m)
    assert [view.name for view in manifest.views] == ["images/a.png", "images/b.png"]
    wanted = [("haze-2", [("haze", 2)]), ("noise-2", [("noise", 2)]),
              ("night_capture", RECIPES.get("night_capture").degradations(9))]  # fmt: skip
    for view, one in zip(manifest.views, named, strict=True):
        assert [result.label for result in view.results] == [label for label, _ in wanted]
        for result, (_, degradations) in zip(view.results, wanted, strict=True):
            expected = degrade_view(cloud, one.camera, degradations, seed=9, far_m=far_m, engine="numba")
            picture = load_image(Path("out") / result.picture)
            assert picture.sha256 == expected.picture.sha256 == result.degraded_sha256
            assert result.records == expected.records
        assert np.array_equal(load_image(Path("out") / view.picture).image_srgb_u8, expected.clean.image_srgb_u8)
        depth_m = load_depth(Path("out") / view.depth, metres_per_unit=1.0)
        assert np.array_equal(depth_m, expected.clean.depth_m, equal_nan=True)


def test_one_view_and_everything(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("room.ply", "--cameras", "transforms.json", "--view", "b.png", "--type", "all", "--severity", "1")
    assert run(*arguments, "-o", "deep/out", monkeypatch=monkeypatch) == ExitCode.OK
    [view] = made("deep/out").views
    assert view.name == "images/b.png"
    labels = [result.label for result in view.results]
    assert {"defocus-1", "distortion-1", "motion_blur-1", "rolling_shutter-1", "rain-1"} <= set(labels)
    for result in view.results:
        moved = result.label in ("distortion-1", "rolling_shutter-1")
        assert (result.nominal_pixels is not None) == moved
        assert (result.depth != view.depth) == moved
        assert load_image(Path("deep/out") / result.picture).size == (64, 48)


def test_a_cloud_without_ids_has_no_objects(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_splats(furnished_room(500), "room.splat")  # a format that cannot hold ids
    arguments = ("room.splat", "--cameras", "transforms.json", "--view", "0", "--type", "distortion", "-o", "out")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    [view] = made().views
    assert view.instances is None
    assert [(result.objects, result.instances) for result in view.results] == [((), None)]


class TestTruth:
    def view(self, name: str, labelled: Path, monkeypatch: pytest.MonkeyPatch) -> ViewEntry:
        arguments = (str(labelled), "--type", name, "--severity", "5", "--view", "a", "-o", "out")
        assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
        [view] = made().views
        return view

    @pytest.mark.parametrize("name", ["distortion", "rolling_shutter"])
    def test_moved_pixels_show_what_the_map_says(
        self, name: str, labelled: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        view = self.view(name, labelled, monkeypatch)
        [result] = view.results
        assert result.nominal_pixels is not None and result.instances is not None and view.instances is not None
        nominal = np.load(Path("out") / result.nominal_pixels)
        with Image.open(Path("out") / view.instances) as image:
            clean_ids = np.asarray(image).astype(int)
        with Image.open(Path("out") / result.instances) as image:
            ids = np.asarray(image).astype(int)
        known = np.isfinite(nominal).all(axis=2) & (nominal >= 0).all(axis=2) & (nominal < (64, 48)).all(axis=2)
        column, row = np.floor(nominal[known]).astype(int).T
        agreeing = float((clean_ids[row, column] == ids[known]).mean())
        wrong, wrong_unmoved = 1 - agreeing, float((clean_ids != ids).mean())
        assert wrong_unmoved > 0.04, "pixels must have moved far enough to tell"
        assert wrong < 0.5 * wrong_unmoved

    def test_objects_have_boxes_around_their_ids(self, labelled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        view = self.view("distortion", labelled, monkeypatch)
        [result] = view.results
        assert result.instances is not None and view.instances is not None
        with Image.open(Path("out") / result.instances) as image:
            ids = np.asarray(image).astype(int) - 1
        assert len(result.objects) > 5
        for one in result.objects:
            rows, columns = np.nonzero(ids == one.instance_id)
            assert one.degraded_pixels == len(rows)
            assert one.label == f"thing {one.instance_id}"
            if len(rows):
                assert one.degraded_box_px == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
            else:
                assert one.degraded_box_px is None

    def test_what_nobody_can_see_is_told(
        self, labelled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = (str(labelled), "--type", "low_light", "--severity", "0,bench", "-o", "out")
        assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
        assert "objects can no longer be seen" in capsys.readouterr().err
        view = made().views[0]
        plain, dark = view.results
        assert sum(one.is_visible for one in plain.objects) > sum(one.is_visible for one in dark.objects)
        assert all(one.clean_ratio == one.degraded_ratio for one in plain.objects)


def test_a_replay_is_the_same_bytes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = ("room.ply", "--cameras", "transforms.json")
    arguments = (*scene, "--type", "motion_blur,rolling_shutter,jpeg_compression", "--severity", "2", "--view", "0")
    assert run(*arguments, "-o", "out", monkeypatch=monkeypatch) == ExitCode.OK
    assert run(*scene, "--replay", "out/manifest.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.OK
    again = {file.relative_to("again"): file.read_bytes() for file in Path("again").rglob("*.png")}
    assert {str(name) for name in again} == {f"a/{kind}-2.png" for kind in arguments[4].split(",")}
    assert all((Path("out") / name).read_bytes() == content for name, content in again.items())


def test_a_replay_refuses_another_scene(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = ("room.ply", "--cameras", "transforms.json")
    assert run(*scene, "--type", "low_res", "-o", "out", monkeypatch=monkeypatch) == ExitCode.OK
    write_splats(furnished_room(3000, seed=1), "room.ply")
    code = run(*scene, "--replay", "out/manifest.json", "-o", "again", monkeypatch=monkeypatch)
    assert code == ExitCode.USAGE
    assert "this scene is" in capsys.readouterr().err
    assert run(*scene, "--replay", "out/manifest.json", "-o", "out", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "name another folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["evil.py", "../evil.png", "a/clean"])
def test_a_manifest_writes_pictures_and_nowhere_else(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = ("room.ply", "--cameras", "transforms.json")
    assert run(*scene, "--type", "low_res", "-o", "out", monkeypatch=monkeypatch) == ExitCode.OK
    content = json.loads(Path("out/manifest.json").read_text())
    content["views"][0]["results"][0]["picture"] = name
    Path("out/manifest.json").write_text(json.dumps(content))
    code = run(*scene, "--replay", "out/manifest.json", "-o", "again", monkeypatch=monkeypatch)
    assert code == ExitCode.USAGE
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith("error: ")
    assert not Path("again").exists()


def test_what_one_view_cannot_have_is_left_out(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_nerfstudio(
        [NamedCamera("a.png", CAMERAS[0]), NamedCamera("wide.png", fisheye(CAMERAS[1]))], Path("mixed.json")
    )
    arguments = ("room.ply", "--cameras", "mixed.json", "--type", "distortion,low_res", "-o", "out")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "error: wide.png, distortion-3: this camera is a fisheye already" in capsys.readouterr().err
    labels = {view.name: [result.label for result in view.results] for view in made().views}
    assert labels == {"a.png": ["distortion-3", "low_res-3"], "wide.png": ["low_res-3"]}


def test_names_of_views_stay_in_the_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads(Path("transforms.json").read_text())
    names = ["../../evil.png", "b/EVIL.jpg", "...", "x y\\z?.png"]
    frame = content["frames"][0]
    content["frames"] = [{**frame, "file_path": name} for name in names]
    Path("transforms.json").write_text(json.dumps(content))
    arguments = ("room.ply", "--cameras", "transforms.json", "--type", "low_res", "-o", "sub/out")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    folders = sorted(place.name for place in Path("sub/out").iterdir() if place.is_dir())
    assert folders == ["EVIL-1", "evil", "view-2", "z_"]
    assert not list(here.parent.glob("evil*"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("room.ply", "--type", "haze", "-o", "out"), "room.ply"),
        (("room.ply", "--cameras", "none.json", "--type", "haze", "-o", "out"), "none.json"),
        (("room.ply", "--cameras", "transforms.json", "--type", "haze", "-o", "out.png"), "to a folder"),
        (("room.ply", "--cameras", "transforms.json", "--type", "haze", "-o", "room.ply"), "is a file"),
        (("room.ply", "--cameras", "transforms.json", "--view", "z", "--type", "haze", "-o", "out"), "no such camera"),
        (("room.ply", "--cameras", "transforms.json", "--depth", "d.png", "--type", "haze", "-o", "out"), "leave out"),
        (("room.ply", "--view", "a", "--type", "haze", "-o", "out"), "--view belongs to a scene"),
        (("room.ply", "--cameras", "transforms.json", "--replay", "transforms.json", "-o", "out"), "no manifest"),
        (("none.ply", "--cameras", "transforms.json", "--type", "haze", "-o", "out"), "none.ply"),
    ],
)
def test_mistakes_are_one_clear_line(
    arguments: tuple[str, ...],
    words: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.strip().splitlines()[-1].startswith("error: ")
    assert captured.out == ""
    assert not Path("out").exists()


def test_a_scene_without_views_needs_cameras(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(id="bare", kind=SceneKind.ROOM, cloud=furnished_room(500), instances=())
    write_scene(scene, "bare")
    assert run("bare", "--type", "haze", "-o", "out", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "--cameras" in capsys.readouterr().err
    arguments = ("bare", "--cameras", "transforms.json", "--type", "low_res", "-o", "out")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
