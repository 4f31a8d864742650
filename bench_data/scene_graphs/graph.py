"""RelationGraph: nodes with size and distance, edges with distance and relations; a star around one object, or full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from ..errors import BenchDataError
from .relations import Relation, opposites

__all__ = ["GraphEdge", "GraphFrame", "GraphNode", "RelationGraph"]

GraphFrame = Literal["level", "camera"]
"""Whose right, up and forward: a person's who stands at the camera, or the tilted camera's own."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An object, in metres.

    Args:
        id: its number.
        distance_m: from the camera to the centre of its box.
        length_m, width_m, height_m: of its box.
        label: its category; "" where it has none.
        position_m: (right, up, forward) of its centre from the camera; None in a graph without positions.
    """

    id: int
    distance_m: float
    length_m: float
    width_m: float
    height_m: float
    label: str = ""
    position_m: tuple[float, float, float] | None = None

    @property
    def volume_m3(self) -> float:
        """Of its box."""
        return self.length_m * self.width_m * self.height_m


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """How ``target`` stands to ``source``.

    Args:
        source, target: numbers of objects.
        distance_m: from centre to centre.
        relations: what ``target`` is, seen against ``source``, in the order of `RELATIONS`.
        bearing_deg: of ``target`` from ``source``, 0 forward, clockwise, in (-180, 180]; None where unknown.
    """

    source: int
    target: int
    distance_m: float
    relations: tuple[Relation, ...]
    bearing_deg: float | None = None

    def reversed(self) -> GraphEdge:
        """The same fact told the other way round."""
        bearing = self.bearing_deg
        if bearing is not None:
            bearing = bearing - 180 if bearing > 0 else bearing + 180
        return GraphEdge(self.target, self.source, self.distance_m, opposites(self.relations), bearing)


@dataclass(frozen=True, kw_only=True)
class RelationGraph:
    """The objects of a picture and how they stand to each other.

    Args:
        nodes: the objects.
        edges: between them; each pair at most once.
        centre: of a star, from which all edges go out; None in a full graph.
        frame: in which the relations hold.

    Raises:
        BenchDataError: a number twice, an edge to nothing or to itself, a pair twice, or a star's edge from elsewhere.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...] = field(repr=False)
    centre: int | None = None
    frame: GraphFrame = "level"

    def __post_init__(self) -> None:
        known = {node.id for node in self.nodes}
        if len(known) != len(self.nodes):
            raise BenchDataError("a graph's nodes must have different numbers")
        if self.centre is not None and self.centre not in known:
            raise BenchDataError(f"the centre, object {self.centre}, is no node of the graph")
        for edge in self.edges:
            if edge.source not in known or edge.target not in known or edge.source == edge.target:
                raise BenchDataError(f"the edge from {edge.source} to {edge.target} does not join two nodes")
            if self.centre is not None and edge.source != self.centre:
                raise BenchDataError(f"an edge of a star must go out from object {self.centre}, not {edge.source}")
        pairs = {(edge.source, edge.target) for edge in self.edges}
        if len(pairs) != len(self.edges) or any((target, source) in pairs for source, target in pairs):
            raise BenchDataError("a graph must have at most one edge between two nodes")

    @cached_property
    def _nodes(self) -> Mapping[int, GraphNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _edges(self) -> Mapping[tuple[int, int], GraphEdge]:
        return {(edge.source, edge.target): edge for edge in self.edges}

    def node(self, number: int) -> GraphNode | None:
        """The object of a number; None where there is none."""
        return self._nodes.get(number)

    def edge(self, source: int, target: int) -> GraphEdge | None:
        """How ``target`` stands to ``source``, whichever way round the graph tells it; None if it does not."""
        found = self._edges.get((source, target))
        if found is None and (back := self._edges.get((target, source))) is not None:
            return back.reversed()
        return found

    def renumbered(self, numbers: Mapping[int, int]) -> RelationGraph:
        """The same graph under other numbers, such as those drawn on the picture.

        Raises:
            BenchDataError: a node without a new number, or two with the same.
        """
        missing = [node.id for node in self.nodes if node.id not in numbers]
        if missing:
            raise BenchDataError(f"object {missing[0]} has no new number")
        return RelationGraph(
            nodes=tuple(replace(node, id=numbers[node.id]) for node in self.nodes),
            edges=tuple(replace(edge, source=numbers[edge.source], target=numbers[edge.target]) for edge in self.edges),
            centre=None if self.centre is None else numbers[self.centre],
            frame=self.frame,
        )

    def without_positions(self) -> RelationGraph:
        """The same graph as a model would be asked for it: sizes, distances and relations only."""
        return replace(
            self,
            nodes=tuple(replace(node, position_m=None) for node in self.nodes),
            edges=tuple(replace(edge, bearing_deg=None) for edge in self.edges),
        )
