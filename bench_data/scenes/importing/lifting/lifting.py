"""lift_masks: objects with boxes out of masks, depth and poses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ....errors import BenchDataError
from ....splats import NO_INSTANCE, GaussianCloud
from ...box import OrientedBox
from ...scene import Instance
from ..boxes_file import with_descriptions
from ..objects import ids_in_boxes, is_structure_label, plain_label
from .consensus import clustered, united
from .fragments import Fragment, fragments_of, thinned
from .masks import NO_MASK, MaskedView
from .settings import LiftSettings
from .sighting import UNSEEN, Sightings, mask_at, sightings
from .upright import box_iou, inliers, upright_box

__all__ = ["Lifted", "lift_masks"]

_UNNAMED = "thing"
_FEWEST_POINTS = 4
_LEAST_AGREEMENT = 0.5
"""Of the views that see a point of an object, how many must have it in one of the object's masks."""

_BLOCK = 32768


@dataclass(frozen=True, eq=False, kw_only=True)
class Lifted:
    """What masks say of a place.

    Args:
        instances: with upright boxes around what is seen of them, numbered from 0 by their first mask.
        members: for each of them its masks, as (number of the view, number of the mask).
        instance_ids: (N,) the instance of each Gaussian of the cloud, -1 for none; None without a cloud.
        dropped: how many masks are in no instance, and why.
    """

    instances: tuple[Instance, ...]
    members: tuple[tuple[tuple[int, int], ...], ...]
    instance_ids: NDArray[np.int32] | None = field(default=None, repr=False)
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Thing:
    group: list[int]
    points_m: NDArray[np.float64]
    box: OrientedBox


def lift_masks(
    views: Sequence[MaskedView], *, settings: LiftSettings | None = None, cloud: GaussianCloud | None = None
) -> Lifted:
    """Joins the masks of single views to objects in space, by depth.

    1. Each mask becomes points: without its rim, and without small parts that hang apart in space.
    2. Each such fragment is looked for in every view: seen where the depth agrees, and in which mask.
    3. Masks that most other views split are left out; fragments that most views which see both have in one mask are one
       object, and so are objects that no view sees apart, whose boxes overlap. Masks of different labels never are.
    4. An object whose place most views see without a mask is noise. Points that most views give to something else go,
       and outliers.
    5. Its box is the upright one of the smallest footprint.

    Args:
        views: cameras, depth and masks, from any source (see `masked_view`).
        settings: see `LiftSettings`.
        cloud: Gaussians of the same world, to say whose each is: what most views that see it say; for what none sees,
            the nearest one that is seen, within two voxels, or else the smallest box around it.

    Raises:
        BenchDataError: no views, or too many masks to compare.
    """
    settings = settings or LiftSettings()
    if not views:
        raise BenchDataError("lift_masks needs at least one view")
    fragments = fragments_of(views, settings)
    total = sum(len(view.masks) for view in views)
    dropped = Counter({f"under {settings.least_px} pixels with a depth": total - len(fragments)})
    things: list[_Thing] = []
    if fragments:
        told = sightings(views, fragments, settings)
        groups = clustered(fragments, told, settings)
        dropped["over several things"] = len(fragments) - sum(map(len, groups))
        sure = [group for group in groups if _confirmed(group, fragments, told) >= settings.least_confirmed]
        dropped["no other view agrees"] = sum(map(len, groups)) - sum(map(len, sure))
        things = _things(views, fragments, told, sure, settings)
        dropped["no points left"] = sum(map(len, sure)) - sum(len(thing.group) for thing in things)
    members = tuple(tuple((fragments[k].view, fragments[k].mask) for k in thing.group) for thing in things)
    instances = [_instance(number, thing, fragments) for number, thing in enumerate(things)]
    return Lifted(
        instances=with_descriptions(instances),
        members=members,
        instance_ids=None if cloud is None else _ids(views, members, instances, cloud, settings),
        dropped={reason: count for reason, count in dropped.items() if count},
    )


def _confirmed(group: Sequence[int], fragments: Sequence[Fragment], told: Sightings) -> float:
    """Share of the views that see a group in which it has a mask."""
    seen = told.seen[list(group)].any(axis=0)
    return len({fragments[k].view for k in group}) / int(seen.sum())


def _things(
    views: Sequence[MaskedView],
    fragments: Sequence[Fragment],
    told: Sightings,
    groups: list[list[int]],
    settings: LiftSettings,
) -> list[_Thing]:
    """Objects with points and boxes; those whose boxes overlap and that no view sees apart are joined."""
    labels = [one.label for one in fragments]
    while True:
        found = [_thing(views, fragments, group, settings) for group in groups]
        things = [thing for thing in found if thing is not None]
        pairs = []
        for (i, one), (j, other) in combinations(enumerate(things), 2):
            if not _seen_apart(one.group, other.group, told) and box_iou(one.box, other.box) >= settings.merge_iou:
                pairs.append((i, j))
        merged = united([thing.group for thing in things], pairs, labels)
        if len(merged) == len(things):
            return things
        groups = merged


