"""Camera poses as arrays: checks, relative motion, angles of rotations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError

__all__ = ["PoseArray", "checked_poses", "relative_to_first", "rotation_angle_deg"]

_ORTHONORMAL_TOLERANCE = 1e-2  # half-precision network output; a wrong convention is off by order 1
_BOTTOM_ROW_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class PoseArray:
    """N camera poses, ``world_from_camera``, OpenCV axes.

    Args:
        rotation: (N, 3, 3) float64.
        centre_m: (N, 3) float64, the camera centres.
        valid: (N,) bool, False where the pose was not finite.
    """

    rotation: NDArray[np.float64]
    centre_m: NDArray[np.float64]
    valid: NDArray[np.bool_]

    def __len__(self) -> int:
        return int(self.rotation.shape[0])

    def subset(self, keep: NDArray[np.bool_]) -> PoseArray:
        """The poses where ``keep`` (N,) is True."""
        return PoseArray(self.rotation[keep], self.centre_m[keep], self.valid[keep])


def checked_poses(world_from_camera: ArrayLike, *, name: str, may_fail: bool) -> PoseArray:
    """Poses (N, 3, 4) or (N, 4, 4), camera-to-world, as a ``PoseArray``.

    Args:
        name: for messages.
        may_fail: whether rows that are not finite are allowed; a model may fail on a frame, the truth may not.

    >>> poses = checked_poses(np.eye(4)[None].repeat(2, axis=0), name="truth", may_fail=False)
    >>> len(poses), poses.centre_m.shape
    (2, (2, 3))

    Raises:
        DiagnosticsError: wrong shape, a row that is not finite where none may be, or a finite 3x3 part that is no
            rotation (mirrored, scaled, skewed): a sign of a mixed-up convention.
    """
    poses = np.asarray(world_from_camera, dtype=np.float64)
    if poses.ndim != 3 or poses.shape[1:] not in ((3, 4), (4, 4)) or poses.shape[0] == 0:
        raise DiagnosticsError(f"{name} poses must have shape (N, 3, 4) or (N, 4, 4) with N >= 1, got {poses.shape}")
    valid: NDArray[np.bool_] = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    if not may_fail and not valid.all():
        row = int(np.flatnonzero(~valid)[0])
        raise DiagnosticsError(f"{name} pose {row} is not finite ({int((~valid).sum())} such poses); correct the data")
    rotation, centre = poses[:, :3, :3], poses[:, :3, 3]
    _refuse_non_rotations(np.where(valid[:, None, None], rotation, np.eye(3)), name)
    bottom = poses[valid, 3:]
    if bottom.size and np.abs(bottom - np.array([0.0, 0.0, 0.0, 1.0])).max() > _BOTTOM_ROW_TOLERANCE:
        raise DiagnosticsError(f"{name} poses: the last row of a 4x4 pose must be 0 0 0 1; is the matrix transposed?")
    return PoseArray(rotation, centre, valid)


def relative_to_first(world_from_camera: ArrayLike) -> NDArray[np.float64]:
    """The same trajectory in the frame of its first camera.

    Args:
        world_from_camera: (N, 3, 4) or (N, 4, 4), all finite.

    Returns:
        (N, 3, 4) float64, the first pose the identity.

    >>> pose = np.eye(4)[None, :3]
    >>> bool(np.allclose(relative_to_first(pose), pose))
    True

    Raises:
        DiagnosticsError: as ``checked_poses``.
    """
    poses = checked_poses(world_from_camera, name="input", may_fail=False)
    first_from_world = poses.rotation[0].T
    rotation = first_from_world @ poses.rotation
    centre = (poses.centre_m - poses.centre_m[0]) @ first_from_world.T
    return np.concatenate([rotation, centre[:, :, None]], axis=2)


def rotation_angle_deg(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle of rotation matrices (..., 3, 3), in degrees.

    Range: [0, 180]. ``atan2`` of sine and cosine keeps full precision near 0 and 180, where ``arccos`` loses half of
    the digits.

    >>> float(rotation_angle_deg(np.diag([1.0, -1.0, -1.0])))
    180.0
    """
    sine_twice = np.sqrt(
        (rotation[..., 2, 1] - rotation[..., 1, 2]) ** 2
        + (rotation[..., 0, 2] - rotation[..., 2, 0]) ** 2
        + (rotation[..., 1, 0] - rotation[..., 0, 1]) ** 2
    )
    cosine_twice = np.trace(rotation, axis1=-2, axis2=-1) - 1
    angle: NDArray[np.float64] = np.degrees(np.arctan2(sine_twice, cosine_twice))
    return angle


def _refuse_non_rotations(rotation: NDArray[np.float64], name: str) -> None:
    gram = rotation @ rotation.transpose(0, 2, 1)
    skewed = np.abs(gram - np.eye(3)).max(axis=(1, 2)) > _ORTHONORMAL_TOLERANCE
    mirrored = np.linalg.det(rotation) < 0
    bad = np.flatnonzero(skewed | mirrored)
    if bad.size:
        row = int(bad[0])
        what = "left-handed (det -1)" if mirrored[row] and not skewed[row] else "no rotation (R Rᵀ is not the identity)"
        raise DiagnosticsError(
            f"{name} pose {row}: the 3x3 part is {what}; check the convention (camera-to-world, OpenCV axes, "
            "quaternion order)"
        )
