"""Objects of other data sets: their names, boxes that stand as this project's do, and whose each Gaussian is."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...splats import NO_INSTANCE
from ..box import OrientedBox
from ..scene import Instance

__all__ = ["box_from_axes", "ids_in_boxes", "is_structure_label", "plain_label", "settled_box"]

_STRUCTURE = frozenset(
    word
    for line in (
        "wall walls floor floors ceiling ceilings pillar pillars column columns beam beams stairs staircase",
        "frame frames pipe pipes cable cables panel panels duct ducts ventilation railing split",
        "road ground sidewalk terrain",
    )
    for word in line.split()
)
_NOT_STRUCTURE = ("ceiling lamp", "ceiling light", "ceiling fan", "floor lamp", "floor mat", "wall clock", "wall lamp")
"""Names with a word of structure in them that are things all the same."""

_LEAST_SIDE_M = 1e-3
_LONGEST_LABEL = 80


def plain_label(text: str) -> str:
    """A name in small letters with single blanks: "Office_Chair 02" becomes "office chair".

    >>> plain_label("SM_StreetLamp_12"), plain_label(" coffee-table")
    ('street lamp', 'coffee table')

    Raises:
        BenchDataError: nothing is left of it.
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    words = re.sub(r"[_\-\d\s./]+", " ", spaced).lower().split()
    words = [word for word in words if word not in ("sm", "bp", "sk", "mesh", "static")] or words
    label = " ".join(words)[:_LONGEST_LABEL].strip()
    if not label:
        raise BenchDataError(f"{text[:40]!r} is no name of a thing; give objects a label")
    return label


def is_structure_label(label: str) -> bool:
    """Whether a label names a part of the place itself: it hides things and is never asked about.

    >>> is_structure_label("wall"), is_structure_label("wall clock"), is_structure_label("window frame")
    (True, False, True)
    """
    return label not in _NOT_STRUCTURE and not _STRUCTURE.isdisjoint(label.split())


def box_from_axes(
    centre_m: NDArray[np.float64], lengths_m: NDArray[np.float64], axes: NDArray[np.float64]
) -> OrientedBox:
    """A box of three axes (columns of (3, 3)) in any order and handedness, as this project's boxes stand.

    Its z is the axis nearest to up, pointing up; its x the longer of the other two. Flat boxes become 1 mm thick.

    Raises:
        BenchDataError: axes that are not at right angles to each other, or lengths that are negative or not finite.
    """
    if not (np.isfinite(lengths_m).all() and (lengths_m >= 0).all()):
        raise BenchDataError(f"lengths of a box must be 0 or more, got {lengths_m.tolist()}")
    norms = np.linalg.norm(axes, axis=0)
    if not (np.isfinite(norms).all() and (norms > 1e-9).all()):
        raise BenchDataError(f"axes of a box must be three directions, got {axes.tolist()}")
    unit = axes / norms
    up = int(np.argmax(np.abs(unit[2])))
    one, other = (axis for axis in range(3) if axis != up)
    front = one if lengths_m[one] >= lengths_m[other] else other
    side = other if front == one else one
    z = unit[:, up] * (1 if unit[2, up] >= 0 else -1)
    x = unit[:, front] * (1 if unit[0, front] > 0 or (unit[0, front] == 0 and unit[1, front] > 0) else -1)
    size = np.maximum([lengths_m[front], lengths_m[side], lengths_m[up]], _LEAST_SIDE_M)
    return OrientedBox(centre_m, size, np.stack([x, np.cross(z, x), z], axis=1))


def settled_box(box: OrientedBox, *, has_front: bool) -> OrientedBox:
    """A box whose z is up; one with a front keeps its axes, as they mean something."""
    return box if has_front else box_from_axes(box.centre_m, box.size_m, box.world_from_box)


def ids_in_boxes(
    means_m: NDArray[np.floating], instances: Sequence[Instance], *, margin_m: float = 0.02
) -> NDArray[np.int32]:
    """(N,) the instance of each Gaussian: the smallest box that holds its centre, -1 for none.

    Objects come before structure, so that a cup on a floor is not the floor's.
    """
    ids = np.full(len(means_m), NO_INSTANCE, dtype=np.int32)
    points = np.asarray(means_m, dtype=np.float64)
    # From the last to be asked to the first, so that the smallest box writes last.
    for one in sorted(instances, key=lambda one: (not one.is_structure, -one.box.volume_m3, -one.id)):
        reach = float(np.linalg.norm(one.box.size_m)) / 2 + margin_m * 2
        near = np.flatnonzero((np.abs(points - one.box.centre_m) <= reach).all(axis=1))
        ids[near[one.box.contains(points[near], margin_m=margin_m)]] = one.id
    return ids
