"""nerfstudio's transforms.json."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_formats import NamedCamera, read_nerfstudio, write_nerfstudio
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError

POSE = [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 5], [0, 0, 0, 1]]
WHOLE: dict[str, Any] = {"w": 100, "h": 100, "fl_x": 100, "fl_y": 100, "cx": 50, "cy": 50}
APPLIED = [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0]]  # what nerfstudio applies to COLMAP's world


def write(tmp_path: Path, **changes: Any) -> Path:
    table = WHOLE | {"frames": [{"file_path": "images/a.png", "transform_matrix": POSE}]} | changes
    path = tmp_path / "transforms.json"
    path.write_text(json.dumps({key: value for key, value in table.items() if value is not None}))
    return path


def only(path: Path, **options: Any) -> Camera:
    [named] = read_nerfstudio(path, **options)
    return named.camera


def test_opengl_camera_to_world(tmp_path: Path) -> None:
    [named] = read_nerfstudio(write(tmp_path))
    assert named.name == "images/a.png"
    view = named.camera.project([(1, 2, 0), (1, 3, 0)])
    assert view.points_px.tolist() == [[50, 50], [50, 30]]
    assert view.depth_m.tolist() == [5, 5]


class TestAppliedTransform:
    def test_it_is_undone_on_request(self, tmp_path: Path) -> None:
        """The stored pose is the applied transform times the original one."""
        original = np.eye(4)
        original[:3, :3] = Rotation.from_euler("xyz", [0.1, 0.7, -0.4]).as_matrix()
        original[:3, 3] = (1, 2, 3)
        applied = np.vstack([APPLIED, [0, 0, 0, 1]])
        frame = {"file_path": "a", "transform_matrix": (applied @ original).tolist()}
        path = write(tmp_path, frames=[frame], applied_transform=APPLIED)
        flip = np.diag([1, -1, -1, 1])
        assert only(path).world_from_camera == pytest.approx(applied @ original @ flip)
        assert only(path, world="before_applied_transform").world_from_camera == pytest.approx(original @ flip)

    def test_a_scale_with_it(self, tmp_path: Path) -> None:
        path = write(tmp_path, applied_transform=APPLIED, applied_scale=0.5)
        before = only(path, world="before_applied_transform")
        assert before.centre_m == pytest.approx([2, -10, 4])
        assert only(path).centre_m.tolist() == [1, 2, 5]

    def test_without_one_the_worlds_are_the_same(self, tmp_path: Path) -> None:
        path = write(tmp_path)
        assert only(path) == only(path, world="before_applied_transform")

    def test_one_that_cannot_be_undone(self, tmp_path: Path) -> None:
        path = write(tmp_path, applied_transform=[[0, 0, 0, 0]] * 3)
        with pytest.raises(BenchDataError, match="cannot be undone"):
            read_nerfstudio(path, world="before_applied_transform")
        with pytest.raises(BenchDataError, match="as_stored or before"):
            read_nerfstudio(path, world="colmap")  # type: ignore[arg-type]


class TestIntrinsics:
    def test_a_frame_counts_before_the_file(self, tmp_path: Path) -> None:
        frame = {"file_path": "a", "transform_matrix": POSE, "fl_x": 80, "cx": 40, "w": 90}
        camera = only(write(tmp_path, frames=[frame]))
        assert (camera.fx, camera.fy, camera.cx, camera.cy, camera.width) == (80, 100, 40, 50, 90)

    def test_an_angle_of_view(self, tmp_path: Path) -> None:
        path = write(tmp_path, fl_x=None, fl_y=None, cx=None, cy=None, w=None, h=None, camera_angle_x=math.pi / 2)
        camera = only(path, image_size=(800, 600))
        assert (camera.fx, camera.fy) == (pytest.approx(400), pytest.approx(400))
        assert (camera.cx, camera.cy, camera.width) == (400, 300, 800)
        with pytest.raises(BenchDataError, match="pass image_size"):
            read_nerfstudio(path)

    def test_fisheye(self, tmp_path: Path) -> None:
        camera = only(write(tmp_path, camera_model="OPENCV_FISHEYE", k1=0.1, k2=-0.02, k3=0.003, k4=0.0004))
        assert camera.model == "fisheye"
        assert camera.distortion == (0.1, -0.02, 0.003, 0.0004)

    def test_three_rows_are_enough(self, tmp_path: Path) -> None:
        assert only(write(tmp_path, frames=[{"file_path": "a", "transform_matrix": POSE[:3]}])).centre_m.tolist() == [
            1,
            2,
            5,
        ]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"fl_x": None}, "no focal length"),
            ({"fl_x": -5}, "fx must be finite and positive"),
            ({"w": 0}, "whole positive"),
            ({"w": 99.5}, "whole positive"),
            ({"k1": 0.1}, "undistort the pictures first"),
            ({"p1": 0.1, "camera_model": "OPENCV_FISHEYE"}, "undistort"),
            ({"k1": 0.1, "camera_model": "OPENCV"}, "undistort"),
            ({"camera_model": "EQUIRECTANGULAR"}, "EQUIRECTANGULAR"),
            ({"frames": None}, "frames: Field required"),
            ({"frames": [{"file_path": "a"}]}, "transform_matrix"),
            ({"frames": [{"file_path": "a", "transform_matrix": POSE[:2]}]}, "transform_matrix"),
            ({"frames": [{"file_path": "a", "transform_matrix": np.diag([1, 1, -1, 1]).tolist()}]}, "left-handed"),
            ({"frames": [{"file_path": "a", "transform_matrix": np.diag([3, 3, 3, 1]).tolist()}]}, "scales by 3"),
            ({"applied_scale": 0}, "applied_scale"),
        ],
    )
    def test_what_cannot_be_used(self, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(BenchDataError, match=f"cannot read .*{message}"):
            read_nerfstudio(write(tmp_path, **changes))

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"frames": [{"file_path": "a", "transform_matrix": NaN}]}'])
    def test_no_json(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(BenchDataError, match="cannot read"):
            read_nerfstudio(tmp_path / "a.json")
        with pytest.raises(BenchDataError, match="No such file"):
            read_nerfstudio(tmp_path / "b.json")


def test_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    cameras = []
    for i in range(4):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
        fisheye: dict[str, Any] = {"model": "fisheye", "distortion": (0.1, -0.01, 0.001, 0.0)} if i % 2 else {}
        camera = Camera(
            width=640 + i, height=480, fx=500.1, fy=501.2, cx=320.3, cy=239.9, world_from_camera=pose, **fisheye
        )
        cameras.append(NamedCamera(f"images/{i}.png", camera))
    write_nerfstudio(cameras, tmp_path / "transforms.json")
    assert read_nerfstudio(tmp_path / "transforms.json") == tuple(cameras)
