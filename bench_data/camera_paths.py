"""Camera poses to look from, and smooth ways between them. All poses are (4, 4) camera-to-world, axes as `Camera`'s."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cameras import rigid_transform
from .errors import BenchDataError
from .rotations import matrix_from_quat, quat_from_matrix, slerp

__all__ = ["look_at", "orbit", "pose_between", "pose_path"]


def look_at(centre_m: ArrayLike, target_m: ArrayLike, *, up: ArrayLike = (0.0, 0.0, 1.0)) -> NDArray[np.float64]:
    """The pose of a camera at ``centre_m`` (3,) that sees ``target_m`` (3,) in its middle and ``up`` (3,) upwards.

    Raises:
        BenchDataError: the target is where the camera is, or straight along ``up``.

    >>> look_at((0, -2, 0), (0, 0, 0))[:3, 2].tolist()  # the optical axis
    [0.0, 1.0, 0.0]
    """
    centre, target, upwards = (np.asarray(v, dtype=np.float64) for v in (centre_m, target_m, up))
    if centre.shape != (3,) or target.shape != (3,) or upwards.shape != (3,):
        raise BenchDataError("centre_m, target_m and up must have shape (3,)")
    forward = target - centre
    right = np.cross(forward, upwards)
    lengths = np.linalg.norm(forward), np.linalg.norm(upwards)
    if not np.linalg.norm(right) > 1e-9 * lengths[0] * lengths[1]:
        raise BenchDataError(
            f"cannot look from {centre.tolist()} to {target.tolist()} with {upwards.tolist()} upwards: "
            "the view has no direction, or points along it; choose another up"
        )
    forward, right = forward / lengths[0], right / np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], axis=1)
    pose[:3, 3] = centre
    return rigid_transform(pose, "the pose")


def pose_between(start: ArrayLike, end: ArrayLike, t: float) -> NDArray[np.float64]:
    """The pose at time ``t``: 0 at the start, 1 at the end.

    The orientation turns at constant speed (slerp); the camera's centre moves on a straight line. Interpolating the
    translation of the world-to-camera matrices instead would swing the camera about the world's origin.
    """
    ends = np.stack([rigid_transform(start, "start"), rigid_transform(end, "end")])
    return np.asarray(pose_path(ends, times=[t])[0])


def pose_path(keyframes: ArrayLike, *, count: int | None = None, times: ArrayLike | None = None) -> NDArray[np.float64]:
    """Poses (n, 4, 4) along keyframes (k, 4, 4), k >= 1.

    Args:
        keyframes: poses to pass through; between two of them slerp and a straight line.
        count: this many, evenly spaced in keyframe number, both ends included.
        times: or these keyframe numbers (n,), from 0 to k - 1.

    Raises:
        BenchDataError: no keyframe, a pose that is not rigid, a time outside the path, or not one of count and times.
    """
    keys = np.asarray(keyframes, dtype=np.float64)
    if keys.ndim != 3 or len(keys) == 0:
        raise BenchDataError(f"keyframes must have shape (k, 4, 4) with k >= 1, got {keys.shape}")
    keys = np.stack([rigid_transform(key, f"keyframe {i}") for i, key in enumerate(keys)])
    if (count is None) == (times is None):
        raise BenchDataError("give either count or times")
    if count is not None:
        if count < 1:
            raise BenchDataError(f"count must be at least 1, got {count}")
        times = np.linspace(0, len(keys) - 1, count)
    at = np.asarray(times, dtype=np.float64)
    if at.ndim != 1 or not ((at >= 0) & (at <= len(keys) - 1)).all():
        raise BenchDataError(f"times must have shape (n,) and lie in 0 .. {len(keys) - 1}")
    quats = quat_from_matrix(keys[:, :3, :3])
    poses = np.tile(np.eye(4), (len(at), 1, 1))
    for i, time in enumerate(at):
        first = min(int(time), max(len(keys) - 2, 0))
        t = float(time) - first
        if t == 0 or t == 1:  # the keyframes themselves, to the last digit
            poses[i] = keys[first + int(t)]
            continue
        poses[i, :3, :3] = matrix_from_quat(slerp(quats[first], quats[first + 1], t))
        poses[i, :3, 3] = (1 - t) * keys[first, :3, 3] + t * keys[first + 1, :3, 3]
    return poses


def orbit(
    target_m: ArrayLike, *, radius_m: float, elevation_rad: float = 0.0, count: int = 36, start_rad: float = 0.0
) -> NDArray[np.float64]:
    """Poses (count, 4, 4) on a level circle about a target, evenly spaced, counter-clockwise from above (z up)."""
    if not radius_m > 0 or not abs(elevation_rad) < math.pi / 2 or count < 1:
        raise BenchDataError("an orbit needs radius_m > 0, an elevation within a right angle, and count >= 1")
    target = np.asarray(target_m, dtype=np.float64)
    angles = start_rad + np.arange(count) * (2 * math.pi / count)
    level = radius_m * math.cos(elevation_rad)
    height = np.full(count, radius_m * math.sin(elevation_rad))
    offsets = np.stack([level * np.cos(angles), level * np.sin(angles), height], axis=1)
    return np.stack([look_at(target + offset, target) for offset in offsets])
