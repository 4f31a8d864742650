"""Wrong graphs on purpose, by a stated amount: to see whether a model follows the graph, its eyes, or neither.

Everything is drawn from a seed; the same graph, level and seed give the same wrong graph in every process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.scene_graphs import OPPOSITE, PlacedObject, Relation, relations_between
from ..errors import DiagnosticsError
from .schema import RelationReading, SceneEdge, SceneGraph, SceneObject, Vector
from .score_parts import AXES
from .words import in_order

__all__ = ["corrupt_graph", "shuffle_ids"]

LENGTH_FACTOR = 2.0
"""At level 1 a length is off by this factor, up or down, in one standard deviation."""
TURN_DEG = 45.0
"""At level 1 an object is turned about the camera by this angle in one standard deviation."""


def corrupt_graph(
    graph: SceneGraph, level: float, *, seed: int, lengths: bool = True, relations: bool = True
) -> SceneGraph:
    """A wrong version of a graph.

    Without positions, each length is multiplied by 2 to the power of ``level`` times a normal number, and each relation
    is told as its opposite with probability ``level``. With positions the wrong graph stays true to itself: objects are
    moved about the camera (their distance by such a factor, their direction by 45 degrees times ``level`` times a
    normal number), sizes change as above, and distances, bearings and relations follow from the new places, by the
    graph's reading or, where it has none, the scaled dead zone.

    Args:
        graph: the graph to start from; sights, headings and cameras stay as they are.
        level: 0 for the same graph, up to 1.
        seed: of all that is drawn.
        lengths: change lengths, and places where they are stated.
        relations: change relations; in a graph with positions they change with the places.

    Raises:
        DiagnosticsError: the level is not within 0 and 1.
    """
    if not 0 <= level <= 1:
        raise DiagnosticsError(f"the level of a corruption must be from 0 to 1, got {level}")
    rng = derived_rng("corrupt_graph", seed)
    if level == 0:
        return graph
    places = [one.position_m for one in graph.objects if one.position_m is not None]
    if lengths and places and len(places) == len(graph.objects):
        resized = [_rescaled(one, level, rng) for one in graph.objects]
        moved = [_moved(place, level, rng) for place in places]
        return _at(graph, resized, moved)
    objects = tuple(_rescaled(one, level, rng) for one in graph.objects) if lengths else graph.objects
    edges = graph.edges
    if lengths:
        edges = tuple(edge.model_copy(update={"distance_m": _noisy(edge.distance_m, level, rng)}) for edge in edges)
    if relations:
        edges = tuple(edge.model_copy(update={"relations": _swapped(edge.relations, level, rng)}) for edge in edges)
    return graph.changed(objects=objects, edges=edges)


def shuffle_ids(graph: SceneGraph, *, seed: int) -> SceneGraph:
    """The same graph with its numbers handed on, so that no object keeps its own: all true, but of the wrong objects.

    Args:
        graph: the graph; its form, the centre's place in it included, stays.
        seed: of the order in which numbers are handed on.

    Raises:
        DiagnosticsError: fewer than two objects, which cannot be exchanged.
    """
    if len(graph.objects) < 2:
        raise DiagnosticsError("the numbers of fewer than two objects cannot be shuffled")
    order = [graph.ids[place] for place in derived_rng("shuffle_ids", seed).permutation(len(graph.ids))]
    return graph.renumbered(dict(zip(order, order[1:] + order[:1], strict=True)))


def _noisy(value: float | None, level: float, rng: np.random.Generator) -> float | None:
    # Drawn even where nothing is stated, so that one gap does not change all that follows.
    factor = LENGTH_FACTOR ** (level * float(rng.standard_normal()))
    return None if value is None else value * factor


def _rescaled(one: SceneObject, level: float, rng: np.random.Generator) -> SceneObject:
    names = ("distance_to_camera_m", "length_m", "width_m", "height_m")
    return one.model_copy(update={name: _noisy(getattr(one, name), level, rng) for name in names})


def _moved(position_m: Vector, level: float, rng: np.random.Generator) -> Vector:
    """A place elsewhere: farther or nearer, and turned about the camera."""
    factor = LENGTH_FACTOR ** (level * float(rng.standard_normal()))
    angle = math.radians(TURN_DEG) * level * float(rng.standard_normal())
    right, up, forward = (factor * value for value in position_m)
    c, s = math.cos(angle), math.sin(angle)
    return c * right + s * forward, up, c * forward - s * right


def _at(graph: SceneGraph, objects: Sequence[SceneObject], places: Sequence[Vector]) -> SceneGraph:
    """The graph with its objects at other places, and all that follows from them told anew."""
    rule = graph.reading or RelationReading()
    up = graph.world_up or (0.0, 1.0, 0.0)
    placed = {one.id: _placed(one, place, up) for one, place in zip(objects, places, strict=True)}
    return graph.changed(
        objects=tuple(
            one.model_copy(update={"position_m": place, "distance_to_camera_m": math.hypot(*place)})
            for one, place in zip(objects, places, strict=True)
        ),
        edges=tuple(_told(edge, placed[edge.source], placed[edge.target], rule) for edge in graph.edges),
    )


def _placed(one: SceneObject, position_m: Vector, up: Vector) -> PlacedObject:
    height = one.height_m or 0.0
    centre = sum(a * b for a, b in zip(position_m, up, strict=True))
    right, upwards, forward = position_m
    bottom, top = centre - height / 2, centre + height / 2
    length, width = one.length_m or 0.0, one.width_m or 0.0
    return PlacedObject(one.id, one.label, right, upwards, forward, bottom, top, length, width, height)


def _told(edge: SceneEdge, source: PlacedObject, target: PlacedObject, rule: RelationReading) -> SceneEdge:
    bearing = math.degrees(math.atan2(target.right_m - source.right_m, target.forward_m - source.forward_m))
    relations = relations_between(target, source, rule.zone, exclusive=rule.exclusive)
    return edge.model_copy(
        update={
            "distance_m": None if edge.distance_m is None else target.distance_to_m(source),
            "relations": None if edge.relations is None else relations,
            "bearing_deg": None if edge.bearing_deg is None else bearing,
        }
    )


def _swapped(
    relations: tuple[Relation, ...] | None, level: float, rng: np.random.Generator
) -> tuple[Relation, ...] | None:
    turn = [float(rng.random()) < level for _ in AXES]
    if relations is None:
        return None
    turned = {end for ends, swap in zip(AXES.values(), turn, strict=True) if swap for end in ends}
    return in_order(OPPOSITE[one] if one in turned else one for one in relations)
