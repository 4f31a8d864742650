"""Posed pictures: COLMAP models, lens distortion, smaller copies, nerfstudio, and structure from motion."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from seeworthy.bench_data.camera_formats import NamedCamera, write_colmap, write_nerfstudio
from seeworthy.bench_data.camera_paths import pose_path
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.fit.loading import find_poses, load_images
from seeworthy.bench_data.render import render_many
from seeworthy.bench_data.splats import cloud_from_points
from tests.bench_data.fit.scenes import room_views
from tests.bench_data.render.scenes import a_camera, fisheye

GARDEN = Path(__file__).resolve().parents[4] / "shared" / "data" / "splats" / "test_garden.npz"
POINTS = "1 1.0 2.0 3.0 255 0 51 0.5\n2 2.0 2.0 3.0 0 255 51 0.5\n"


def recording(folder: Path, *, points: str = POINTS) -> tuple[Path, Path]:
    """Pictures and a COLMAP model of them."""
    images, model = folder / "images", folder / "model" / "sparse" / "0"
    images.mkdir(parents=True), model.mkdir(parents=True)
    views = room_views(4, gaussians=500)
    for view in views:
        Image.fromarray(view.image_srgb_u8).save(images / view.name)
    write_colmap([NamedCamera(view.name, view.camera) for view in views], model)
    (model / "points3D.txt").write_text(points)
    return images, folder / "model"


def test_a_model_and_its_pictures(tmp_path: Path) -> None:
    data = load_images(*recording(tmp_path))
    truth = room_views(4, gaussians=500)
    assert [view.name for view in data.views] == ["0.png", "1.png", "2.png", "3.png"]
    for view, true in zip(data.views, truth, strict=True):
        assert np.array_equal(view.image_srgb_u8, true.image_srgb_u8)
        assert view.camera.world_from_camera == pytest.approx(true.camera.world_from_camera, abs=1e-12)
        assert view.depth_m is None
    assert data.points is not None
    assert data.points.points_m.tolist() == [[1, 2, 3], [2, 2, 3]]
    assert data.points.colours_srgb.tolist() == [[1, 0, 0.2], [0, 1, 0.2]]
    assert data.notes == ()


def test_pictures_that_the_model_has_no_pose_for_are_counted(tmp_path: Path) -> None:
    images, model = recording(tmp_path)
    shutil.copy(images / "0.png", images / "more.png")
    (images / "notes.txt").write_text("not a picture")
    data = load_images(images, model)
    assert len(data.views) == 4
    assert data.notes == ("the model has poses for 4 of the 5 pictures in images",)


def test_a_model_without_points(tmp_path: Path) -> None:
    assert load_images(*recording(tmp_path, points="# nothing\n")).points is None


def test_smaller_copies_of_the_pictures_are_taken_as_such(tmp_path: Path) -> None:
    images, model = recording(tmp_path)
    for path in images.iterdir():
        Image.open(path).resize((32, 24)).save(path)
    data = load_images(images, model)
    assert data.views[0].camera.fx == pytest.approx(room_views(1)[0].camera.fx / 2)
    assert data.notes == ("the model is for 64x48, the pictures are 32x24: cameras scaled",)
    assert load_images(images, model, downscale=2).views[0].image_srgb_u8.shape == (12, 16, 3)


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda images, model: (images / "2.png").unlink(), r"lacks 1 of the 4 .*2\.png"),
        (lambda images, model: shutil.rmtree(images), r"lacks 4 of the 4"),
        (lambda images, model: shutil.rmtree(model), "no COLMAP model"),
        (lambda images, model: Image.new("RGB", (64, 64)).save(images / "1.png"), r"1\.png.*64x48"),
        (
            lambda images, model: (model / "sparse/0/cameras.txt").write_text("1 FOV 64 48 45 45 32 24 0.9\n"),
            "camera model FOV is not supported",
        ),
        (lambda images, model: (model / "sparse/0/images.txt").write_text("# none\n"), "no registered picture"),
    ],
    ids=["a picture missing", "folder missing", "model missing", "another shape", "model of lens", "no pictures"],
)
def test_what_is_wrong_is_said(tmp_path: Path, break_it: object, words: str) -> None:
    images, model = recording(tmp_path)
    break_it(images, model)  # type: ignore[operator]
    with pytest.raises(BenchDataError, match=words):
        load_images(images, model)


class TestDistortion:
    coefficients = (0.12, -0.05, 0.002, -0.001)

    def seen(self, rays: NDArray[np.float64]) -> NDArray[np.uint8]:
        """What lies in directions (x / z, y / z): stripes and a slope, (120, 160, 3)."""
        x, y = rays.reshape(120, 160, 2).transpose(2, 0, 1)
        waves = [np.sin(25 * x), np.sin(20 * y), np.sin(12 * (x + y))]
        return np.asarray(127 + 100 * np.stack(waves, -1), np.uint8)

    def bent(self, folder: Path, model_line: str) -> tuple[Path, Path, Camera]:
        """A picture through a lens that bends, and its model."""
        camera = a_camera(160, 120)
        K = camera.K - np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
        pixels = camera.pixel_centres() - 0.5
        rays = cv2.undistortPoints(pixels[:, None], K, np.array(self.coefficients))
        images, model = folder / "images", folder / "model"
        images.mkdir(), model.mkdir()
        Image.fromarray(self.seen(np.asarray(rays))).save(images / "a.png")
        write_colmap([NamedCamera("a.png", camera)], model)
        (model / "cameras.txt").write_text(model_line.format(f=camera.fx))
        return images, model, camera

    def test_it_is_taken_out(self, tmp_path: Path) -> None:
        k1, k2, p1, p2 = self.coefficients
        line = f"1 OPENCV 160 120 {{f}} {{f}} 80 60 {k1} {k2} {p1} {p2}\n"
        data = load_images(*self.bent(tmp_path, line)[:2])
        view = data.views[0]
        assert data.notes == ("took the lens distortion out of 1 pictures",)
        rays = view.camera.directions_in_camera(view.camera.pixel_centres())
        truth = self.seen(rays[:, :2] / rays[:, 2:]).astype(int)
        off = np.abs(truth - view.image_srgb_u8)[2:-2, 2:-2]
        assert off.mean() < 1
        # The bent picture itself, taken for straight, would be far off.
        assert np.abs(truth - np.asarray(Image.open(tmp_path / "images/a.png"))).mean() > 8

    @pytest.mark.parametrize(
        ("line", "same_as"),
        [
            ("1 SIMPLE_RADIAL 160 120 {f} 80 60 0.12\n", "1 OPENCV 160 120 {f} {f} 80 60 0.12 0 0 0\n"),
            ("1 RADIAL 160 120 {f} 80 60 0.12 -0.05\n", "1 OPENCV 160 120 {f} {f} 80 60 0.12 -0.05 0 0\n"),
            (
                "1 FULL_OPENCV 160 120 {f} {f} 80 60 0.12 -0.05 0.01 0.02 0 0 0 0\n",
                "1 OPENCV 160 120 {f} {f} 80 60 0.12 -0.05 0.01 0.02\n",
            ),
        ],
    )
    def test_models_that_mean_the_same_give_the_same(self, tmp_path: Path, line: str, same_as: str) -> None:
        images, model, camera = self.bent(tmp_path, line)
        one = load_images(images, model).views[0]
        (model / "cameras.txt").write_text(same_as.format(f=camera.fx))
        other = load_images(images, model).views[0]
        assert np.array_equal(one.image_srgb_u8, other.image_srgb_u8)
        assert one.camera == other.camera

    def test_without_distortion_nothing_is_done(self, tmp_path: Path) -> None:
        images, model, camera = self.bent(tmp_path, "1 OPENCV 160 120 {f} {f} 80 60 0 0 0 0\n")
        view = load_images(images, model).views[0]
        assert view.camera.fx == pytest.approx(camera.fx)
        assert np.array_equal(view.image_srgb_u8, np.asarray(Image.open(images / "a.png")))

    def test_a_fisheye_stays_one(self, tmp_path: Path) -> None:
        images, model, camera = self.bent(tmp_path, "1 OPENCV 160 120 {f} {f} 80 60 0 0 0 0\n")
        write_colmap([NamedCamera("a.png", fisheye(camera))], model)
        assert load_images(images, model).views[0].camera.model == "fisheye"


def test_nerfstudio_beside_its_pictures(tmp_path: Path) -> None:
    views = room_views(3, gaussians=300)
    (tmp_path / "images").mkdir()
    for view in views:
        Image.fromarray(view.image_srgb_u8).save(tmp_path / "images" / view.name)
    # Names with their ending, without it, and with another folder's prefix.
    names = ["images/0.png", "images/1", "./images/2.png"]
    write_nerfstudio(
        [NamedCamera(n, v.camera) for n, v in zip(names, views, strict=True)], tmp_path / "transforms.json"
    )
    for data in (load_images(tmp_path), load_images(tmp_path / "images", tmp_path / "transforms.json")):
        assert len(data.views) == 3
        assert {view.name for view in data.views} == {"images/0.png", "images/1.png", "./images/2.png"}
        by_name = {view.name: view for view in data.views}
        assert np.array_equal(by_name["images/1.png"].image_srgb_u8, views[1].image_srgb_u8)


class TestStructureFromMotion:
    def test_it_needs_three_pictures(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="at least three pictures, found 0"):
            find_poses(tmp_path, tmp_path / "work")
        with pytest.raises(BenchDataError, match="found 0"):
            find_poses(tmp_path / "nowhere", tmp_path / "work")

    def test_without_pycolmap_the_message_says_how_to_get_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        images, _ = recording(tmp_path)
        real = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == "pycolmap" else real(name))
        with pytest.raises(BenchDataError, match=r"seeworthy\[geometry\]"):
            find_poses(images, tmp_path / "work")

    def test_a_result_that_is_there_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "work" / "model").mkdir(parents=True)
        assert find_poses(tmp_path, tmp_path / "work") == tmp_path / "work" / "model"

    def test_poses_of_a_real_garden_come_out_up_to_scale(self, tmp_path: Path) -> None:
        pytest.importorskip("pycolmap")
        if not GARDEN.is_file():
            pytest.skip("the real capture is not part of the project")
        with np.load(GARDEN) as stored:
            cloud = cloud_from_points(stored["means3d"], stored["colors"] / max(1.0, float(stored["colors"].max())))
            ends = np.linalg.inv(stored["viewmats"])
            size = {"width": int(stored["width"]), "height": int(stored["height"])}
            first = Camera.from_K(stored["Ks"][0], world_from_camera=ends[0], **size).resized(324, 210)
        cameras = [first.with_pose(pose) for pose in pose_path(ends, count=14)[:6]]
        (tmp_path / "images").mkdir()
        for i, picture in enumerate(render_many(cloud, cameras, engine="numba", threads=1)):
            Image.fromarray(picture.image_srgb_u8).save(tmp_path / "images" / f"{i}.png")
        # What an interrupted run left is done again; what is not COLMAP's stays.
        work = tmp_path / "work"
        (work / "tries").mkdir(parents=True)
        (work / "database.db").write_text("cut off"), (work / "mine.txt").write_text("keep")
        data = load_images(tmp_path / "images", find_poses(tmp_path / "images", work))
        assert (work / "mine.txt").read_text() == "keep"
        assert [view.name for view in data.views] == [f"{i}.png" for i in range(6)]
        assert data.points is not None
        assert len(data.points.points_m) > 200
        found, true = (np.stack([c.centre_m for c in cs]) for cs in ([v.camera for v in data.views], cameras))
        ratios = np.linalg.norm(np.diff(found, axis=0), axis=1) / np.linalg.norm(np.diff(true, axis=0), axis=1)
        assert ratios.std() < 0.05 * ratios.mean()
