"""Scene graphs from the truth of a scene, and from and to the strict graphs that CRISP's suite works with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...bench_data.cameras import Camera
from ...bench_data.questions.scene_truth import SceneTruth, ViewTruth
from ...bench_data.scene_graphs import (
    GraphEdge,
    GraphFrame,
    GraphNode,
    PlacedObject,
    PlacedScene,
    RelationGraph,
    choose_centre,
    relations_between,
)
from ...bench_data.scene_graphs.placed import Sides, frame_axes
from ...bench_data.scenes import Instance
from ..errors import DiagnosticsError
from .schema import AxesRows, CameraPose, RelationReading, SceneEdge, SceneGraph, SceneObject, Vector, ViewSight

__all__ = ["EdgePlan", "from_relation_graph", "scene_graph_of", "to_relation_graph"]

EdgePlan = Literal["star", "full", "none"]
"""Which pairs have an edge: the centre with each other object, each two objects from the earlier to the later, none."""

_FROM_BOX = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""Right, up and forward of a box in its own axes, x forward, y left, z up."""


def scene_graph_of(
    truth: SceneTruth,
    views: Sequence[int] = (0,),
    *,
    ids: Sequence[int] | None = None,
    marks: Mapping[int, int] | None = None,
    edges: EdgePlan = "star",
    centre: int | None = None,
    with_positions: bool = True,
    with_cameras: bool = True,
    frame: GraphFrame = "level",
    reading: RelationReading | None = None,
    sides: Sides | None = None,
) -> SceneGraph:
    """The exact graph of one or several pictures of a scene, seen from the first one's camera.

    With positions and cameras it holds all that questions about these pictures rest on.

    Args:
        truth: the scene.
        views: places of the pictures in ``truth.views``; in the graph they are numbered from 0 in this order.
        ids: the objects, by their numbers in the scene; None for the marked ones, else for all seen in any picture.
        marks: number in the scene -> number in the graph, such as that drawn on the picture.
        edges: which pairs have one.
        centre: of a star, by its number in the scene; None for `choose_centre`. Ignored for other plans.
        with_positions: positions, headings, bearings and heights.
        with_cameras: where the cameras are and how they are turned.
        frame: in which positions and relations are told.
        reading: the rule of relations; None for the scaled dead zone as it is.
        sides: what length and width mean; None for "heading" in a graph with positions, whose boxes can then be
            rebuilt, and "ground" in one without, as a model is asked for.

    Raises:
        BenchDataError: no such object, or the first camera looks straight up or down and has no level frame.
        DiagnosticsError: no views, one that the scene does not have, or an object without a mark.
    """
    if not views or not all(0 <= view < len(truth.views) for view in views):
        raise DiagnosticsError(
            f"a scene graph needs at least one view of the {len(truth.views)} of scene {truth.scene}, got {list(views)}"
        )
    shown = [truth.views[view] for view in views]
    rule = RelationReading() if reading is None else reading
    seen = sorted(set[int]().union(*(set(view.seen) & set(truth.objects) for view in shown)))
    numbers = list(ids if ids is not None else marks if marks is not None else seen)
    meaning: Sides = sides if sides is not None else "heading" if with_positions else "ground"
    camera = shown[0].camera
    placed = PlacedScene(truth).seen_from(camera, numbers, frame=frame, sides=meaning)
    middle = _centre(placed, centre) if edges == "star" else None
    axes = frame_axes(camera, frame)
    graph = SceneGraph(
        objects=tuple(_object(truth.objects[one.id], one, shown, axes, with_positions) for one in placed),
        edges=tuple(_edge(a, b, rule, with_positions) for a, b in _pairs(placed, edges, middle)),
        centre=middle,
        frame=frame,
        sides=meaning,
        cameras=tuple(_pose(number, view.camera, camera, axes) for number, view in enumerate(shown))
        if with_cameras
        else (),
        gravity_up=_vector(axes[:, 2]) if frame == "camera" and (with_positions or with_cameras) else None,
        camera_height_m=float(camera.centre_m[2]) if with_positions else None,
        reading=rule,
        complete=set(seen) <= set(numbers),
    )
    return graph if marks is None else graph.renumbered(marks)


def _centre(placed: Sequence[PlacedObject], wanted: int | None) -> int | None:
    if not placed:
        return None
    if wanted is None:
        return choose_centre(placed)
    if all(one.id != wanted for one in placed):
        raise DiagnosticsError(f"the centre, object {wanted}, is not among the objects of the graph")
    return wanted


def _pairs(
    placed: Sequence[PlacedObject], plan: EdgePlan, centre: int | None
) -> list[tuple[PlacedObject, PlacedObject]]:
    if plan == "none":
        return []
    if plan == "full":
        return [(a, b) for place, a in enumerate(placed) for b in placed[place + 1 :]]
    return [(a, b) for a in placed if a.id == centre for b in placed if b is not a]


