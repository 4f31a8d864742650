"""Reasoning along paths: how far one object is from another through others, on one axis and in all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from .interval import SLACK
from .stated import Axis, Displacement, Node

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["AxisBounds", "Links", "order_cycle", "order_graph", "reach", "shortest_way"]

Links: TypeAlias = Mapping[Node, Mapping[Node, Displacement]]
"""From each place to those that something is stated about."""

_MOST_HOPS = 32
_MOST_LOOKS = 100_000
"""Bounds on the work for one source: what is found by then holds, though more might be found."""


class AxisBounds:
    """How far at most each place lies from a source along one axis, and the path that shows it."""

    __slots__ = ("_from", "most_m")

    def __init__(self, most_m: Mapping[Node, float], came_from: Mapping[Node, Node]) -> None:
        self.most_m = most_m
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
        if not changed or looks > _MOST_LOOKS:
            break
        frontier = tuple(changed)
    return AxisBounds(best, came_from)


def _passes(came_from: Mapping[Node, Node], node: Node, through: Node) -> bool:
    """Whether the path to ``node`` goes through another one."""
    for _ in range(_MOST_HOPS + 1):
        if node == through:
            return True
        if node not in came_from:
            return False
        node = came_from[node]
    return True


def order_graph(ways: Iterable[tuple[Node, Node, Displacement]], axis: Axis) -> nx.DiGraph:
    """An arrow from each object to those that lie farther along an axis, by what is stated of the two."""
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    for source, target, way in ways:
        part = way.parts[axis]
        if part.lo > 0:
            graph.add_edge(source, target)
        if part.hi < 0:
            graph.add_edge(target, source)
    return graph


def order_cycle(order: nx.DiGraph, a: Node, b: Node) -> tuple[Node, ...]:
    """A cycle through two objects that lie on one: a, ..., b, ..., a."""
    import networkx as nx

    there: Sequence[Node] = nx.shortest_path(order, a, b)
    back: Sequence[Node] = nx.shortest_path(order, b, a)
    return (*there, *back[1:])


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
