from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_percentage_error, root_mean_squared_error

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics.geometry import depth_errors, spatialbench_depth_errors

from ..golden import arrays, numbers

GOLDEN, MAPS = numbers("spatialbench_depth"), arrays("spatialbench_depth")
HARMED_PREDICTIONS = ("d07_pred_one_nan", "d09_pred_negative")  # published alignment takes in what is no depth


def maps_of(case: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return MAPS[f"{case}__pred"], MAPS[f"{case}__gt"], MAPS[f"{case}__mask"]


def same(ours: dict[str, float], expected: dict[str, Any]) -> bool:
    named = {name.replace("inlier_1_", "inlier_1."): float(value) for name, value in expected.items()}
    assert set(named) <= set(ours)
    return all(ours[name] == pytest.approx(value, abs=1e-5, nan_ok=True) for name, value in named.items())


@pytest.mark.parametrize("align", ["scene_median", "scene_lstsq"])
@pytest.mark.parametrize("case", GOLDEN)
def test_golden_scenes(case: str, align: str) -> None:
    golden, (predicted, truth, valid) = GOLDEN[case][align], maps_of(case)
    if "depth_metric" in golden:
        assert same(depth_errors(predicted, truth, valid, "none"), golden["depth_metric"])
    errors = depth_errors(predicted, truth, valid, align)  # type: ignore[arg-type]
    assert errors["n_valid"] == GOLDEN[case]["valid_pixels"]
    if case in HARMED_PREDICTIONS:
        assert errors["coverage"] < 1
        assert errors["abs_rel"] < 0.05
    else:
        assert same(errors, golden["depth"])
        assert errors["coverage"] == 1


@pytest.mark.parametrize("case", [case for case in GOLDEN if case not in HARMED_PREDICTIONS])
def test_golden_scales(case: str) -> None:
    predicted, truth, valid = maps_of(case)
    median = depth_errors(predicted, truth, valid, "scene_median")
    assert median["scale_min"] == median["scale_max"] == pytest.approx(GOLDEN[case]["scene_median_scale"], rel=1e-5)
    fitted = depth_errors(predicted, truth, valid, "scene_lstsq")
    scale, shift = GOLDEN[case]["scene_lstsq_scale_shift"]
    assert fitted["scale_min"] == pytest.approx(scale, abs=1e-4)
    assert fitted["shift_min_m"] == pytest.approx(shift, abs=1e-4)


@pytest.mark.parametrize("case", [case for case in GOLDEN if case not in HARMED_PREDICTIONS])
def test_golden_frames(case: str) -> None:
    predicted, truth, valid = maps_of(case)
    rows = []
    for index, golden in enumerate(GOLDEN[case]["per_frame_helpers"]):
        if not valid[index].any():
            continue
        row = depth_errors(predicted[index], truth[index], valid[index], "frame_median")
        assert same(row, golden["metrics_after_median"])
        rows.append(row)
        fitted = depth_errors(predicted[index], truth[index], valid[index], "frame_lstsq")
        assert fitted["scale_min"] == pytest.approx(golden["lstsq_s"], abs=1e-4)
    scene = depth_errors(predicted, truth, valid, "frame_median", average="per_frame")
    assert scene["abs_rel"] == pytest.approx(np.mean([row["abs_rel"] for row in rows]), abs=1e-12)
    assert scene["n_frames_skipped"] == 3 - len(rows)


@pytest.mark.parametrize("align", ["scene_median", "scene_lstsq"])
@pytest.mark.parametrize("case", GOLDEN)
def test_published_rows_with_their_faults(case: str, align: str) -> None:
    golden, (predicted, truth, valid) = GOLDEN[case][align], maps_of(case)
    if "exception" in golden:
        with pytest.raises(np.linalg.LinAlgError):
            spatialbench_depth_errors(predicted, truth, valid, align)  # type: ignore[arg-type]
        return
    assert same(spatialbench_depth_errors(predicted, truth, valid, align), golden["depth"])  # type: ignore[arg-type]
    assert same(spatialbench_depth_errors(predicted, truth, valid, "none"), golden["depth_metric"])


def test_pixels_that_are_no_depth_are_counted_and_left_out() -> None:
    errors = depth_errors([1, 2.2, 3, 1, np.inf], [0, 2, 4, np.nan, 5], align="none")
    assert errors["abs_rel"] == pytest.approx(0.175)
    assert (errors["n_valid"], errors["n_used"], errors["coverage"]) == (3, 2, pytest.approx(2 / 3))
    for hole in (0.0, -1.0, np.nan, np.inf):
        predicted = np.array([[2.0, hole, 4.0, 8.0]])
        errors = depth_errors(predicted, [[1.0, 7.0, 2.0, 4.0]])
        assert (errors["abs_rel"], errors["coverage"], errors["scale_min"]) == (0.0, 0.75, 0.5)


def test_an_empty_frame_is_skipped_and_counted() -> None:
    truth = np.ones((3, 2, 2))
    truth[1] = 0
    for average in ("pooled", "per_frame"):
        errors = depth_errors(np.full((3, 2, 2), 1.5), truth, align="none", average=average)  # type: ignore[arg-type]
        assert errors["abs_rel"] == 0.5
        assert (errors["n_frames"], errors["n_frames_skipped"]) == (3, 1)


def test_both_averages_are_named() -> None:
    truth, predicted = np.zeros((2, 1, 99)), np.ones((2, 1, 99))
    truth[0, 0, 0], predicted[0, 0, 0], truth[1] = 1, 2, 1
    assert depth_errors(predicted, truth, align="none")["abs_rel"] == pytest.approx(0.01)
    assert depth_errors(predicted, truth, align="none", average="per_frame")["abs_rel"] == 0.5


positive = st.floats(0.1, 50)


@given(st.lists(st.tuples(positive, positive), min_size=4, max_size=30))
def test_agrees_with_scikit_learn(pixels: list[tuple[float, float]]) -> None:
    predicted, truth = np.array([pixels]).transpose(2, 0, 1)
    errors = depth_errors(predicted, truth, align="none")
    assert errors["abs_rel"] == pytest.approx(mean_absolute_percentage_error(truth[0], predicted[0]), rel=1e-9)
    assert errors["rmse"] == pytest.approx(root_mean_squared_error(truth[0], predicted[0]), rel=1e-9)
    log_rmse = root_mean_squared_error(np.log(truth[0]), np.log(predicted[0]))
    assert errors["log_rmse"] == pytest.approx(log_rmse, abs=1e-12)
    fit = LinearRegression().fit(predicted.T, truth[0])
    fitted = depth_errors(predicted, truth, align="scene_lstsq")
    if np.ptp(predicted) > 1e-3:
        assert fitted["scale_min"] == pytest.approx(float(fit.coef_[0]), rel=1e-6, abs=1e-9)


@given(st.integers(0, 1000), st.floats(0.01, 100), st.floats(-0.5, 5))
def test_alignments_forgive_what_they_say(seed: int, scale: float, shift: float) -> None:
    truth = np.random.default_rng(seed).uniform(1, 5, (3, 4, 5))
    scaled = truth / scale
    assert depth_errors(scaled, truth)["abs_rel"] == pytest.approx(0, abs=1e-9)
    affine = (truth + shift) / scale
    assert depth_errors(affine, truth, align="scene_lstsq")["rmse"] == pytest.approx(0, abs=1e-6)
    flicker = truth * np.array([1.0, 2.0, 3.0])[:, None, None]
    assert depth_errors(flicker, truth, align="frame_median")["abs_rel"] == pytest.approx(0, abs=1e-9)
    assert depth_errors(flicker, truth, align="frame_lstsq")["abs_rel"] == pytest.approx(0, abs=1e-6)
    assert depth_errors(flicker, truth, align="scene_median")["abs_rel"] > 0.1


def test_ratios_are_strict_and_mean_what_they_say() -> None:
    truth = np.full((1, 1, 6), 2.0)
    predicted = 2.0 * np.array([[[1.0299, 1.03, 1 / 1.05, 1.0999, 1.25, 1.2499]]])
    errors = depth_errors(predicted, truth, align="none")
    assert errors["inlier_1.03"] == pytest.approx(1 / 6)
    assert errors["inlier_1.05"] == pytest.approx(2 / 6)
    assert errors["inlier_1.10"] == pytest.approx(4 / 6)
    assert errors["delta_1.25"] == pytest.approx(5 / 6)
    assert errors["delta_1.25^2"] == errors["delta_1.25^3"] == 1


def test_a_prediction_of_nothing_is_not_an_error_of_zero() -> None:
    truth = np.ones((2, 3, 3))
    for align in ("none", "scene_median", "scene_lstsq", "frame_median", "frame_lstsq"):
        errors = depth_errors(np.zeros_like(truth), truth, align=align)  # type: ignore[arg-type]
        assert errors["coverage"] == 0
        assert np.isnan(errors["abs_rel"])
        assert np.isnan(errors["delta_1.25"])
        assert errors["n_frames_skipped"] == 2


def test_a_constant_prediction_shows_in_the_scale() -> None:
    truth = np.random.default_rng(0).uniform(1, 5, (1, 6, 6))
    errors = depth_errors(np.ones_like(truth), truth, align="scene_lstsq")
    assert (errors["scale_min"], errors["shift_min_m"]) == (0.0, pytest.approx(truth.mean()))


def test_frames_that_a_fit_meets_by_itself_are_skipped() -> None:
    truth, predicted = np.zeros((2, 1, 4)), np.ones((2, 1, 4))
    truth[0, 0, :2], truth[1] = [1, 2], [1, 2, 3, 4]
    predicted[1] = [2, 4, 6, 9]
    assert depth_errors(predicted, truth, align="frame_lstsq")["n_frames_skipped"] == 1
    assert depth_errors(predicted, truth, align="frame_median")["n_frames_skipped"] == 0


@pytest.mark.parametrize(
    ("predicted", "truth", "valid", "settings", "message"),
    [
        (np.ones((2, 2)), np.ones((2, 3)), None, {}, "one shape"),
        (np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)), {}, "must be bool"),
        (np.ones((2, 2)), np.zeros((2, 2)), None, {}, "no true pixel is valid"),
        (np.ones((2, 2)), np.ones((2, 2)), None, {"align": "median"}, "unknown depth alignment"),
        (np.ones((2, 2)), np.ones((2, 2)), None, {"average": "mean"}, "unknown average"),
        (np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)), None, {}, "one shape"),
    ],
)
def test_broken_input_is_refused(
    predicted: NDArray[Any], truth: NDArray[Any], valid: NDArray[Any] | None, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        depth_errors(predicted, truth, valid, **settings)
