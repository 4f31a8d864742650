"""How far apart the poses of views are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cameras import Camera
from ..errors import BenchDataError

__all__ = ["angles_rad", "distances_m", "largest_euler_rad", "pose_distances", "poses_of"]


def poses_of(cameras: Sequence[Camera]) -> NDArray[np.float64]:
    """(N, 4, 4) camera-to-world poses."""
    return np.array([camera.world_from_camera for camera in cameras], dtype=np.float64).reshape(-1, 4, 4)


def distances_m(world_from_cameras: ArrayLike) -> NDArray[np.float64]:
    """(N, N) metres between the centres of cameras with poses (N, 4, 4)."""
    return _between_rows(_poses(world_from_cameras)[:, :3, 3])


def angles_rad(world_from_cameras: ArrayLike) -> NDArray[np.float64]:
    """(N, N) angles in [0, pi] of the rotations that turn one pose (4, 4) into the other.

    From ``|R_a - R_b| = 2 sqrt(2) sin(angle / 2)``, which keeps small angles exact where the arc cosine of the trace
    loses half of the digits.
    """
    apart = _between_rows(_poses(world_from_cameras)[:, :3, :3].reshape(-1, 9))
    return np.asarray(2 * np.arcsin(np.minimum(apart / (2 * np.sqrt(2)), 1)))


def largest_euler_rad(world_from_cameras: ArrayLike) -> NDArray[np.float64]:
    """(N, N) the largest of abs(yaw), abs(pitch), abs(roll) of ``R_a^T R_b``, in intrinsic Y-X-Z order.

    What SpaceDG limits; it lies between 1 / sqrt(3) of the angle and twice the angle for moderate turns.
    """
    from scipy.spatial.transform import Rotation

    R = _poses(world_from_cameras)[:, :3, :3]
    relative = np.einsum("aji,bjk->abik", R, R).reshape(-1, 3, 3)
    if not len(relative):
        return np.zeros((len(R), len(R)))
    euler = Rotation.from_matrix(relative).as_euler("YXZ")
    return np.asarray(np.abs(euler).max(axis=1).reshape(len(R), len(R)))


def pose_distances(world_from_cameras: ArrayLike, *, per_metre: float = 1.0) -> NDArray[np.float64]:
    """(N, N) angle / 180 degrees plus ``per_metre`` times the distance in metres (SpatialBench's pose distance)."""
    return angles_rad(world_from_cameras) / np.pi + per_metre * distances_m(world_from_cameras)


def _between_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, N) Euclidean distances between rows, without a temporary for each pair and column."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(values, values)) if len(values) else np.zeros((0, 0))


def _poses(world_from_cameras: ArrayLike) -> NDArray[np.float64]:
    poses = np.asarray(world_from_cameras, dtype=np.float64)
    if poses.ndim != 3 or poses.shape[1:] != (4, 4) or not np.isfinite(poses).all():
        raise BenchDataError(f"poses must be finite with shape (N, 4, 4), got {poses.shape}")
    return poses
