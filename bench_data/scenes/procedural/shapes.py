"""Assembly: an object put together from boxes, turned shapes, cushions, tubes and leaves, in axes of its own.

The axes of an object are those of its box: x out of its front, y to its left, z up; it stands on z = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .materials import Material
from .surfels import SIGMA_PER_CELL, Array, Surfels, graded_cells, uniform_cells

__all__ = ["LEAF_EDGE_SIGMAS", "Assembly", "turn"]

LEAF_EDGE_SIGMAS = 1.5
"""Where a leaf ends: two thirds of the light behind it come through there."""

# For each face: the axis it faces along and on which side.
_FACES = {"-x": (0, -1), "+x": (0, 1), "-y": (1, -1), "+y": (1, 1), "-z": (2, -1), "+z": (2, 1)}


def turn(axis: str, angle_rad: float) -> Array:
    """(3, 3) rotation about "x", "y" or "z"."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


class Assembly:
    """Collects surfels and the exact bounds of the parts that they are laid on.

    Args:
        spacing_m: usual distance between surfels.
        rng: for whatever of a part is random (leaves).
    """

    def __init__(self, spacing_m: float, rng: np.random.Generator) -> None:
        self.spacing_m = spacing_m
        self.rng = rng
        self._rotation = np.eye(3)
        self._shift = np.zeros(3)
        self._parts: list[Surfels] = []
        self._bounds: list[Array] = []

    def placed(
        self, shift_m: ArrayLike = (0.0, 0.0, 0.0), rotation: Array | None = None, *, spacing_m: float | None = None
    ) -> Self:
        """The same object in other axes: parts are turned, then shifted, from here. ``spacing_m``: another density."""
        other = type(self)(spacing_m or self.spacing_m, self.rng)
        other._parts, other._bounds = self._parts, self._bounds
        other._rotation = self._rotation if rotation is None else self._rotation @ rotation
        other._shift = self._shift + self._rotation @ np.asarray(shift_m, dtype=np.float64)
        return other

    @property
    def surfels(self) -> Surfels:
        """Everything that was added."""
        return Surfels.joined(self._parts)

    def bounds_m(self) -> tuple[Array, Array]:
        """Lowest and highest corner (3,) of all parts, exact."""
        corners = np.concatenate(self._bounds)
        return corners.min(axis=0), corners.max(axis=0)

    def sheet(
        self,
        points_m: Array,
        u_m: Array,
        v_m: Array,
        material: Material,
        *,
        shade: Array | None = None,
        keep: NDArray[np.bool_] | None = None,
    ) -> None:
        """Cells of a grid of points (nu + 1, nv + 1, 3); u along the first axis, and u x v outward.

        Args:
            points_m: corners.
            u_m, v_m: (nu + 1,), (nv + 1,) places on the surface, for the texture.
            material: of the surface.
            shade: (nu, nv) factor on the colours.
            keep: (nu, nv) which cells there are; the others are openings.
        """
        moved = points_m @ self._rotation.T + self._shift
        u, v = np.meshgrid((u_m[1:] + u_m[:-1]) / 2, (v_m[1:] + v_m[:-1]) / 2, indexing="ij")
        albedo = np.clip(material.texture(u.ravel(), v.ravel()), 0.0, 1.0)
        if shade is not None:
            albedo = np.clip(albedo * shade.reshape(-1, 1), 0.0, 1.0)
        cells = Surfels.of_grid(moved, albedo, albedo * material.glow)
        self._parts.append(cells if keep is None else cells.selected(keep.ravel()))
        flat = moved.reshape(-1, 3)
        self._bounds.append(np.stack([flat.min(axis=0), flat.max(axis=0)]))

    def panel(self, corner_m: ArrayLike, along_u_m: ArrayLike, along_v_m: ArrayLike, material: Material) -> None:
        """A flat parallelogram with sharp edges; u x v is its front."""
        corner, u, v = (np.asarray(a, dtype=np.float64) for a in (corner_m, along_u_m, along_v_m))
        lengths = float(np.linalg.norm(u)), float(np.linalg.norm(v))
        cells_u = graded_cells(lengths[0], self.spacing_m * material.stretch[0], edge_m=self._edge(lengths[0]))
        cells_v = graded_cells(lengths[1], self.spacing_m * material.stretch[1], edge_m=self._edge(lengths[1]))
        points = (
            corner + np.multiply.outer(cells_u / lengths[0], u)[:, None] + (cells_v / lengths[1])[None, :, None] * v
        )
        self.sheet(points, cells_u, cells_v, material)

    def painted(self, points_m: Array, albedo: Array, *, glow: float = 0.0) -> None:
        """Cells of a grid of points (nu + 1, nv + 1, 3) with a colour (nu, nv, 3) each."""
        moved = points_m @ self._rotation.T + self._shift
        colours = np.clip(albedo.reshape(-1, 3), 0.0, 1.0)
        self._parts.append(Surfels.of_grid(moved, colours, colours * glow))
        flat = moved.reshape(-1, 3)
        self._bounds.append(np.stack([flat.min(axis=0), flat.max(axis=0)]))

    def quad(self, corners_m: ArrayLike, material: Material) -> None:
        """A surface between four corners (4, 3), counter-clockwise seen from its front; u runs from the first to the
        second."""
        a, b, c, d = np.asarray(corners_m, dtype=np.float64)
        wide = max(float(np.linalg.norm(b - a)), float(np.linalg.norm(c - d)))
        tall = max(float(np.linalg.norm(d - a)), float(np.linalg.norm(c - b)))
        u = graded_cells(wide, self.spacing_m * material.stretch[0], edge_m=self._edge(wide))
        v = graded_cells(tall, self.spacing_m * material.stretch[1], edge_m=self._edge(tall))
        s, t = (u / wide)[:, None, None], (v / tall)[None, :, None]
        self.sheet((1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * d + s * c), u, v, material)

    def decal(self, corner_m: ArrayLike, along_u_m: ArrayLike, along_v_m: ArrayLike, material: Material) -> None:
        """A panel just in front of a surface; what it covers of the object is taken away.

        A renderer sorts Gaussians by their middles, so of two layers that lie closer together than they are wide, the
        lower one would show through.
        """
        corner, u, v = (np.asarray(x, dtype=np.float64) for x in (corner_m, along_u_m, along_v_m))
        R = self._rotation
        corner_w, u_w, v_w = R @ corner + self._shift, R @ u, R @ v
        for index, part in enumerate(self._parts):
            covered = part.behind(corner_w, u_w, v_w, depth_m=0.6 * self.spacing_m)
            if covered.any():
                self._parts[index] = part.selected(~covered)
        self.panel(corner, u, v, material)

    def box(
        self,
        low_m: ArrayLike,
        high_m: ArrayLike,
        material: Material,
        *,
        radius_m: float = 0.0,
        bulge_m: float = 0.0,
        without: Sequence[str] = (),
    ) -> None:
        """A box between two corners.

        Args:
            low_m, high_m: (3,) each.
            material: its grain runs along the longest side.
            radius_m: of rounded edges; cut to half of the smallest side.
            bulge_m: how far the middle of each face swells over its edges, as a cushion's does.
            without: faces that nobody can see, such as "-z".
        """
        low, high = np.asarray(low_m, dtype=np.float64), np.asarray(high_m, dtype=np.float64)
        half, centre = (high - low) / 2, (high + low) / 2
        radius = min(radius_m, 0.98 * float(half.min()))
        for name, (axis, side) in _FACES.items():
            if name not in without:
                self._face(centre, half, axis, side, radius, bulge_m, material)

    def _face(
        self, centre: Array, half: Array, axis: int, side: int, radius: float, bulge_m: float, material: Material
    ) -> None:
        first, second = sorted((k for k in range(3) if k != axis), key=lambda k: -half[k])
        u = self._rounded_cells(half[first], radius, material.stretch[0])
        v = self._rounded_cells(half[second], radius, material.stretch[1])
        outward = side if (first, second) in ((0, 1), (1, 2), (2, 0)) else -side
        if outward < 0:
            u = u[::-1]
        points = np.empty((len(u), len(v), 3))
        points[..., first], points[..., second], points[..., axis] = u[:, None], v[None, :], side * half[axis]
        if radius > 0:
            core = np.clip(points, -(half - radius), half - radius)
            offset = points - core
            points = core + offset * (radius / np.linalg.norm(offset, axis=2, keepdims=True))
        if bulge_m > 0:
            swell = (1 - (u / half[first]) ** 2)[:, None] * (1 - (v / half[second]) ** 2)[None, :]
            points[..., axis] += side * bulge_m * swell
        self.sheet(points + centre, u * outward + half[first], v + half[second], material)

    def _rounded_cells(self, half: float, radius: float, stretch: float) -> Array:
        """Boundaries from -half to half on one side of a box before its edges are rounded."""
        if radius <= 0:
            return graded_cells(2 * half, self.spacing_m * stretch, edge_m=self._edge(2 * half)) - half
        steps = max(2, math.ceil(radius * math.pi / 4 / self.spacing_m * 1.3))
        bend = half - radius + radius * np.tan(np.linspace(0, math.pi / 4, steps + 1))
        edge = max(float(bend[1] - bend[0]), self.spacing_m / 6)
        flat = graded_cells(2 * (half - radius), self.spacing_m * stretch, edge_m=edge) - (half - radius)
        return np.concatenate([-bend[:0:-1], flat, bend[1:]])

    def lathe(
        self,
        profile_m: Sequence[tuple[float, float]],
        material: Material,
        *,
        centre_m: ArrayLike = (0.0, 0.0, 0.0),
        smooth: bool = False,
    ) -> None:
        """A turned shape about the z axis: (radius, height) from its lower end to its upper one.

        Outward is to the right of the way along the profile: going up, the outside; going in at the top, upward.
        ``smooth``: the profile is a curve, so that its corners need no fine cells.
        """
        profile = np.asarray(profile_m, dtype=np.float64)
        lengths = np.hypot(*np.diff(profile, axis=0).T)
        pieces, run = [profile[:1]], 0.0
        along = [np.zeros(1)]
        for k, length in enumerate(lengths):
            if length < 1e-9:
                continue
            cells = self._profile_cells(float(length), smooth=smooth)
            pieces.append(profile[k] + np.multiply.outer(cells[1:] / length, profile[k + 1] - profile[k]))
            along.append(run + cells[1:])
            run += float(length)
        rz, v = np.concatenate(pieces), np.concatenate(along)
        widest = float(rz[:, 0].max())
        angles = np.linspace(0, 2 * math.pi, self._around(widest) + 1)
        points = np.empty((len(angles), len(rz), 3))
        points[..., 0] = np.multiply.outer(np.cos(angles), rz[:, 0])
        points[..., 1] = np.multiply.outer(np.sin(angles), rz[:, 0])
        points[..., 2] = rz[:, 1]
        self.sheet(points + np.asarray(centre_m, dtype=np.float64), angles * widest, v, material)

    def cylinder(
        self,
        base_m: ArrayLike,
        radius_m: float,
        height_m: float,
        material: Material,
        *,
        top_radius_m: float | None = None,
        open_ends: bool = False,
    ) -> None:
        """An upright cylinder or cone on the middle ``base_m`` (3,) of its foot."""
        top = radius_m if top_radius_m is None else top_radius_m
        profile = [(radius_m, 0.0), (top, height_m)]
        if not open_ends:
            profile = [(0.0, 0.0), *profile, (0.0, height_m)]
        self.lathe(profile, material, centre_m=base_m)

    def tube(self, start_m: ArrayLike, end_m: ArrayLike, radius_m: float, material: Material) -> None:
        """A round bar between two points."""
        start, end = np.asarray(start_m, dtype=np.float64), np.asarray(end_m, dtype=np.float64)
        length = float(np.linalg.norm(end - start))
        z = (end - start) / length
        x = np.cross(z, [0.0, 0.0, 1.0] if abs(z[2]) < 0.9 else [1.0, 0.0, 0.0])
        x /= np.linalg.norm(x)
        self.placed(start, np.stack([x, np.cross(z, x), z], axis=1)).cylinder((0, 0, 0), radius_m, length, material)

    def ball(self, centre_m: ArrayLike, radii_m: ArrayLike, material: Material) -> None:
        """An ellipsoid; ``radii_m`` is one number or (3,)."""
        radii = np.broadcast_to(np.asarray(radii_m, dtype=np.float64), 3)
        count = max(8, self._around(float(radii.max())))
        angles = np.linspace(0, 2 * math.pi, count + 1)
        tilts = np.linspace(-math.pi / 2, math.pi / 2, max(5, count // 2) + 1)
        unit = np.empty((len(angles), len(tilts), 3))
        unit[..., 0] = np.multiply.outer(np.cos(angles), np.cos(tilts))
        unit[..., 1] = np.multiply.outer(np.sin(angles), np.cos(tilts))
        unit[..., 2] = np.sin(tilts)
        widest = float(radii.max())
        self.sheet(unit * radii + np.asarray(centre_m, dtype=np.float64), angles * widest, tilts * widest, material)

    def ring(self, centre_m: ArrayLike, axis: str, radius_m: float, thickness_m: float, material: Material) -> None:
        """A torus about "x", "y" or "z": a tyre, a rim, a steering wheel."""
        count = self._around(radius_m)
        around = np.linspace(0, 2 * math.pi, count + 1)
        tube = np.linspace(0, 2 * math.pi, max(6, self._around(thickness_m)) + 1)
        radii = radius_m + thickness_m * np.cos(tube)
        points = np.empty((len(around), len(tube), 3))
        points[..., 0] = np.multiply.outer(np.cos(around), radii)
        points[..., 1] = np.multiply.outer(np.sin(around), radii)
        points[..., 2] = thickness_m * np.sin(tube)
        R = {"z": np.eye(3), "y": turn("x", math.pi / 2), "x": turn("y", math.pi / 2)}[axis]
        self.placed(centre_m, R).sheet(points, around * radius_m, tube * thickness_m, material)

    def leaves(
        self, centre_m: ArrayLike, radii_m: ArrayLike, count: int, size_m: tuple[float, float], material: Material
    ) -> None:
        """Leaves of ``size_m`` (length, width) about the surface of an ellipsoid, loosely facing out of it.

        A leaf is one Gaussian; its bounds are `LEAF_EDGE_SIGMAS` of it.
        """
        rng, radii = self.rng, np.broadcast_to(np.asarray(radii_m, dtype=np.float64), 3)
        out = rng.normal(size=(count, 3))
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        reach = np.maximum(radii - size_m[0] / 2, radii * 0.3)
        centres = np.asarray(centre_m, dtype=np.float64) + out * reach * rng.uniform(0.72, 1.0, (count, 1))
        normals = out + 0.55 * rng.normal(size=(count, 3)) + [0.0, 0.0, 0.25]
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        along = np.cross(normals, rng.normal(size=(count, 3)))
        along *= 0.75 * size_m[0] * rng.uniform(0.7, 1.0, (count, 1)) / np.linalg.norm(along, axis=1, keepdims=True)
        across = np.cross(normals, along) * (size_m[1] / size_m[0])
        tone = material.texture(rng.uniform(0, 4, count), rng.uniform(0, 4, count))
        depth = np.linalg.norm((centres - np.asarray(centre_m)) / radii, axis=1)
        albedo = np.clip(tone * (rng.uniform(0.7, 1.3, count) * (0.45 + 0.6 * depth))[:, None], 0, 1)
        R = self._rotation
        moved = Surfels(centres @ R.T + self._shift, along @ R.T, across @ R.T, albedo, albedo * material.glow)
        self._parts.append(moved)
        squares = moved.along_u_m**2 + moved.along_v_m**2
        extent = LEAF_EDGE_SIGMAS * SIGMA_PER_CELL * np.sqrt(squares)
        self._bounds.append(np.stack([(moved.centres_m - extent).min(axis=0), (moved.centres_m + extent).max(axis=0)]))

    def _profile_cells(self, length_m: float, *, smooth: bool) -> Array:
        if smooth:
            return uniform_cells(length_m, self.spacing_m)
        return graded_cells(length_m, self.spacing_m, edge_m=self._edge(length_m))

    def _around(self, radius_m: float) -> int:
        """Segments of a circle: as dense as the surfels are, and never a visible polygon."""
        return max(8, math.ceil(2 * math.pi * radius_m / self.spacing_m), min(20, math.ceil(radius_m * 400)))

    def _edge(self, length_m: float) -> float:
        return min(self.spacing_m / 5, length_m / 6)
