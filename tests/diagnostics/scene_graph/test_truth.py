"""The graph of the truth holds all that questions rest on: rebuilt from it alone, every question keeps its answer."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import QUESTION_SUITES, Question, Refusals, SceneTruth, evaluate
from seeworthy.bench_data.scene_graphs import GraphFrame, PlacedScene, full_graph, star_graph
from seeworthy.bench_data.scenes import SceneKind
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.scene_graph import (
    RelationReading,
    from_relation_graph,
    scene_graph_of,
    to_relation_graph,
)

from ...bench_data.questions.furnished import a_furnished_room
from ...bench_data.questions.truths import random_truth
from ...bench_data.scene_graphs.golden_scenes import truth as golden_truth
from .graphs import facts_of, golden


@cache
def scenes() -> tuple[SceneTruth, ...]:
    return a_furnished_room(4, views=6), random_truth(0, kind=SceneKind.STREET, objects=12, views=4)


@cache
def questions(name: str) -> tuple[tuple[SceneTruth, Question], ...]:
    suite = QUESTION_SUITES.get(name)
    settings = suite.settings(most_per_kind=3)
    return tuple((truth, one) for truth in scenes() for one in suite.generate(truth, settings, 3, Refusals()))


@pytest.mark.parametrize("frame", ["level", "camera"])
@pytest.mark.parametrize("name", QUESTION_SUITES.names())
def test_every_question_keeps_its_answer_in_the_scene_rebuilt_from_its_graph(name: str, frame: GraphFrame) -> None:
    checked = set()
    for truth, question in questions(name):
        views = [truth.view_index(view) for view in question.views]
        graph = scene_graph_of(truth, views, ids=tuple(truth.objects), frame=frame, edges="none")
        there = evaluate(question.query, truth.facts(views))
        again = evaluate(question.query, facts_of(graph))
        if isinstance(there.value, float | tuple):
            assert again.value == pytest.approx(there.value, abs=1e-9), question.text
        else:
            assert again.value == there.value, question.text
        assert (again.margin is None) == (there.margin is None)
        if there.margin is not None:
            assert again.margin == pytest.approx(there.margin, abs=1e-6)
        checked.add(question.kind)
    assert len(checked) >= len(QUESTION_SUITES.get(name).kinds) // 2


@pytest.mark.parametrize("frame", ["level", "camera"])
def test_edges_are_those_of_the_strict_graphs(frame: GraphFrame) -> None:
    for seed in range(4):
        truth = random_truth(seed, objects=6, views=2)
        placed = PlacedScene(truth).seen_from(truth.views[1].camera, truth.objects, frame=frame)
        star = scene_graph_of(truth, [1], ids=tuple(truth.objects), frame=frame, sides="ground")
        assert to_relation_graph(star) == star_graph(placed, frame=frame)
        full = scene_graph_of(truth, [1], ids=tuple(truth.objects), frame=frame, sides="ground", edges="full")
        assert to_relation_graph(full) == full_graph(placed, frame=frame)
        fixed = RelationReading(zone=0.2, exclusive=False)
        loose = scene_graph_of(truth, [1], ids=tuple(truth.objects), frame=frame, sides="ground", reading=fixed)
        assert to_relation_graph(loose) == star_graph(placed, frame=frame, zone=0.2, exclusive=False)
        assert from_relation_graph(star_graph(placed, frame=frame)).edges == star.edges


def test_the_recorded_graphs_come_back() -> None:
    for record in golden("gt_graphs")["scenes"]:
        if record["config"]["max_distance"] is not None:
            continue
        target = record["sgc_target"]
        reading = RelationReading(zone=0.2, exclusive=False)
        centre = target["edges"][0]["from"]
        graph = scene_graph_of(
            golden_truth(record["scene"]), frame="camera", sides="heading", reading=reading, centre=centre
        )
        for true in target["objects"]:
            one = graph.node(true["id"])
            assert one is not None
            assert (one.width_m, one.length_m, one.height_m) == pytest.approx(tuple(true["size"].values())[:3])
        for true in target["edges"]:
            edge = graph.edge(true["from"], true["to"])
            assert edge is not None
            assert edge.distance_m == pytest.approx(true["distance"], abs=1e-4)


def test_marks_number_the_objects_and_name_those_that_are_in() -> None:
    truth = random_truth(2, objects=6, views=1)
    ids = list(truth.objects)
    marks = {ids[0]: 7, ids[3]: 1}
    graph = scene_graph_of(truth, marks=marks, centre=ids[3])
    assert graph.ids == (7, 1)
    assert graph.centre == 1
    assert [(edge.source, edge.target) for edge in graph.edges] == [(1, 7)]
    assert graph.complete is (set(truth.views[0].seen) & set(ids) <= set(marks))
    plain = scene_graph_of(truth, ids=[ids[0], ids[3]], centre=ids[3])
    assert plain.renumbered(marks) == graph


def test_only_what_is_asked_for_is_in() -> None:
    truth = random_truth(5, objects=5, views=3)
    graph = scene_graph_of(truth, [2, 0], with_positions=False, with_cameras=False, edges="none")
    assert graph.cameras == ()
    assert graph.edges == ()
    assert graph.camera_height_m is None
    assert graph.sides == "ground"
    assert all((one.position_m, one.heading_deg, one.axes) == (None, None, None) for one in graph.objects)
    assert all(one.length_m >= one.width_m for one in graph.objects if one.length_m and one.width_m)
    seen = (set(truth.views[2].seen) | set(truth.views[0].seen)) & set(truth.objects)
    assert set(graph.ids) == seen
    assert graph.complete
    for one in graph.objects:
        assert one.seen_in == tuple(n for n, view in enumerate((2, 0)) if one.id in truth.views[view].seen)
    full = scene_graph_of(truth, [2, 0], edges="none", sides="ground")
    assert full.without_positions().objects == graph.objects


def test_headings_and_bearings_are_clockwise_from_forward() -> None:
    truth = golden_truth("A_street5")  # the camera looks along the world's y; boxes face along its x, to the right
    graph = scene_graph_of(truth)
    assert all(one.heading_deg == pytest.approx(90) for one in graph.objects)
    for edge in graph.edges:
        a, b = graph.node(edge.source), graph.node(edge.target)
        assert a is not None and a.position_m and b is not None and b.position_m
        assert edge.bearing_deg == pytest.approx(
            math.degrees(math.atan2(b.position_m[0] - a.position_m[0], b.position_m[2] - a.position_m[2]))
        )
    first = graph.camera(0)
    assert first is not None
    assert np.allclose(first.axes, np.eye(3))
    assert first.position_m == (0, 0, 0)


def test_what_cannot_be_is_refused() -> None:
    truth = random_truth(1, objects=3, views=1)
    with pytest.raises(DiagnosticsError, match="at least one view"):
        scene_graph_of(truth, [])
    with pytest.raises(DiagnosticsError, match=r"of the 1 of scene .*, got \[1\]"):
        scene_graph_of(truth, [1])
    with pytest.raises(DiagnosticsError, match="object 999, is not among"):
        scene_graph_of(truth, centre=999)
    with pytest.raises(BenchDataError, match="no object 998"):
        scene_graph_of(truth, ids=[998])
    with pytest.raises(DiagnosticsError, match="no new number"):
        scene_graph_of(truth, ids=list(truth.objects), marks={next(iter(truth.objects)): 1})
    graph = scene_graph_of(truth)
    bare = graph.changed(objects=tuple(one.model_copy(update={"height_m": None}) for one in graph.objects))
    with pytest.raises(DiagnosticsError, match="height of object"):
        to_relation_graph(bare)
    silent = graph.changed(edges=tuple(edge.model_copy(update={"relations": None}) for edge in graph.edges))
    with pytest.raises(DiagnosticsError, match="relations from"):
        to_relation_graph(silent)
    assert scene_graph_of(truth, ids=[]).objects == ()
