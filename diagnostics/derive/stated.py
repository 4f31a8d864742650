"""What a scene graph states of single objects and of pairs, as bounds; contradictions in it are found, never raised."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from ...bench_data.questions.query import ScaledZone
from ...bench_data.scene_graphs import Relation
from ..scene_graph import RelationReading, SceneEdge
from .interval import ANYTHING, UNSIGNED, ZERO, Interval, absolute, hull, meet, point, scaled, total

__all__ = ["AXES", "Axis", "Displacement", "Eye", "Node", "Vec", "between_points", "stated_displacement", "tightened"]

Vec = tuple[float, float, float]
"""(right, up, forward) in the frame of the graph, metres."""

_LARGEST_M = 1e9
"""What is stated beyond this, or is no number at all, counts as not stated."""


class Eye(NamedTuple):
    """The camera of a picture."""

    view: int


Node = int | Eye
"""An object by its number in the graph, or a camera."""

Axis = int
AXES = RIGHT, UP, FORWARD, VERTICAL = 0, 1, 2, 3
"""Places of the parts in a `Displacement`."""

AXIS_WORDS: tuple[tuple[Relation, Relation], ...] = (
    ("left", "right"),
    ("below", "above"),
    ("front", "behind"),
    ("below", "above"),
)


FourParts = tuple[Interval, Interval, Interval, Interval]


class Displacement(NamedTuple):
    """What is known of the way from one place to another, in metres.

    Args:
        parts: right, up and forward in the frame of the graph, and vertical: along the world's up, the same as "up" in
            a level frame; in the order of `AXES`.
        distance: its length.
        plane: its length in the plane of the frame's right and forward axes.
        directed: something says in which direction it goes, and not only how far.
        path: the places that the bounds were found along, from the first to the last.
        conflicts: for each axis on which the graph contradicts itself, the objects of a cycle.
    """

    parts: FourParts
    distance: Interval
    plane: Interval
    directed: bool
    path: tuple[Node, ...] = ()
    conflicts: tuple[tuple[Axis, tuple[Node, ...]], ...] = ()

    @property
    def right(self) -> Interval:
        """Part along the frame's right axis."""
        return self.parts[0]

    @property
    def up(self) -> Interval:
        """Part along the frame's up axis."""
        return self.parts[1]

    @property
    def forward(self) -> Interval:
        """Part along the frame's forward axis."""
        return self.parts[2]

    @property
    def vertical(self) -> Interval:
        """Part along the world's up."""
        return self.parts[3]

    @property
    def is_exact(self) -> bool:
        """Whether it is known as a vector."""
        right, up, forward, _ = self.parts
        return right.lo == right.hi and forward.lo == forward.hi and up.lo == up.hi

    def reversed(self) -> Displacement:
        """The way back."""
        right, up, forward, vertical = [Interval(-part.hi, -part.lo) for part in self.parts]
        return self._replace(parts=(right, up, forward, vertical), path=self.path[::-1])


def usable(value: float | None) -> float | None:
    """A stated number; None for what is not stated, no number, or absurdly large."""
    return value if value is not None and -_LARGEST_M <= value <= _LARGEST_M else None


def usable_length(value: float | None) -> float | None:
    """A stated length; None for what is not stated, or no length."""
    return value if value is not None and 0 <= value <= _LARGEST_M else None


def usable_vector(value: Vec | None) -> Vec | None:
    """The same for three numbers."""
    return None if value is None or any(usable(part) is None for part in value) else value


def between_points(start: Vec, end: Vec, world_up: Vec | None, path: tuple[Node, ...]) -> Displacement:
    """The exact way between two known positions."""
    right, up, forward = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    plane = math.sqrt(right * right + forward * forward)
    distance = math.sqrt(right * right + up * up + forward * forward)
    if world_up is None:
        vertical = Interval(-distance, distance)
    else:
        vertical = point(world_up[0] * right + world_up[1] * up + world_up[2] * forward)
    return Displacement(
        (Interval(right, right), Interval(up, up), Interval(forward, forward), vertical),
        Interval(distance, distance),
        Interval(plane, plane),
        True,
        path,
    )


class Extent(NamedTuple):
    """What is known of the size of an object, for the rules of relations: metres."""

    longer_side: Interval
    half_height: Interval


NO_EXTENT = Extent(ZERO, ZERO)


