"""Gaussians out of RGB-D: each pixel a flat Gaussian on the surface that it sees, as large as the pixel there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...cameras import Camera
from ...errors import BenchDataError
from ...rotations import quat_from_matrix
from ...splats import SH_C0, GaussianCloud
from ..procedural.surfels import Surfels
from .voxels import fitting_side_m, voxel_owners

__all__ = ["ColourDepth", "back_projected"]

_JUMP = 0.06
"""Neighbouring pixels whose depths differ by more than this share lie on different things."""

_BEND = 0.1
"""Of the slope of 1 / z; less of a change from pixel to pixel is a plane's, however steep."""

_MOST_STRETCH, _MOST_STRETCH_OF_PLANES = 4.0, 15.0
"""Cells are not drawn out longer than this many pixels' width: noise looks like a steep surface, a plane does not."""

_OPACITY = 0.97
_MOST_PIXELS = 8_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ColourDepth:
    """A picture with its depth.

    Args:
        name: of the view, for messages.
        camera: of the picture's size.
        image_srgb_u8: (H, W, 3) uint8, display-encoded.
        depth_m: (H, W) z along the axis in metres; NaN, 0 and less where unknown.
    """

    name: str
    camera: Camera
    image_srgb_u8: NDArray[np.uint8]
    depth_m: NDArray[np.float32]

    def __post_init__(self) -> None:
        size = (self.camera.height, self.camera.width)
        if self.image_srgb_u8.dtype != np.uint8 or self.image_srgb_u8.shape != (*size, 3):
            raise BenchDataError(
                f"{self.name}: the picture must be uint8 of {size[1]}x{size[0]}, as its camera, got "
                f"{self.image_srgb_u8.dtype} {self.image_srgb_u8.shape}"
            )
        if self.depth_m.shape != size:
            raise BenchDataError(f"{self.name}: its depth is {self.depth_m.shape}, its picture {size}")


def back_projected(
    views: Iterable[ColourDepth], *, most: int = 400_000, voxel_m: float | None = None, max_depth_m: float | None = None
) -> GaussianCloud:
    """The surfaces that the views see, as flat Gaussians.

    Each pixel with a depth becomes a cell between the rays of its borders, tilted as its neighbours say (facing the
    camera at edges, where they lie on other things). Cells that share a voxel become one: at their mean place, in their
    mean colour, with the tilt of the one that was seen from nearest, and at least as wide as the voxel.

    Args:
        views: pictures with depth.
        most: Gaussians; the voxel grows until it is kept.
        voxel_m: side of the voxels; None for the least that keeps ``most``.
        max_depth_m: leave out what is farther.

    Raises:
        BenchDataError: no pixel has a depth.
    """
    if most < 1 or (voxel_m is not None and not voxel_m > 0):
        raise BenchDataError(f"most must be at least 1 and voxel_m above 0, got {most} and {voxel_m}")
    chosen = list(views)
    pixels = sum(view.depth_m.size for view in chosen)
    step = max(1, int(np.ceil(np.sqrt(pixels / _MOST_PIXELS))))
    cells = [_cells(view, step, max_depth_m) for view in chosen]
    surfels = Surfels.joined([one for one, _ in cells])
    footprints = np.concatenate([one for _, one in cells]) if cells else np.zeros(0)
    if not len(surfels):
        raise BenchDataError("no pixel of these views has a depth; are the depth files the right ones?")
    side = max(voxel_m or 0.0, fitting_side_m(surfels.centres_m, most))
    return _cloud(_thinned(surfels, footprints, side) if side > 0 else surfels)


def _cells(view: ColourDepth, step: int, max_depth_m: float | None) -> tuple[Surfels, NDArray[np.float64]]:
    """One cell for each ``step`` pixels along both axes, with its width in metres if it faced the camera."""
    depth = view.depth_m[::step, ::step].astype(np.float64)
    known = np.isfinite(depth) & (depth > 0)
    if max_depth_m is not None:
        known &= np.where(known, depth, np.inf) <= max_depth_m
    depth = np.where(known, depth, np.nan)
    height, width = depth.shape
    v, u = np.mgrid[:height, :width]
    centres = np.stack([u.ravel(), v.ravel()], axis=1) * float(step) + 0.5
    camera = view.camera
    points = camera.unproject(centres, depth.ravel()).reshape(height, width, 3)
    across = camera.world_from_camera[:3, :2].T
    facing_u, facing_v = (
        step * depth[..., None] / focal * across[axis] for axis, focal in enumerate((camera.fx, camera.fy))
    )
    along_u = _tangents(points, depth, facing_u, axis=1)
    along_v = _tangents(points, depth, facing_v, axis=0)
    keep = np.isfinite(points).all(axis=2).ravel()
    colours = view.image_srgb_u8[::step, ::step].reshape(-1, 3)[keep] / 255.0
    surfels = Surfels(
        points.reshape(-1, 3)[keep],
        along_u.reshape(-1, 3)[keep],
        along_v.reshape(-1, 3)[keep],
        colours,
        np.zeros_like(colours),
    )
    return surfels, np.linalg.norm(facing_u, axis=2).ravel()[keep]


