import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics.geometry import pairwise_pose_errors, pose_auc, relative_to_first

from ..golden import arrays, numbers
from .trajectories import disturbed, in_another_world, wandering

GOLDEN, POSES = numbers("spatialbench_trajectories"), arrays("spatialbench_trajectories")


def angle_deg(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1))))


def by_inverses(predicted: NDArray[np.float64], truth: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """The definition, pair by pair, with 4x4 inverses."""
    rotation, translation = [], []
    for i in range(len(truth)):
        for j in range(i + 1, len(truth)):
            true_motion = np.linalg.inv(truth[i]) @ truth[j]
            motion = np.linalg.inv(predicted[i]) @ predicted[j]
            between = Rotation.from_matrix(true_motion[:3, :3].T @ motion[:3, :3])
            rotation.append(float(np.degrees(between.magnitude())))
            translation.append(angle_deg(true_motion[:3, 3], motion[:3, 3]))
    return rotation, translation


@given(st.integers(0, 10_000), st.floats(0.1, 60))
def test_agrees_with_the_definition(seed: int, turn_deg: float) -> None:
    truth = wandering(5, seed)
    predicted = in_another_world(disturbed(truth, seed + 1, turn_deg=turn_deg, step_m=0.3), seed + 2, scale=3)
    rotation, translation = by_inverses(predicted, truth)
    errors = pairwise_pose_errors(predicted, truth, signed_translation=True)
    assert errors.rotation_deg == pytest.approx(rotation, abs=1e-6)
    assert errors.translation_deg == pytest.approx(translation, abs=1e-4)
    folded = [min(angle, 180 - angle) for angle in translation]
    assert pairwise_pose_errors(predicted, truth).translation_deg == pytest.approx(folded, abs=1e-4)


@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_an_exact_prediction_is_exact_in_any_world_and_scale(seed: int, scale: float) -> None:
    truth = wandering(6, seed)
    errors = pairwise_pose_errors(in_another_world(truth, seed + 1, scale=scale), truth)
    assert errors.combined_deg.max() < 1e-6
    assert errors.rotation_accuracy(0.001) == errors.translation_accuracy(0.001) == 1.0


@pytest.mark.parametrize("rule", ["c2w", "w2c_raw", "w2c_both_first", "w2c_gt_first_only"])
@pytest.mark.parametrize("case", GOLDEN)
def test_golden_pairs(case: str, rule: str) -> None:
    predicted, truth, expected = POSES[f"{case}__pred"], POSES[f"{case}__gt"], GOLDEN[case]["pairwise"][rule]
    frames = {"c2w": "camera", "w2c_raw": "world", "w2c_both_first": "first_camera", "w2c_gt_first_only": "world"}
    if rule == "w2c_gt_first_only":
        truth = relative_to_first(truth)
    errors = pairwise_pose_errors(predicted, truth, frame=frames[rule])  # type: ignore[arg-type]
    for threshold in (3, 5):
        assert errors.rotation_accuracy(threshold) == pytest.approx(expected[f"racc_{threshold}"], abs=1e-9)
        assert errors.translation_accuracy(threshold) == pytest.approx(expected[f"tacc_{threshold}"], abs=1e-9)
    for threshold in (3, 5, 15, 30):
        area = pose_auc(errors.combined_deg, threshold, method="histogram")
        assert area == pytest.approx(expected[f"auc_{threshold}"], abs=1e-9)
        assert area - 1 / threshold <= pose_auc(errors.combined_deg, threshold) <= area


def test_the_world_frame_rule_fails_an_exact_prediction() -> None:
    truth = wandering(8, seed=0)
    moved = in_another_world(truth, seed=1)
    assert pose_auc(pairwise_pose_errors(moved, truth, frame="world").combined_deg, 30) < 0.5
    assert pose_auc(pairwise_pose_errors(moved, truth, frame="first_camera").combined_deg, 30) == pytest.approx(1)


def test_a_trajectory_that_runs_backwards_is_an_error_only_with_signs() -> None:
    truth = wandering(6, seed=0)
    backwards = truth.copy()
    backwards[:, :3, 3] *= -1
    assert pairwise_pose_errors(backwards, truth).translation_deg.max() < 1e-6
    assert pairwise_pose_errors(backwards, truth, signed_translation=True).translation_deg.min() > 180 - 1e-6


def test_true_cameras_in_one_spot_have_no_direction() -> None:
    truth = wandering(4, seed=0)
    truth[1, :3, 3] = truth[0, :3, 3]
    errors = pairwise_pose_errors(disturbed(truth, 1, turn_deg=1, step_m=0), truth)
    assert errors.degenerate.tolist() == [True, False, False, False, False, False]
    assert np.isnan(errors.translation_deg[0])
    assert errors.combined_deg[0] == errors.rotation_deg[0]
    assert errors.translation_accuracy(5) == np.mean(errors.translation_deg[1:] < 5)
    still = np.tile(np.eye(4), (3, 1, 1))
    assert pairwise_pose_errors(wandering(3, 0), still).translation_accuracy(5) is None


def test_a_prediction_without_motion_misses_every_direction() -> None:
    truth = wandering(4, seed=0)
    still = truth.copy()
    still[:, :3, 3] = 1.0
    assert pairwise_pose_errors(still, truth).translation_deg.tolist() == [90.0] * 6


@pytest.mark.parametrize("frame", ["camera", "world"])
def test_a_failed_frame_fails_its_pairs_and_no_other(frame: str) -> None:
    truth = wandering(4, seed=0)
    lost = truth.copy()
    lost[1] = np.nan
    errors = pairwise_pose_errors(lost, truth, frame=frame)  # type: ignore[arg-type]
    assert np.isinf(errors.rotation_deg).tolist() == [True, False, False, True, True, False]
    assert np.isinf(errors.combined_deg).tolist() == [True, False, False, True, True, False]
    assert errors.rotation_accuracy(5) == errors.translation_accuracy(5) == 0.5
    assert pose_auc(errors.combined_deg, 30) == pytest.approx(0.5)
    assert (errors.n_poses, errors.n_valid) == (4, 3)


def test_without_its_first_camera_a_prediction_has_no_frame() -> None:
    truth = wandering(4, seed=0)
    lost = truth.copy()
    lost[0] = np.nan
    assert np.isinf(pairwise_pose_errors(lost, truth, frame="first_camera").rotation_deg).all()


@pytest.mark.parametrize(
    ("predicted", "truth", "frame"),
    [
        (wandering(1, 0), wandering(1, 0), "camera"),
        (wandering(3, 0), wandering(2, 0), "camera"),
        (wandering(3, 0), wandering(3, 0), "ego"),
        (wandering(3, 0) @ np.diag([1.0, 1, -1, 1]), wandering(3, 0), "camera"),
    ],
)
def test_broken_input_is_refused(predicted: NDArray[np.float64], truth: NDArray[np.float64], frame: str) -> None:
    with pytest.raises(DiagnosticsError):
        pairwise_pose_errors(predicted, truth, frame=frame)  # type: ignore[arg-type]
