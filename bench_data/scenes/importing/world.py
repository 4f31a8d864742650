"""From the world of a source into this project's: z up, metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cameras import Camera
from ...errors import BenchDataError
from ...rotations import nearest_rotation
from ...splats import GaussianCloud
from ..box import OrientedBox

__all__ = ["Up", "WorldChange", "direction_of", "up_of_cameras", "z_up_rotation"]

Up: TypeAlias = Literal["z", "-z", "y", "-y", "x", "-x", "cameras"]
"""Which way is up in a source's world; "cameras": estimated from how its cameras are held."""

_SPREAD_ENOUGH = 0.02
"""Of the second smallest variance of the cameras' right axes: below it, all look along one line."""


@dataclass(frozen=True, eq=False)
class WorldChange:
    """A rotation, a uniform scale and a shift: ``new = scale * rotation @ old + shift_m``.

    Args:
        rotation: (3, 3).
        scale: metres for each unit of the source, > 0.
        shift_m: (3,).

    Raises:
        BenchDataError: no rotation, or a scale that is not positive.
    """

    rotation: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))
    scale: float = 1.0
    shift_m: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", nearest_rotation(self.rotation, name="the rotation of a WorldChange"))
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise BenchDataError(f"metres for each unit must be a number above 0, got {self.scale!r}")

    @classmethod
    def upright(cls, up: ArrayLike, *, scale: float = 1.0) -> Self:
        """Turns ``up`` (3,), of the old world, to z."""
        return cls(z_up_rotation(up), scale)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """(4, 4) new from old."""
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.scale * self.rotation, self.shift_m
        return matrix

    def points(self, points: ArrayLike) -> NDArray[np.float64]:
        """(N, 3) points in the new world."""
        return np.asarray(np.asarray(points, np.float64) @ (self.scale * self.rotation.T) + self.shift_m)

    def pose(self, world_from_camera: ArrayLike) -> NDArray[np.float64]:
        """(4, 4) camera-to-world pose in the new world; a camera is not scaled, where it stands is."""
        old = np.asarray(world_from_camera, np.float64)
        pose = np.eye(4)
        pose[:3, :3] = self.rotation @ old[:3, :3]
        pose[:3, 3] = self.points(old[None, :3, 3])[0]
        return pose

    def camera(self, camera: Camera) -> Camera:
        """The camera in the new world; its near and far limits are lengths and scale along."""
        return replace(
            camera,
            world_from_camera=self.pose(camera.world_from_camera),
            near_m=camera.near_m * self.scale,
            far_m=camera.far_m * self.scale,
        )

    def cloud(self, cloud: GaussianCloud) -> GaussianCloud:
        """The Gaussians in the new world."""
        return cloud.transformed(self.matrix)

    def box(self, box: OrientedBox) -> OrientedBox:
        """The box in the new world."""
        return OrientedBox(
            self.points(box.centre_m[None])[0], box.size_m * self.scale, self.rotation @ box.world_from_box
        )


def z_up_rotation(up: ArrayLike) -> NDArray[np.float64]:
    """(3, 3) the shortest rotation that turns a direction (3,) to z; a half turn about x for -z.

    Raises:
        BenchDataError: no direction.

    >>> (z_up_rotation([0, 0, 1]) + 0).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    vector = np.asarray(up, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not np.linalg.norm(vector) > 0:
        raise BenchDataError(f"up must be three numbers that are not all 0, got {up!r}")
    x, y, z = vector / np.linalg.norm(vector)
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    # Rodrigues' formula with the axis up x z = (y, -x, 0) and cos = z.
    cross = np.array([[0, 0, -x], [0, 0, -y], [x, y, 0]], dtype=np.float64)
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + z))


def direction_of(up: Up, cameras: Sequence[Camera]) -> NDArray[np.float64]:
    """(3,) unit vector of an `Up`.

    Raises:
        BenchDataError: an unknown one, or cameras that do not tell.
    """
    if up == "cameras":
        return up_of_cameras(cameras)
    if up not in get_args(Up):
        raise BenchDataError(f"up must be one of {', '.join(get_args(Up))}, got {up!r}")
    vector = np.zeros(3)
    vector["xyz".index(up[-1])] = -1.0 if up.startswith("-") else 1.0
    return vector


def up_of_cameras(cameras: Sequence[Camera]) -> NDArray[np.float64]:
    """(3,) unit vector: which way is up for people who hold cameras level.

    A camera without roll has a level right axis, however it is tilted; so up is the direction in which the right axes
    vary least. Where all cameras look along one line that is not determined, and the mean of their own up axes decides.
    (nerfstudio's "vertical" and "up" orientation methods.)

    Raises:
        BenchDataError: no cameras, or as many upside down as not.
    """
    if not cameras:
        raise BenchDataError("there are no cameras to tell which way is up; give it (up=)")
    right = np.stack([camera.world_from_camera[:3, 0] for camera in cameras])
    mean_up = -np.mean([camera.world_from_camera[:3, 1] for camera in cameras], axis=0)
    if np.linalg.norm(mean_up) < 1e-3:
        raise BenchDataError("the cameras do not agree on which way is up; give it (up=)")
    variance, axes = np.linalg.eigh(right.T @ right / len(right))
    up = axes[:, 0] if variance[1] > _SPREAD_ENOUGH else mean_up - axes[:, 2] * (axes[:, 2] @ mean_up)
    up = up if up @ mean_up >= 0 else -up
    return np.asarray(up / np.linalg.norm(up))
