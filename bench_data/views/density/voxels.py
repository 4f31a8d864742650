"""Which voxels of space each frame sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from .candidates import Candidate

__all__ = ["VoxelSets", "points_in_first_camera", "voxel_keys", "voxel_sets"]

_HALF = 1 << 20
_BITS = 21


class VoxelSets(NamedTuple):
    """Voxels by frame, numbered from 0."""

    sets: tuple[NDArray[np.int64], ...]
    """Of each frame, the numbers of the voxels that it sees, ascending."""
    seen_by: NDArray[np.int64]
    """(voxels,) how many frames see each."""


def points_in_first_camera(candidates: Sequence[Candidate]) -> list[NDArray[np.float64]]:
    """Of each frame, its points (M, 3) in the camera axes of the first, rounded to micrometres.

    Where the world's origin is, and how its axes lie, thus does not matter.
    """
    if not candidates:
        return []
    first = candidates[0].world_from_camera
    R, centre = first[:3, :3], first[:3, 3]
    result = []
    for candidate in candidates:
        lens = candidate.lens.with_pose(np.eye(4))
        local = lens.unproject(candidate.points_px, candidate.depth_mm / 1000)
        local = local[np.isfinite(local).all(axis=1)]
        pose = candidate.world_from_camera
        turn, shift = R.T @ pose[:3, :3], R.T @ (pose[:3, 3] - centre)
        result.append(np.round(local @ turn.T + shift, 6))
    return result


def voxel_keys(points_m: NDArray[np.float64], voxel_m: float) -> NDArray[np.int64]:
    """The voxels (K,) that points (N, 3) lie in, ascending; the three indices are packed into 63 bits.

    Raises:
        BenchDataError: a point lies more than 2^20 voxels from the origin.
    """
    indices = np.floor(points_m / voxel_m)
    if indices.size and not (indices.min() >= -_HALF and indices.max() < _HALF):
        raise BenchDataError(
            f"a point lies more than {_HALF * voxel_m:g} m from the first camera, too far for voxels of {voxel_m:g} m; "
            "cut depth to the scene's range first"
        )
    x, y, z = indices.astype(np.int64).T + _HALF
    return np.unique((x << 2 * _BITS) | (y << _BITS) | z)


def voxel_sets(points_m: Sequence[NDArray[np.float64]], voxel_m: float) -> VoxelSets:
    """The voxels that each frame sees, from its points (M, 3)."""
    keys = [voxel_keys(points, voxel_m) for points in points_m]
    if not keys:
        return VoxelSets((), np.zeros(0, np.int64))
    _, numbers, seen_by = np.unique(np.concatenate(keys), return_inverse=True, return_counts=True)
    ends = np.cumsum([len(one) for one in keys])
    return VoxelSets(tuple(np.split(numbers.astype(np.int64), ends[:-1])), seen_by.astype(np.int64))
