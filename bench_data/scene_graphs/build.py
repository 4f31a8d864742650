"""Builds graphs from objects that a camera sees: a star around the object in the middle of them, or all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import BenchDataError
from ..questions.query import ScaledZone
from .graph import GraphEdge, GraphFrame, GraphNode, RelationGraph
from .placed import PlacedObject
from .relations import DeadZone, relations_between

__all__ = ["CENTRE_TOLERANCE_M", "choose_centre", "full_graph", "star_graph"]

CENTRE_TOLERANCE_M = 0.5
"""Objects not farther than this behind the nearest one to the middle compete by volume (CRISP)."""


def choose_centre(objects: Sequence[PlacedObject], *, tolerance_m: float = CENTRE_TOLERANCE_M) -> int:
    """The number of the object that a star is drawn around: the largest of those near the middle of all centres.

    The first one wins a tie, so that the choice depends on nothing but the objects and their order.

    Raises:
        BenchDataError: there are no objects.
    """
    if not objects:
        raise BenchDataError("a graph without objects has no centre")
    places = [one.position_m for one in objects]
    middle = [sum(axis) / len(places) for axis in zip(*places, strict=True)]
    distances = [math.dist(place, middle) for place in places]
    reach = min(distances) + tolerance_m
    near = [one for one, distance in zip(objects, distances, strict=True) if distance <= reach]
    return max(near, key=lambda one: one.volume_m3).id


def star_graph(
    objects: Sequence[PlacedObject],
    *,
    zone: DeadZone | None = None,
    centre: int | None = None,
    frame: GraphFrame = "level",
    longest_edge_m: float | None = None,
    keep_unrelated: bool = True,
    exclusive: bool = True,
) -> RelationGraph:
    """The graph of a picture around one object.

    Args:
        objects: what the camera sees, placed in ``frame``.
        zone: the dead zone of relations; None for `ScaledZone` as it is.
        centre: the number of the object in the middle; None for `choose_centre`.
        frame: in which the objects were placed.
        longest_edge_m: no edges to objects farther from the centre than this; None for all.
        keep_unrelated: also edges without any relation.
        exclusive: see `relation_scores`.

    Raises:
        BenchDataError: no objects, or a centre that is not among them.
    """
    number = choose_centre(objects) if centre is None else centre
    middle = next((one for one in objects if one.id == number), None)
    if middle is None:
        raise BenchDataError(f"the centre, object {number}, is not among the objects of the graph")
    edges = [
        _edge(middle, one, ScaledZone() if zone is None else zone, exclusive) for one in objects if one is not middle
    ]
    kept = tuple(
        edge
        for edge in edges
        if (longest_edge_m is None or edge.distance_m <= longest_edge_m) and (keep_unrelated or edge.relations)
    )
    return RelationGraph(nodes=_nodes(objects), edges=kept, centre=number, frame=frame)


def full_graph(
    objects: Sequence[PlacedObject], *, zone: DeadZone | None = None, frame: GraphFrame = "level"
) -> RelationGraph:
    """The graph of a picture with an edge between each two objects, from the earlier to the later one."""
    wanted = ScaledZone() if zone is None else zone
    edges = tuple(
        _edge(source, target, wanted, True) for place, source in enumerate(objects) for target in objects[place + 1 :]
    )
    return RelationGraph(nodes=_nodes(objects), edges=edges, frame=frame)


def _nodes(objects: Sequence[PlacedObject]) -> tuple[GraphNode, ...]:
    return tuple(
        [
            GraphNode(one.id, one.distance_m, one.length_m, one.width_m, one.height_m, one.label, one.position_m)
            for one in objects
        ]
    )


def _edge(source: PlacedObject, target: PlacedObject, zone: DeadZone, exclusive: bool) -> GraphEdge:
    bearing = math.degrees(math.atan2(target.right_m - source.right_m, target.forward_m - source.forward_m))
    relations = relations_between(target, source, zone, exclusive=exclusive)
    return GraphEdge(source.id, target.id, target.distance_to_m(source), relations, bearing)
