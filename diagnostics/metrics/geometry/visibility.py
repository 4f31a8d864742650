"""Which points of the true cloud the evaluated frames saw at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError
from .poses import checked_poses

__all__ = ["points_seen_by"]


def points_seen_by(
    points: ArrayLike,
    world_from_camera: ArrayLike,
    intrinsics: ArrayLike,
    depth_m: ArrayLike,
    *,
    tolerance_m: float = 0.05,
) -> NDArray[np.bool_]:
    """Whether at least one frame sees each point: inside the image, in front of the camera, not behind the surface.

    No range or direction, it is a property of the scene; ``cloud_scores`` takes it as ``visible``.

    Args:
        points: (N, 3) world coordinates, metres.
        world_from_camera: (F, 3, 4) or (F, 4, 4), OpenCV axes.
        intrinsics: (3, 3) or (F, 3, 3), pixels, with pixel centres at +0.5.
        depth_m: (F, H, W) true z-depth; where it is 0 or NaN nothing is known, and nothing is seen.
        tolerance_m: how far behind the measured surface a point still belongs to it.

    >>> seen = points_seen_by(
    ...     [[0, 0, 1.0], [0, 0, 2.0], [9, 0, 1.0]], np.eye(4)[None], [[10, 0, 4], [0, 10, 4], [0, 0, 1]],
    ...     np.full((1, 8, 8), 1.0))
    >>> seen.tolist()
    [True, False, False]

    Raises:
        DiagnosticsError: wrong shapes, or a pose that is not finite or no rotation.
    """
    cloud, depth = np.asarray(points, dtype=np.float64), np.asarray(depth_m, dtype=np.float64)
    poses = checked_poses(world_from_camera, name="true", may_fail=False)
    matrix = np.asarray(intrinsics, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 3 or depth.ndim != 3 or len(depth) != len(poses):
        raise DiagnosticsError(
            f"points_seen_by needs points (N, 3) and one depth map (H, W) a pose, got {cloud.shape} and {depth.shape} "
            f"for {len(poses)} poses"
        )
    if matrix.shape not in ((3, 3), (len(poses), 3, 3)):
        raise DiagnosticsError(f"points_seen_by: intrinsics must be (3, 3) or (F, 3, 3), got {matrix.shape}")
    matrices = np.broadcast_to(matrix, (len(poses), 3, 3))
    seen = np.zeros(len(cloud), dtype=np.bool_)
    for frame in range(len(poses)):
        hidden = np.flatnonzero(~seen)
        local = (cloud[hidden] - poses.centre_m[frame]) @ poses.rotation[frame]
        seen[hidden] = _in_view(local, matrices[frame], depth[frame], tolerance_m)
    return seen


def _in_view(
    local: NDArray[np.float64], intrinsics: NDArray[np.float64], depth: NDArray[np.float64], tolerance_m: float
) -> NDArray[np.bool_]:
    """Points (N, 3) in camera axes that this frame sees."""
    height, width = depth.shape
    z = local[:, 2]
    ahead = np.flatnonzero(z > 0)
    pixel = (local[ahead] @ intrinsics.T)[:, :2] / z[ahead, None]
    inside = (pixel >= 0).all(axis=1) & (pixel[:, 0] < width) & (pixel[:, 1] < height)
    ahead, pixel = ahead[inside], np.floor(pixel[inside]).astype(np.intp)
    surface = depth[pixel[:, 1], pixel[:, 0]]
    in_view = np.zeros(len(local), dtype=np.bool_)
    in_view[ahead] = (surface > 0) & (z[ahead] <= surface + tolerance_m)
    return in_view
