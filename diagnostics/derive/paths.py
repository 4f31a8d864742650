"""Reasoning along paths: how far one object is from another through others, on one axis and in all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from .interval import SLACK
from .stated import Axis, Displacement, Node

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["AxisBounds", "Links", "Order", "reach", "shortest_way"]

Links: TypeAlias = Mapping[Node, Mapping[Node, Displacement]]
"""From each place to those that something is stated about."""

_MOST_HOPS = 16
_MOST_LOOKS = 40_000
"""Bounds on the work for one source: what is found by then holds, though more might be found."""


class AxisBounds:
    """How far at most each place lies from a source along one axis, and the path that shows it.

    Args:
        most_m: place -> bound.
        came_from: place -> the one before it on the path.
        complete: no path was left out for want of work.
    """

    __slots__ = ("_from", "complete", "most_m")

    def __init__(self, most_m: Mapping[Node, float], came_from: Mapping[Node, Node], *, complete: bool) -> None:
        self.most_m = most_m
        self.complete = complete
        self._from = came_from

    def path_to(self, target: Node) -> tuple[Node, ...]:
        """From the source to a place that was reached."""
        path = [target]
        while len(path) <= _MOST_HOPS and path[-1] in self._from:
            path.append(self._from[path[-1]])
        return tuple(reversed(path))


def reach(links: Links, source: Node, axis: Axis, *, upwards: bool) -> AxisBounds:
    """The shortest paths from ``source`` in the graph of differences x(v) - x(u) <= w (Bellman and Ford).

    Paths that would lead round a circle are not followed, so that a contradiction between some objects does not spoil
    what is said of others. At most `_MOST_HOPS` long.

    Args:
        links: what is stated of pairs.
        source: where from.
        axis: of a displacement.
        upwards: bounds from above on x(v) - x(source); otherwise on x(source) - x(v).
    """
    best: dict[Node, float] = {source: 0.0}
    came_from: dict[Node, Node] = {}
    frontier: Iterable[Node] = (source,)
    looks = 0
    for _ in range(_MOST_HOPS):
        changed: dict[Node, None] = {}
        for node in frontier:
            so_far = best[node]
            near = links.get(node, {})
            looks += len(near)
            for other, way in near.items():
                length = so_far + (way.parts[axis].hi if upwards else -way.parts[axis].lo)
                if length < best.get(other, math.inf) - SLACK and not _passes(came_from, node, other):
                    best[other] = length
                    came_from[other] = node
                    changed[other] = None
        if not changed:
            return AxisBounds(best, came_from, complete=True)
        if looks > _MOST_LOOKS:
            break
        frontier = tuple(changed)
    return AxisBounds(best, came_from, complete=False)


def _passes(came_from: Mapping[Node, Node], node: Node, through: Node) -> bool:
    """Whether the path to ``node`` goes through another one."""
    for _ in range(_MOST_HOPS + 1):
        if node == through:
            return True
        if node not in came_from:
            return False
        node = came_from[node]
    return True


class Order:
    """Which objects lie farther along an axis than others, by all that is stated of pairs.

    Args:
        ways: what is stated, one way round or both.
        axis: of a displacement.
    """

    def __init__(self, ways: Iterable[tuple[Node, Node, Displacement]], axis: Axis) -> None:
        import networkx as nx

        self._arrows: nx.DiGraph = nx.DiGraph()
        for source, target, way in ways:
            part = way.parts[axis]
            if part.lo > 0:
                self._arrows.add_edge(source, target, least_m=part.lo)
            if part.hi < 0:
                self._arrows.add_edge(target, source, least_m=-part.hi)
        knots = (knot for knot in nx.strongly_connected_components(self._arrows) if len(knot) > 1)
        self.knots: dict[Node, int] = {node: number for number, knot in enumerate(knots) for node in knot}
        self._sound: nx.DiGraph = self._arrows
        if self.knots:
            # Without the arrows that lead round in circles.
            kept = [(a, b) for a, b in self._arrows.edges if not self.in_knot(a, b)]
            self._sound = self._arrows.edge_subgraph(kept)

    def in_knot(self, a: Node, b: Node) -> bool:
        """Whether arrows lead from one to the other and back."""
        return a in self.knots and self.knots[a] == self.knots.get(b)

    def cycle(self, a: Node, b: Node) -> tuple[Node, ...]:
        """a, ..., b, ..., a: along arrows, of two in one knot."""
        import networkx as nx

        there: Sequence[Node] = nx.bidirectional_shortest_path(self._arrows, a, b)
        back: Sequence[Node] = nx.bidirectional_shortest_path(self._arrows, b, a)
        return (*there, *back[1:])

    def chain(self, a: Node, b: Node) -> tuple[float, tuple[Node, ...]] | None:
        """How far at least ``b`` lies beyond ``a`` by a chain of arrows, and the chain; None where there is none."""
        import networkx as nx

        if a not in self._sound or b not in self._sound:
            return None
        try:
            path: Sequence[Node] = nx.bidirectional_shortest_path(self._sound, a, b)
        except nx.NetworkXNoPath:
            return None
        return sum(self._sound.edges[one, other]["least_m"] for one, other in pairwise(path)), tuple(path)


def shortest_way(lengths: nx.Graph, a: Node, b: Node) -> tuple[Node, ...] | None:
    """The path of stated distances between two places that is shortest in metres; None where there is none."""
    import networkx as nx

    if a not in lengths or b not in lengths:
        return None
    try:
        path: Sequence[Node] = nx.bidirectional_dijkstra(lengths, a, b, weight="length_m")[1]
    except nx.NetworkXNoPath:
        return None
    return tuple(path)