def zones(zone: float | ScaledZone, of: Extent, against: Extent) -> tuple[Interval, Interval]:
    """The dead zone on the level, and the overlap in height that is forgiven."""
    if not isinstance(zone, ScaledZone):
        return point(zone), point(zone)
    sides = scaled(total(of.longer_side, against.longer_side), zone.side_share / 2)
    least = zone.least_m
    level = Interval(max(least, sides.lo), max(least, sides.hi))
    smaller = (2 * min(of.half_height[end], against.half_height[end]) for end in (0, 1))
    low, high = (zone.height_share * height if zone.height_share else 0.0 for height in smaller)
    return level, Interval(low, high)


def stated_displacement(
    edge: SceneEdge, reading: RelationReading, source: Extent, target: Extent, *, level_frame: bool
) -> Displacement:
    """What one edge says of the way from its source to its target.

    Where the length and the relations do not fit each other (too short for the dead zone), both stand as stated, and
    neither limits the other.
    """
    stated = usable_length(edge.distance_m)
    distance = UNSIGNED if stated is None else point(stated)
    right = forward = vertical = ANYTHING
    if edge.relations is not None:
        zone, overlap = zones(reading.zone, target, source)
        right = _level_part(edge.relations, "left", "right", zone)
        forward = _level_part(edge.relations, "front", "behind", zone)
        apart = total(source.half_height, target.half_height)
        vertical = _vertical_part(edge.relations, apart, overlap, exclusive=reading.exclusive)
    up = vertical if level_frame else ANYTHING
    angle_deg = usable(edge.bearing_deg)
    directed = edge.relations is not None or angle_deg is not None
    ends: tuple[Node, ...] = (edge.source, edge.target)
    plane = Interval(0.0, distance.hi)
    told = consistent(Displacement((right, up, forward, vertical), distance, plane, directed, ends))
    limited = _limited_by_length(told, angle_deg, level_frame=level_frame)
    return limited if consistent(limited) is limited else told


def _limited_by_length(told: Displacement, angle_deg: float | None, *, level_frame: bool) -> Displacement:
    around = Interval(-told.distance.hi, told.distance.hi)
    right, up, forward, vertical = [meet(part, around) for part in told.parts]
    plane = told.plane
    if angle_deg is not None:
        plane = _plane(told.distance, up)
        angle = math.radians(angle_deg)
        right = meet(right, scaled(plane, math.sin(angle)))
        forward = meet(forward, scaled(plane, math.cos(angle)))
    return tightened(told._replace(parts=(right, up, forward, vertical), plane=plane), level_frame=level_frame)


def consistent(given: Displacement) -> Displacement:
    """The same with each axis on which nothing is possible left open, and the contradiction noted."""
    lengths_clash = given.distance.is_empty or given.plane.is_empty
    if not lengths_clash and not any(part.is_empty for part in given.parts):
        return given
    cycle = (*given.path, given.path[0])
    clashing = [axis for axis in AXES if given.parts[axis].is_empty or lengths_clash]
    return given._replace(
        parts=with_open(given.parts, clashing),
        distance=UNSIGNED if given.distance.is_empty else given.distance,
        plane=UNSIGNED if given.plane.is_empty else given.plane,
        conflicts=(*given.conflicts, *((axis, cycle) for axis in clashing)),
    )


def with_open(parts: FourParts, axes: Collection[Axis]) -> FourParts:
    """The same parts with these axes left open."""
    right, up, forward, vertical = [ANYTHING if axis in axes else part for axis, part in enumerate(parts)]
    return right, up, forward, vertical


def _level_part(relations: tuple[Relation, ...], negative: Relation, positive: Relation, zone: Interval) -> Interval:
    low, high = -math.inf, math.inf
    if positive in relations:
        low = zone.lo
    if negative in relations:
        high = -zone.lo
    if positive not in relations and negative not in relations:
        low, high = -zone.hi, zone.hi
    return Interval(low, high)


def _vertical_part(relations: tuple[Relation, ...], apart: Interval, overlap: Interval, *, exclusive: bool) -> Interval:
    """Where the target is above the source: its bottom is higher than the other's top, less the overlap.

    ``apart`` is the sum of the two half heights: how far apart the centres of two that just touch are.
    """
    gap_low = apart.lo - overlap.hi if math.isfinite(overlap.hi) else -math.inf
    gap_high = apart.hi - overlap.lo
    low, high = -math.inf, math.inf
    above, below = "above" in relations, "below" in relations
    if above:
        low = max(gap_low, 0.0) if exclusive else gap_low
    if below:
        high = -max(gap_low, 0.0) if exclusive else -gap_low
    if exclusive:
        # One of the two that could both hold does: without any, neither could.
        if not above and not below:
            low, high = -gap_high, gap_high
    else:
        if not above:
            high = min(high, gap_high)
        if not below:
            low = max(low, -gap_high)
    return Interval(low, high)


