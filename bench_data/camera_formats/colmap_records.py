"""Rows of a COLMAP model, as its files hold them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MODELS", "MODEL_NAMES", "ColmapCamera", "ColmapImage", "ColmapPoints"]

MODEL_NAMES: tuple[tuple[str, int], ...] = (
    ("SIMPLE_PINHOLE", 3),
    ("PINHOLE", 4),
    ("SIMPLE_RADIAL", 4),
    ("RADIAL", 5),
    ("OPENCV", 8),
    ("OPENCV_FISHEYE", 8),
    ("FULL_OPENCV", 12),
    ("FOV", 5),
    ("SIMPLE_RADIAL_FISHEYE", 4),
    ("RADIAL_FISHEYE", 5),
    ("THIN_PRISM_FISHEYE", 12),
    ("RAD_TAN_THIN_PRISM_FISHEYE", 16),
    ("SIMPLE_DIVISION", 4),
    ("DIVISION", 5),
    ("SIMPLE_FISHEYE", 3),
    ("FISHEYE", 4),
    ("EUCM", 6),
    ("EQUIRECTANGULAR", 2),
)
"""(name, number of parameters), in the order of their numbers in binary files (COLMAP 4)."""

MODELS: dict[str, int] = dict(MODEL_NAMES)


@dataclass(frozen=True)
class ColmapCamera:
    """Intrinsics: a model's name and its parameters in COLMAP's order."""

    camera_id: int
    model: str
    width: int
    height: int
    params: tuple[float, ...]


@dataclass(frozen=True)
class ColmapImage:
    """A registered picture: its pose is world-to-camera."""

    image_id: int
    quat_wxyz: tuple[float, float, float, float]
    translation: tuple[float, float, float]
    camera_id: int
    name: str


@dataclass(frozen=True, eq=False)
class ColmapPoints:
    """Sparse points.

    Args:
        points: (N, 3) float64, in the model's own unit.
        colours_u8: (N, 3) uint8 sRGB.
    """

    points: NDArray[np.float64]
    colours_u8: NDArray[np.uint8]
