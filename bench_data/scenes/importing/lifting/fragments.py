"""One mask's points in space, without what its rim caught of other things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..voxels import voxel_owners
from .masks import MaskedView
from .settings import LiftSettings

__all__ = ["Fragment", "fragments_of", "thinned"]

_LINK_VOXELS = 3.0
_LINK_SPACINGS = 4.0
_LEAST_PART = 0.2
"""Parts of a mask that hang apart in space stay when they have this share of the largest part's points."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fragment:
    """What one mask shows of a thing.

    Args:
        view: number of its view.
        mask: its number among the view's masks.
        label: of the mask.
        pixels: how many it has with a depth.
        points_m: (P, 3) in the world.
    """

    view: int
    mask: int
    label: str
    pixels: int
    points_m: NDArray[np.float64] = field(repr=False)


def fragments_of(views: Sequence[MaskedView], settings: LiftSettings) -> list[Fragment]:
    """The fragments of all masks that are large enough, by view and mask."""
    found = []
    for number, view in enumerate(views):
        owner = view.painted
        known = ~np.isnan(view.posed.depth_m)
        for mask, one in enumerate(view.masks):
            region = (owner == mask) & known
            pixels = int(region.sum())
            if pixels < settings.least_px:
                continue
            points = _points(view, _without_rim(region, settings.edge_px), settings)
            if len(points):
                found.append(Fragment(view=number, mask=mask, label=one.label, pixels=pixels, points_m=points))
    return found


def thinned(points_m: NDArray[np.float64], side_m: float) -> NDArray[np.float64]:
    """(M, 3) the mean of the points in each voxel."""
    owners, count = voxel_owners(points_m, side_m)
    members = np.bincount(owners, minlength=count)
    return np.stack([np.bincount(owners, points_m[:, k], minlength=count) / members for k in range(3)], axis=1)


def _without_rim(region: NDArray[np.bool_], edge_px: int) -> NDArray[np.bool_]:
    """The mask without its rim, but with its thin parts, which are nothing but rim: the legs of a table."""
    import cv2

    if edge_px == 0:
        return region
    square = np.ones((2 * edge_px + 1, 2 * edge_px + 1), dtype=np.uint8)
    border = cv2.BORDER_CONSTANT
    # Beyond the picture's border the thing goes on, so that border is no rim.
    inner = cv2.erode(region.astype(np.uint8), square, borderType=border, borderValue=1)
    thick = cv2.dilate(inner, square).astype(np.bool_)
    return np.asarray(region & (inner.astype(np.bool_) | ~thick))


def _points(view: MaskedView, region: NDArray[np.bool_], settings: LiftSettings) -> NDArray[np.float64]:
    rows, columns = np.nonzero(region)
    centres = np.stack([columns, rows], axis=1) + 0.5
    points = view.posed.camera.unproject(centres, view.posed.depth_m[rows, columns])
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return points
    points = thinned(points, settings.voxel_m)
    return points[_main_parts(points, settings.voxel_m)]


def _main_parts(points_m: NDArray[np.float64], voxel_m: float) -> NDArray[np.bool_]:
    """(N,) points of the parts that hang together and are large: a rim that lies on the wall behind is neither."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if len(points_m) < 4:
        return np.ones(len(points_m), dtype=np.bool_)
    spacing = float(np.median(np.asarray(cKDTree(points_m).query(points_m, k=2)[0])[:, 1]))
    link = max(_LINK_VOXELS * voxel_m, _LINK_SPACINGS * spacing)
    cells, count = voxel_owners(points_m, link)
    middles = thinned(points_m, link)
    # Cells that touch have means no farther apart than twice the diagonal of one; nearer ones are surely together.
    pairs = cKDTree(middles).query_pairs(link * 1.5, output_type="ndarray")
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    part_of_cell = np.asarray(connected_components(graph, directed=False)[1])
    part = part_of_cell[cells]
    sizes = np.bincount(part)
    return np.asarray(sizes[part] >= _LEAST_PART * sizes.max())
