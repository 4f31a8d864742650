"""Cameras for a scene of which nothing is known, and cameras in files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.camera_formats import Z_UP_FROM_Y_DOWN
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render.camera_file import camera_as_json, read_camera
from seeworthy.bench_data.render.views import orbit_views, overview
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, blob, fisheye, furnished_room


@settings(max_examples=25, deadline=None)
@given(
    azimuth=st.floats(-4, 4),
    elevation=st.floats(-1.4, 1.4),
    fov=st.floats(0.2, 1.8),
    width=st.integers(16, 400),
    height=st.integers(16, 400),
)
def test_an_overview_has_nearly_everything_in_it_and_fills_the_picture(
    azimuth: float, elevation: float, fov: float, width: int, height: int
) -> None:
    cloud = furnished_room(1500)
    camera = overview(cloud, width=width, height=height, fov_rad=fov, azimuth_rad=azimuth, elevation_rad=elevation)
    seen = camera.project(cloud.means)
    assert seen.in_picture.mean() > 0.96
    points = seen.points_px[seen.in_picture]
    used = np.ptp(points, axis=0) / [width, height]
    assert used.max() > 0.7


@pytest.mark.parametrize("turn", [None, Z_UP_FROM_Y_DOWN])
def test_up_is_up_and_an_orbit_goes_round(turn: np.ndarray | None) -> None:
    cloud = furnished_room(1500)
    cameras = orbit_views(cloud, 8, z_up_from_world=turn)
    upright = np.eye(3) if turn is None else turn[:3, :3]
    centres = np.stack([camera.centre_m @ upright.T for camera in cameras])
    assert np.ptp(centres[:, 2]) < 1e-9
    angles = np.unwrap(np.arctan2(*(centres - centres.mean(axis=0)).T[1::-1]))
    assert np.allclose(np.diff(angles), 2 * math.pi / 8)
    for camera in cameras:
        down = upright @ camera.world_from_camera[:3, 1]
        assert down[2] < -0.9
        assert camera.project(cloud.means).in_picture.mean() > 0.96


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: overview(GaussianCloud.empty()), "empty"),
        (lambda: overview(blob((0, 0, 0)), fov_rad=0.0), "fov_rad"),
        (lambda: overview(blob((0, 0, 0)), elevation_rad=1.6), "elevation_rad"),
        (lambda: orbit_views(blob((0, 0, 0)), 0), "at least one"),
        (lambda: overview(blob((0, 0, 0)), z_up_from_world=2 * np.eye(4)), "z_up_from_world"),
    ],
)
def test_views_that_cannot_be(make: object, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        make()  # type: ignore[operator]


def test_a_single_point_and_an_invisible_cloud_can_be_looked_at() -> None:
    assert overview(blob((1, 2, 3))).project([[1.0, 2.0, 3.0]]).in_picture.all()
    assert overview(blob((1, 2, 3), opacity=0.0)).project([[1.0, 2.0, 3.0]]).in_picture.all()


@pytest.mark.parametrize(
    "camera", [a_camera(), fisheye(a_camera()), replace(a_camera(), cx=3.25, near_m=0.5, far_m=50.0)]
)
def test_a_camera_survives_its_file(camera: Camera, tmp_path: Path) -> None:
    (tmp_path / "camera.json").write_text(camera_as_json(camera))
    again = read_camera(tmp_path / "camera.json")
    assert np.array_equal(again.world_from_camera, camera.world_from_camera)
    assert again.max_theta_rad == pytest.approx(camera.max_theta_rad)
    assert replace(again, max_theta_rad=camera.max_theta_rad) == camera


def test_the_short_form_looks_where_it_says(tmp_path: Path) -> None:
    place = tmp_path / "camera.json"
    place.write_text('{"width": 640, "height": 480, "fov_deg": 90, "look_from_m": [1, 1, 1], "look_at_m": [4, 3, 1]}')
    camera = read_camera(place)
    assert camera.fx == camera.fy == pytest.approx(320)
    assert np.allclose(camera.project([[4.0, 3.0, 1.0]]).points_px, [[320, 240]])
    assert camera.project([[4.0, 3.0, 2.0]]).points_px[0, 1] < 240


GOOD = {"width": 64, "height": 48, "fov_deg": 60, "look_from_m": [1, 1, 1], "look_at_m": [4, 3, 1]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0}, "width"),
        ({"width": 64.5}, "width"),
        ({"fov_deg": 180}, "fov_deg"),
        ({"fov_deg": None}, "fov_deg"),
        ({"fx": 50.0}, "either fx"),
        ({"model": "fisheye"}, "fisheye needs fx"),
        ({"model": "ortho"}, "model"),
        ({"look_at_m": None}, "belong together"),
        ({"look_from_m": None, "look_at_m": None}, "either world_from_camera"),
        ({"look_at_m": [1, 1, 1]}, "cannot look"),
        ({"look_at_m": [1, 1]}, "look_at_m"),
        ({"focal": 3}, "focal"),
        ({"distortion": [0.1, 0, 0, 0]}, "distortion"),
        ({"near_m": 5.0, "far_m": 2.0}, "far_m"),
    ],
)
def test_bad_camera_files_are_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    fields = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    (tmp_path / "camera.json").write_text(json.dumps(fields))
    with pytest.raises(BenchDataError, match=message):
        read_camera(tmp_path / "camera.json")


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"width": NaN}', "null"])
def test_files_that_are_no_camera(text: str, tmp_path: Path) -> None:
    (tmp_path / "camera.json").write_text(text)
    with pytest.raises(BenchDataError, match=r"camera\.json"):
        read_camera(tmp_path / "camera.json")
    with pytest.raises(BenchDataError, match="cannot read"):
        read_camera(tmp_path / "nothing.json")
