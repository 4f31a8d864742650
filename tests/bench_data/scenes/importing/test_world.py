"""Changes of the world: cameras, clouds, boxes and points go along together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.scenes.importing import WorldChange
from seeworthy.bench_data.scenes.importing.world import direction_of, up_of_cameras, z_up_rotation
from seeworthy.bench_data.splats import cloud_from_points
from tests.bench_data.scenes.importing.places import cameras

Seed = st.integers(0, 2**31)


def a_change(seed: int) -> WorldChange:
    rng = np.random.default_rng(seed)
    return WorldChange(Rotation.random(random_state=seed).as_matrix(), float(rng.uniform(0.1, 10)), rng.normal(size=3))


@given(seed=Seed)
@settings(deadline=None, max_examples=50)
def test_a_camera_sees_the_same_picture_after_the_change(seed: int) -> None:
    rng, change = np.random.default_rng(seed), a_change(seed)
    camera, points = cameras(1)[0], rng.uniform(-2, 3, (20, 3))
    before, after = camera.project(points), change.camera(camera).project(change.points(points))
    np.testing.assert_array_equal(before.imaged, after.imaged)
    np.testing.assert_allclose(after.points_px, before.points_px, atol=1e-6)
    np.testing.assert_allclose(after.depth_m, change.scale * before.depth_m, atol=1e-9)


@given(seed=Seed)
@settings(deadline=None, max_examples=50)
def test_boxes_and_clouds_go_along(seed: int) -> None:
    rng, change = np.random.default_rng(seed), a_change(seed)
    box = OrientedBox(rng.normal(size=3), rng.uniform(0.1, 2, 3), Rotation.random(random_state=seed + 1).as_matrix())
    points = rng.normal(size=(30, 3))
    np.testing.assert_array_equal(change.box(box).contains(change.points(points)), box.contains(points))
    np.testing.assert_allclose(change.box(box).corners_m, change.points(box.corners_m), atol=1e-9)
    cloud = cloud_from_points(points, np.full((30, 3), 0.5))
    np.testing.assert_allclose(change.cloud(cloud).means, change.points(points), atol=1e-4)


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_up_is_turned_to_z_by_the_shortest_way(up: tuple[float, float, float]) -> None:
    R, unit = z_up_rotation(up), np.array(up) / np.linalg.norm(up)
    np.testing.assert_allclose(R @ unit, [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(R) == pytest.approx(1)
    angle = np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))
    assert angle == pytest.approx(np.arccos(np.clip(unit[2], -1, 1)), abs=1e-3)


@given(seed=Seed, count=st.integers(1, 12))
@settings(deadline=None, max_examples=50)
def test_up_is_found_for_cameras_without_roll(seed: int, count: int) -> None:
    """However they are tilted, as long as they look different ways; a single one must be level."""
    rng, turn = np.random.default_rng(seed), Rotation.random(random_state=seed).as_matrix()
    found = []
    for _ in range(count):
        centre = rng.uniform(-3, 3, 3)
        away = np.append(rng.normal(size=2), 0 if count == 1 else rng.uniform(-0.6, 0.3))
        away[:2] /= np.linalg.norm(away[:2])
        pose = np.array(look_at(centre, centre + away))
        pose[:3] = turn @ pose[:3]
        found.append(cameras(1)[0].with_pose(pose))
    directions = np.stack([one.world_from_camera[:3, 0] for one in found])
    if count > 1 and np.linalg.eigvalsh(directions.T @ directions / count)[1] < 0.03:
        return
    np.testing.assert_allclose(up_of_cameras(found), turn @ [0, 0, 1], atol=1e-6)


def test_the_axes_by_name() -> None:
    assert direction_of("-y", []).tolist() == [0, -1, 0]
    assert direction_of("z", []).tolist() == [0, 0, 1]
    with pytest.raises(BenchDataError, match="must be one of"):
        direction_of("up", [])  # type: ignore[arg-type]
    with pytest.raises(BenchDataError, match="no cameras"):
        direction_of("cameras", [])


def test_cameras_that_disagree_do_not_tell() -> None:
    camera = cameras(1)[0]
    upside_down = camera.world_from_camera @ np.diag([-1.0, -1.0, 1.0, 1.0])
    with pytest.raises(BenchDataError, match="do not agree"):
        up_of_cameras([camera, camera.with_pose(upside_down)])


@pytest.mark.parametrize("bad", [[0, 0, 0], [np.nan, 0, 1], [1, 2]])
def test_no_direction(bad: list[float]) -> None:
    with pytest.raises(BenchDataError):
        z_up_rotation(bad)


def test_no_change() -> None:
    with pytest.raises(BenchDataError, match="above 0"):
        WorldChange(scale=0)
    with pytest.raises(BenchDataError):
        WorldChange(np.diag([1.0, 1.0, -1.0]))


def test_a_camera_keeps_its_limits_in_metres() -> None:
    camera = Camera(width=4, height=4, fx=4, fy=4, cx=2, cy=2, world_from_camera=np.eye(4), near_m=0.5, far_m=10)
    changed = WorldChange(scale=2).camera(camera)
    assert (changed.near_m, changed.far_m) == (1, 20)
