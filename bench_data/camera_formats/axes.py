"""Axes and directions of camera poses in other programs, and of worlds.

| name | x, y, z of the camera | used by |
|---|---|---|
| ``opencv`` | right, down, forward | this project, OpenCV, COLMAP, gsplat, TUM and ScanNet poses |
| ``opengl`` | right, up, backward | OpenGL, Blender, NeRF, nerfstudio, glTF |

A pose file holds either camera-to-world (``world_from_camera``) or world-to-camera (``camera_from_world``). Neither
fact can be seen in the numbers, so both are always stated.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cameras import rigid_transform
from ..errors import BenchDataError

__all__ = ["Z_UP_FROM_Y_DOWN", "Z_UP_FROM_Y_UP", "CameraAxes", "PoseMaps", "pose_as", "pose_from"]

CameraAxes: TypeAlias = Literal["opencv", "opengl"]
PoseMaps: TypeAlias = Literal["world_from_camera", "camera_from_world"]

_OPENCV_FROM: dict[str, NDArray[np.float64]] = {"opencv": np.eye(4), "opengl": np.diag([1.0, -1.0, -1.0, 1.0])}
"""Both are their own inverses."""


def _frozen(rows: list[list[float]]) -> NDArray[np.float64]:
    matrix = np.array(rows, dtype=np.float64)
    matrix.setflags(write=False)
    return matrix


Z_UP_FROM_Y_DOWN = _frozen([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""(4, 4): turns a world whose y axis points down (a first camera's axes, most splat files) so that z points up."""

Z_UP_FROM_Y_UP = _frozen([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""(4, 4): turns a world whose y axis points up (glTF, many viewers) so that z points up."""


def pose_from(matrix: ArrayLike, *, axes: CameraAxes, maps: PoseMaps) -> NDArray[np.float64]:
    """``world_from_camera`` (4, 4) in this project's axes.

    Args:
        matrix: (4, 4) or (3, 4), rigid.
        axes: the camera axes that it speaks of.
        maps: which way it maps.

    Raises:
        BenchDataError: not rigid, or an unknown convention.

    >>> pose_from([[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3]], axes="opencv", maps="camera_from_world")[:3, 3].tolist()
    [-1.0, -2.0, -3.0]
    """
    _check(axes, maps)
    pose = rigid_transform(_four_rows(matrix), "the pose")
    if maps == "camera_from_world":
        pose = _inverse(pose)
    return pose @ _OPENCV_FROM[axes]


def pose_as(world_from_camera: ArrayLike, *, axes: CameraAxes, maps: PoseMaps) -> NDArray[np.float64]:
    """The inverse of `pose_from`: a pose of this project as another program wants it, (4, 4)."""
    _check(axes, maps)
    pose = rigid_transform(_four_rows(world_from_camera), "world_from_camera") @ _OPENCV_FROM[axes]
    return pose if maps == "world_from_camera" else _inverse(pose)


def _check(axes: str, maps: str) -> None:
    if axes not in _OPENCV_FROM:
        raise BenchDataError(f"axes must be one of {', '.join(_OPENCV_FROM)}, got {axes!r}")
    if maps not in ("world_from_camera", "camera_from_world"):
        raise BenchDataError(f"maps must be world_from_camera or camera_from_world, got {maps!r}")


def _four_rows(matrix: ArrayLike) -> NDArray[np.float64]:
    try:
        pose = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise BenchDataError("a pose must be a (4, 4) or (3, 4) array of numbers") from None
    return np.vstack([pose, [0, 0, 0, 1]]) if pose.shape == (3, 4) else pose


def _inverse(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    inverse = np.eye(4)
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverse
