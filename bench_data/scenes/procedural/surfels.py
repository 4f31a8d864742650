"""Surfels: flat Gaussians laid on surfaces, cell by cell, before they are lit and become a cloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["SIGMA_PER_CELL", "Array", "Surfels", "graded_cells", "uniform_cells"]

Array = NDArray[np.float64]

SIGMA_PER_CELL = 0.72
"""Standard deviation of a surfel per width of its cell. Four neighbours then cover the corner that they share to 98 %,
and everything around it to more, so that a surface has no holes and is as sharp as its cells."""

THICKNESS_PER_CELL = 0.08
_THINNEST_M, _THICKEST_M = 0.0004, 0.004


@dataclass(frozen=True, eq=False)
class Surfels:
    """N parallelogram cells with colours.

    Args:
        centres_m: (N, 3).
        along_u_m, along_v_m: (N, 3) edge vectors of each cell; their cross product is the outward normal.
        albedo: (N, 3) share of light that comes back, linear.
        glow: (N, 3) light of its own, linear, added to what comes back.
    """

    centres_m: Array
    along_u_m: Array
    along_v_m: Array
    albedo: Array
    glow: Array

    def __len__(self) -> int:
        return len(self.centres_m)

    @classmethod
    def joined(cls, parts: Sequence[Surfels]) -> Surfels:
        """All of them, in order."""
        names = ("centres_m", "along_u_m", "along_v_m", "albedo", "glow")
        if not parts:
            return cls(*(np.zeros((0, 3)) for _ in names))
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @classmethod
    def of_grid(cls, points_m: Array, albedo: Array, glow: Array) -> Surfels:
        """The cells of a grid of corner points (nu + 1, nv + 1, 3); colours (nu nv, 3), v fastest."""
        p00, p10, p01, p11 = points_m[:-1, :-1], points_m[1:, :-1], points_m[:-1, 1:], points_m[1:, 1:]
        return cls(
            ((p00 + p10 + p01 + p11) / 4).reshape(-1, 3),
            ((p10 + p11 - p00 - p01) / 2).reshape(-1, 3),
            ((p01 + p11 - p00 - p10) / 2).reshape(-1, 3),
            albedo,
            glow,
        )

    def moved(self, rotation: ArrayLike, shift_m: ArrayLike) -> Surfels:
        """Turned by ``rotation`` (3, 3), then shifted by (3,)."""
        R = np.asarray(rotation, dtype=np.float64)
        return Surfels(
            self.centres_m @ R.T + np.asarray(shift_m, dtype=np.float64),
            self.along_u_m @ R.T,
            self.along_v_m @ R.T,
            self.albedo,
            self.glow,
        )

    def selected(self, rows: NDArray[np.bool_]) -> Surfels:
        """Those of a mask (N,)."""
        return Surfels(
            self.centres_m[rows], self.along_u_m[rows], self.along_v_m[rows], self.albedo[rows], self.glow[rows]
        )

    def behind(self, corner_m: Array, along_u_m: Array, along_v_m: Array, *, depth_m: float) -> NDArray[np.bool_]:
        """(N,) which of them a rectangle hides: at most ``depth_m`` behind it, whole cells within it."""
        length_u, length_v = float(np.linalg.norm(along_u_m)), float(np.linalg.norm(along_v_m))
        unit_u, unit_v = along_u_m / length_u, along_v_m / length_v
        offset = self.centres_m - corner_m
        a, b, height = offset @ unit_u, offset @ unit_v, offset @ np.cross(unit_u, unit_v)
        # A little of a cell may stick out: holes beside the rectangle would be worse than a fringe under it.
        reach_u = (np.abs(self.along_u_m @ unit_u) + np.abs(self.along_v_m @ unit_u)) / 3
        reach_v = (np.abs(self.along_u_m @ unit_v) + np.abs(self.along_v_m @ unit_v)) / 3
        inside = (a >= reach_u) & (a <= length_u - reach_u) & (b >= reach_v) & (b <= length_v - reach_v)
        return np.asarray(inside & (height <= 1e-4) & (height >= -depth_m))

    def frames(self) -> tuple[Array, Array, Array]:
        """Orientations (N, 3, 3) with columns u, v', normal; scales (N, 3) in metres; normals (N, 3).

        Where a cell has shrunk to a line (the middle of a disc), any direction across it serves.
        """
        u, length_u = _unit(self.along_u_m, fallback=_across(self.along_v_m))
        raw = np.cross(u, self.along_v_m)
        normal, length_v = _unit(raw, fallback=_across(u))
        v = np.cross(normal, u)
        smaller = np.minimum(length_u, length_v)
        thickness = np.clip(THICKNESS_PER_CELL * smaller, _THINNEST_M, _THICKEST_M)
        sigma = np.stack([length_u, length_v], axis=1) * SIGMA_PER_CELL
        scales = np.concatenate([np.maximum(sigma, _THINNEST_M), thickness[:, None]], axis=1)
        return np.stack([u, v, normal], axis=2), scales, normal


def uniform_cells(length_m: float, spacing_m: float, *, at_least: int = 1) -> Array:
    """(n + 1,) boundaries of equal cells from 0 to ``length_m``, none wider than about ``spacing_m``."""
    return np.linspace(0.0, length_m, max(at_least, int(np.ceil(length_m / spacing_m - 0.25))) + 1)


def graded_cells(length_m: float, spacing_m: float, *, edge_m: float | None = None) -> Array:
    """(n + 1,) boundaries from 0 to ``length_m``: wide in the middle, and narrow towards both ends.

    A Gaussian spreads over the edge of its cell, so a surface of wide cells ends in a fringe. Here each cell is at most
    about 0.7 of its middle's distance from the end, so that the fringe is as narrow as the outermost cell.

    >>> graded_cells(0.4, 0.1, edge_m=0.01).round(3).tolist()
    [0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.24, 0.32, 0.36, 0.38, 0.39, 0.4]
    """
    edge = spacing_m / 6 if edge_m is None else edge_m
    if length_m <= 3 * edge:
        return uniform_cells(length_m, max(length_m / 2, 1e-6), at_least=2)
    ramp, width = [0.0, edge], edge
    while width < spacing_m and ramp[-1] + width < length_m / 2:
        ramp.append(ramp[-1] + width)
        width *= 2
    rest = length_m - 2 * ramp[-1]
    count = int(np.ceil(rest / min(width, spacing_m) - 0.25)) if rest > edge / 4 else 0
    middle = np.linspace(ramp[-1], length_m - ramp[-1], count + 1)[1:-1] if count else np.zeros(0)
    ends = length_m - np.array(ramp[::-1])
    joined = np.concatenate([ramp, middle, ends])
    return joined if rest > edge / 4 else np.unique(joined.round(9))


def _unit(vectors: Array, *, fallback: Array) -> tuple[Array, Array]:
    length = np.linalg.norm(vectors, axis=1)
    short = length < 1e-9
    unit = np.where(short[:, None], fallback, vectors / np.where(short, 1.0, length)[:, None])
    return unit / np.linalg.norm(unit, axis=1, keepdims=True), length


def _across(vectors: Array) -> Array:
    """A direction across each vector, of any length but zero."""
    axis = np.where(
        np.abs(vectors[:, [2]]) > 0.9 * np.linalg.norm(vectors, axis=1, keepdims=True), [1, 0, 0], [0, 0, 1]
    )
    across = np.cross(vectors, axis)
    none = np.linalg.norm(across, axis=1, keepdims=True) < 1e-9
    return np.where(none, [1.0, 0.0, 0.0], across)
