"""COLMAP models: text and binary, against pycolmap, and with damage."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_formats import NamedCamera, read_colmap, read_colmap_points, write_colmap
from seeworthy.bench_data.camera_formats.colmap_records import MODEL_NAMES
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError

CAMERAS = "# comment\n1 PINHOLE 100 80 100 90 50 40\n"
IMAGES = "# comment\n1 1 0 0 0 1 2 3 1 a picture.png\n10.5 20.5 -1\n"


def text_model(tmp_path: Path, cameras: str = CAMERAS, images: str = IMAGES) -> Path:
    (tmp_path / "cameras.txt").write_text(cameras)
    (tmp_path / "images.txt").write_text(images)
    return tmp_path


class TestText:
    def test_world_to_camera(self, tmp_path: Path) -> None:
        [named] = read_colmap(text_model(tmp_path))
        assert named.name == "a picture.png"
        assert named.camera.centre_m.tolist() == [-1, -2, -3]
        assert named.camera.project([(-1, -2, 0)]).points_px.tolist() == [[50, 40]]
        assert (named.camera.fx, named.camera.fy, named.camera.width) == (100, 90, 100)

    def test_a_picture_without_points_has_an_empty_line(self, tmp_path: Path) -> None:
        images = "2 1 0 0 0 1 2 3 1 b.png\n\n1 1 0 0 0 4 5 6 1 a.png\n\n"
        cameras = read_colmap(text_model(tmp_path, images=images))
        assert [named.name for named in cameras] == ["a.png", "b.png"]
        assert cameras[0].camera.centre_m.tolist() == [-4, -5, -6]

    def test_the_last_line_of_points_may_be_missing(self, tmp_path: Path) -> None:
        assert len(read_colmap(text_model(tmp_path, images="1 1 0 0 0 1 2 3 1 a.png"))) == 1

    def test_points(self, tmp_path: Path) -> None:
        (tmp_path / "points3D.txt").write_text("# id\n7 1.5 2 3 255 128 0 0.5 1 2 3 4\n8 4 5 6 1 2 3 -1\n")
        points = read_colmap_points(tmp_path)
        assert points.points.tolist() == [[1.5, 2, 3], [4, 5, 6]]
        assert points.colours_u8.tolist() == [[255, 128, 0], [1, 2, 3]]
        (tmp_path / "points3D.txt").write_text("# none\n")
        assert read_colmap_points(tmp_path).points.shape == (0, 3)

    @pytest.mark.parametrize(
        ("cameras", "images", "message"),
        [
            ("1 PINHOLE 100 80 100 90 50\n", IMAGES, "line 1 .*expected 4 finite numbers"),
            ("1 PINHOLE 100 80 100 90 50 nan\n", IMAGES, "expected 4 finite numbers"),
            ("1 PINHOLY 100 80 100 90 50 40\n", IMAGES, "with a model that COLMAP has"),
            ("1 PINHOLE -100 80 100 90 50 40\n", IMAGES, "'-100' is no whole number"),
            ("1 PINHOLE 0 80 100 90 50 40\n", IMAGES, "width must be"),
            ("1 PINHOLE\n", IMAGES, "line 1"),
            ("1 FOV 100 80 100 90 50 40 0.5\n", IMAGES, "FOV is not supported; undistort"),
            ("1 OPENCV 100 80 100 90 50 40 0.1 0 0 0\n", IMAGES, "OPENCV has lens distortion .*image_undistorter"),
            ("1 SIMPLE_RADIAL 100 80 100 50 40 0.1\n", IMAGES, "SIMPLE_RADIAL has lens distortion"),
            ("2 PINHOLE 100 80 100 90 50 40\n", IMAGES, "names the camera 1, which cameras does not hold"),
            (CAMERAS, "1 1 0 0 0 1 2 3 1\n\n", "expected IMAGE_ID"),
            (CAMERAS, "1 0 0 0 0 1 2 3 1 a.png\n\n", "'a.png' of the COLMAP model: quat_wxyz is zero"),
            (CAMERAS, "1 1 0 0 0 1 2 inf 1 a.png\n\n", "expected 7 finite numbers"),
            (CAMERAS, "x 1 0 0 0 1 2 3 1 a.png\n\n", "'x' is no whole number"),
        ],
    )
    def test_damage(self, tmp_path: Path, cameras: str, images: str, message: str) -> None:
        with pytest.raises(BenchDataError, match=message):
            read_colmap(text_model(tmp_path, cameras, images))

    @pytest.mark.parametrize("row", ["1 2 3", "1 a 2 3 4 5 6 7", "1 1 2 3 256 0 0 0", "1 1 2 3 -1 0 0 0"])
    def test_damaged_points(self, tmp_path: Path, row: str) -> None:
        (tmp_path / "points3D.txt").write_text(row + "\n")
        with pytest.raises(BenchDataError, match=r"points3D.txt: line 1"):
            read_colmap_points(tmp_path)

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match=r"neither cameras.bin nor cameras.txt"):
            read_colmap(tmp_path)
        (tmp_path / "cameras.txt").write_text(CAMERAS)
        with pytest.raises(BenchDataError, match=r"images.txt: No such file"):
            read_colmap(tmp_path)
        (tmp_path / "images.txt").write_bytes(b"\xff\xfe")
        with pytest.raises(BenchDataError, match="no text file"):
            read_colmap(tmp_path)


class TestAgainstPycolmap:
    @pytest.fixture
    def pycolmap(self) -> Any:
        return pytest.importorskip("pycolmap")

    def test_model_numbers(self, pycolmap: Any) -> None:
        for number, (name, parameters) in enumerate(MODEL_NAMES):
            model = pycolmap.CameraModelId(number)
            assert model.name == name
            assert len(pycolmap.Camera.create_from_model_id(1, model, 500.0, 640, 480).params) == parameters

    @pytest.mark.parametrize("binary", [False, True])
    def test_a_model_that_pycolmap_writes(self, pycolmap: Any, tmp_path: Path, binary: bool) -> None:
        model = reconstruction(pycolmap)
        (model.write_binary if binary else model.write_text)(str(tmp_path))
        assert {path.suffix for path in tmp_path.iterdir()} == {".bin" if binary else ".txt"}
        named = read_colmap(tmp_path)
        assert [camera.name for camera in named] == sorted(image.name for image in model.images.values())
        points = read_colmap_points(tmp_path)
        order = list(model.points3D)
        if binary:
            assert len(order) == len(points.points)
        theirs = {tuple(np.round(p.xyz, 9)): tuple(p.color) for p in model.points3D.values()}
        ours = {tuple(np.round(p, 9)): tuple(c) for p, c in zip(points.points, points.colours_u8, strict=True)}
        assert ours == theirs
        for image in model.images.values():
            camera = next(n.camera for n in named if n.name == image.name)
            assert camera.centre_m == pytest.approx(image.projection_center(), abs=1e-9)
            seen = 0
            for point in points.points:
                expected = image.project_point(point)
                view = camera.project([point])
                if expected is not None and view.imaged[0]:
                    assert view.points_px[0] == pytest.approx(expected, abs=1e-6)
                    seen += 1
            assert seen > 5

    def test_pycolmap_reads_what_is_written(self, pycolmap: Any, tmp_path: Path) -> None:
        cameras = some_cameras()
        write_colmap(cameras, tmp_path)
        model = pycolmap.Reconstruction(str(tmp_path))
        assert model.num_cameras() == 2  # two distinct intrinsics
        by_name = {image.name: image for image in model.images.values()}
        for named in cameras:
            image = by_name[named.name]
            assert image.projection_center() == pytest.approx(named.camera.centre_m, abs=1e-9)
            ahead = named.camera.unproject([[100.0, 200.0]], 2.0)[0]
            assert image.project_point(ahead) == pytest.approx([100, 200], abs=1e-6)

    @pytest.mark.parametrize(
        "name",
        ["SIMPLE_FISHEYE", "FISHEYE", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE", "OPENCV_FISHEYE", "SIMPLE_PINHOLE"],
    )
    def test_projection_of_each_model(self, pycolmap: Any, tmp_path: Path, name: str) -> None:
        theirs = pycolmap.Camera.create_from_model_name(1, name, 400.0, 640, 480)
        theirs.params = [400.0, 410.0, 330.0, 250.0, 0.1, -0.02, 0.003, 0.0004][-len(theirs.params) :]
        head = theirs.params_info.split(", ")
        values = {"f": 400.0, "fx": 400.0, "fy": 410.0, "cx": 330.0, "cy": 250.0}
        values |= {"k": 0.1, "k1": 0.1, "k2": -0.02, "k3": 0.003, "k4": 0.0004}
        theirs.params = [values[key] for key in head]
        line = " ".join(map(repr, map(float, theirs.params)))
        images = "1 1 0 0 0 0 0 0 1 a.png\n\n"
        [named] = read_colmap(text_model(tmp_path, f"1 {name} 640 480 {line}\n", images))
        points = np.random.default_rng(0).normal(size=(50, 3)) * [1, 1, 0.3] + np.array([0, 0, 2])
        assert named.camera.project(points).points_px == pytest.approx(theirs.img_from_cam(points), abs=1e-8)


def test_round_trip(tmp_path: Path) -> None:
    cameras = some_cameras()
    write_colmap(cameras, tmp_path)
    back = read_colmap(tmp_path)
    assert [named.name for named in back] == [named.name for named in cameras]
    for one, other in zip(back, cameras, strict=True):
        assert one.camera.world_from_camera == pytest.approx(other.camera.world_from_camera, abs=1e-14)
        assert one.camera.with_pose(np.eye(4)) == other.camera.with_pose(np.eye(4))


@pytest.mark.parametrize("name", ["", " a.png", "a\nb.png", "a b.png"])
def test_names_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(BenchDataError, match="empty or has spaces"):
        write_colmap([NamedCamera(name, some_cameras()[0].camera)], tmp_path)
    with pytest.raises(BenchDataError, match="no folder"):
        write_colmap([], tmp_path / "none")


class TestBinaryDamage:
    @staticmethod
    def model(tmp_path: Path, cameras: bytes | None = None, images: bytes | None = None) -> Path:
        camera = struct.pack("<QIiQQ4d", 1, 1, 1, 100, 80, 100, 90, 50, 40)
        image = struct.pack("<QI7dI", 1, 1, 1, 0, 0, 0, 1, 2, 3, 1) + b"a.png\0" + struct.pack("<Q2dq", 1, 5, 6, -1)
        (tmp_path / "cameras.bin").write_bytes(camera if cameras is None else cameras)
        (tmp_path / "images.bin").write_bytes(image if images is None else images)
        return tmp_path

    def test_it_is_read_when_whole(self, tmp_path: Path) -> None:
        [named] = read_colmap(self.model(tmp_path))
        assert named.camera.centre_m.tolist() == [-1, -2, -3]

    def test_binary_is_taken_before_text(self, tmp_path: Path) -> None:
        text_model(tmp_path, images="1 1 0 0 0 9 9 9 1 other.png\n\n")
        assert read_colmap(self.model(tmp_path))[0].name == "a.png"

    @pytest.mark.parametrize("which", ["cameras", "images"])
    def test_cut_anywhere(self, tmp_path: Path, which: str) -> None:
        whole = (self.model(tmp_path) / f"{which}.bin").read_bytes()
        for cut in range(len(whole)):
            (tmp_path / f"{which}.bin").write_bytes(whole[:cut])
            with pytest.raises(BenchDataError, match=f"cannot read {which}.bin"):
                read_colmap(tmp_path)

    @pytest.mark.parametrize(
        ("cameras", "images", "message"),
        [
            (struct.pack("<Q", 2**63), None, r"cameras.bin: at byte 8 it needs .* bytes, 0 are left"),
            (None, struct.pack("<Q", 2**64 - 1), r"images.bin: at byte 8 it needs"),
            (struct.pack("<QIiQQ4d", 1, 1, 99, 100, 80, 1, 1, 1, 1), None, "unknown model number 99"),
            (struct.pack("<QIiQQ4d", 1, 1, -1, 100, 80, 1, 1, 1, 1), None, "unknown model number -1"),
            (struct.pack("<QIiQQ4d", 1, 1, 1, 2**63, 80, 1, 1, 1, 1), None, None),
            (None, struct.pack("<QI7dI", 1, 1, 1, 0, 0, 0, 1, 2, 3, 1) + b"\xff\xfe\0" + bytes(8), "no text"),
            (None, struct.pack("<QI7dI", 1, 1, 1, 0, 0, 0, 1, 2, 3, 1) + b"a" * 20, "name without an end"),
            (None, struct.pack("<QI7dI", 1, 1, 1, 0, 0, 0, 1, 2, 3, 1) + b"a\0" + struct.pack("<Q", 2**60), "needs"),
            (None, struct.pack("<QI7dI", 1, 1, np.nan, 0, 0, 0, 1, 2, 3, 1) + b"a\0" + bytes(8), "not finite"),
        ],
    )
    def test_lies(self, tmp_path: Path, cameras: bytes | None, images: bytes | None, message: str | None) -> None:
        self.model(tmp_path, cameras, images)
        if message is None:  # a picture as wide as the sky is odd, but a camera all the same
            assert read_colmap(tmp_path)[0].camera.width == 2**63
            return
        with pytest.raises(BenchDataError, match=message):
            read_colmap(tmp_path)

    def test_points(self, tmp_path: Path) -> None:
        whole = struct.pack("<QQ3d3BdQ2I", 1, 7, 1, 2, 3, 10, 20, 30, 0.5, 1, 4, 5)
        (tmp_path / "points3D.bin").write_bytes(whole)
        assert read_colmap_points(tmp_path).points.tolist() == [[1, 2, 3]]
        for cut in range(len(whole)):
            (tmp_path / "points3D.bin").write_bytes(whole[:cut])
            with pytest.raises(BenchDataError, match="cut off"):
                read_colmap_points(tmp_path)


def some_cameras() -> list[NamedCamera]:
    rng = np.random.default_rng(1)
    cameras = []
    for i in range(4):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
        extra: dict[str, Any] = {"model": "fisheye", "distortion": (0.1, -0.01, 0.001, 0.0)} if i % 2 else {}
        camera = Camera(width=640, height=480, fx=500.1, fy=501.2, cx=320.3, cy=239.9, world_from_camera=pose, **extra)
        cameras.append(NamedCamera(f"images/{i}.png", camera))
    return cameras


def reconstruction(pycolmap: Any) -> Any:
    """Synthetic, with points, in a pinhole of two focal lengths."""
    options = pycolmap.SyntheticDatasetOptions()
    options.num_rigs, options.num_cameras_per_rig, options.num_frames_per_rig = 1, 2, 3
    options.num_points3D = 40
    options.camera_model_id = pycolmap.CameraModelId.PINHOLE
    options.camera_params = [500.0, 510.0, 300.0, 260.0]
    options.camera_width, options.camera_height = 640, 480
    pycolmap.set_random_seed(0)
    return pycolmap.synthesize_dataset(options)