def _object(
    instance: Instance, placed: PlacedObject, shown: Sequence[ViewTruth], axes: NDArray[np.float64], positions: bool
) -> SceneObject:
    own = axes @ instance.box.world_from_box @ _FROM_BOX.T  # columns: right, up, forward of the box
    return SceneObject(
        id=placed.id,
        label=placed.label,
        distance_to_camera_m=placed.distance_m,
        length_m=placed.length_m,
        width_m=placed.width_m,
        height_m=placed.height_m,
        position_m=placed.position_m if positions else None,
        heading_deg=math.degrees(math.atan2(own[0, 2], own[2, 2])) if positions else None,
        axes=_rows(own.T) if positions else None,
        sights=tuple(
            ViewSight(view=number, box_px=view.seen[placed.id].box_px, point_px=view.seen[placed.id].point_px)
            for number, view in enumerate(shown)
            if placed.id in view.seen
        ),
        attributes=dict(instance.attributes),
    )


def _edge(source: PlacedObject, target: PlacedObject, rule: RelationReading, positions: bool) -> SceneEdge:
    bearing = math.degrees(math.atan2(target.right_m - source.right_m, target.forward_m - source.forward_m))
    return SceneEdge(
        source=source.id,
        target=target.id,
        distance_m=target.distance_to_m(source),
        relations=relations_between(target, source, rule.zone, exclusive=rule.exclusive),
        bearing_deg=bearing if positions else None,
    )


def _pose(number: int, camera: Camera, first: Camera, axes: NDArray[np.float64]) -> CameraPose:
    return CameraPose(
        view=number,
        position_m=_vector(axes @ (camera.centre_m - first.centre_m)),
        axes=_rows(frame_axes(camera, "camera") @ axes.T),
    )


def _vector(values: NDArray[np.float64]) -> Vector:
    right, up, forward = (float(value) + 0.0 for value in values)
    return right, up, forward


def _rows(matrix: NDArray[np.float64]) -> AxesRows:
    right, up, forward = (_vector(row) for row in matrix)
    return right, up, forward


def from_relation_graph(
    graph: RelationGraph, *, sides: Sides = "ground", reading: RelationReading | None = None
) -> SceneGraph:
    """The same graph as a `SceneGraph`.

    Args:
        graph: a strict graph of the truth.
        sides: what its lengths and widths mean.
        reading: the rule behind its relations, if known.
    """
    return SceneGraph(
        objects=tuple(
            SceneObject(
                id=node.id,
                label=node.label,
                distance_to_camera_m=node.distance_m,
                length_m=node.length_m,
                width_m=node.width_m,
                height_m=node.height_m,
                position_m=node.position_m,
            )
            for node in graph.nodes
        ),
        edges=tuple(
            SceneEdge(
                source=edge.source,
                target=edge.target,
                distance_m=edge.distance_m,
                relations=edge.relations,
                bearing_deg=edge.bearing_deg,
            )
            for edge in graph.edges
        ),
        centre=graph.centre,
        frame=graph.frame,
        sides=sides,
        reading=reading,
    )


def to_relation_graph(graph: SceneGraph) -> RelationGraph:
    """The same graph as a strict one, which leaves nothing open; what strict graphs do not hold is dropped.

    Raises:
        DiagnosticsError: a distance, a size or relations are not stated; the message names the object or the edge.
        BenchDataError: a pair is told both ways, or an edge of a star does not go out from its centre.
    """
    return RelationGraph(
        nodes=tuple(
            GraphNode(
                one.id,
                _stated(one.distance_to_camera_m, f"the distance of object {one.id}"),
                _stated(one.length_m, f"the length of object {one.id}"),
                _stated(one.width_m, f"the width of object {one.id}"),
                _stated(one.height_m, f"the height of object {one.id}"),
                one.label,
                one.position_m,
            )
            for one in graph.objects
        ),
        edges=tuple(_strict_edge(edge) for edge in graph.edges),
        centre=graph.centre,
        frame=graph.frame,
    )


def _strict_edge(edge: SceneEdge) -> GraphEdge:
    if edge.relations is None:
        raise DiagnosticsError(f"the relations from {edge.source} to {edge.target} are not stated")
    distance = _stated(edge.distance_m, f"the distance from {edge.source} to {edge.target}")
    return GraphEdge(edge.source, edge.target, distance, edge.relations, edge.bearing_deg)


def _stated(value: float | None, what: str) -> float:
    if value is None:
        raise DiagnosticsError(f"{what} is not stated; a strict graph needs it")
    return value
