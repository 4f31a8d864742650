"""Exact maps between the pixels of a rectified picture and those of its original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ToolError

__all__ = ["PixelMap"]


@dataclass(frozen=True)
class PixelMap:
    """A projective map of continuous pixel coordinates (pixel centres at +0.5).

    Args:
        original_from_rectified: 3x3, row major, as nested tuples so that the value is hashable and stores as text.
        original_size, rectified_size: (width, height).
    """

    original_from_rectified: tuple[tuple[float, float, float], ...]
    original_size: tuple[int, int]
    rectified_size: tuple[int, int]

    def __post_init__(self) -> None:
        matrix = np.array(self.original_from_rectified, dtype=np.float64)
        if matrix.shape != (3, 3) or not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12:
            raise ToolError(f"original_from_rectified must be a finite, invertible 3x3 matrix, got {matrix.tolist()}")

    @classmethod
    def identity(cls, size: tuple[int, int]) -> PixelMap:
        return cls(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), size, size)

    @classmethod
    def from_matrix(
        cls,
        original_from_rectified: NDArray[np.float64],
        *,
        original_size: tuple[int, int],
        rectified_size: tuple[int, int],
    ) -> PixelMap:
        """From a (3, 3) array."""
        rows = tuple(
            (float(a), float(b), float(c)) for a, b, c in np.asarray(original_from_rectified, dtype=np.float64)
        )
        return cls(rows, original_size, rectified_size)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """(3, 3) float64, original from rectified."""
        return np.array(self.original_from_rectified, dtype=np.float64)

    @property
    def is_identity(self) -> bool:
        return self.original_size == self.rectified_size and self == PixelMap.identity(self.original_size)

    def to_original(self, points_px: ArrayLike) -> NDArray[np.float64]:
        """Points (N, 2) of the rectified picture, in pixels of the original."""
        return _apply(self.matrix, points_px)

    def to_rectified(self, points_px: ArrayLike) -> NDArray[np.float64]:
        """Points (N, 2) of the original, in pixels of the rectified picture."""
        return _apply(np.linalg.inv(self.matrix).astype(np.float64), points_px)

    def then(self, later: PixelMap) -> PixelMap:
        """The map of a chain: ``self`` made the picture that ``later`` started from."""
        if later.original_size != self.rectified_size:
            raise ToolError(f"maps do not chain: {self.rectified_size} is followed by {later.original_size}")
        return PixelMap.from_matrix(
            self.matrix @ later.matrix, original_size=self.original_size, rectified_size=later.rectified_size
        )


def _apply(matrix: NDArray[np.float64], points_px: ArrayLike) -> NDArray[np.float64]:
    points = np.atleast_2d(np.asarray(points_px, dtype=np.float64))
    if points.ndim != 2 or points.shape[1] != 2:
        raise ToolError(f"points must have shape (N, 2), got {points.shape}")
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    result: NDArray[np.float64] = mapped[:, :2] / mapped[:, 2:]
    return result
