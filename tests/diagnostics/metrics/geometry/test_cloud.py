from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics.geometry import CloudScores, cloud_scores, points_seen_by, voxel_average

from ..golden import arrays, numbers

GOLDEN, CLOUDS = numbers("spatialbench_pointclouds"), arrays("spatialbench_pointclouds")


@pytest.mark.parametrize("row", range(len(GOLDEN["configs"])))
@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_golden_clouds(case: str, row: int) -> None:
    settings, expected = GOLDEN["configs"][row], GOLDEN["cases"][case]["metrics"][row]
    scores = cloud_scores(
        CLOUDS[f"{case}__pred"],
        CLOUDS[f"{case}__gt"],
        settings["threshold"],
        voxel_m=settings["down_sample"],
        crop_margin_m=settings["crop_margin"],
    )
    names = {
        "f_score": scores.f_score,
        "overall": scores.chamfer_m,
        "acc": scores.accuracy_m,
        "comp": scores.completeness_m,
        "precision": scores.precision,
        "recall": scores.recall,
    }
    for name, value in names.items():
        assert value == pytest.approx(float(expected[name]), abs=1e-6), name


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_golden_voxels(case: str) -> None:
    for edge, counts in GOLDEN["cases"][case]["voxel_counts"].items():
        found = [len(voxel_average(CLOUDS[f"{case}__{side}"], float(edge))) for side in ("pred", "gt")]
        assert found == counts


def by_all_distances(predicted: NDArray[Any], truth: NDArray[Any], threshold_m: float) -> dict[str, float]:
    distances = cdist(predicted, truth)
    to_truth, to_prediction = distances.min(axis=1), distances.min(axis=0)
    precision, recall = np.mean(to_truth < threshold_m), np.mean(to_prediction < threshold_m)
    return {
        "precision": precision,
        "recall": recall,
        "f_score": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "accuracy_m": to_truth.mean(),
        "completeness_m": to_prediction.mean(),
    }


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 40), st.floats(0.05, 2))
def test_agrees_with_all_distances(seed: int, n_predicted: int, n_truth: int, threshold_m: float) -> None:
    rng = np.random.default_rng(seed)
    predicted, truth = rng.normal(size=(n_predicted, 3)), rng.normal(size=(n_truth, 3))
    scores = cloud_scores(predicted, truth, threshold_m)
    for name, value in by_all_distances(predicted, truth, threshold_m).items():
        assert getattr(scores, name) == pytest.approx(value, abs=1e-12)


@given(st.integers(0, 10_000), st.floats(0.05, 3))
def test_voxels_agree_with_a_dictionary(seed: int, edge_m: float) -> None:
    points = np.random.default_rng(seed).normal(scale=2, size=(60, 3))
    cells: dict[tuple[int, ...], list[NDArray[np.float64]]] = {}
    for point in points:
        cells.setdefault(tuple(int(np.floor(value / edge_m)) for value in point), []).append(point)
    expected = np.array([np.mean(cells[cell], axis=0) for cell in sorted(cells)])
    assert voxel_average(points, edge_m) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("points", "edge_m"), [(np.ones((2, 3)), 0.0), (np.full((2, 3), np.nan), 1.0)])
def test_voxels_refuse_broken_input(points: NDArray[np.float64], edge_m: float) -> None:
    with pytest.raises(DiagnosticsError):
        voxel_average(points, edge_m)


def test_voxels_far_apart_do_not_collide() -> None:
    points = np.array([[0.0, 0, 0], [1e9, 0, 0], [0, 1e9, 0], [0, 0, 1e9], [1e9, 1e9, 1e9], [0.0001, 0, 0]])
    assert len(voxel_average(points, 0.001)) == 5


def test_recall_is_limited_to_what_was_seen() -> None:
    truth = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
    predicted = truth[:2]
    seen = np.array([True, True, False, False])
    assert cloud_scores(predicted, truth, 0.1).recall == 0.5
    limited = cloud_scores(predicted, truth, 0.1, visible=seen)
    assert (limited.recall, limited.f_score, limited.completeness_m, limited.n_truth) == (1.0, 1.0, 0.0, 2)
    beyond = cloud_scores(truth, truth, 0.1, visible=seen)
    assert beyond.precision == 1.0  # a right point that no frame saw is no mistake
    assert cloud_scores(predicted, truth, 0.1, voxel_m=0.5, visible=seen).recall == 1.0


def test_the_crop_hides_outliers_and_says_so() -> None:
    truth = np.random.default_rng(0).random((50, 3))
    predicted = np.concatenate([truth, [[100.0, 0, 0], [np.nan, 0, 0]]])
    whole = cloud_scores(predicted, truth, 0.05)
    cropped = cloud_scores(predicted, truth, 0.05, crop_margin_m=0.1)
    assert (whole.precision, whole.n_invalid, whole.n_cropped) == (pytest.approx(50 / 51), 1, 0)
    assert (cropped.precision, cropped.n_invalid, cropped.n_cropped) == (1.0, 1, 1)


