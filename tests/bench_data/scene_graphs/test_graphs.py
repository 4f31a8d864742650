"""Graphs of made-up scenes agree with the queries that they summarise, and refuse what is no graph."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import evaluate, measure
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.scene_graphs import (
    RELATIONS,
    GraphEdge,
    GraphFrame,
    GraphNode,
    PlacedObject,
    PlacedScene,
    RelationGraph,
    choose_centre,
    full_graph,
    relation_scores,
    relations_between,
    star_graph,
)

from ..questions.truths import random_truth


@pytest.mark.parametrize("frame", ["level", "camera"])
@pytest.mark.parametrize("exclusive", [True, False])
def test_a_graph_says_what_the_queries_say(frame: GraphFrame, exclusive: bool) -> None:
    for seed in range(6):
        truth = random_truth(seed, objects=6, views=1)
        camera = truth.views[0].camera
        facts = truth.facts([0])
        objects = PlacedScene(truth).seen_from(camera, truth.objects, frame=frame)
        zone = q.ScaledZone(0.3, 0.05, 0.5) if exclusive else 0.2
        axes = q.LevelFrame(0) if frame == "level" else q.CameraFrame(0)
        graph = star_graph(objects, zone=zone, frame=frame, exclusive=exclusive)
        assert len(graph.edges) == len(graph.nodes) - 1
        for edge in graph.edges:
            a, b = q.ObjectRef(edge.source), q.ObjectRef(edge.target)
            query = q.RelationSet(b, a, axes, zone, exclusive=exclusive)
            found = evaluate(query, facts)
            assert "+".join(edge.relations) == found.value
            assert edge.distance_m == pytest.approx(measure(q.Distance(a, b), facts))
            ids = {one.id: one for one in objects}
            scores = relation_scores(ids[edge.target], ids[edge.source], zone, exclusive=exclusive)
            assert min(abs(score) for score in scores) == pytest.approx(found.margin)
            back = graph.edge(edge.target, edge.source)
            assert back is not None
            assert (
                "+".join(back.relations) == evaluate(q.RelationSet(a, b, axes, zone, exclusive=exclusive), facts).value
            )
        for node in graph.nodes:
            one = q.ObjectRef(node.id)
            assert node.distance_m == pytest.approx(measure(q.Distance(q.CameraRef(0), one), facts))
            assert node.length_m == measure(q.Size(one, "longer_ground"), facts)
            assert node.width_m == measure(q.Size(one, "shorter_ground"), facts)
            assert node.volume_m3 == pytest.approx(measure(q.Size(one, "volume"), facts))
            assert node.position_m is not None
            for axis, value in zip(("right", "up", "forward"), node.position_m, strict=True):
                offset = q.Offset(q.CameraRef(0), one, axes, axis)  # type: ignore[arg-type]
                assert value == pytest.approx(measure(offset, facts))


def test_a_full_graph_has_every_pair_once() -> None:
    truth = random_truth(3, objects=7, views=1)
    objects = PlacedScene(truth).seen_from(truth.views[0].camera, truth.objects)
    full, star = full_graph(objects), star_graph(objects)
    assert len(full.edges) == 21
    assert full.centre is None
    for edge in star.edges:
        same = full.edge(edge.source, edge.target)
        assert same is not None
        assert (same.relations, same.source, same.target) == (edge.relations, edge.source, edge.target)
        assert same.bearing_deg == pytest.approx(edge.bearing_deg)


def test_the_centre_is_the_largest_of_those_near_the_middle() -> None:
    def thing(number: int, right_m: float, side_m: float) -> PlacedObject:
        return PlacedObject(number, "box", right_m, 0.0, 5.0, 0.0, side_m, side_m, side_m, side_m)

    row = [thing(1, -3, 9.0), thing(2, -0.2, 0.5), thing(3, 0.3, 1.0), thing(4, 0.4, 1.0), thing(5, 2.5, 2.0)]
    assert choose_centre(row) == 3
    assert choose_centre(row, tolerance_m=0.0) == 2
    assert choose_centre(row, tolerance_m=5.0) == 1
    with pytest.raises(BenchDataError, match="without objects"):
        choose_centre([])
    with pytest.raises(BenchDataError, match="object 9"):
        star_graph(row, centre=9)


numbers = st.floats(-5, 5).map(lambda value: round(value, 3))
heights = st.floats(0.01, 3).map(lambda value: round(value, 3))


@st.composite
def placed_objects(draw: st.DrawFn) -> PlacedObject:
    height, bottom = draw(heights), draw(numbers)
    return PlacedObject(
        draw(st.integers(0, 10**6)),
        "thing",
        draw(numbers),
        draw(numbers),
        draw(numbers),
        bottom,
        bottom + height,
        draw(heights),
        draw(heights),
        height,
    )


@settings(max_examples=100)
@given(placed_objects(), placed_objects())
def test_relations_are_opposite_the_other_way_round_and_exclude_each_other(a: PlacedObject, b: PlacedObject) -> None:
    zone = q.ScaledZone()
    there, back = set(relations_between(a, b, zone)), set(relations_between(b, a, zone))
    pairs = [("left", "right"), ("above", "below"), ("front", "behind")]
    for one, other in pairs:
        assert not {one, other} <= there
        assert (one in there) == (other in back)
        assert (other in there) == (one in back)
    assert list(relations_between(a, b, zone)) == [name for name in RELATIONS if name in there]


def test_what_stands_on_the_floor_is_not_above_the_rug_beside_it() -> None:
    rug = PlacedObject(1, "rug", 0, -1.5, 3, 0.0, 0.01, 2, 1.5, 0.01)
    chair = PlacedObject(2, "chair", 1.5, -1.0, 3, 0.0, 1.0, 0.5, 0.5, 1.0)
    cup = PlacedObject(3, "cup", 0, -1.4, 3, 0.01, 0.11, 0.1, 0.1, 0.1)
    assert relations_between(chair, rug, q.ScaledZone()) == ("right",)
    assert "above" in relations_between(chair, rug, 0.2, exclusive=False)  # the published rule
    assert relations_between(cup, rug, q.ScaledZone()) == ("above",)


def test_numbers_can_be_exchanged_and_positions_left_out() -> None:
    truth = random_truth(5, objects=4, views=1)
    graph = star_graph(PlacedScene(truth).seen_from(truth.views[0].camera, truth.objects))
    marks = {object_id: number for number, object_id in enumerate(truth.objects, start=1)}
    renamed = graph.renumbered(marks)
    assert [node.id for node in renamed.nodes] == [1, 2, 3, 4]
    assert renamed.centre == marks[graph.centre or -1]
    assert [edge.relations for edge in renamed.edges] == [edge.relations for edge in graph.edges]
    bare = renamed.without_positions()
    assert all(node.position_m is None for node in bare.nodes)
    assert all(edge.bearing_deg is None for edge in bare.edges)
    assert bare.edges[0].reversed().bearing_deg is None
    assert bare.edge(1, 99) is None
    assert bare.node(99) is None
    with pytest.raises(BenchDataError, match="no new number"):
        graph.renumbered({})


ONE, TWO, THREE = (GraphNode(number, 1.0, 1.0, 1.0, 1.0) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("nodes", "edges", "centre", "says"),
    [
        ((ONE, ONE), (), None, "different numbers"),
        ((ONE,), (), 2, "centre"),
        ((ONE,), (GraphEdge(1, 2, 1.0, ()),), None, "does not join"),
        ((ONE,), (GraphEdge(1, 1, 1.0, ()),), None, "does not join"),
        ((ONE, TWO, THREE), (GraphEdge(2, 3, 1.0, ()),), 1, "go out from object 1"),
        ((ONE, TWO), (GraphEdge(1, 2, 1.0, ()), GraphEdge(2, 1, 1.0, ())), None, "at most one edge"),
    ],
)
def test_what_is_no_graph_is_refused(
    nodes: tuple[GraphNode, ...], edges: tuple[GraphEdge, ...], centre: int | None, says: str
) -> None:
    with pytest.raises(BenchDataError, match=says):
        RelationGraph(nodes=nodes, edges=edges, centre=centre)


def test_a_camera_that_looks_straight_down_has_no_level_frame() -> None:
    truth = random_truth(1, objects=3, views=1)
    pose = np.eye(4)
    pose[:3, :3] = np.diag([1.0, -1.0, -1.0])
    pose[2, 3] = 5.0
    camera = Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=pose)
    scene = PlacedScene(truth)
    assert len(scene.seen_from(camera, truth.objects, frame="camera")) == 3
    with pytest.raises(BenchDataError, match="no level frame"):
        scene.seen_from(camera, truth.objects)
    with pytest.raises(BenchDataError, match="no object 999"):
        scene.seen_from(truth.views[0].camera, [999])


def test_length_and_width_are_sides_on_the_ground_or_along_the_heading() -> None:
    truth = random_truth(2, objects=8, views=1)
    scene, camera = PlacedScene(truth), truth.views[0].camera
    for one in scene.seen_from(camera, truth.objects, sides="heading"):
        assert [one.length_m, one.width_m, one.height_m] == truth.objects[one.id].box.size_m.tolist()
    assert all(one.length_m >= one.width_m for one in scene.seen_from(camera, truth.objects))
    level = Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=look_at((0, -9, 1), (0, 0, 1)))
    for a, b in zip(
        scene.seen_from(level, truth.objects), scene.seen_from(level, truth.objects, frame="camera"), strict=True
    ):
        assert a.position_m == pytest.approx(b.position_m)  # a level camera's own frame is level
        assert a.ground_distance_to_m(b) == pytest.approx(0, abs=1e-12)
        assert math.isclose(a.distance_m, b.distance_m)
