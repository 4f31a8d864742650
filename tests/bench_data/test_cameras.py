"""The pinhole camera against OpenCV, the cases that a wrong convention fails, and what is refused."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera, why_nothing_is_seen
from seeworthy.bench_data.errors import BenchDataError

seeds = st.integers(0, 2**32 - 1)


def a_camera(**changes: Any) -> Camera:
    values: dict[str, Any] = {"width": 100, "height": 80, "fx": 100, "fy": 90, "cx": 50, "cy": 40}
    return Camera(**(values | {"world_from_camera": np.eye(4)} | changes))


def random_camera(seed: int) -> Camera:
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(rng=rng).as_matrix()
    pose[:3, 3] = rng.normal(size=3) * 3
    return a_camera(width=640, height=480, fx=500, fy=520, cx=310, cy=250, world_from_camera=pose)


class TestProjection:
    @settings(max_examples=40, deadline=None)
    @given(seeds)
    def test_agrees_with_opencv(self, seed: int) -> None:
        camera = random_camera(seed)
        points = np.random.default_rng(seed + 1).normal(size=(40, 3)) * 5
        view = camera.project(points)
        matrix = camera.K - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]  # OpenCV: pixel centres are whole numbers
        pose = camera.camera_from_world
        theirs, _ = cv2.projectPoints(points, cv2.Rodrigues(pose[:3, :3])[0], pose[:3, 3].copy(), matrix, None)
        assert view.points_px[view.imaged] == pytest.approx(theirs[view.imaged, 0] + 0.5, rel=1e-9, abs=1e-6)
        assert view.depth_m == pytest.approx((points @ pose[:3, :3].T + pose[:3, 3])[:, 2])
        assert (view.imaged == (view.depth_m >= camera.near_m)).all()

    @settings(max_examples=40, deadline=None)
    @given(seeds)
    def test_unprojection_undoes_it(self, seed: int) -> None:
        camera = random_camera(seed)
        pixels = np.random.default_rng(seed).uniform(0, [640, 480], size=(30, 2))
        depth = np.random.default_rng(seed + 1).uniform(0.1, 10, size=30)
        view = camera.project(camera.unproject(pixels, depth))
        assert view.points_px == pytest.approx(pixels, abs=1e-8)
        assert view.depth_m == pytest.approx(depth)
        assert view.in_picture.all()

    def test_the_picture_is_half_open(self) -> None:
        camera = a_camera()
        corners = camera.unproject([[0, 0], [99.999, 79.999], [100, 40], [50, 80], [-0.001, 40]], 2.0)
        assert camera.project(corners).in_picture.tolist() == [True, True, False, False, False]
        assert camera.project(corners).imaged.all()

    @pytest.mark.parametrize(("depth", "imaged"), [(-1, False), (0, False), (0.0099, False), (0.01, True), (6, False)])
    def test_near_and_far(self, depth: float, imaged: bool) -> None:
        view = a_camera(far_m=5.0).project([[0, 0, depth]])
        assert view.imaged.tolist() == [imaged]
        assert np.isnan(view.points_px).any() != imaged

    def test_pixel_centres(self) -> None:
        camera = a_camera(width=3, height=2)
        assert camera.pixel_centres().tolist() == [
            [0.5, 0.5],
            [1.5, 0.5],
            [2.5, 0.5],
            [0.5, 1.5],
            [1.5, 1.5],
            [2.5, 1.5],
        ]

    def test_no_points(self) -> None:
        view = a_camera().project(np.zeros((0, 3)))
        assert view.points_px.shape == (0, 2)

    def test_not_finite_points_are_not_imaged(self) -> None:
        view = a_camera().project([[math.nan, 0, 1], [0, math.inf, 1], [0, 0, math.inf]])
        assert not view.imaged.any()

    def test_a_depth_map(self) -> None:
        camera = a_camera(width=4, height=3, cx=2, cy=1.5)
        depth = np.full((3, 4), 2.0, dtype=np.float32)
        depth[1, 2] = math.nan
        depth[0, 0] = 0
        points = camera.unproject_depth(depth)
        assert points.shape == (3, 4, 3)
        assert np.isnan(points).any(axis=2).sum() == 2
        assert points[0, 1] == pytest.approx([(1.5 - 2) / 100 * 2, (0.5 - 1.5) / 90 * 2, 2])

    def test_directions_are_unit_vectors_through_the_pixels(self) -> None:
        camera = a_camera()
        pixels = [[3.0, 70.0], [50.0, 40.0]]
        rays = camera.directions_in_camera(pixels)
        assert np.linalg.norm(rays, axis=1) == pytest.approx([1, 1])
        assert camera.project(rays * 7).points_px == pytest.approx(np.array(pixels))


class TestConventions:
    """A camera at (1, 2, 5) that looks along -z with +y up: asymmetric, so that a wrong reading shows."""

    pose = ((1, 0, 0, 1), (0, -1, 0, 2), (0, 0, -1, 5), (0, 0, 0, 1))

    def test_the_right_reading(self) -> None:
        camera = a_camera(height=100, fy=100, cy=50, world_from_camera=self.pose)
        view = camera.project([(1, 2, 0), (1, 3, 0)])
        assert view.points_px.tolist() == [[50, 50], [50, 30]]
        assert view.depth_m.tolist() == [5, 5]

    def test_the_inverse_reading_is_seen_to_be_wrong(self) -> None:
        camera = a_camera(height=100, fy=100, cy=50, world_from_camera=np.linalg.inv(np.array(self.pose)))
        assert camera.project([(1, 2, 0)]).points_px.tolist() == [[90, 50]]

    def test_all_points_behind_all_cameras(self) -> None:
        camera = a_camera(world_from_camera=np.eye(4))
        assert "behind all cameras: convention wrong?" in str(why_nothing_is_seen([camera], [[0, 0, -1.0], [1, 0, -2]]))
        assert "no camera sees any" in str(why_nothing_is_seen([camera], [[0, 0, -1.0], [1000, 0, 2]]))
        assert why_nothing_is_seen([camera, camera], [[0, 0, -1.0], [0, 0, 1]]) is None
        assert why_nothing_is_seen([], [[0, 0, 1.0]]) is None
        assert why_nothing_is_seen([camera], np.zeros((0, 3))) is None


class TestOtherPictures:
    @settings(max_examples=20, deadline=None)
    @given(seeds)
    def test_resizing_and_cropping_keep_the_view(self, seed: int) -> None:
        camera = random_camera(seed)
        points = camera.unproject([[10.0, 20.0], [600.0, 400.0]], 3.0)
        assert camera.resized(320, 960).project(points).points_px == pytest.approx(np.array([[5, 40], [300, 800]]))
        assert camera.cropped(5, 7, 100, 100).project(points).points_px == pytest.approx(
            np.array([[5, 13], [595, 393]])
        )

    def test_a_new_pose(self) -> None:
        pose = look_at((3, 0, 1), (0, 0, 0))
        camera = a_camera(near_m=0.5).with_pose(pose)
        assert camera.near_m == 0.5
        assert camera.project([(0, 0, 0)]).points_px.tolist() == [pytest.approx([50, 40])]

    def test_frustum_corners(self) -> None:
        corners = a_camera().frustum_corners(2.0)
        assert corners[0] == pytest.approx([-1, -40 / 90 * 2, 2])
        assert corners[2] == pytest.approx([1, 40 / 90 * 2, 2])

    def test_a_fisheye_may_not_reach_its_corners(self) -> None:
        camera = a_camera(model="fisheye", distortion=(-0.235, 0, 0, 0), fx=30, fy=30)
        assert np.isnan(camera.frustum_corners(2.0)).all()

    def test_from_a_matrix(self) -> None:
        camera = Camera.from_K(
            [[100, 0, 50], [0, 90, 40], [0, 0, 1]], width=100, height=80, world_from_camera=np.eye(4)
        )
        assert camera == a_camera()
        shifted = Camera.from_K(
            [[100, 0, 49.5], [0, 90, 39.5], [0, 0, 1]],
            width=100,
            height=80,
            world_from_camera=np.eye(4),
            pixel_centre=0,
        )
        assert shifted == a_camera()
        with pytest.raises(BenchDataError, match="pixel_centre must be 0 or 0.5"):
            Camera.from_K(a_camera().K, width=4, height=4, world_from_camera=np.eye(4), pixel_centre=1)
        for wrong in (np.eye(4), [[1, 2, 3], [0, 1, 1], [0, 0, 1]], [[1, 0, 3], [0, 1, 1], [0, 0, 2]]):
            with pytest.raises(BenchDataError, match="K must"):
                Camera.from_K(wrong, width=4, height=4, world_from_camera=np.eye(4))


class TestValue:
    def test_equality_and_hash(self) -> None:
        assert a_camera() == a_camera()
        assert hash(a_camera()) == hash(a_camera())
        for change in (
            {"fx": 101},
            {"near_m": 0.02},
            {"model": "fisheye"},
            {"world_from_camera": look_at((1, 0, 0), (0, 0, 0))},
        ):
            assert a_camera() != a_camera(**change)
        assert a_camera() != "camera"

    def test_it_cannot_be_changed(self) -> None:
        pose = np.eye(4)
        camera = a_camera(world_from_camera=pose)
        pose[0, 3] = 7
        assert camera.world_from_camera[0, 3] == 0
        for array in (camera.world_from_camera, camera.camera_from_world, camera.K, camera.centre_m):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
        with pytest.raises(FrozenInstanceError):
            camera.fx = 3  # type: ignore[misc]

    def test_the_inverse_pose(self) -> None:
        camera = random_camera(3)
        assert camera.camera_from_world @ camera.world_from_camera == pytest.approx(np.eye(4), abs=1e-14)


SHEAR = np.eye(4)
SHEAR[0, 1] = 0.1
TRANSPOSED = np.eye(4)
TRANSPOSED[3, :3] = (1, 2, 3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 0}, "width must be a whole number"),
        ({"height": -3}, "height"),
        ({"width": 10.5}, "width"),
        ({"width": True}, "width"),
        ({"fx": 0}, "fx must be finite and positive"),
        ({"fy": -100}, "fy"),
        ({"fx": math.inf}, "fx"),
        ({"cx": math.nan}, "cx"),
        ({"cx": "50"}, "cx must be a number"),
        ({"near_m": 0}, "near_m"),
        ({"near_m": 2, "far_m": 1}, "far_m"),
        ({"max_theta_rad": 0}, "max_theta_rad"),
        ({"model": "ortho"}, "pinhole"),
        ({"distortion": (0.1, 0, 0, 0)}, "a pinhole has no distortion"),
        ({"distortion": (0, 0, 0)}, "four finite numbers"),
        ({"distortion": (0, 0, 0, math.nan)}, "four finite numbers"),
        ({"distortion": None}, "four finite numbers"),
        ({"world_from_camera": np.eye(3)}, r"shape \(4, 4\)"),
        ({"world_from_camera": np.eye(4)[:3]}, "append the row 0 0 0 1"),
        ({"world_from_camera": np.diag([1, 1, -1, 1])}, r"left-handed \(det −1\)"),
        ({"world_from_camera": np.diag([2, 2, 2, 1])}, "scales by 2"),
        ({"world_from_camera": SHEAR}, "not orthonormal"),
        ({"world_from_camera": TRANSPOSED}, "it looks transposed"),
        ({"world_from_camera": np.eye(4) * 2}, "last row"),
        ({"world_from_camera": np.full((4, 4), math.nan)}, "not finite"),
        ({"world_from_camera": "eye"}, "numbers"),
        ({"world_from_camera": None}, "pose|world_from_camera"),
    ],
)
def test_what_is_no_camera(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        a_camera(**changes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.project([1, 2, 3]), r"points_world must have shape \(N, 3\)"),
        (lambda c: c.project([[1, 2]]), "points_world"),
        (lambda c: c.project("points"), "points_world"),
        (lambda c: c.unproject([[1, 2, 3]], 1.0), "points_px"),
        (lambda c: c.unproject([[1, 2], [3, 4]], [1.0, 2.0, 3.0]), "depth_m"),
        (lambda c: c.unproject_depth(np.ones((100, 80))), r"\(80, 100\)"),
        (lambda c: c.resized(0, 5), "width"),
        (lambda c: c.cropped(0, 0, 5, 0), "height"),
    ],
)
def test_wrong_arguments(call: Any, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        call(a_camera())


def test_float32_poses_are_cleaned() -> None:
    pose = random_camera(5).world_from_camera
    camera = a_camera(world_from_camera=pose.astype(np.float32))
    R = camera.world_from_camera[:3, :3]
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-14
    assert camera.world_from_camera == pytest.approx(pose, abs=1e-6)
