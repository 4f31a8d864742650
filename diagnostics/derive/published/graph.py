"""A scene graph as the published solver holds it: what is not stated counts as 0."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ....bench_data.scene_graphs import OPPOSITE, Relation
from ...scene_graph import SceneGraph
from .words import relations_in

__all__ = ["PublishedEdge", "PublishedGraph", "PublishedNode", "published_graph_from", "published_graph_from_record"]


@dataclass(frozen=True, slots=True)
class PublishedNode:
    """An object: metres; None for what is stated but no number."""

    distance_m: float | None
    width_m: float | None
    length_m: float | None
    height_m: float | None

    @property
    def volume_m3(self) -> float | None:
        """Of its box."""
        if self.width_m is None or self.length_m is None or self.height_m is None:
            return None
        return self.width_m * self.length_m * self.height_m


@dataclass(frozen=True, slots=True)
class PublishedEdge:
    """How an object stands to another: metres, None for what is no number, and relations."""

    distance_m: float | None
    relations: frozenset[Relation]


@dataclass(frozen=True)
class PublishedGraph:
    """Objects by number, and edges by (from, to)."""

    nodes: Mapping[int, PublishedNode]
    edges: Mapping[tuple[int, int], PublishedEdge]

    def edge(self, source: int, target: int) -> PublishedEdge | None:
        """The edge between two objects, turned round where it is only there the other way."""
        found = self.edges.get((source, target))
        if found is None and (back := self.edges.get((target, source))) is not None:
            return PublishedEdge(back.distance_m, frozenset(OPPOSITE[one] for one in back.relations))
        return found


def published_graph_from(graph: SceneGraph) -> PublishedGraph:
    """A `SceneGraph` as the published solver would hold it."""
    return PublishedGraph(
        {
            one.id: PublishedNode(
                *(_stated(v) for v in (one.distance_to_camera_m, one.width_m, one.length_m, one.height_m))
            )
            for one in graph.objects
        },
        {
            (edge.source, edge.target): PublishedEdge(_stated(edge.distance_m), frozenset(edge.relations or ()))
            for edge in graph.edges
        },
    )


def _stated(value: float | None) -> float | None:
    if value is None:
        return 0.0
    return value if math.isfinite(value) else None


def published_graph_from_record(record: object) -> PublishedGraph:
    """Reads {"objects": [{"id", "dist_to_cam", "size": {"w", "l", "h"}}], "edges": [{"from", "to", "distance", ...}]}.

    Entries without usable numbers of objects are skipped; the last of several with one number wins. Relations may be a
    list of words, a text, or the flags of the published target - whose keys are all read, whatever the flags say.
    """
    fields = record if isinstance(record, Mapping) else {}
    nodes: dict[int, PublishedNode] = {}
    for one in _records(fields.get("objects")):
        number = _whole(one.get("id"))
        if number is not None:
            size = one.get("size")
            sides = size if isinstance(size, Mapping) else {}
            width, length, height = (_number(sides.get(key, 0.0)) for key in ("w", "l", "h"))
            nodes[number] = PublishedNode(_number(one.get("dist_to_cam", 0.0)), width, length, height)
    edges: dict[tuple[int, int], PublishedEdge] = {}
    for one in _records(fields.get("edges")):
        source, target = _whole(one.get("from")), _whole(one.get("to"))
        if source is not None and target is not None:
            edges[source, target] = PublishedEdge(_number(one.get("distance", 0.0)), _relations(one.get("relation")))
    return PublishedGraph(nodes, edges)


def _records(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _relations(value: object) -> frozenset[Relation]:
    if isinstance(value, str):
        return relations_in(value)
    if isinstance(value, Mapping | list):
        return frozenset().union(*(relations_in(word) for word in value if isinstance(word, str)))
    return frozenset()


def _whole(value: object) -> int | None:
    try:
        return int(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


def _number(value: object) -> float | None:
    try:
        found = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
