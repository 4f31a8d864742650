import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics.geometry import TrajectoryErrors, trajectory_errors

from ..golden import arrays, numbers
from .trajectories import disturbed, in_another_world, wandering

GOLDEN, POSES = numbers("spatialbench_trajectories"), arrays("spatialbench_trajectories")


def errors_of(case: str, align: str) -> TrajectoryErrors:
    return trajectory_errors(POSES[f"{case}__pred"], POSES[f"{case}__gt"], align=align)  # type: ignore[arg-type]


@pytest.mark.parametrize("align", ["none", "se3", "sim3"])
@pytest.mark.parametrize("case", GOLDEN)
def test_agrees_with_an_independent_library(case: str, align: str) -> None:
    expected, errors = GOLDEN[case]["evo"][align], errors_of(case, align)
    if "exception" in expected:
        assert errors.status in ("collinear", "prediction_static")
        return
    assert errors.status == "ok"
    assert errors.ate_m == pytest.approx(expected["ape_trans"]["rmse"], abs=1e-9)
    assert errors.ate_median_m == pytest.approx(expected["ape_trans"]["median"], abs=1e-9)
    assert errors.rpe_translation_m == pytest.approx(expected["rpe_trans"]["mean"], abs=1e-9)
    assert errors.rpe_translation_rmse_m == pytest.approx(expected["rpe_trans"]["rmse"], abs=1e-9)
    assert errors.rpe_rotation_deg == pytest.approx(expected["rpe_rot_deg"]["mean"], abs=1e-9)
    assert errors.rpe_rotation_rmse_deg == pytest.approx(expected["rpe_rot_deg"]["rmse"], abs=1e-9)
    if "align" in expected:
        assert errors.alignment is not None
        assert errors.scale == pytest.approx(expected["align"]["s"], abs=1e-9)
        assert errors.alignment.rotation == pytest.approx(np.array(expected["align"]["R"]), abs=1e-9)
        assert errors.alignment.translation_m == pytest.approx(np.array(expected["align"]["t"]), abs=1e-9)


@pytest.mark.parametrize("case", GOLDEN)
def test_agrees_with_the_published_rows(case: str) -> None:
    expected, errors = GOLDEN[case]["trajectory"], errors_of(case, "sim3")
    assert errors.ate_m == pytest.approx(expected["ate"], abs=1e-9)
    assert errors.rpe_translation_m == pytest.approx(expected["rpe_t"], abs=1e-9)
    # Where their library refused, the published fall-back takes an arccosine near 1: 1e-7 of noise.
    assert errors.rpe_rotation_deg == pytest.approx(expected["rpe_r"], abs=1e-6)


@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_sim3_sees_neither_frame_nor_scale(seed: int, scale: float) -> None:
    truth = wandering(12, seed)
    predicted = disturbed(truth, seed + 1, turn_deg=3, step_m=0.05)
    here = trajectory_errors(predicted, truth)
    there = trajectory_errors(in_another_world(predicted, seed + 2, scale=scale), truth)
    assert there.ate_m == pytest.approx(here.ate_m, abs=1e-9)
    assert there.rpe_translation_m == pytest.approx(here.rpe_translation_m, abs=1e-9)
    assert there.rpe_rotation_deg == pytest.approx(here.rpe_rotation_deg, abs=1e-9)
    assert there.scale is not None and here.scale is not None
    assert there.scale * scale == pytest.approx(here.scale, rel=1e-9)


def test_each_alignment_gives_away_no_more_than_it_says() -> None:
    truth = wandering(12, seed=0)
    moved = in_another_world(truth, seed=1)
    assert (trajectory_errors(moved, truth, align="none").ate_m or 0) > 0.1
    assert trajectory_errors(moved, truth, align="se3").ate_m == pytest.approx(0, abs=1e-9)
    scaled = in_another_world(truth, seed=1, scale=2)
    assert (trajectory_errors(scaled, truth, align="se3").ate_m or 0) > 0.1
    assert trajectory_errors(scaled, truth, align="sim3").ate_m == pytest.approx(0, abs=1e-9)


def static(poses: np.ndarray) -> np.ndarray:
    still = poses.copy()
    still[:, :3, 3] = [3.0, -2.0, 7.0]
    return still