@pytest.mark.parametrize(
    ("predicted", "truth", "settings", "status"),
    [
        (np.ones((2, 3)), np.zeros((0, 3)), {}, "truth_empty"),
        (np.ones((2, 3)), [], {"crop_margin_m": 0.1}, "truth_empty"),
        ([], np.ones((2, 3)), {}, "prediction_empty"),
        (np.full((2, 3), np.nan), np.ones((2, 3)), {"voxel_m": 0.1}, "prediction_empty"),
        (np.full((2, 3), 9.0), np.ones((2, 3)), {"crop_margin_m": 0.1}, "prediction_outside"),
        (np.ones((2, 3)), np.ones((2, 3)), {"visible": np.zeros(2, bool)}, "truth_unseen"),
    ],
)
def test_an_empty_cloud_is_named(predicted: Any, truth: Any, settings: dict[str, Any], status: str) -> None:
    scores = cloud_scores(predicted, truth, 0.05, **settings)
    assert scores.status == status
    assert (scores.precision, scores.recall, scores.f_score) == (0.0, 0.0, 0.0)
    assert scores.accuracy_m == scores.completeness_m == scores.chamfer_m == np.inf
    assert CloudScores.model_validate_json(scores.model_dump_json()) == scores


def test_a_hit_is_strictly_nearer_than_the_threshold() -> None:
    assert cloud_scores([[0.0, 0, 0]], [[0.5, 0, 0]], 0.5).precision == 0.0
    assert cloud_scores([[0.0, 0, 0]], [[0.5, 0, 0]], 0.5000001).precision == 1.0
    assert isinstance(cloud_scores([[0.0, 0, 0]], [[9.0, 0, 0]], 0.5), CloudScores)


@pytest.mark.parametrize(
    ("predicted", "truth", "settings"),
    [
        (np.ones((2, 2)), np.ones((2, 3)), {}),
        (np.ones((2, 3)), np.full((2, 3), np.nan), {}),
        (np.ones((2, 3)), np.ones((2, 3)), {"threshold_m": 0.0}),
        (np.ones((2, 3)), np.ones((2, 3)), {"voxel_m": -1.0}),
        (np.ones((2, 3)), np.ones((2, 3)), {"crop_margin_m": -0.1}),
        (np.ones((2, 3)), np.ones((2, 3)), {"visible": np.ones(3, bool)}),
        (np.ones((2, 3)), np.ones((2, 3)), {"visible": np.ones(2)}),
    ],
)
def test_broken_input_is_refused(predicted: Any, truth: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(DiagnosticsError):
        cloud_scores(predicted, truth, **{"threshold_m": 0.05, **settings})


def test_points_are_seen_in_front_inside_and_before_the_surface() -> None:
    # A camera at (1, 2, 5) that looks along -z with +y up: OpenCV axes are x right, y down, z forward.
    pose = np.array([[1.0, 0, 0, 1], [0, -1, 0, 2], [0, 0, -1, 5], [0, 0, 0, 1]])
    intrinsics = [[100.0, 0, 50], [0, 100, 50], [0, 0, 1]]
    depth = np.full((100, 100), 5.0)
    depth[30, 50] = np.nan  # the pixel of (1, 3, 0)
    points = [[1, 2, 0], [1, 3, 0], [1.5, 2, 0], [1, 2, -1], [1, 2, 1], [1, 2, 6], [4, 2, 0], [1, 2, -0.04]]
    seen = points_seen_by(points, pose[None], intrinsics, depth[None])
    assert seen.tolist() == [True, False, True, False, True, False, False, True]
    aside = pose.copy()
    aside[0, 3] = 4.0
    both = points_seen_by(points, np.stack([pose, aside]), np.stack([intrinsics] * 2), np.stack([depth] * 2))
    assert both.tolist() == [True, False, True, False, True, False, True, True]


def test_a_half_turn_of_the_camera_sees_the_other_half() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(-4, 4, (300, 3))
    points = points[np.abs(points[:, 2]) > 0.1]
    back = np.diag([-1.0, 1, -1, 1])
    wide = [[1.0, 0, 500], [0, 1, 500], [0, 0, 1]]
    far = np.full((1, 1000, 1000), 1e3)
    ahead, behind = (points_seen_by(points, pose[None], wide, far) for pose in (np.eye(4), back))
    assert (ahead == (points[:, 2] > 0)).all()
    assert (behind == (points[:, 2] < 0)).all()


@pytest.mark.parametrize(
    ("points", "intrinsics", "depth"),
    [
        (np.ones((2, 2)), np.eye(3), np.ones((1, 4, 4))),
        (np.ones((2, 3)), np.eye(4), np.ones((1, 4, 4))),
        (np.ones((2, 3)), np.eye(3), np.ones((2, 4, 4))),
    ],
)
def test_visibility_refuses_broken_input(points: Any, intrinsics: Any, depth: Any) -> None:
    with pytest.raises(DiagnosticsError):
        points_seen_by(points, np.eye(4)[None], intrinsics, depth)
