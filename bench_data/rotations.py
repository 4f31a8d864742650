"""Rotations as unit quaternions (w, x, y, z) and as 3x3 matrices, with the checks that keep mistakes out.

The order of a quaternion is in every name: ``quat_wxyz``. Files that store (x, y, z, w) are converted where they enter,
by ``wxyz_from_xyzw``.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BenchDataError, BenchDataWarning

__all__ = [
    "angle_between_rad",
    "matrix_from_quat",
    "multiply_quats",
    "nearest_rotation",
    "quat_from_matrix",
    "slerp",
    "unit_quats",
    "wxyz_from_xyzw",
    "xyzw_from_wxyz",
]

_NORM_TOLERANCE = 1e-3
"""Further from unit length than this, a quaternion is called into question."""

_ALREADY_UNIT = 3e-7
"""The norm of a unit quaternion that was rounded to float32 lies within this of 1; such ones are left as they are."""


def wxyz_from_xyzw(quat_xyzw: ArrayLike) -> NDArray[np.float64]:
    """(..., 4) in the order w, x, y, z, from the order x, y, z, w (SciPy, ROS, TUM files).

    >>> wxyz_from_xyzw([0, 0, 0, 1]).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    return np.roll(_quats(quat_xyzw, "quat_xyzw"), 1, axis=-1)


def xyzw_from_wxyz(quat_wxyz: ArrayLike) -> NDArray[np.float64]:
    """(..., 4) in the order x, y, z, w, from the order w, x, y, z."""
    return np.roll(_quats(quat_wxyz, "quat_wxyz"), -1, axis=-1)


def unit_quats(quat_wxyz: ArrayLike, *, name: str = "quat_wxyz", warn: bool = True) -> NDArray[np.float64]:
    """Quaternions of length 1.

    Args:
        quat_wxyz: (..., 4), any non-zero length.
        name: what to call the argument in messages.
        warn: say so (`BenchDataWarning`) when a length differs from 1 by more than 1e-3.

    Returns:
        (..., 4) float64. Quaternions that are already of unit length to float32 accuracy are returned unchanged.

    Raises:
        BenchDataError: wrong shape, or a row that is zero or not finite; the message names the row.
    """
    quats = _quats(quat_wxyz, name)
    # Scaling by the largest entry first keeps the squares from overflowing and underflowing.
    largest = np.abs(quats).max(axis=-1, keepdims=True, initial=0.0)
    bad = ~np.isfinite(largest[..., 0])
    if bad.any():
        raise BenchDataError(f"{name}{_first_row(bad)} is not finite: {_show(quats, bad)}")
    zero = largest[..., 0] == 0
    if zero.any():
        raise BenchDataError(f"{name}{_first_row(zero)} is zero, which is no rotation; the identity is (1, 0, 0, 0)")
    scaled_norm = np.linalg.norm(quats / largest, axis=-1, keepdims=True)
    norm = (scaled_norm * largest)[..., 0]
    off = np.abs(norm - 1) > _NORM_TOLERANCE
    if warn and off.any():
        warnings.warn(
            f"{name}: {int(off.sum())} of {off.size} are not of length 1 (the first has {norm[off].flat[0]:.4g}) and "
            "were normalised; are they quaternions, in the order w, x, y, z?",
            BenchDataWarning,
            stacklevel=2,
        )
    keep = np.abs(norm - 1)[..., None] <= _ALREADY_UNIT
    return np.where(keep, quats, quats / largest / scaled_norm)