def _tangents(
    points: NDArray[np.float64], depth: NDArray[np.float64], facing: NDArray[np.float64], *, axis: int
) -> NDArray[np.float64]:
    """(H, W, 3) edges of the cells along one axis, from the neighbours that lie on the same surface."""
    after, before = (_difference(points, axis, forward=forward) for forward in (True, False))
    plane = _on_a_plane(depth, axis)
    on_after, on_before = (
        plane | (np.abs(_difference(depth, axis, forward=forward)) < _JUMP * depth) for forward in (True, False)
    )
    total = np.where(on_after[..., None], after, 0.0) + np.where(on_before[..., None], before, 0.0)
    sides = on_after.astype(np.float64) + on_before
    mean = np.divide(total, sides[..., None], out=facing.copy(), where=(sides > 0)[..., None])
    length = np.linalg.norm(mean, axis=2)
    longest = np.where(plane, _MOST_STRETCH_OF_PLANES, _MOST_STRETCH) * np.linalg.norm(facing, axis=2)
    scale = np.divide(longest, length, out=np.ones_like(length), where=length > longest)
    return np.asarray(mean * scale[..., None])


def _on_a_plane(depth: NDArray[np.float64], axis: int) -> NDArray[np.bool_]:
    """(H, W) whether a pixel and its two neighbours lie on a plane, along which 1 / z is linear in the picture."""
    inverse = 1 / depth
    after, before = (_difference(inverse, axis, forward=forward) for forward in (True, False))
    return np.asarray(np.abs(after - before) < _BEND * (np.abs(after) + np.abs(before)))


def _difference(values: NDArray[np.float64], axis: int, *, forward: bool) -> NDArray[np.float64]:
    """Next minus this, or this minus the one before; NaN at the border."""
    result = np.full_like(values, np.nan)
    first: tuple[slice, ...] = (slice(None),) * axis + (slice(0, -1),)
    second: tuple[slice, ...] = (slice(None),) * axis + (slice(1, None),)
    result[first if forward else second] = values[second] - values[first]
    return result


def _thinned(surfels: Surfels, footprints: NDArray[np.float64], side_m: float) -> Surfels:
    """One cell a voxel."""
    owners, count = voxel_owners(surfels.centres_m, side_m)
    order = np.lexsort((np.arange(len(owners)), footprints, owners))
    finest = order[np.searchsorted(owners[order], np.arange(count))]
    members = np.bincount(owners, minlength=count)

    def means(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([np.bincount(owners, values[:, i], minlength=count) / members for i in range(3)], axis=1)

    def widened(edges: NDArray[np.float64]) -> NDArray[np.float64]:
        length = np.linalg.norm(edges, axis=1, keepdims=True)
        factor = np.divide(side_m, length, out=np.ones_like(length), where=length > 0)
        return np.asarray(edges * np.maximum(factor, 1.0))

    colours = np.clip(means(surfels.albedo), 0, 1)
    return Surfels(
        means(surfels.centres_m),
        widened(surfels.along_u_m[finest]),
        widened(surfels.along_v_m[finest]),
        colours,
        np.zeros_like(colours),
    )


def _cloud(surfels: Surfels) -> GaussianCloud:
    axes, scales, _ = surfels.frames()
    return GaussianCloud(
        means=surfels.centres_m.astype(np.float32),
        quats_wxyz=quat_from_matrix(axes).astype(np.float32),
        scales=np.maximum(scales, 1e-6).astype(np.float32),
        opacities=np.full(len(surfels), _OPACITY, dtype=np.float32),
        sh=((surfels.albedo - 0.5) / SH_C0).astype(np.float32)[:, None, :],
    )
