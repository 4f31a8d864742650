"""Which points a view sees, and in which of its masks they lie: by depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .fragments import Fragment
from .masks import MaskedView
from .settings import LiftSettings

__all__ = ["UNSEEN", "Sightings", "mask_at", "sightings"]

UNSEEN = -2
_MOST_POINTS = 300
"""Of a fragment that are tested in each view."""

_FEWEST_POINTS = 8


@dataclass(frozen=True, eq=False)
class Sightings:
    """What the V views say of M fragments; the K masks of all views are numbered through.

    Args:
        seen: (M, V) the view sees it.
        masked: (M, V) and most of what it sees lies in masks, be it one or several.
        contained: (M, K) it lies in this mask.
        first_mask: (V,) number of each view's first mask.
    """

    seen: NDArray[np.bool_] = field(repr=False)
    masked: NDArray[np.bool_] = field(repr=False)
    contained: NDArray[np.bool_] = field(repr=False)
    first_mask: NDArray[np.int64] = field(repr=False)


def mask_at(
    view: MaskedView,
    points_m: NDArray[np.float64],
    settings: LiftSettings,
    *,
    spread_m: NDArray[np.float64] | None = None,
) -> NDArray[np.int32]:
    """(N,) the mask in which a view sees each point; -1 in none, -2 where it does not see the point.

    It sees a point whose depth agrees with the view's own, within the tolerances and, for what is more than a point,
    its spread (N,).
    """
    result = np.full(len(points_m), UNSEEN, dtype=np.int32)
    seen = view.posed.camera.project(points_m)
    rows = np.flatnonzero(seen.in_picture)
    x, y = np.floor(seen.points_px[rows]).astype(np.intp).T
    depth = view.posed.depth_m[y, x].astype(np.float64)
    limit = settings.tolerance_m + settings.tolerance_share * depth
    if spread_m is not None:
        limit = limit + spread_m[rows]
    with np.errstate(invalid="ignore"):
        agrees = np.abs(seen.depth_m[rows] - depth) <= limit
    result[rows[agrees]] = view.painted[y[agrees], x[agrees]]
    return result


def sightings(views: Sequence[MaskedView], fragments: Sequence[Fragment], settings: LiftSettings) -> Sightings:
    """Tests all fragments in all views."""
    counts = np.array([len(view.masks) for view in views], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(counts)])
    shape = (len(fragments), len(views))
    seen, masked = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    contained = np.zeros((len(fragments), int(first[-1])), dtype=np.bool_)
    samples = [one.points_m[:: -(-len(one.points_m) // _MOST_POINTS)] for one in fragments]
    sizes = np.array([len(sample) for sample in samples])
    owner_of_point = np.repeat(np.arange(len(fragments)), sizes)
    points = np.concatenate(samples)
    for number, view in enumerate(views):
        mask = mask_at(view, points, settings)
        width = len(view.masks) + 2
        table = np.bincount(owner_of_point * width + (mask - UNSEEN), minlength=len(fragments) * width)
        votes = table.reshape(-1, width)[:, 1:]  # none, then the masks
        total = votes.sum(axis=1)
        seen[:, number] = (total >= settings.least_visible * sizes) & (total >= np.minimum(_FEWEST_POINTS, sizes))
        in_masks = votes[:, 1:]
        masked[:, number] = seen[:, number] & (in_masks.sum(axis=1) * 2 > total)
        if width > 2:
            best = in_masks.argmax(axis=1)
            sure = seen[:, number] & (in_masks.max(axis=1) >= settings.contained * total)
            contained[np.flatnonzero(sure), first[number] + best[sure]] = True
    for row, one in enumerate(fragments):
        seen[row, one.view] = masked[row, one.view] = True
        contained[row, first[one.view] + one.mask] = True
    return Sightings(seen, masked, contained, first[:-1])
