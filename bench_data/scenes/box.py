"""OrientedBox: where an object is, how large it is, and which way it faces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from ..rotations import nearest_rotation

__all__ = ["OrientedBox"]

_SIGNS = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=np.float64) / 2


@dataclass(frozen=True, eq=False)
class OrientedBox:
    """A box in the world (metres, z up), with axes of its own: x forward, y left, z up, as nuScenes has them.

    Args:
        centre_m: (3,) its middle.
        size_m: (3,) full length (along its front), width and height; each > 0.
        world_from_box: (3, 3) rotation; the identity faces along the world's x.

    Raises:
        BenchDataError: shapes, values that are not finite, a size that is not positive, or no rotation.

    >>> OrientedBox.upright((0, 0, 1), (4, 2, 2), heading_rad=0).corners_m.max(axis=0).tolist()
    [2.0, 1.0, 2.0]
    """

    centre_m: NDArray[np.float64]
    size_m: NDArray[np.float64]
    world_from_box: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre_m", _triple(self.centre_m, "centre_m"))
        size = _triple(self.size_m, "size_m")
        if not (size > 0).all():
            raise BenchDataError(f"the size of a box must be positive along each axis, got {size.tolist()}")
        object.__setattr__(self, "size_m", size)
        rotation = np.asarray(self.world_from_box, dtype=np.float64)
        if rotation.shape != (3, 3):
            raise BenchDataError(f"world_from_box must be a (3, 3) rotation, got shape {rotation.shape}")
        object.__setattr__(self, "world_from_box", _frozen(nearest_rotation(rotation, name="world_from_box")))

    @classmethod
    def upright(cls, centre_m: ArrayLike, size_m: ArrayLike, *, heading_rad: float = 0.0) -> Self:
        """A box that stands level; ``heading_rad`` turns its front from the world's x towards y."""
        c, s = math.cos(heading_rad), math.sin(heading_rad)
        rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return cls(np.asarray(centre_m, np.float64), np.asarray(size_m, np.float64), rotation)

    @cached_property
    def corners_m(self) -> NDArray[np.float64]:
        """(8, 3) corners in the world; the four lower ones first, x fastest."""
        return _frozen(self.centre_m + (_SIGNS * self.size_m) @ self.world_from_box.T)

    @property
    def forward(self) -> NDArray[np.float64]:
        """(3,) unit vector out of its front."""
        return self.world_from_box[:, 0]

    @property
    def heading_rad(self) -> float:
        """Direction of the front on the ground, from the world's x towards y, in (-pi, pi]."""
        return math.atan2(float(self.world_from_box[1, 0]), float(self.world_from_box[0, 0]))

    @property
    def volume_m3(self) -> float:
        """Product of the three sizes."""
        return float(np.prod(self.size_m))

    @cached_property
    def bottom_m(self) -> float:
        """Height of its lowest point."""
        return float(self.corners_m[:, 2].min())

    @cached_property
    def top_m(self) -> float:
        """Height of its highest point."""
        return float(self.corners_m[:, 2].max())

    def to_box(self, points_world: ArrayLike) -> NDArray[np.float64]:
        """(N, 3) points of the world in the box's axes, from its centre."""
        points = np.asarray(points_world, dtype=np.float64).reshape(-1, 3)
        return np.asarray((points - self.centre_m) @ self.world_from_box)

    def contains(self, points_world: ArrayLike, *, margin_m: float = 0.0) -> NDArray[np.bool_]:
        """(N,) whether points (N, 3) lie inside, or within ``margin_m`` of it along each axis."""
        return np.asarray((np.abs(self.to_box(points_world)) <= self.size_m / 2 + margin_m).all(axis=1))

    def distance_to(self, point_world: ArrayLike) -> float:
        """Metres from a point (3,) to the nearest point of the box; 0 inside."""
        outside = np.maximum(np.abs(self.to_box(point_world)[0]) - self.size_m / 2, 0)
        return float(np.linalg.norm(outside))

    def __repr__(self) -> str:
        centre, size = (", ".join(f"{v:.3g}" for v in values) for values in (self.centre_m, self.size_m))
        return f"OrientedBox(centre ({centre}) m, size ({size}) m, heading {math.degrees(self.heading_rad):.0f} deg)"


def _triple(value: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.array(value, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise BenchDataError(f"{name} of a box must be three finite numbers in metres, got {value!r}")
    return _frozen(array)


def _frozen(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.setflags(write=False)
    return array
