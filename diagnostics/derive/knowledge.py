"""Knowledge: what a graph says of places and of the ways between them, worked out once and looked up often."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from ...bench_data.scene_graphs import Relation, opposites
from ..scene_graph import AxesRows, RelationReading, SceneEdge, SceneGraph, SceneObject
from .interval import ANYTHING, UNSIGNED, ZERO, Interval, absolute, meet, point
from .paths import AxisBounds, Order, reach, shortest_way
from .stated import (
    AXES,
    NO_EXTENT,
    Axis,
    Displacement,
    Extent,
    Eye,
    Node,
    Vec,
    added,
    between_points,
    consistent,
    merged,
    stated_displacement,
    tightened,
    usable,
    usable_length,
    usable_vector,
    with_open,
)

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Knowledge", "ground_length"]

_FIRST = Eye(0)
_ORIGIN: Vec = (0.0, 0.0, 0.0)
_MOST_SHARED = 64
"""Of the objects that two others are both related to, so many are looked at."""

_STILL = Displacement((ZERO, ZERO, ZERO, ZERO), ZERO, ZERO, True)
_UNKNOWN = Displacement((ANYTHING, ANYTHING, ANYTHING, ANYTHING), UNSIGNED, UNSIGNED, False)


class Knowledge:
    """A scene graph, read for reasoning. What is found of a pair is kept.

    Args:
        graph: the graph; where it does not say by which rule its relations hold, bounds assume `RelationReading()`.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self.graph = graph
        self.reading = graph.reading or RelationReading()
        self.level_frame = graph.frame == "level"
        self.world_up = usable_vector(graph.world_up)
        self.eyes: dict[int, AxesRows] = {}
        self.places: dict[Node, Vec] = {_FIRST: _ORIGIN}
        for camera in graph.cameras:
            if all(usable_vector(row) is not None for row in camera.axes):
                self.eyes[camera.view] = camera.axes
            if camera.view and usable_vector(camera.position_m) is not None:
                self.places[Eye(camera.view)] = camera.position_m
        for one in graph.objects:
            if one.position_m is not None and usable_vector(one.position_m) is not None:
                self.places[one.id] = one.position_m
        self.words: dict[tuple[Node, Node], tuple[str, str] | tuple[()]] = {}
        """What was already put into words of pairs."""
        self._ways: dict[tuple[Node, Node], Displacement] = {}
        self._directs: dict[tuple[Node, Node], Displacement] = {}
        self._extents: dict[Node, Extent] = {}
        self._reaches: dict[tuple[Node, Axis, bool], AxisBounds] = {}
        self._orders: dict[Axis, Order] = {}
        self._sound: dict[Axis, dict[Node, dict[Node, Displacement]]] = {}

    # Single objects ---------------------------------------------------------------------------------------------------

    def node(self, number: int) -> SceneObject | None:
        """The object of a number; None where there is none."""
        return self.graph.node(number)

    def own_axes(self, one: SceneObject) -> AxesRows | None:
        """The axes of an object's box; None where they are not stated.

        A heading alone says how a box stands that is upright in the frame, which in a tilted camera's none need be.
        """
        if one.axes is None and (not self.level_frame or usable(one.heading_deg) is None):
            return None
        axes = one.own_axes
        return axes if axes is not None and all(usable_vector(row) is not None for row in axes) else None

    def extent(self, node: Node) -> Extent:
        """The size of a place: nothing for a camera."""
        if isinstance(node, Eye):
            return NO_EXTENT
        found = self._extents.get(node)
        if found is None:
            one = self.graph.node(node)
            found = self._extents[node] = Extent(UNSIGNED, UNSIGNED) if one is None else self._extent(one)
        return found

    def _extent(self, one: SceneObject) -> Extent:
        length, width = usable_length(one.length_m), usable_length(one.width_m)
        side = Interval(0.0 if length is None else length, math.inf)
        if width is not None:
            side = point(max(length, width)) if length is not None else Interval(width, math.inf)
        return Extent(side, self._half_height(one))

    def _half_height(self, one: SceneObject) -> Interval:
        """Half of how far it reaches upwards; it stands upright where the graph does not say otherwise."""
        height = usable_length(one.height_m)
        axes = self.own_axes(one) if one.axes is not None else None
        if self.graph.sides == "heading" and axes is not None and self.world_up is not None:
            sides = usable_length(one.width_m), height, usable_length(one.length_m)
            shares = [abs(sum(a * b for a, b in zip(row, self.world_up, strict=True))) for row in axes]
            if not all(share < 1e-9 for share in (shares[0], shares[2])):
                known = [share * side / 2 for share, side in zip(shares, sides, strict=True) if side is not None]
                return point(sum(known)) if len(known) == 3 else Interval(sum(known), math.inf)
        return UNSIGNED if height is None else point(height / 2)

    # Pairs ------------------------------------------------------------------------------------------------------------

    def way(self, start: Node, end: Node) -> Displacement:
        """What is known of the way between two places."""
        found = self._ways.get((start, end))
        if found is None:
            found = self._ways[start, end] = self._find(start, end)
            self._ways[end, start] = found.reversed()
        return found

    def _find(self, start: Node, end: Node) -> Displacement:
        if start == end:
            return _STILL._replace(path=(start,))
        a, b = self.places.get(start), self.places.get(end)
        if a is not None and b is not None:
            return between_points(a, b, self.world_up, (start, end))
        found = self._direct(start, end)
        if found is not None:
            return self._with_cycles(found, start, end)
        return self._through_others(start, end)

    @cached_property
    def _told(self) -> dict[tuple[Node, Node], tuple[SceneEdge, ...]]:
        """Pair -> its edges; nothing of two whose positions are stated, as those come first."""
        found: dict[tuple[Node, Node], tuple[SceneEdge, ...]] = {}
        for edge in self.graph.edges:
            there, back = (edge.source, edge.target), (edge.target, edge.source)
            if edge.source in self.places and edge.target in self.places:
                continue
            found[there] = found[back] = (*found.get(there, ()), edge)
        return found

    def _direct(self, start: Node, end: Node) -> Displacement | None:
        """What edges say of a pair; None where there are none."""
        found = self._directs.get((start, end))
        if found is None and (edges := self._told.get((start, end))):
            for edge in edges:
                way = self._stated(edge)
                if edge.source != start:
                    way = way.reversed()
                found = way if found is None else merged(found, way, (start, end))
            if found is not None:
                self._directs[start, end] = found
                self._directs[end, start] = found.reversed()
        return found

    def _all_direct(self) -> Iterator[tuple[Node, Node, Displacement]]:
        for a, b in self._told:
            way = self._direct(a, b)
            if way is not None:
                yield a, b, way

    def _stated(self, edge: SceneEdge) -> Displacement:
        return stated_displacement(
            edge,
            self.reading,
            self.extent(edge.source),
            self.extent(edge.target),
            level_frame=self.level_frame,
        )

    @cached_property
    def links(self) -> dict[Node, dict[Node, Displacement]]:
        """Place -> the places that it is related to, and how; what has a position is related to the first camera."""
        found: defaultdict[Node, dict[Node, Displacement]] = defaultdict(dict)
        for a, b, way in self._all_direct():
            if way.directed:
                found[a][b] = way
        for node, place in self.places.items():
            if node != _FIRST:
                way = between_points(_ORIGIN, place, self.world_up, (_FIRST, node))
                found[_FIRST][node] = way
                found[node][_FIRST] = way.reversed()
        return dict(found)

    @cached_property
    def lengths(self) -> dict[Node, dict[Node, Interval]]:
        """Place -> the places that its distance to is stated, and that distance."""
        found: defaultdict[Node, dict[Node, Interval]] = defaultdict(dict)
        for (a, b), edges in self._told.items():
            stated_m = [length for edge in edges if (length := usable_length(edge.distance_m)) is not None]
            if stated_m:
                found[a][b] = Interval(min(stated_m), max(stated_m))
        for one in self.graph.objects:
            from_camera_m = usable_length(one.distance_to_camera_m)
            if from_camera_m is not None and one.id not in self.places:
                found[one.id][_FIRST] = found[_FIRST][one.id] = point(from_camera_m)
        for node, place in self.places.items():
            if node != _FIRST:
                away_m = math.sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2])
                found[node][_FIRST] = found[_FIRST][node] = point(away_m)
        return dict(found)

    @cached_property
    def _length_graph(self) -> nx.Graph:
        import networkx as nx

        graph: nx.Graph = nx.Graph()
        for a, near in self.lengths.items():
            graph.add_weighted_edges_from(((a, b, length.hi) for b, length in near.items()), weight="length_m")
        return graph

    @cached_property
    def _middle(self) -> Node | None:
        """The object that all edges have in common, so that only one path joins any two others; None without one."""
        counts: defaultdict[Node, int] = defaultdict(int)
        for a, _ in self._told:
            counts[a] += 1
        most = max(counts, key=counts.__getitem__, default=None)
        return most if most is not None and counts[most] * 2 == len(self._told) and len(self.places) == 1 else None

    def _through_others(self, start: Node, end: Node) -> Displacement:
        """Bounds along paths, on the axes and in length."""
        found = self._along_axes(start, end)
        distance, path = self._length_bounds(start, end)
        found = found._replace(distance=meet(found.distance, distance), path=found.path or path)
        around = Interval(-distance.hi, distance.hi)
        right, up, forward, vertical = [meet(part, around) for part in found.parts]
        limited = consistent(found._replace(parts=(right, up, forward, vertical)))
        found = consistent(tightened(limited, level_frame=self.level_frame))
        return self._with_cycles(found, start, end)

    def _length_bounds(self, start: Node, end: Node) -> tuple[Interval, tuple[Node, ...]]:
        """By the triangle inequality, through places whose distance to both is known, or along the shortest path."""
        near, other = self.lengths.get(start, {}), self.lengths.get(end, {})
        if end in near:
            return near[end], (start, end)
        bounds = UNSIGNED
        path: tuple[Node, ...] = ()
        for place, a, b in islice(self._shared(start, end, near, other), _MOST_SHARED):
            limit = Interval(max(a.lo - b.hi, b.lo - a.hi, 0.0), a.hi + b.hi)
            bounds, path = meet(bounds, limit), path or (start, place, end)
        if bounds is not UNSIGNED or not near or not other:
            return bounds, path
        found = shortest_way(self._length_graph, start, end)
        if found is None:
            return UNSIGNED, ()
        stages = [self.lengths[a][b] for a, b in pairwise(found)]
        most = sum(stage.hi for stage in stages)
        # One long stage cannot be made up for by the others.
        least = max(stage.lo - (most - stage.hi) for stage in stages)
        return Interval(max(0.0, least), most), found

    def _shared(
        self, start: Node, end: Node, near: Mapping[Node, Interval], other: Mapping[Node, Interval]
    ) -> Iterator[tuple[Node, Interval, Interval]]:
        """Places whose distances to both ends are known, with these distances."""
        for place in near if len(near) <= len(other) else other:
            if place in near and place in other:
                yield place, near[place], other[place]
        for placed, others, turned in ((start, other, False), (end, near, True)):
            if placed == _FIRST or placed not in self.places:
                continue
            for place, length in others.items():
                if place in self.places and place != _FIRST:
                    apart = self.way(placed, place).distance
                    yield (place, length, apart) if turned else (place, apart, length)

    def _along_axes(self, start: Node, end: Node) -> Displacement:
        middle = self._middle
        if middle is not None:
            there, onwards = self._direct(start, middle), self._direct(middle, end)
            if there is None or onwards is None or not (there.directed and onwards.directed):
                return _UNKNOWN
            return added(there, onwards)
        if start not in self.links or end not in self.links:
            return _UNKNOWN
        parts: list[Interval] = []
        paths: list[tuple[Node, ...]] = []
        conflicts: list[tuple[Axis, tuple[Node, ...]]] = []
        for axis in AXES:
            up, down = self._reach(start, axis, True), self._reach(start, axis, False)
            part = Interval(-down.most_m.get(end, math.inf), up.most_m.get(end, math.inf))
            if part.is_empty:
                cycle = (*up.path_to(end), *down.path_to(end)[-2::-1])
                conflicts.append((axis, cycle))
                part = ANYTHING
            elif part.sign is None and not (up.complete and down.complete):
                part = self._by_order(axis, start, end, part, paths)
            parts.append(part)
            paths += [bounds.path_to(end) for bounds in (up, down) if end in bounds.most_m]
        if not paths:
            return _UNKNOWN
        path = min(paths, key=len)
        right, rise, forward, vertical = parts
        return Displacement((right, rise, forward, vertical), UNSIGNED, UNSIGNED, True, path, tuple(conflicts))

    def _by_order(self, axis: Axis, start: Node, end: Node, part: Interval, paths: list[tuple[Node, ...]]) -> Interval:
        """Bounds by a chain of any length in which each object lies beyond the one before."""
        order = self._order(axis)
        if (ahead := order.chain(start, end)) is not None:
            paths.append(ahead[1])
            return Interval(max(part.lo, ahead[0]), part.hi)
        if (back := order.chain(end, start)) is not None:
            paths.append(back[1][::-1])
            return Interval(part.lo, min(part.hi, -back[0]))
        return part

    def _reach(self, source: Node, axis: Axis, upwards: bool) -> AxisBounds:
        key = (source, axis, upwards)
        found = self._reaches.get(key)
        if found is None:
            found = self._reaches[key] = reach(self._sound_links(axis), source, axis, upwards=upwards)
        return found

    # Contradictions ---------------------------------------------------------------------------------------------------

    def _order(self, axis: Axis) -> Order:
        found = self._orders.get(axis)
        if found is None:
            found = self._orders[axis] = Order(self._all_direct(), axis)
        return found

    def _sound_links(self, axis: Axis) -> dict[Node, dict[Node, Displacement]]:
        """The links without those that are part of a contradiction on an axis."""
        order = self._order(axis)
        if not order.knots:
            return self.links
        found = self._sound.get(axis)
        if found is None:
            found = self._sound[axis] = {
                a: {b: way for b, way in near.items() if not order.in_knot(a, b)} for a, near in self.links.items()
            }
        return found

    def _with_cycles(self, way: Displacement, start: Node, end: Node) -> Displacement:
        """A way with each axis left open on which both its ends are part of a cycle."""
        if self._middle is not None:
            return way
        clashing = [axis for axis in AXES if self._order(axis).in_knot(start, end)]
        if not clashing:
            return way
        cycles = [(axis, self._order(axis).cycle(start, end)) for axis in clashing]
        return way._replace(parts=with_open(way.parts, clashing), conflicts=(*way.conflicts, *cycles))

    # Relations as stated ----------------------------------------------------------------------------------------------

    def stated_relations(self, source: Node, target: Node) -> tuple[frozenset[Relation], ...]:
        """What ``target`` is to ``source`` by the edges: nothing, or one or two sets."""
        return self._relations.get((source, target), ())

    @cached_property
    def _relations(self) -> dict[tuple[Node, Node], tuple[frozenset[Relation], ...]]:
        found: dict[tuple[Node, Node], tuple[frozenset[Relation], ...]] = {}
        for edge in self.graph.edges:
            if edge.relations is not None:
                there, back = (edge.source, edge.target), (edge.target, edge.source)
                found[there] = (*found.get(there, ()), frozenset(edge.relations))
                found[back] = (*found.get(back, ()), frozenset(opposites(edge.relations)))
        return found


def ground_length(way: Displacement, *, level_frame: bool) -> Interval:
    """Length of a way in the horizontal plane of the world, in metres."""
    if level_frame:
        return way.plane
    rise = absolute(way.vertical)
    low, high = way.distance.lo * way.distance.lo, way.distance.hi * way.distance.hi
    least, most = low - rise.hi * rise.hi, high - rise.lo * rise.lo
    return Interval(math.sqrt(least) if least > 0 else 0.0, math.sqrt(most) if most > 0 else 0.0)