def test_a_static_truth_is_named_and_never_an_error_of_zero() -> None:
    predicted = wandering(9, seed=0)
    errors = trajectory_errors(predicted, static(predicted))
    assert errors.status == "truth_static"
    assert (errors.ate_m, errors.rpe_translation_m, errors.scale, errors.alignment) == (None, None, None, None)
    assert errors.rpe_rotation_deg == pytest.approx(0, abs=1e-9)
    rigid = trajectory_errors(predicted, static(predicted), align="se3")
    spread = np.sqrt(predicted[:, :3, 3].var(axis=0).sum())
    assert (rigid.status, rigid.ate_m) == ("truth_static", pytest.approx(spread))


def test_a_static_truth_with_float32_noise_is_still_static() -> None:
    predicted, truth = wandering(9, seed=0), static(wandering(9, seed=0))
    truth[:, :3, 3] += 1e-7 * np.random.default_rng(0).normal(size=(9, 3))
    assert trajectory_errors(predicted, truth).status == "truth_static"


def test_a_static_prediction_costs_the_spread_of_the_truth() -> None:
    truth = wandering(9, seed=0)
    errors = trajectory_errors(static(truth), truth)
    spread = np.sqrt(truth[:, :3, 3].var(axis=0).sum())
    assert (errors.status, errors.scale, errors.ate_m) == ("prediction_static", None, pytest.approx(spread))


@pytest.mark.parametrize(("n", "align"), [(2, "sim3"), (1, "sim3"), (1, "se3")])
def test_too_few_poses_fit_anything(n: int, align: str) -> None:
    errors = trajectory_errors(wandering(n, 0), wandering(n, 1), align=align)  # type: ignore[arg-type]
    assert (errors.status, errors.ate_m, errors.scale) == ("too_few_poses", None, None)
    assert (errors.rpe_rotation_deg is None) == (n == 1)
    assert errors.rpe_translation_m is None


def test_two_poses_have_a_rigid_error() -> None:
    near, far = wandering(2, 0), wandering(2, 0)
    near[:, :3, 3], far[:, :3, 3] = [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 3, 0]]
    errors = trajectory_errors(far, near, align="se3")
    assert (errors.status, errors.ate_m) == ("collinear", pytest.approx(1.0))


def test_a_straight_line_is_named_but_measured() -> None:
    truth = wandering(5, 0)
    truth[:, :3, 3] = np.outer([0, 1, 2, 3, 4], [1.0, 2.0, 0.5])
    predicted = truth.copy()
    predicted[3, :3, 3] *= 1.1
    errors = trajectory_errors(predicted, truth)
    assert errors.status == "collinear"
    assert errors.ate_m is not None and errors.ate_m > 0.01


def test_failed_frames_are_counted_and_left_out() -> None:
    truth = wandering(10, seed=0)
    predicted = disturbed(truth, seed=1, turn_deg=2, step_m=0.02)
    lost = predicted.copy()
    lost[4] = np.nan
    errors = trajectory_errors(lost, truth)
    kept = np.delete(np.arange(10), 4)
    assert (errors.n_poses, errors.n_valid, errors.status) == (10, 9, "ok")
    assert errors.ate_m == pytest.approx(trajectory_errors(predicted[kept], truth[kept]).ate_m)
    # The steps 3-4 and 4-5 are gone; no step bridges the hole.
    first, second = (trajectory_errors(predicted[part], truth[part], align="none") for part in (slice(4), slice(5, 10)))
    assert first.rpe_rotation_deg is not None and second.rpe_rotation_deg is not None
    expected = (3 * first.rpe_rotation_deg + 4 * second.rpe_rotation_deg) / 7
    assert errors.rpe_rotation_deg == pytest.approx(expected, abs=1e-9)


def test_nothing_valid_is_named() -> None:
    truth = wandering(4, 0)
    for align in ("none", "se3", "sim3"):
        errors = trajectory_errors(np.full_like(truth, np.nan), truth, align=align)  # type: ignore[arg-type]
        assert (errors.status, errors.n_valid, errors.ate_m) == ("no_valid_pose", 0, None)
        assert errors.rpe_translation_m is None


@pytest.mark.parametrize(
    ("predicted", "truth", "align", "message"),
    [
        (wandering(3, 0), wandering(4, 0), "sim3", "3 predicted poses for 4"),
        (wandering(3, 0), np.full((3, 4, 4), np.inf), "sim3", "true pose 0 is not finite"),
        (wandering(3, 0), wandering(3, 0), "scale", "unknown alignment"),
    ],
)
def test_broken_input_is_refused(predicted: np.ndarray, truth: np.ndarray, align: str, message: str) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        trajectory_errors(predicted, truth, align=align)  # type: ignore[arg-type]
