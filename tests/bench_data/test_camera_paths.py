"""Poses to look from and ways between them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at, orbit, pose_between, pose_path
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.rotations import angle_between_rad, quat_from_matrix


def pose(rotation: Rotation, centre: tuple[float, float, float]) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation.as_matrix()
    matrix[:3, 3] = centre
    return matrix


START = pose(Rotation.from_euler("z", 0.2), (1, 2, 3))
END = pose(Rotation.from_euler("zx", [0.9, 0.4]), (3, 2, -1))

far = st.floats(-10, 10)


class TestLookAt:
    @given(st.tuples(far, far, far), st.tuples(far, far, far))
    def test_the_target_is_ahead_and_up_is_up(
        self, centre: tuple[float, float, float], target: tuple[float, float, float]
    ) -> None:
        forward = np.subtract(target, centre)
        if np.hypot(forward[0], forward[1]) < 1e-3 * (1 + abs(forward[2])):
            return
        matrix = look_at(centre, target)
        right, down, ahead = matrix[:3, :3].T
        assert ahead == pytest.approx(forward / np.linalg.norm(forward), abs=1e-12)
        assert right[2] == pytest.approx(0, abs=1e-12)  # the horizon is level
        assert down[2] < 0
        assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1)
        assert matrix[:3, 3].tolist() == list(centre)

    @pytest.mark.parametrize(
        "arguments",
        [((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 5)), ((0, 0, 0), (0, 0, -5)), ((math.nan, 0, 0), (1, 0, 0))],
    )
    def test_no_direction(self, arguments: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
        with pytest.raises(BenchDataError, match="choose another up"):
            look_at(*arguments)

    def test_another_up(self) -> None:
        assert look_at((0, 0, 0), (0, 0, 5), up=(0, -1, 0)) == pytest.approx(np.eye(4))


class TestPath:
    def test_the_ends_are_exact(self) -> None:
        path = pose_path(np.stack([START, END]), count=80)
        assert path.shape == (80, 4, 4)
        assert np.array_equal(path[0], START)
        assert np.array_equal(path[-1], END)

    def test_the_centre_moves_on_a_line_at_constant_speed(self) -> None:
        centres = pose_path(np.stack([START, END]), count=11)[:, :3, 3]
        assert centres == pytest.approx(np.linspace(START[:3, 3], END[:3, 3], 11))

    def test_the_orientation_turns_at_constant_speed(self) -> None:
        path = pose_path(np.stack([START, END]), count=11)
        steps = [
            float(angle_between_rad(quat_from_matrix(a[:3, :3]), quat_from_matrix(b[:3, :3])))
            for a, b in pairwise(path)
        ]
        whole = float(angle_between_rad(quat_from_matrix(START[:3, :3]), quat_from_matrix(END[:3, :3])))
        assert steps == pytest.approx([whole / 10] * 10)

    def test_it_is_not_the_line_between_world_to_camera_translations(self) -> None:
        middle = np.linalg.inv(pose_between(START, END, 0.5))[:3, 3]
        line = (np.linalg.inv(START)[:3, 3] + np.linalg.inv(END)[:3, 3]) / 2
        assert np.linalg.norm(middle - line) > 0.05

    @settings(max_examples=30)
    @given(st.floats(0, 1))
    def test_every_pose_is_rigid(self, t: float) -> None:
        R = pose_between(START, END, t)[:3, :3]
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-12

    def test_several_keyframes(self) -> None:
        keys = np.stack([START, END, START])
        path = pose_path(keys, times=[0, 0.5, 1, 1.5, 2])
        assert np.array_equal(path[2], END)
        assert path[1] == pytest.approx(path[3])
        assert np.array_equal(path[4], START)

    def test_one_keyframe(self) -> None:
        assert np.array_equal(pose_path(START[None], count=3), np.stack([START] * 3))
        assert np.array_equal(pose_path(np.stack([START, END]), count=1), START[None])

    @pytest.mark.parametrize(
        ("keys", "options", "message"),
        [
            (START, {"count": 3}, "shape"),
            (np.zeros((0, 4, 4)), {"count": 3}, "k >= 1"),
            (START[None] * 2, {"count": 3}, "keyframe 0"),
            (START[None], {}, "either"),
            (START[None], {"count": 2, "times": [0]}, "either"),
            (START[None], {"count": 0}, "at least 1"),
            (START[None], {"times": [0.1]}, "0 .. 0"),
            (START[None], {"times": [math.nan]}, "times"),
            (START[None], {"times": 0.0}, "times"),
        ],
    )
    def test_wrong_arguments(self, keys: np.ndarray, options: dict[str, object], message: str) -> None:
        with pytest.raises(BenchDataError, match=message):
            pose_path(keys, **options)  # type: ignore[arg-type]


def test_an_orbit_looks_at_its_middle() -> None:
    poses = orbit((1, 2, 0.5), radius_m=3, elevation_rad=0.3, count=7)
    centres = poses[:, :3, 3]
    assert np.linalg.norm(centres - [1, 2, 0.5], axis=1) == pytest.approx([3] * 7)
    assert centres[:, 2] == pytest.approx([0.5 + 3 * math.sin(0.3)] * 7)
    assert centres + 3 * poses[:, :3, 2] == pytest.approx(np.tile([1, 2, 0.5], (7, 1)))
    for wrong in ({"radius_m": 0}, {"radius_m": 1, "elevation_rad": 1.6}, {"radius_m": 1, "count": 0}):
        with pytest.raises(BenchDataError, match="orbit"):
            orbit((0, 0, 0), **wrong)  # type: ignore[arg-type]
