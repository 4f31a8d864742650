"""Least-squares rigid and similarity alignment of two point sets (Umeyama 1991)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import DiagnosticsError

__all__ = ["Similarity", "fit_similarity", "point_spread", "spans_a_line_only"]

_COLLINEAR_RATIO = 1e-6


@dataclass(frozen=True, eq=False)
class Similarity:
    """The map ``x -> scale * rotation @ x + translation``.

    Args:
        scale: positive, or 0 when the sets are unrelated.
        rotation: (3, 3), determinant +1.
        translation_m: (3,).
    """

    scale: float
    rotation: NDArray[np.float64]
    translation_m: NDArray[np.float64]

    @classmethod
    def identity(cls) -> Similarity:
        return cls(1.0, np.eye(3), np.zeros(3))

    def apply(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (N, 3), mapped."""
        return self.scale * points @ self.rotation.T + self.translation_m


def fit_similarity(source: NDArray[np.float64], target: NDArray[np.float64], *, with_scale: bool = True) -> Similarity:
    """The similarity (or rigid motion) that brings ``source`` closest to ``target`` in the least-squares sense.

    A mirror image is never absorbed: the rotation keeps determinant +1. A source without extent keeps scale 1.

    Source: Umeyama 1991, equations 40 to 43.

    Args:
        source, target: (N, 3), row i of one belongs to row i of the other.
        with_scale: False fits a rigid motion.

    >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> round(fit_similarity(points, 2 * points + 5).scale, 9)
    2.0

    Raises:
        DiagnosticsError: the shapes differ or a value is not finite.
    """
    if source.shape != target.shape or source.ndim != 2 or source.shape[1:] != (3,) or source.shape[0] == 0:
        raise DiagnosticsError(f"alignment needs two (N, 3) arrays of one length, got {source.shape}, {target.shape}")
    if not (np.isfinite(source).all() and np.isfinite(target).all()):
        raise DiagnosticsError("alignment: a point is not finite; leave failed rows out of both sets")
    source_mean, target_mean = source.mean(axis=0), target.mean(axis=0)
    centred_source, centred_target = source - source_mean, target - target_mean
    covariance = centred_target.T @ centred_source / source.shape[0]
    left, singular, right = np.linalg.svd(covariance)
    signs = np.array([1.0, 1.0, np.sign(np.linalg.det(left) * np.linalg.det(right))])
    rotation = (left * signs) @ right
    variance = float(np.mean(np.sum(centred_source**2, axis=1)))
    scale = float(singular @ signs) / variance if with_scale and variance > 0 else 1.0
    return Similarity(scale, rotation, target_mean - scale * rotation @ source_mean)


def point_spread(points: NDArray[np.float64]) -> float:
    """Root mean square distance of points (N, 3) from their mean, in their unit.

    >>> point_spread(np.array([[0.0, 0, 0], [2, 0, 0]]))
    1.0
    """
    return float(np.sqrt(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=1))))


def spans_a_line_only(points: NDArray[np.float64]) -> bool:
    """Whether points (N, 3) lie on one line (or in one spot), so that they fix no rotation about it.

    >>> spans_a_line_only(np.array([[0.0, 0, 0], [1, 1, 0], [3, 3, 0]]))
    True
    """
    singular = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return singular.size < 2 or bool(singular[1] <= _COLLINEAR_RATIO * singular[0])
