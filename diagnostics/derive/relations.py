"""Relations: left, right, above, below, in front, behind; as stated, or by bounds on where the two objects are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product as combinations

from ...bench_data.questions.query import (
    CameraFrame,
    CameraRef,
    LevelFrame,
    Place,
    Placed,
    Related,
    RelationSet,
)
from ...bench_data.scene_graphs import RELATIONS, Relation
from .context import Context
from .frames import parts_in
from .interval import Interval, difference, total
from .stated import AXIS_WORDS, NO_EXTENT, Extent, zones

__all__ = ["all_of", "related", "relation_keys"]

_LEVEL: tuple[Relation, ...] = ("left", "right", "front", "behind")

Held = Mapping[Relation, bool | None]
"""Whether each relation holds; None where it may or may not."""


def all_of(truths: Sequence[bool | None]) -> bool | None:
    """Whether all hold: no, if one does not; open, if one is open."""
    if False in truths:
        return False
    return None if None in truths else True


def related(query: Related, context: Context) -> bool | None:
    """Whether all relations of a query hold.

    Raises:
        Undefined: the graph does not speak of the two.
    """
    held = _held(query, context)
    return all_of([held[name] for name in query.relations])


def relation_keys(query: RelationSet, context: Context) -> set[str]:
    """The sets of relations that may be all that hold, joined by "+".

    Raises:
        Undefined: the graph does not speak of the two.
    """
    held = _held(query, context)
    names = RELATIONS if query.vertical else _LEVEL
    choices = [(True, False) if held[name] is None else (held[name],) for name in names]
    found = set()
    for choice in combinations(*choices):
        kept = [name for name, holds in zip(names, choice, strict=True) if holds]
        if _is_possible(kept, exclusive=query.exclusive):
            found.add("+".join(kept))
    return found


def _is_possible(kept: Sequence[Relation], *, exclusive: bool) -> bool:
    if ("left" in kept and "right" in kept) or ("front" in kept and "behind" in kept):
        return False
    return not (exclusive and "above" in kept and "below" in kept)


def _held(query: Related | RelationSet, context: Context) -> Held:
    stated = _as_stated(query, context)
    if stated is not None:
        return stated
    way = context.way(query.against, query.of, directed=True)
    parts = parts_in(query.frame, way, context)
    of, against = _extent(query.of, context), _extent(query.against, context)
    zone, overlap = zones(query.dead_zone_m, of, against)
    # Both centres this far apart in height just touch, less what is forgiven.
    touching = difference(total(of.half_height, against.half_height), overlap)
    rise = way.vertical
    down = Interval(-rise.hi, -rise.lo)
    above, below = difference(rise, touching).sign, difference(down, touching).sign
    if query.exclusive:
        above, below = all_of((above, rise.sign)), all_of((below, down.sign))
    return {
        "left": _beyond(parts.right, zone, positive=False),
        "right": _beyond(parts.right, zone, positive=True),
        "above": above,
        "below": below,
        "front": _beyond(parts.forward, zone, positive=False),
        "behind": _beyond(parts.forward, zone, positive=True),
    }


def _beyond(part: Interval, zone: Interval, *, positive: bool) -> bool | None:
    """Whether a part is beyond the dead zone, on one side."""
    return difference(part if positive else Interval(-part.hi, -part.lo), zone).sign


def _as_stated(query: Related | RelationSet, context: Context) -> Held | None:
    """What an edge says outright; None where none does, or it speaks in another frame or by another rule."""
    known = context.known
    reading = known.graph.reading
    if reading is not None and (reading.zone != query.dead_zone_m or reading.exclusive != query.exclusive):
        return None
    frame = query.frame
    if not isinstance(frame, LevelFrame if known.level_frame else CameraFrame) or frame.view != 0:
        return None
    if isinstance(query.of, CameraRef | Placed) or isinstance(query.against, CameraRef | Placed):
        return None
    of, against = context.object_at(query.of).id, context.object_at(query.against).id
    if of in known.places and against in known.places:
        return None
    told = known.stated_relations(against, of)
    if not told:
        return None
    way = context.way(query.against, query.of, directed=True)
    clashing = {name for axis, _ in way.conflicts for name in AXIS_WORDS[axis]}
    return {name: None if name in clashing else _agreed([name in one for one in told]) for name in RELATIONS}


def _agreed(answers: Sequence[bool]) -> bool | None:
    return answers[0] if len(set(answers)) == 1 else None


def _extent(place: Place, context: Context) -> Extent:
    if isinstance(place, CameraRef | Placed):
        return NO_EXTENT
    return context.known.extent(context.object_at(place).id)
