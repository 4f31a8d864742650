"""CameraMotion: how a camera moves about its nominal pose during an exposure or a readout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError

__all__ = ["CameraMotion", "Vector"]

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class CameraMotion:
    """A steady motion whose middle is the nominal pose, in the axes of the nominal camera (x right, y down, z forward).

    Args:
        translation_m: from the first to the last position.
        rotation_rad: rotation vector from the first to the last orientation.

    Raises:
        BenchDataError: not three finite numbers each.
    """

    translation_m: Vector
    rotation_rad: Vector

    def __post_init__(self) -> None:
        for name in ("translation_m", "rotation_rad"):
            values = np.asarray(getattr(self, name), dtype=np.float64)
            if values.shape != (3,) or not np.isfinite(values).all():
                raise BenchDataError(
                    f"CameraMotion.{name} must be three finite numbers, got {getattr(self, name)!r}; "
                    "they are the way from the first to the last pose"
                )
            object.__setattr__(self, name, (float(values[0]), float(values[1]), float(values[2])))

    @property
    def translates(self) -> bool:
        """Whether the camera's centre moves, so that near things move more than far ones."""
        return any(self.translation_m)

    def nominal_from_moved(self, when: ArrayLike) -> NDArray[np.float64]:
        """(N, 4, 4) poses of the moved camera in nominal camera axes.

        Args:
            when: (N,) instants; -0.5 is the first, 0 the nominal and 0.5 the last.

        >>> CameraMotion((2.0, 0.0, 0.0), (0.0, 0.0, 0.0)).nominal_from_moved([-0.5, 0.5])[:, 0, 3].tolist()
        [-1.0, 1.0]
        """
        from scipy.spatial.transform import Rotation

        instants = np.atleast_1d(np.asarray(when, dtype=np.float64))
        poses = np.tile(np.eye(4), (len(instants), 1, 1))
        poses[:, :3, :3] = Rotation.from_rotvec(instants[:, None] * np.array(self.rotation_rad)).as_matrix()
        poses[:, :3, 3] = instants[:, None] * np.array(self.translation_m)
        return poses
