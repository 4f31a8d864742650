"""Point clouds: accuracy, completeness, precision, recall and F-score by nearest neighbours."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict

from ...errors import DiagnosticsError

__all__ = ["CloudScores", "CloudStatus", "cloud_scores", "voxel_average"]

Points = NDArray[np.floating]
_QUERY_GRID = 64

CloudStatus = Literal["ok", "truth_empty", "truth_unseen", "prediction_empty", "prediction_outside"]


class CloudScores(BaseModel):
    """Scores of a predicted cloud.

    Attributes:
        precision: share of predicted points nearer than the threshold to the truth.
        recall: share of (visible) true points nearer than the threshold to the prediction.
        f_score: their harmonic mean.
        accuracy_m: mean distance from the prediction to the truth.
        completeness_m: mean distance from the (visible) truth to the prediction.
        chamfer_m: mean of both distances.
        status: names an empty cloud; the shares are then 0 and the distances infinite. ``prediction_outside``: the
            crop left nothing; ``truth_unseen``: no true point is visible.
        n_predicted, n_truth: points compared, after cropping and voxels.
        n_invalid, n_cropped: predicted points dropped as not finite, or as outside the true box.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    precision: float
    recall: float
    f_score: float
    accuracy_m: float
    completeness_m: float
    chamfer_m: float
    status: CloudStatus
    n_predicted: int
    n_truth: int
    n_invalid: int
    n_cropped: int


def cloud_scores(
    predicted: ArrayLike,
    truth: ArrayLike,
    threshold_m: float,
    voxel_m: float | None = None,
    crop_margin_m: float | None = None,
    *,
    visible: ArrayLike | None = None,
    workers: int = 1,
) -> CloudScores:
    """Compares a predicted cloud with the true one, both in one frame and in metres.

    Range: precision, recall and F-score [0, 1], higher is better; distances [0, ∞] metres, lower is better.

    Source: Knapitsch et al. 2017 (Tanks and Temples).

    Args:
        predicted: (M, 3); points that are not finite are dropped and counted.
        truth: (N, 3), all finite.
        threshold_m: a distance below it (strictly) is a hit.
        voxel_m: edge of the voxels over which both clouds are averaged first, so that density does not weigh; None
            keeps all points.
        crop_margin_m: drop predicted points outside the true bounding box grown by this; it also hides far outliers,
            so ``n_cropped`` is reported. None keeps all.
        visible: (N,) bool, true points that some frame saw (``points_seen_by``). Recall and completeness are limited
            to them: no model can complete what nobody looked at. Precision uses the whole truth.
        workers: threads for the nearest-neighbour search; -1 for all. It does not change the result.

    >>> cloud_scores([[0, 0, 0], [0, 0, 1]], [[0, 0, 0.01]], threshold_m=0.05).f_score
    0.6666666666666666

    Raises:
        DiagnosticsError: wrong shapes, a true point that is not finite, or a size that is not positive.
    """
    _check_sizes(threshold_m, voxel_m, crop_margin_m)
    cloud, target = _points(predicted, "predicted"), _points(truth, "true")
    if not np.isfinite(target).all():
        raise DiagnosticsError("cloud_scores: a true point is not finite; clean the true cloud first")
    seen = target if visible is None else target[_visible_mask(visible, len(target))]
    finite = cloud[np.isfinite(cloud).all(axis=1)]
    inside = finite if crop_margin_m is None or not len(target) else _cropped(finite, target, crop_margin_m)
    counts = {"n_invalid": len(cloud) - len(finite), "n_cropped": len(finite) - len(inside)}
    if voxel_m is not None:
        seen = voxel_average(seen, voxel_m)
        target = seen if visible is None else voxel_average(target, voxel_m)
        inside = voxel_average(inside, voxel_m)
    counts |= {"n_predicted": len(inside), "n_truth": len(seen)}
    status = _status(n_truth=len(target), n_seen=len(seen), n_finite=len(finite), n_inside=len(inside))
    if status != "ok":
        return CloudScores(
            precision=0.0,
            recall=0.0,
            f_score=0.0,
            accuracy_m=np.inf,
            completeness_m=np.inf,
            chamfer_m=np.inf,
            status=status,
            **counts,
        )
    to_truth, to_prediction = _nearest_m(inside, target, workers), _nearest_m(seen, inside, workers)
    precision, recall = float(np.mean(to_truth < threshold_m)), float(np.mean(to_prediction < threshold_m))
    accuracy_m, completeness_m = float(to_truth.mean()), float(to_prediction.mean())
    return CloudScores(
        precision=precision,
        recall=recall,
        f_score=2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0,
        accuracy_m=accuracy_m,
        completeness_m=completeness_m,
        chamfer_m=(accuracy_m + completeness_m) / 2,
        status="ok",
        **counts,
    )


