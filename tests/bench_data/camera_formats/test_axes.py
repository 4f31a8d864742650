"""Every convention into every other, on a pose without symmetry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_formats import Z_UP_FROM_Y_DOWN, Z_UP_FROM_Y_UP, pose_as, pose_from
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError

OPENGL_AT_1_2_5 = [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 5], [0, 0, 0, 1]]
CONVENTIONS = [(axes, maps) for axes in ("opencv", "opengl") for maps in ("world_from_camera", "camera_from_world")]


def camera(pose: np.ndarray) -> Camera:
    return Camera(width=100, height=100, fx=100, fy=100, cx=50, cy=50, world_from_camera=pose)


def test_an_opengl_camera_that_looks_along_minus_z() -> None:
    view = camera(pose_from(OPENGL_AT_1_2_5, axes="opengl", maps="world_from_camera")).project([(1, 2, 0), (1, 3, 0)])
    assert view.points_px.tolist() == [[50, 50], [50, 30]]
    assert view.depth_m.tolist() == [5, 5]


def test_a_wrong_reading_is_another_picture() -> None:
    """With world and camera exchanged, or the axes, the point is elsewhere or behind."""
    point = [(1, 2, 0)]
    right = pose_from(OPENGL_AT_1_2_5, axes="opengl", maps="world_from_camera")
    as_inverse = pose_from(right, axes="opencv", maps="camera_from_world")
    assert camera(as_inverse).project(point).points_px.tolist() == [[90, 50]]
    as_opencv = pose_from(OPENGL_AT_1_2_5, axes="opencv", maps="world_from_camera")
    assert camera(as_opencv).project(point).depth_m.tolist() == [-5]


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from(CONVENTIONS))
def test_there_and_back(seed: int, convention: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    axes, maps = convention
    assert pose_from(pose_as(pose, axes=axes, maps=maps), axes=axes, maps=maps) == pytest.approx(pose, abs=1e-14)


def test_the_definition_of_each() -> None:
    """What a camera's own axes are in the world, for a camera at (1, 2, 3) that looks along +y with +z up."""
    right, up, ahead = np.array([1, 0, 0]), np.array([0, 0, 1]), np.array([0, 1, 0])
    ours = np.eye(4)
    ours[:3, :3], ours[:3, 3] = np.stack([right, -up, ahead], axis=1), (1, 2, 3)
    opengl = pose_as(ours, axes="opengl", maps="world_from_camera")
    assert opengl[:3, :3].T.tolist() == [right.tolist(), up.tolist(), (-ahead).tolist()]
    inverse = pose_as(ours, axes="opencv", maps="camera_from_world")
    assert inverse @ [1, 2, 3, 1] == pytest.approx([0, 0, 0, 1])
    assert inverse @ [1, 7, 3, 1] == pytest.approx([0, 0, 5, 1])  # five ahead
    inverse_opengl = pose_as(ours, axes="opengl", maps="camera_from_world")
    assert inverse_opengl @ [1, 7, 4, 1] == pytest.approx([0, 1, -5, 1])


@pytest.mark.parametrize(("turn", "up"), [(Z_UP_FROM_Y_DOWN, (0, -1, 0)), (Z_UP_FROM_Y_UP, (0, 1, 0))])
def test_worlds_with_z_up(turn: np.ndarray, up: tuple[int, int, int]) -> None:
    assert (turn[:3, :3] @ up).tolist() == [0, 0, 1]
    assert np.linalg.det(turn) == pytest.approx(1)
    assert (turn[:3, :3] @ [1, 0, 0]).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("matrix", "axes", "maps", "message"),
    [
        (np.eye(4), "blender", "world_from_camera", "axes must be one of opencv, opengl"),
        (np.eye(4), "opencv", "c2w", "world_from_camera or camera_from_world"),
        (np.eye(3), "opencv", "world_from_camera", r"\(4, 4\)"),
        (np.diag([1, 1, -1, 1]), "opencv", "world_from_camera", "left-handed"),
        ("pose", "opencv", "world_from_camera", "numbers"),
    ],
)
def test_wrong_arguments(matrix: Any, axes: Any, maps: Any, message: str) -> None:
    for convert in (pose_from, pose_as):
        with pytest.raises(BenchDataError, match=message):
            convert(matrix, axes=axes, maps=maps)
