"""True graphs that engines are tried on: with everything in them, as a model is asked for them, and as published."""

from __future__ import annotations

from collections.abc import Sequence

from ...bench_data.errors import BenchDataError
from ...bench_data.questions import Question, SceneTruth
from ...bench_data.questions.suites.crisp import CrispSettings
from ...bench_data.scene_graphs import PlacedScene, published_star_graph
from ...bench_data.scene_graphs.placed import Sides
from ...bench_data.scene_graphs.published import PUBLISHED_ZONE_M
from ...bench_data.scenes import SceneKind
from ..scene_graph import EdgePlan, RelationReading, SceneGraph, from_relation_graph, scene_graph_of

__all__ = ["full_graph_of", "published_graph_of", "star_graph_of"]


def full_graph_of(truth: SceneTruth, question: Question) -> SceneGraph:
    """All that is true: every object of the scene, or every marked one, with its position, and all cameras; no edges.

    Raises:
        BenchDataError: the scene has no such view or object.
    """
    return _graph(truth, question, list(question.marks) or list(truth.objects), "none", positions=True)


def star_graph_of(truth: SceneTruth, question: Question) -> SceneGraph:
    """What a model is asked for: sizes, distances to the camera, and a star of distances and relations; no positions.

    Relations are those of CRISP's sound rule for the kind of scene.

    Raises:
        BenchDataError: the scene has no such view or object.
    """
    return _graph(truth, question, list(question.marks) or None, "star", positions=False)


def _graph(
    truth: SceneTruth, question: Question, ids: Sequence[int] | None, edges: EdgePlan, *, positions: bool
) -> SceneGraph:
    views = [truth.view_index(name) for name in question.views]
    reading = RelationReading(zone=CrispSettings().margins(truth.kind).zone)
    return scene_graph_of(
        truth,
        views,
        ids=ids,
        marks=question.marks or None,
        edges=edges,
        with_positions=positions,
        with_cameras=positions,
        frame="camera" if _looks_straight_up_or_down(truth, views) else "level",
        reading=reading,
    )


def _looks_straight_up_or_down(truth: SceneTruth, views: Sequence[int]) -> bool:
    try:
        PlacedScene(truth).seen_from(truth.views[views[0]].camera, ())
    except BenchDataError:
        return True
    return False


def published_graph_of(truth: SceneTruth, question: Question) -> SceneGraph:
    """The star as published: in the tilted camera's frame, with a fixed dead zone, cut at the published longest edge.

    Raises:
        BenchDataError: the scene has no such view or object, or the first picture shows no object.
    """
    settings = CrispSettings(published=True)
    view = truth.views[truth.view_index(question.views[0])]
    ids = list(question.marks) or sorted(set(view.seen) & set(truth.objects))
    sides: Sides = "ground" if truth.kind is SceneKind.ROOM else "heading"
    placed = PlacedScene(truth).seen_from(view.camera, ids, frame="camera", sides=sides)
    star = published_star_graph(
        placed,
        zone_m=PUBLISHED_ZONE_M,
        centre_tolerance_m=settings.published_centre_tolerance_m,
        longest_edge_m=settings.published_longest_edge_m(truth.kind),
    )
    reading = RelationReading(zone=PUBLISHED_ZONE_M, exclusive=False)
    graph = from_relation_graph(star, sides=sides, reading=reading)
    return graph.renumbered(question.marks) if question.marks else graph