def _plane(distance: Interval, up: Interval) -> Interval:
    """Length in the plane across ``up``."""
    rise = absolute(up)
    return Interval(
        _root(distance.lo * distance.lo - rise.hi * rise.hi), _root(distance.hi * distance.hi - rise.lo * rise.lo)
    )


def _root(square: float) -> float:
    """Square root; 0 for what is negative or no number (unbounded less unbounded)."""
    return math.sqrt(square) if square > 0 else 0.0


def tightened(given: Displacement, *, level_frame: bool) -> Displacement:
    """The same with each part limited by the others, as right² + up² + forward² = distance²."""
    (right, up, forward, vertical), distance, plane = given.parts, given.distance, given.plane
    if level_frame:
        up = vertical = meet(up, vertical)
    aside, rise, ahead = absolute(right), absolute(up), absolute(forward)
    r_low, u_low, f_low = aside.lo * aside.lo, rise.lo * rise.lo, ahead.lo * ahead.lo
    r_high, u_high, f_high = aside.hi * aside.hi, rise.hi * rise.hi, ahead.hi * ahead.hi
    distance = meet(distance, Interval(math.sqrt(r_low + u_low + f_low), math.sqrt(r_high + u_high + f_high)))
    low, high = distance.lo * distance.lo, distance.hi * distance.hi
    right = _limited(right, high - (u_low + f_low), low - (u_high + f_high))
    up = _limited(up, high - (r_low + f_low), low - (r_high + f_high))
    forward = _limited(forward, high - (r_low + u_low), low - (r_high + u_high))
    aside, ahead = absolute(right), absolute(forward)
    level = Interval(math.hypot(aside.lo, ahead.lo), math.hypot(aside.hi, ahead.hi))
    plane = meet(meet(plane, _plane(distance, up)), level)
    parts = (right, up, forward, up if level_frame else vertical)
    return Displacement(parts, distance, plane, given.directed, given.path, given.conflicts)


def _limited(part: Interval, most: float, least: float) -> Interval:
    """A part whose square is between ``least`` and ``most``; "least" helps where its sign is known."""
    reach = _root(most)
    low, high = part
    low, high = (low if low > -reach else -reach), (high if high < reach else reach)
    if least > 0:
        if part.lo > 0:
            low = max(low, math.sqrt(least))
        elif part.hi < 0:
            high = min(high, -math.sqrt(least))
    return Interval(low, high)


def merged(first: Displacement, second: Displacement, ends: tuple[Node, Node]) -> Displacement:
    """What two statements about one pair give together; where they contradict each other, the axis is left open."""
    right, up, forward, vertical = [meet(a, b) for a, b in zip(first.parts, second.parts, strict=True)]
    parts = (right, up, forward, vertical)
    clashing = [axis for axis in AXES if parts[axis].is_empty]
    # Two different lengths: it is one of them, or in between.
    distance = hull(first.distance, second.distance)
    if UNSIGNED in (first.distance, second.distance):
        distance = meet(first.distance, second.distance)
    return Displacement(
        with_open(parts, clashing),
        distance,
        hull(first.plane, second.plane),
        first.directed or second.directed,
        ends,
        (*first.conflicts, *second.conflicts, *((axis, (*ends, ends[0])) for axis in clashing)),
    )


def added(first: Displacement, second: Displacement) -> Displacement:
    """One way after the other; its length by the triangle inequality."""
    a, b = first.distance, second.distance
    p, q = first.plane, second.plane
    right, up, forward, vertical = [total(one, other) for one, other in zip(first.parts, second.parts, strict=True)]
    return Displacement(
        (right, up, forward, vertical),
        Interval(max(a.lo - b.hi, b.lo - a.hi, 0.0), a.hi + b.hi),
        Interval(max(p.lo - q.hi, q.lo - p.hi, 0.0), p.hi + q.hi),
        first.directed and second.directed,
        (*first.path, *second.path[1:]),
        (*first.conflicts, *second.conflicts),
    )