def matrix_from_quat(quat_wxyz: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrices (..., 3, 3) float64 that act on column vectors.

    >>> turn = matrix_from_quat([0.5**0.5, 0, 0, 0.5**0.5])  # a quarter turn about z
    >>> ((turn @ [1, 0, 0]).round(9) + 0).tolist()
    [0.0, 1.0, 0.0]
    """
    w, x, y, z = np.moveaxis(unit_quats(quat_wxyz), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quat_from_matrix(rotation: ArrayLike) -> NDArray[np.float64]:
    """Unit quaternions (..., 4) wxyz with w >= 0, from rotation matrices (..., 3, 3).

    Shepperd's method: the largest of the four entries is found first and divides the others, so none loses digits.

    Raises:
        BenchDataError: not a rotation (see `nearest_rotation`).
    """
    R = nearest_rotation(rotation)
    trace = np.trace(R, axis1=-2, axis2=-1)
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    # Row k of the stack is 4 q_k (w, x, y, z), for k = w, x, y, z.
    skew = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    outer = np.empty((*R.shape[:-2], 4, 4))
    outer[..., 1:, 1:] = R + np.swapaxes(R, -1, -2)
    outer[..., 0, 0] = 1 + trace
    outer[..., 0, 1:] = outer[..., 1:, 0] = skew
    for axis in range(3):
        outer[..., axis + 1, axis + 1] = 1 - trace + 2 * diagonal[..., axis]
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    quats = np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    quats = quats / np.linalg.norm(quats, axis=-1, keepdims=True)
    return np.asarray(np.where(quats[..., :1] < 0, -quats, quats))


def nearest_rotation(rotation: ArrayLike, *, name: str = "rotation", tolerance: float = 1e-3) -> NDArray[np.float64]:
    """Checks rotation matrices and removes the rounding of a text or float32 file from them.

    Args:
        rotation: (..., 3, 3), orthonormal within ``tolerance`` in every entry of R R^T.
        name: what to call the argument in messages.
        tolerance: how far from orthonormal a matrix may be.

    Returns:
        (..., 3, 3) float64, the nearest rotations; matrices that are orthonormal to 1e-12 come back unchanged.

    Raises:
        BenchDataError: wrong shape, not finite, left-handed, scaled, or sheared.
    """
    try:
        R = np.asarray(rotation, dtype=np.float64)
    except (TypeError, ValueError):
        raise BenchDataError(f"{name} must be numbers of shape (..., 3, 3)") from None
    if R.shape[-2:] != (3, 3):
        raise BenchDataError(f"{name} must have shape (..., 3, 3), got {R.shape}")
    bad = np.asarray(~np.isfinite(R).all(axis=(-2, -1)))
    if bad.any():
        raise BenchDataError(f"{name}{_first_row(bad)} is not finite")
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-2, -1))
        determinant = np.linalg.det(R)
    bad = np.asarray(~(error <= tolerance))
    if bad.any():
        with np.errstate(over="ignore", invalid="ignore"):
            wrong = _what_is_wrong(R[bad].reshape(-1, 3, 3)[0])
        raise BenchDataError(f"{name}{_first_row(bad)} is no rotation: {wrong}")
    bad = np.asarray(determinant < 0)
    if bad.any():
        raise BenchDataError(f"{name}{_first_row(bad)} is left-handed (det −1): it mirrors; flip one axis first")
    if not (error > 1e-12).any():
        return R
    U, _, Vt = np.linalg.svd(R)
    return np.where((error > 1e-12)[..., None, None], U @ Vt, R)


def multiply_quats(left_wxyz: ArrayLike, right_wxyz: ArrayLike) -> NDArray[np.float64]:
    """The quaternions (..., 4) of the rotations that turn by ``right`` first and by ``left`` after it."""
    a, b, c, d = np.moveaxis(_quats(left_wxyz, "left_wxyz"), -1, 0)
    w, x, y, z = np.moveaxis(_quats(right_wxyz, "right_wxyz"), -1, 0)
    return np.stack(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ],
        axis=-1,
    )


def angle_between_rad(a_wxyz: ArrayLike, b_wxyz: ArrayLike) -> NDArray[np.float64]:
    """The angle (...,) in [0, pi] that turns one rotation into the other; q and -q are the same rotation.

    >>> float(angle_between_rad([1, 0, 0, 0], [-1, 0, 0, 0]))
    0.0
    """
    a, b = unit_quats(a_wxyz), unit_quats(b_wxyz)
    difference = multiply_quats(a * [1, -1, -1, -1], b)
    # atan2 of sine and cosine keeps small angles exact, where acos of the cosine would lose half of the digits.
    return np.asarray(2 * np.arctan2(np.linalg.norm(difference[..., 1:], axis=-1), np.abs(difference[..., 0])))


def slerp(start_wxyz: ArrayLike, end_wxyz: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
    """Rotations between two, at constant angular speed and by the shorter way (Shoemake 1985).

    Args:
        start_wxyz, end_wxyz: (4,) each.
        t: (...,) times, 0 at the start and 1 at the end.

    Returns:
        (..., 4) float64 unit quaternions.
    """
    start, end = unit_quats(start_wxyz), unit_quats(end_wxyz)
    times = np.asarray(t, dtype=np.float64)[..., None]
    if float(start @ end) < 0:
        end = -end
    half_angle = float(angle_between_rad(start, end)) / 2
    if half_angle < 1e-8:  # sin(x) = x to float64 accuracy, and the general form would divide by zero
        return unit_quats((1 - times) * start + times * end, warn=False)
    blended = (np.sin((1 - times) * half_angle) * start + np.sin(times * half_angle) * end) / np.sin(half_angle)
    return unit_quats(blended, warn=False)


def _quats(value: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        quats = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise BenchDataError(f"{name} must be numbers of shape (..., 4)") from None
    if quats.ndim == 0 or quats.shape[-1] != 4:
        raise BenchDataError(f"{name} must have shape (..., 4), got {quats.shape}")
    return quats


def _first_row(bad: NDArray[np.bool_]) -> str:
    """' row 12', ' row (3, 1)', or nothing for a single value."""
    if bad.ndim == 0:
        return ""
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return f" row {index[0] if len(index) == 1 else index}"


def _show(quats: NDArray[np.float64], bad: NDArray[np.bool_]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in quats[bad].reshape(-1, 4)[0]) + ")"


def _what_is_wrong(R: NDArray[np.float64]) -> str:
    lengths = np.linalg.norm(R, axis=0)
    scale = float(lengths.mean())
    if 0 < scale < np.inf and np.abs(R @ R.T / scale**2 - np.eye(3)).max() < 1e-2:
        return f"it scales by {scale:.6g}; divide it by that"
    return "its columns are not orthonormal"