def _thing(
    views: Sequence[MaskedView], fragments: Sequence[Fragment], group: list[int], settings: LiftSettings
) -> _Thing | None:
    points = thinned(np.concatenate([fragments[k].points_m for k in group]), settings.voxel_m)
    seen, own = np.zeros(len(points)), np.zeros(len(points))
    masks_of_view: dict[int, list[int]] = {}
    for k in group:
        masks_of_view.setdefault(fragments[k].view, []).append(fragments[k].mask)
    for number, masks in masks_of_view.items():
        mask = mask_at(views[number], points, settings)
        seen += mask != UNSEEN
        own += np.isin(mask, masks)
    points = points[own >= _LEAST_AGREEMENT * np.maximum(seen, 1)]
    points = points[inliers(points, neighbours=settings.neighbours, deviations=settings.deviations)]
    if len(points) < _FEWEST_POINTS:
        return None
    return _Thing(group, points, upright_box(points, trim=settings.trim))


def _seen_apart(one: Sequence[int], other: Sequence[int], told: Sightings) -> bool:
    """Whether a view has masks of both, but not the same one."""
    both: NDArray[np.bool_] = np.logical_and(
        told.masked[list(one)].any(axis=0), told.masked[list(other)].any(axis=0), dtype=np.bool_
    )
    shared = told.contained[list(one)].any(axis=0) & told.contained[list(other)].any(axis=0)
    views_sharing = np.searchsorted(told.first_mask, np.flatnonzero(shared), side="right") - 1
    both[views_sharing] = False
    return bool(both.any())


def _instance(number: int, thing: _Thing, fragments: Sequence[Fragment]) -> Instance:
    named = Counter[str]()
    for k in thing.group:
        if fragments[k].label:
            named[plain_label(fragments[k].label)] += fragments[k].pixels
    label = named.most_common(1)[0][0] if named else _UNNAMED
    return Instance(id=number, label=label, box=thing.box, is_structure=is_structure_label(label))


def _ids(
    views: Sequence[MaskedView],
    members: Sequence[Sequence[tuple[int, int]]],
    instances: Sequence[Instance],
    cloud: GaussianCloud,
    settings: LiftSettings,
) -> NDArray[np.int32]:
    """(N,) what most views say of each Gaussian; the nearest one's for those that none sees."""
    instance_of_mask = [np.full(len(view.masks) + 1, NO_INSTANCE, dtype=np.int32) for view in views]
    for number, masks in enumerate(members):
        for of_view, of_mask in masks:
            instance_of_mask[of_view][of_mask] = number
    ids: NDArray[np.int32] = np.full(len(cloud), NO_INSTANCE, dtype=np.int32)
    voted: NDArray[np.bool_] = np.zeros(len(cloud), dtype=np.bool_)
    width = len(members) + 1
    for start in range(0, len(cloud), _BLOCK):
        rows = slice(start, min(start + _BLOCK, len(cloud)))
        points = cloud.means[rows].astype(np.float64)
        spread_m = cloud.scales[rows].max(axis=1).astype(np.float64)
        votes: NDArray[np.int64] = np.zeros(len(points) * width, dtype=np.int64)
        for view, instance in zip(views, instance_of_mask, strict=True):
            mask = mask_at(view, points, settings, spread_m=spread_m)
            seen = np.flatnonzero(mask >= NO_MASK)
            votes += np.bincount(seen * width + instance[mask[seen]] + 1, minlength=len(votes))
        table = votes.reshape(-1, width)
        ids[rows] = table.argmax(axis=1) - 1
        voted[rows] = (table > 0).any(axis=1)
    return _with_unseen(cloud, ids, voted, instances, reach_m=2 * settings.voxel_m)


def _with_unseen(
    cloud: GaussianCloud,
    ids: NDArray[np.int32],
    voted: NDArray[np.bool_],
    instances: Sequence[Instance],
    *,
    reach_m: float,
) -> NDArray[np.int32]:
    """Ids also for the Gaussians that no view sees: the backs of things, and what is inside of them."""
    from scipy.spatial import cKDTree

    rows = np.flatnonzero(~voted)
    if not len(rows):
        return ids
    result = ids.copy()
    result[rows] = ids_in_boxes(cloud.means[rows], instances, margin_m=0.0)
    if voted.any():
        distance, nearest = cKDTree(cloud.means[voted]).query(cloud.means[rows], distance_upper_bound=reach_m)
        near = np.isfinite(distance)
        result[rows[near]] = ids[voted][np.asarray(nearest)[near]]
    return result
