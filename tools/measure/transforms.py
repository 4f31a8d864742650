"""Plane transforms between two pictures: robust fitting, and reading shift, scale and rotation out of a matrix.

All matrices are 3x3 float64 and act on continuous pixel coordinates (pixel centres at +0.5) unless the name says
``cv``: OpenCV puts pixel centres at whole numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "apply_matrix",
    "cv_matrix",
    "fit_affine_robustly",
    "ransac_inliers",
    "scaling",
    "stretch_and_rotation",
    "translation",
]

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]

_IRLS_ROUNDS = 5
# A fit must be supported by points that span the plane; a determinant nearer to 0 than this is a collapse.
_SMALLEST_AREA_CHANGE = 0.02


def scaling(x: float, y: float) -> Matrix:
    """The matrix that multiplies x and y."""
    return np.diag([x, y, 1.0]).astype(np.float64)


def translation(x_px: float, y_px: float) -> Matrix:
    """The matrix that moves by (x, y)."""
    return np.array([[1, 0, x_px], [0, 1, y_px], [0, 0, 1]], dtype=np.float64)


def apply_matrix(matrix: Matrix, points_px: Points) -> Points:
    """Points (N, 2) through an affine matrix."""
    moved: Points = points_px @ matrix[:2, :2].T + matrix[:2, 2]
    return moved


def cv_matrix(matrix: Matrix) -> Matrix:
    """The same map for OpenCV, whose pixel centres are whole numbers."""
    to_continuous = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    to_cv = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    return np.asarray(to_cv @ matrix @ to_continuous, dtype=np.float64)


def stretch_and_rotation(matrix: Matrix) -> tuple[float, float, float]:
    """(x scale, y scale, rotation in degrees) of an affine matrix without its shift.

    The y scale is negative for a mirror. Decomposition: rotation times upper triangle (QR with a positive first scale).
    """
    first, second = matrix[:2, 0], matrix[:2, 1]
    x_scale = float(np.hypot(*first))
    y_scale = float(first[0] * second[1] - first[1] * second[0]) / max(x_scale, 1e-12)
    return x_scale, y_scale, float(np.degrees(np.arctan2(first[1], first[0])))


def ransac_inliers(
    source_px: Points, target_px: Points, *, threshold_px: float, rounds: int, rng: np.random.Generator, affine: bool
) -> NDArray[np.bool_]:
    """Which pairs follow the transform that most pairs agree on (Fischler and Bolles 1981), all samples at once.

    Args:
        source_px, target_px: (N, 2), matched row by row.
        affine: six unknowns from three pairs; else a similarity, four unknowns from two pairs.

    Returns:
        (N,) mask; all False when no sample collects more than its own pairs.
    """
    count, sample_size = len(source_px), 3 if affine else 2
    if count <= sample_size:
        return np.zeros(count, dtype=np.bool_)
    picks = rng.integers(0, count, size=(rounds, sample_size))
    distinct = np.all(np.diff(np.sort(picks, axis=1), axis=1) > 0, axis=1)
    picks = picks[distinct]
    models = _exact_affine(source_px, target_px, picks) if affine else _exact_similarity(source_px, target_px, picks)
    if len(models) == 0:
        return np.zeros(count, dtype=np.bool_)
    predicted = np.einsum("kij,nj->kni", models[:, :, :2], source_px) + models[:, None, :, 2]
    near = np.sum((predicted - target_px) ** 2, axis=2) < threshold_px**2
    best = near[int(np.argmax(near.sum(axis=1)))]
    inliers: NDArray[np.bool_] = best if int(best.sum()) > sample_size else np.zeros(count, dtype=np.bool_)
    return inliers


def fit_affine_robustly(
    source_px: Points, target_px: Points, *, threshold_px: float, similarity: bool = False
) -> Matrix | None:
    """Least squares with Tukey's weights, so that pairs beyond ``threshold_px`` do not count.

    Returns:
        The 3x3 matrix that takes source to target, or None when the points do not determine one.
    """
    weights = np.ones(len(source_px))
    matrix: Matrix | None = None
    for _ in range(_IRLS_ROUNDS):
        matrix = _weighted_fit(source_px, target_px, weights, similarity)
        if matrix is None:
            return None
        error = np.linalg.norm(apply_matrix(matrix, source_px) - target_px, axis=1)
        weights = np.maximum(1 - (error / threshold_px) ** 2, 0) ** 2
        if np.count_nonzero(weights) < 4:
            return None
    return matrix


def _weighted_fit(source: Points, target: Points, weights: NDArray[np.float64], similarity: bool) -> Matrix | None:
    root = np.sqrt(weights)
    centre = np.average(source, axis=0, weights=weights)
    x, y = (source - centre).T
    one, zero = np.ones_like(x), np.zeros_like(x)
    if similarity:
        rows = np.concatenate([np.stack([x, -y, one, zero], axis=1), np.stack([y, x, zero, one], axis=1)])
        right = np.concatenate([target[:, 0], target[:, 1]])
        root = np.concatenate([root, root])
        solution, _, rank, _ = np.linalg.lstsq(rows * root[:, None], right * root, rcond=1e-8)
        a, b, shift_x, shift_y = solution
        linear, enough = np.array([[a, -b], [b, a]]), rank == 4
        shift = np.array([shift_x, shift_y])
    else:
        rows = np.stack([x, y, one], axis=1)
        solution, _, rank, _ = np.linalg.lstsq(rows * root[:, None], target * root[:, None], rcond=1e-8)
        linear, shift, enough = solution[:2].T, solution[2], rank == 3
    if not enough or abs(np.linalg.det(linear)) < _SMALLEST_AREA_CHANGE:
        return None
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    matrix[:2, 2] = shift - linear @ centre
    return matrix


def _exact_similarity(source: Points, target: Points, picks: NDArray[np.int64]) -> NDArray[np.float64]:
    z = source[:, 0] + 1j * source[:, 1]
    w = target[:, 0] + 1j * target[:, 1]
    step = z[picks[:, 1]] - z[picks[:, 0]]
    usable = np.abs(step) > 1e-6
    picks, step = picks[usable], step[usable]
    turn = (w[picks[:, 1]] - w[picks[:, 0]]) / step
    shift = w[picks[:, 0]] - turn * z[picks[:, 0]]
    first = np.stack([turn.real, -turn.imag, shift.real], axis=1)
    second = np.stack([turn.imag, turn.real, shift.imag], axis=1)
    models = np.stack([first, second], axis=1)
    return np.asarray(models[np.abs(turn) ** 2 > _SMALLEST_AREA_CHANGE], dtype=np.float64)


def _exact_affine(source: Points, target: Points, picks: NDArray[np.int64]) -> NDArray[np.float64]:
    corners = np.concatenate([source[picks], np.ones((*picks.shape, 1))], axis=2)
    # Three points nearly in a line determine nothing; twice the triangle's area is the determinant, in px^2.
    usable = np.abs(np.linalg.det(corners)) > 25.0
    models = np.linalg.solve(corners[usable], target[picks[usable]]).transpose(0, 2, 1)
    return np.asarray(models[np.abs(np.linalg.det(models[:, :, :2])) > _SMALLEST_AREA_CHANGE], dtype=np.float64)
