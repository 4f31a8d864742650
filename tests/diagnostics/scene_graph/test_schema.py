"""Scene graphs as data: what is stated comes back, told either way round, and what cannot be is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from seeworthy.bench_data.scene_graphs import OPPOSITE
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.scene_graph import (
    CameraPose,
    RelationReading,
    SceneEdge,
    SceneGraph,
    SceneObject,
    ViewSight,
    scene_graph_from_json,
    scene_graph_of,
    scene_graph_to_json,
)

from ...bench_data.questions.truths import random_truth
from .graphs import scene_graphs


@settings(max_examples=40, deadline=None)
@given(scene_graphs())
def test_json_keeps_everything(graph: SceneGraph) -> None:
    assert scene_graph_from_json(scene_graph_to_json(graph)) == graph


def test_json_keeps_graphs_of_the_truth() -> None:
    for frame in ("level", "camera"):
        graph = scene_graph_of(random_truth(3, views=3), [0, 2], frame=frame, edges="full")
        assert scene_graph_from_json(scene_graph_to_json(graph)) == graph


@settings(max_examples=40, deadline=None)
@given(scene_graphs())
def test_an_edge_is_the_same_fact_from_both_ends(graph: SceneGraph) -> None:
    for edge in graph.edges:
        assert edge.reversed().reversed() == edge
        back = edge.reversed()
        assert (back.source, back.target, back.distance_m) == (edge.target, edge.source, edge.distance_m)
        if edge.relations is not None:
            assert {OPPOSITE[one] for one in edge.relations} == set(back.relations or ())
        told = list(graph.told(edge.target, edge.source))
        assert back in told
        assert graph.edge(edge.target, edge.source) == told[0]


def test_a_bearing_turns_by_half_a_circle() -> None:
    for bearing in (-179.0, -90.0, 0.0, 1.0, 180.0):
        back = SceneEdge(source=1, target=2, bearing_deg=bearing).reversed().bearing_deg
        assert back is not None
        assert -180 < back <= 180
        assert math.isclose((back - bearing) % 360, 180)


def test_own_axes_come_from_the_heading_and_are_a_frame() -> None:
    for heading in (0.0, 37.5, -90.0, 180.0):
        axes = SceneObject(id=1, heading_deg=heading).own_axes
        assert axes is not None
        assert np.allclose(np.array(axes) @ np.array(axes).T, np.eye(3))
        assert math.degrees(math.atan2(axes[2][0], axes[2][2])) == pytest.approx(heading)
        # Right of the front, seen from above: forward turned clockwise.
        assert math.degrees(math.atan2(axes[0][0], axes[0][2])) == pytest.approx((heading + 90 + 180) % 360 - 180)
    assert SceneObject(id=1).own_axes is None
    rows = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
    assert SceneObject(id=1, heading_deg=3, axes=rows).own_axes == rows


def test_sights_tell_nothing_from_not_stated() -> None:
    seen = SceneObject(id=1, sights=(ViewSight(view=2, box_px=(0, 1, 2, 3)),))
    assert seen.seen_in == (2,)
    assert seen.box_px(2) == (0, 1, 2, 3)
    assert seen.box_px(0) is None
    assert SceneObject(id=1).seen_in is None
    assert SceneObject(id=1, sights=()).seen_in == ()


@settings(max_examples=40, deadline=None)
@given(scene_graphs())
def test_networkx_sees_the_same_nodes_and_edges(graph: SceneGraph) -> None:
    view = graph.networkx()
    assert list(view.nodes) == list(graph.ids)
    assert {(a, b): data["distance_m"] for a, b, data in view.edges(data=True)} == {
        (edge.source, edge.target): edge.distance_m for edge in graph.edges
    }
    both = graph.networkx(both_ways=True)
    assert both.number_of_edges() == 2 * len(graph.edges)
    for edge in graph.edges:
        assert both.edges[edge.target, edge.source, "reversed"]["relations"] == edge.reversed().relations
        assert view.nodes[edge.source]["label"] == next(one.label for one in graph.objects if one.id == edge.source)


def test_changed_graphs_are_checked_and_look_up_afresh() -> None:
    graph = SceneGraph(objects=(SceneObject(id=1), SceneObject(id=2)), edges=(SceneEdge(source=1, target=2),))
    assert graph.node(2) is not None
    smaller = graph.changed(objects=graph.objects[:1], edges=())
    assert smaller.node(2) is None
    assert smaller.edge(1, 2) is None
    for copy in (graph.changed, lambda **fields: graph.model_copy(update=fields)):
        with pytest.raises(DiagnosticsError, match="does not join"):
            copy(objects=graph.objects[:1])
        assert copy(objects=graph.objects[:1], edges=()).node(2) is None
    with pytest.raises(DiagnosticsError, match="object 2 has no new number"):
        graph.renumbered({1: 5})
    with pytest.raises(DiagnosticsError, match="different numbers"):
        graph.renumbered({1: 5, 2: 5})


ONE = {"objects": (SceneObject(id=1), SceneObject(id=2))}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"objects": (SceneObject(id=1), SceneObject(id=1))}, "different numbers"),
        ({**ONE, "edges": (SceneEdge(source=1, target=3),)}, "from 1 to 3 does not join"),
        ({**ONE, "edges": (SceneEdge(source=1, target=1),)}, "from 1 to 1 does not join"),
        ({**ONE, "edges": (SceneEdge(source=1, target=2),) * 2}, "at most one edge"),
        ({**ONE, "centre": 9}, "the centre, object 9"),
        (
            {"cameras": (CameraPose(view=0, position_m=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0), (0, 0, 1))),) * 2},
            "different views",
        ),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        SceneGraph(**fields)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_no_length_is_negative_or_endless(value: float) -> None:
    with pytest.raises(ValidationError):
        SceneObject(id=1, height_m=value)
    with pytest.raises(ValidationError):
        SceneEdge(source=1, target=2, distance_m=value)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "the record"),
        ("[]", "the record"),
        ('{"objects": [{"id": "x"}]}', "objects.0.id"),
        ('{"objects": [{"id": 1, "colour": 2}]}', "objects.0.colour"),
        ('{"objects": [{"id": 1, "height_m": NaN}]}', "objects.0.height_m"),
        ('{"edges": [{"source": 1}]}', "edges.0.target"),
        ('{"frame": "world"}', "frame"),
    ],
)
def test_what_is_no_graph_is_named(text: str, place: str) -> None:
    with pytest.raises(DiagnosticsError, match=f"not a scene graph: {place}"):
        scene_graph_from_json(text)


def test_both_ends_of_a_pair_may_be_told_differently() -> None:
    edges = (
        SceneEdge(source=1, target=2, distance_m=1.0, relations=("left",)),
        SceneEdge(source=2, target=1, distance_m=3.0, relations=("left",)),
    )
    graph = SceneGraph(**ONE, edges=edges, reading=RelationReading(zone=0.2))
    assert [(edge.distance_m, edge.relations) for edge in graph.told(1, 2)] == [(1.0, ("left",)), (3.0, ("right",))]
    assert list(graph.told(1, 7)) == []
