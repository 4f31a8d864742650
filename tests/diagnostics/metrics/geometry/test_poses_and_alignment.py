import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics.geometry import fit_similarity, relative_to_first, rotation_angle_deg
from seeworthy.diagnostics.metrics.geometry.poses import checked_poses

from .trajectories import wandering


@given(st.integers(0, 10_000))
def test_angles_agree_with_scipy(seed: int) -> None:
    rotation = Rotation.random(5, rng=np.random.default_rng(seed))
    assert rotation_angle_deg(rotation.as_matrix()) == pytest.approx(np.degrees(rotation.magnitude()), abs=1e-9)


@pytest.mark.parametrize("angle_deg", [0.0, 1e-9, 1e-6, 1.0, 179.999999, 180.0])
def test_angles_keep_their_digits_at_both_ends(angle_deg: float) -> None:
    matrix = Rotation.from_rotvec(np.radians(angle_deg) * np.array([0.6, 0.0, 0.8])).as_matrix()
    assert float(rotation_angle_deg(matrix)) == pytest.approx(angle_deg, rel=1e-6, abs=1e-12)


def test_a_quaternion_and_its_negative_are_one_pose() -> None:
    quaternion = np.array([0.1, 0.2, 0.3, 0.9])
    one, other = Rotation.from_quat(quaternion).as_matrix(), Rotation.from_quat(-quaternion).as_matrix()
    assert float(rotation_angle_deg(one.T @ other)) == pytest.approx(0.0, abs=1e-9)


def test_relative_to_first_agrees_with_matrix_inverses() -> None:
    poses = wandering(6, seed=1)
    expected = np.linalg.inv(poses[0]) @ poses
    assert relative_to_first(poses) == pytest.approx(expected[:, :3], abs=1e-12)
    assert relative_to_first(poses[:, :3]) == pytest.approx(expected[:, :3], abs=1e-12)


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        (np.diag([1.0, 1.0, -1.0, 1.0])[None], "left-handed"),
        (np.diag([2.0, 2.0, 2.0, 1.0])[None], "no rotation"),
        (np.eye(3)[None], "shape"),
        (np.zeros((0, 4, 4)), "shape"),
        (np.full((1, 3, 4), np.nan), "not finite"),
        (np.array([[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]]]), "transposed"),
    ],
)
def test_what_is_no_pose_is_refused(poses: np.ndarray, message: str) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        checked_poses(poses, name="true", may_fail=False)


def test_half_precision_rotations_are_accepted() -> None:
    poses = wandering(20, seed=3)[:, :3].astype(np.float16)
    assert len(checked_poses(poses, name="predicted", may_fail=True)) == 20


@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_a_similarity_is_found_again(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    points, turn, shift = rng.normal(size=(8, 3)), Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    found = fit_similarity(points, scale * points @ turn.T + shift)
    assert found.scale == pytest.approx(scale, rel=1e-9)
    assert found.rotation == pytest.approx(turn, abs=1e-9)
    assert found.translation_m == pytest.approx(shift, abs=1e-9)


@given(st.integers(0, 10_000))
def test_the_rotation_agrees_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target = rng.normal(size=(12, 3)), rng.normal(size=(12, 3))
    expected, _ = Rotation.align_vectors(target - target.mean(axis=0), source - source.mean(axis=0))
    found = fit_similarity(source, target, with_scale=False)
    assert found.rotation == pytest.approx(expected.as_matrix(), abs=1e-6)


@given(st.integers(0, 10_000))
def test_no_similarity_nearby_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target = rng.normal(size=(9, 3)), rng.normal(size=(9, 3))
    found = fit_similarity(source, target)
    best = np.sum((found.apply(source) - target) ** 2)
    for _ in range(5):
        turn = Rotation.from_rotvec(0.05 * rng.normal(size=3)).as_matrix() @ found.rotation
        scale = found.scale * (1 + 0.05 * rng.normal())
        other = scale * source @ turn.T
        other += target.mean(axis=0) - other.mean(axis=0)
        assert np.sum((other - target) ** 2) >= best - 1e-9


def test_a_mirror_image_is_not_absorbed() -> None:
    points = np.random.default_rng(0).normal(size=(10, 3))
    found = fit_similarity(points, points * np.array([-1, 1, 1]))
    assert np.linalg.det(found.rotation) == pytest.approx(1.0)
    assert np.abs(found.apply(points) - points * np.array([-1, 1, 1])).max() > 0.1


@pytest.mark.parametrize(
    ("source", "target"),
    [(np.zeros((3, 3)), np.zeros((4, 3))), (np.zeros((0, 3)), np.zeros((0, 3))), (np.full((3, 3), np.nan),) * 2],
)
def test_alignment_refuses_broken_input(source: np.ndarray, target: np.ndarray) -> None:
    with pytest.raises(DiagnosticsError):
        fit_similarity(source, target)