def voxel_average(points: Points, voxel_m: float) -> NDArray[np.float64]:
    """One point a filled voxel: the mean of its members. Voxel ``floor(x / voxel_m)``, with the origin at a corner.

    Args:
        points: (N, 3), all finite.

    Returns:
        (M, 3) float64, sorted by voxel.

    >>> voxel_average(np.array([[0.1, 0, 0], [0.3, 0, 0], [1.5, 0, 0]]), 1.0).tolist()
    [[0.2, 0.0, 0.0], [1.5, 0.0, 0.0]]

    Raises:
        DiagnosticsError: the edge is not positive, or a point is not finite.
    """
    if not voxel_m > 0 or not np.isfinite(points).all():
        raise DiagnosticsError(f"voxel_average needs finite points and a positive edge, got voxel_m={voxel_m}")
    if len(points) == 0:
        return np.zeros((0, 3))
    _, voxel = np.unique(_voxel_numbers(points, voxel_m), return_inverse=True)
    voxel = voxel.reshape(-1)
    members = np.bincount(voxel)
    return np.stack([np.bincount(voxel, weights=column) for column in points.T], axis=1) / members[:, None]


def _voxel_numbers(points: Points, voxel_m: float) -> NDArray[np.int64]:
    """(N,) one number a voxel, in the order of x, then y, then z."""
    # The division keeps the type of the points: in float64, float32 points on a voxel's face would fall elsewhere.
    cells = np.floor(points / voxel_m).astype(np.float64)
    cells -= cells.min(axis=0)
    extent = cells.max(axis=0) + 1
    if np.prod(extent) >= 2.0**62:
        _, rows = np.unique(cells, axis=0, return_inverse=True)
        return rows.reshape(-1).astype(np.int64)
    x, y, z = cells.astype(np.int64).T
    numbers: NDArray[np.int64] = (x * int(extent[1]) + y) * int(extent[2]) + z
    return numbers


def _nearest_m(points: Points, reference: Points, workers: int) -> NDArray[np.float64]:
    """Distance of each point (N, 3) to the nearest of ``reference`` (M, 3)."""
    from scipy.spatial import cKDTree

    # Asked in the order of a coarse grid, neighbours in space follow each other and the tree stays in the cache.
    cell_m = float(np.ptp(points, axis=0).max()) / _QUERY_GRID
    order = np.argsort(_voxel_numbers(points, cell_m), kind="stable") if cell_m > 0 else np.arange(len(points))
    distance = np.empty(len(points))
    distance[order] = cKDTree(reference).query(points[order], k=1, workers=workers)[0]
    return distance


def _status(*, n_truth: int, n_seen: int, n_finite: int, n_inside: int) -> CloudStatus:
    if n_truth == 0:
        return "truth_empty"
    if n_seen == 0:
        return "truth_unseen"
    if n_finite == 0:
        return "prediction_empty"
    return "ok" if n_inside else "prediction_outside"


def _cropped(points: Points, truth: Points, margin_m: float) -> Points:
    low, high = truth.min(axis=0) - margin_m, truth.max(axis=0) + margin_m
    inside = ((points >= low) & (points <= high)).all(axis=1)
    return np.compress(inside, points, axis=0)


def _points(points: ArrayLike, name: str) -> Points:
    array: Points = np.asarray(points)
    if array.dtype != np.float32:
        array = np.asarray(points, dtype=np.float64)
    if array.size == 0:
        return np.zeros((0, 3))
    if array.ndim != 2 or array.shape[1] != 3:
        raise DiagnosticsError(f"cloud_scores: {name} points must have shape (N, 3), got {array.shape}")
    return array


def _visible_mask(visible: ArrayLike, n_truth: int) -> NDArray[np.bool_]:
    mask = np.asarray(visible)
    if mask.shape != (n_truth,) or mask.dtype != np.bool_:
        raise DiagnosticsError(
            f"cloud_scores: visible must be ({n_truth},) bool, one a true point, got {mask.shape} of {mask.dtype}"
        )
    return mask


def _check_sizes(threshold_m: float, voxel_m: float | None, crop_margin_m: float | None) -> None:
    if not threshold_m > 0 or (voxel_m is not None and not voxel_m > 0):
        raise DiagnosticsError(f"cloud_scores: threshold {threshold_m} and voxel {voxel_m} must be positive metres")
    if crop_margin_m is not None and not crop_margin_m >= 0:
        raise DiagnosticsError(f"cloud_scores: the crop margin cannot be negative, got {crop_margin_m}")
