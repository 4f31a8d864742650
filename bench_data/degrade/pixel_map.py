"""PixelMap: where the pixels of a picture go when lens or readout move them, and where they came from.

Through another lens a point moves whatever its depth. While rows are read one after the other by a moving camera, near
points move more than far ones, so there the map needs depth; what is known in three dimensions stays true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from .camera_motion import CameraMotion
from .dense_map import nominal_of_pixel_centres

__all__ = ["Box", "PixelMap", "box_of_mask"]

Box = tuple[float, float, float, float]
"""(x0, y0, x1, y1) in continuous pixels: left, top, right and bottom border."""

_NEAR_M, _FAR_M = 1e-9, 1e12
_ROUNDS = 80
_SETTLED_PX = 1e-7
_OUTLINE_POINTS = 64


@dataclass(frozen=True)
class PixelMap:
    """A map of continuous pixel coordinates (pixel centres at +0.5) between two pictures of one size.

    Args:
        nominal: the camera of the picture as it should be.
        degraded: the camera of the picture as it is, at the same pose: another lens, or the same.
        readout: the motion between reading the first and the last row; None when all rows are taken at once.
        plane_depth_m: the scene is taken as this plane across the nominal camera's axis (as on a photograph); None
            where depths are known and given with the points.

    Raises:
        BenchDataError: cameras of different sizes or poses.
    """

    nominal: Camera
    degraded: Camera
    readout: CameraMotion | None = None
    plane_depth_m: float | None = None

    def __post_init__(self) -> None:
        one, other = self.nominal, self.degraded
        if (one.width, one.height) != (other.width, other.height):
            raise BenchDataError(
                f"a pixel map keeps the picture's size, got {one.width}x{one.height} and {other.width}x{other.height}"
            )
        if not np.array_equal(one.world_from_camera, other.world_from_camera):
            raise BenchDataError("both cameras of a pixel map stand at the nominal pose; motion is given as readout")

    @classmethod
    def identity(cls, camera: Camera) -> PixelMap:
        """The map of a picture whose pixels stay."""
        return cls(camera, camera)

    @property
    def is_identity(self) -> bool:
        """Whether every pixel stays where it is."""
        return self.readout is None and self.nominal == self.degraded

    @property
    def needs_depth(self) -> bool:
        """Whether points must come with their depth."""
        return self.readout is not None and self.readout.translates and self.plane_depth_m is None

    def to_degraded(self, points_px: ArrayLike, depth_m: ArrayLike | None = None) -> NDArray[np.float64]:
        """Where points of the nominal picture appear in the degraded one.

        Args:
            points_px: (N, 2).
            depth_m: (N,) or one number: depth along the nominal camera's axis; only where `needs_depth`.

        Returns:
            (N, 2), also outside of the picture; NaN where the lens does not image the point.

        Raises:
            BenchDataError: depth is needed and missing, or shapes that do not fit.
        """
        points = _points(points_px)
        if self.is_identity:
            return points.copy()
        in_nominal = self._nominal.unproject(points, self._depths(depth_m, len(points)))
        if self.readout is None:
            return self._degraded.project(in_nominal).points_px
        return self._read_out(in_nominal, self.readout)

    def to_nominal(self, points_px: ArrayLike, depth_m: ArrayLike | None = None) -> NDArray[np.float64]:
        """Where points (N, 2) of the degraded picture lie in the nominal one; the inverse of `to_degraded`.

        Args:
            points_px: (N, 2).
            depth_m: (N,) or one number: depth along the axis of the camera as it was when it read that row, as in a
                depth map of the degraded picture; only where `needs_depth`.
        """
        points = _points(points_px)
        if self.is_identity:
            return points.copy()
        depths = self._depths(depth_m, len(points))
        if self.readout is None:
            return self._nominal.project(self._degraded.unproject(points, depths)).points_px
        rows, row_of = np.unique(points[:, 1], return_inverse=True)  # of a whole picture, few
        poses = self.readout.nominal_from_moved(rows / self.degraded.height - 0.5)[row_of]
        rays = np.einsum("nij,nj->ni", poses[:, :3, :3], self._degraded.directions_in_camera(points))
        if self.plane_depth_m is None:
            in_moved = self._degraded.unproject(points, depths)
            in_nominal = np.einsum("nij,nj->ni", poses[:, :3, :3], in_moved) + poses[:, :3, 3]
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                ahead = (self.plane_depth_m - poses[:, 2, 3]) / rays[:, 2]
            ahead = np.where(ahead > 0, ahead, np.nan)
            in_nominal = poses[:, :3, 3] + ahead[:, None] * rays
        return self._nominal.project(in_nominal).points_px

    def box_to_degraded(self, box_px: Box, depth_m: float | None = None) -> Box | None:
        """The box around a box's mapped outline, cut to the picture; None when nothing of it is in the picture.

        It holds all that the given box held. Around a mapped mask (see `box_of_mask`) a box is tighter.

        Args:
            box_px: in the nominal picture.
            depth_m: of the thing in the box; only where `needs_depth`.
        """
        x0, y0, x1, y1 = box_px
        if not (x1 > x0 and y1 > y0):
            raise BenchDataError(f"a box is (x0, y0, x1, y1) with x1 > x0 and y1 > y0, got {box_px!r}")
        along = np.linspace(0, 1, _OUTLINE_POINTS)
        xs, ys = x0 + along * (x1 - x0), y0 + along * (y1 - y0)
        outline = np.concatenate([
            np.stack([np.r_[xs, xs], np.repeat([y0, y1], len(xs))], axis=1),
            np.stack([np.repeat([x0, x1], len(ys)), np.r_[ys, ys]], axis=1),
        ])  # fmt: skip
        moved = self.to_degraded(outline, depth_m)
        moved = moved[np.isfinite(moved).all(axis=1)]
        if len(moved) == 0:
            return None
        size = np.array([self.degraded.width, self.degraded.height])
        low, high = np.clip(moved.min(axis=0), 0, size), np.clip(moved.max(axis=0), 0, size)
        if not (high > low).all():
            return None
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def mask_to_degraded(self, mask: NDArray[np.generic], *, outside: float = 0) -> NDArray[np.generic]:
        """A mask or id map (H, W) of the nominal picture in the degraded one, each pixel from the nearest.

        For the pixels that show nothing of the nominal picture, ``outside`` is taken. A scene's masks under a moving
        readout are rendered instead, because near things uncover far ones.

        Raises:
            BenchDataError: another size, or a map that needs depth.
        """
        if mask.shape != (self.nominal.height, self.nominal.width):
            raise BenchDataError(
                f"the mask has shape {mask.shape}, the picture {(self.nominal.height, self.nominal.width)}"
            )
        if self.is_identity:
            return mask.copy()
        source = self.nominal_of_pixels
        known = np.isfinite(source).all(axis=2)
        column, row = (np.floor(np.where(known, source[..., axis], -1)).astype(np.int64) for axis in (0, 1))
        inside = known & (column >= 0) & (column < self.nominal.width) & (row >= 0) & (row < self.nominal.height)
        result = np.full_like(mask, outside)
        result[inside] = mask[row[inside], column[inside]]
        return result

    @property
    def nominal_of_pixels(self) -> NDArray[np.float64]:
        """(H, W, 2) where each pixel centre of the degraded picture lies in the nominal one; NaN outside the lens.

        Within a thousandth of a pixel of `to_nominal`. Computed at each call.
        """
        return nominal_of_pixel_centres(self)

    def then(self, later: PixelMap) -> PixelMap:
        """The map of both, one after the other.

        Raises:
            BenchDataError: ``later`` starts from another camera, or the rows of this one were already read out.
        """
        if self.is_identity and later.nominal == self.degraded:
            return later
        if later.is_identity and later.nominal == self.degraded:
            return self
        if self.readout is not None or later.nominal != self.degraded:
            raise BenchDataError("pixel maps do not chain: the second must start from the camera the first ends at")
        return PixelMap(self.nominal, later.degraded, later.readout, later.plane_depth_m)

    @cached_property
    def _nominal(self) -> Camera:
        return _at_origin(self.nominal)

    @cached_property
    def _degraded(self) -> Camera:
        return _at_origin(self.degraded)

    def _depths(self, depth_m: ArrayLike | None, count: int) -> NDArray[np.float64]:
        if depth_m is None or not self.needs_depth:
            if self.needs_depth:
                raise BenchDataError(
                    "rows were read while the camera moved, so near points moved more than far ones: give depth_m"
                )
            return np.full(count, 1.0 if self.plane_depth_m is None else self.plane_depth_m)
        depths = np.asarray(depth_m, dtype=np.float64)
        if depths.shape not in ((), (count,)):
            raise BenchDataError(f"depth_m must be one number or ({count},), got shape {depths.shape}")
        return np.broadcast_to(depths, (count,))

    def _read_out(self, in_nominal: NDArray[np.float64], readout: CameraMotion) -> NDArray[np.float64]:
        """(N, 2) pixels of points (N, 3), each where the camera saw it when it read the row it appears in.

        The row decides the pose and the pose the row: they are found in turn, by the secant method on their difference.
        """
        height = self.degraded.height

        def seen_at(row_px: NDArray[np.float64]) -> NDArray[np.float64]:
            # Points far outside are read at an instant far outside; bounded, so that the camera does not turn round.
            poses = readout.nominal_from_moved(np.clip(row_px / height - 0.5, -1.5, 1.5))
            in_moved = np.einsum("nij,ni->nj", poses[:, :3, :3], in_nominal - poses[:, :3, 3])
            return self._degraded.project(in_moved).points_px

        row = np.full(len(in_nominal), height / 2)
        before, gap_before = row, np.full(len(row), np.nan)
        seen = seen_at(row)
        for _ in range(_ROUNDS):
            gap = seen[:, 1] - row
            if not (np.abs(gap) > _SETTLED_PX).any():
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                step = gap * (row - before) / (gap_before - gap)
            # The gap closes by about its own size; steps that do not look like that are not trusted.
            trusted = np.isfinite(step) & (np.abs(step) < 4 * np.abs(gap)) & (step * gap > 0)
            before, gap_before = row, gap
            row = row + np.where(trusted, step, gap)
            row = np.where(np.isfinite(row), row, before)
            seen = seen_at(row)
        settled = np.abs(seen[:, 1] - row) <= 1e-3
        return np.where(settled[:, None], seen, np.nan)


def box_of_mask(mask: NDArray[np.bool_]) -> Box | None:
    """The box around the pixels of a mask (H, W), borders included; None for an empty one.

    >>> box_of_mask(np.array([[False, False, False], [False, True, True]]))
    (1.0, 1.0, 3.0, 2.0)
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if len(rows) == 0:
        return None
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def _at_origin(camera: Camera) -> Camera:
    """The lens alone: at the origin, and without limits of depth."""
    return replace(camera, world_from_camera=np.eye(4), near_m=_NEAR_M, far_m=_FAR_M)


def _points(points_px: ArrayLike) -> NDArray[np.float64]:
    points = np.asarray(points_px, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise BenchDataError(f"points_px must have shape (N, 2), got {points.shape}")
    return points
