"""Voxels: which of them points lie in, and how large they must be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fitting_side_m", "voxel_owners"]

_ROUNDS = 24
_MOST_CELLS = 1 << 20
"""Along each axis, so that three numbers fit into one of 64 bits."""


def voxel_owners(points_m: NDArray[np.float64], side_m: float) -> tuple[NDArray[np.int64], int]:
    """((N,) number of the voxel of each point, from 0 in the order of place; how many voxels hold points)."""
    if not len(points_m):
        return np.zeros(0, dtype=np.int64), 0
    side = max(side_m, float(np.ptp(points_m, axis=0).max()) / (_MOST_CELLS - 1), np.finfo(np.float64).tiny)
    x, y, z = np.floor((points_m - points_m.min(axis=0)) / side).astype(np.int64).T
    _, owners = np.unique((x << 42) | (y << 21) | z, return_inverse=True)
    return owners.astype(np.int64), int(owners.max()) + 1


def fitting_side_m(points_m: NDArray[np.float64], most: int) -> float:
    """The least side, within 1 %, of voxels of which no more than ``most`` hold points; 0 where none are needed."""
    if len(points_m) <= most:
        return 0.0
    extent = max(float(np.ptp(points_m, axis=0).max()), 1e-9)
    low, high = extent / 1e5, 1.001 * extent
    for _ in range(_ROUNDS):
        if high / low < 1.01:
            break
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if voxel_owners(points_m, middle)[1] <= most else (middle, high)
    return high
