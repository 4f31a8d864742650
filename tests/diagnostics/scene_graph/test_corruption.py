"""Wrong graphs are wrong by the stated amount, the same for the same seed, and true to themselves where they can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.scene_graphs import RELATIONS
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.scene_graph import SceneGraph, SceneObject, corrupt_graph, scene_graph_of, shuffle_ids

from ...bench_data.questions.truths import random_truth
from .graphs import scene_graphs


@settings(max_examples=40, deadline=None)
@given(scene_graphs(), st.floats(0, 1), st.integers(0, 99))
def test_form_and_seed(graph: SceneGraph, level: float, seed: int) -> None:
    wrong = corrupt_graph(graph, level, seed=seed)
    assert wrong == corrupt_graph(graph, level, seed=seed)
    assert wrong.ids == graph.ids
    assert [(edge.source, edge.target) for edge in wrong.edges] == [(edge.source, edge.target) for edge in graph.edges]
    for one, other in zip(graph.objects, wrong.objects, strict=True):
        for name in ("length_m", "width_m", "height_m", "position_m"):
            assert (getattr(one, name) is None) is (getattr(other, name) is None)
    for edge, again in zip(graph.edges, wrong.edges, strict=True):
        assert (edge.relations is None) is (again.relations is None)
        assert (edge.distance_m is None) is (again.distance_m is None)
    assert corrupt_graph(graph, 0, seed=seed) == graph


def without(seed: int, *, objects: int = 40) -> SceneGraph:
    truth = random_truth(seed, objects=objects, views=1)
    return scene_graph_of(truth, ids=tuple(truth.objects), with_positions=False, with_cameras=False)


@pytest.mark.parametrize("level", [0.1, 0.5, 1.0])
def test_lengths_are_off_by_the_stated_spread(level: float) -> None:
    logs = []
    for seed in range(4):
        graph = without(seed)
        wrong = corrupt_graph(graph, level, seed=seed)
        for one, other in zip(graph.objects, wrong.objects, strict=True):
            for name in ("length_m", "height_m", "distance_to_camera_m"):
                logs.append(math.log2(getattr(other, name) / getattr(one, name)))
        for edge, again in zip(graph.edges, wrong.edges, strict=True):
            assert edge.distance_m is not None and again.distance_m is not None
            logs.append(math.log2(again.distance_m / edge.distance_m))
    assert np.std(logs) == pytest.approx(level, rel=0.12)
    assert abs(np.mean(logs)) < 0.12 * level


@pytest.mark.parametrize("level", [0.2, 0.6, 1.0])
def test_relations_are_swapped_with_the_stated_probability(level: float) -> None:
    swapped = held = 0
    for seed in range(8):
        graph = without(seed)
        wrong = corrupt_graph(graph, level, seed=seed, lengths=False)
        assert wrong.objects == graph.objects
        for edge, again in zip(graph.edges, wrong.edges, strict=True):
            assert len(again.relations or ()) == len(edge.relations or ())
            held += len(edge.relations or ())
            swapped += len({*(edge.relations or ())} - {*(again.relations or ())})
    assert swapped / held == pytest.approx(level, abs=0.06)


def test_only_what_is_asked_for_changes() -> None:
    graph = without(1)
    assert corrupt_graph(graph, 1, seed=0, lengths=False, relations=False) == graph
    wrong = corrupt_graph(graph, 1, seed=0, relations=False)
    assert [edge.relations for edge in wrong.edges] == [edge.relations for edge in graph.edges]
    assert wrong.objects != graph.objects


@pytest.mark.parametrize("frame", ["level", "camera"])
def test_a_graph_with_positions_stays_true_to_itself(frame: str) -> None:
    truth = random_truth(2, objects=8, views=1)
    graph = scene_graph_of(truth, ids=tuple(truth.objects), frame=frame, edges="full")  # type: ignore[arg-type]
    hardly = corrupt_graph(graph, 1e-12, seed=3)
    for edge, again in zip(graph.edges, hardly.edges, strict=True):
        assert again.relations == edge.relations
        assert (again.distance_m, again.bearing_deg) == pytest.approx((edge.distance_m, edge.bearing_deg))
    wrong = corrupt_graph(graph, 0.7, seed=3)
    moved = 0
    for edge in wrong.edges:
        a, b = wrong.node(edge.source), wrong.node(edge.target)
        assert a is not None and b is not None and a.position_m is not None and b.position_m is not None
        assert edge.distance_m == pytest.approx(math.dist(a.position_m, b.position_m))
        assert b.distance_to_camera_m == pytest.approx(math.hypot(*b.position_m))
        right, forward = b.position_m[0] - a.position_m[0], b.position_m[2] - a.position_m[2]
        assert edge.bearing_deg == pytest.approx(math.degrees(math.atan2(right, forward)))
        told = set(edge.relations or ())
        assert ("left" in told and right >= 0) is False
        assert ("behind" in told and forward <= 0) is False
        moved += edge.relations != next(
            one.relations for one in graph.edges if (one.source, one.target) == (edge.source, edge.target)
        )
    assert moved > len(graph.edges) // 4
    assert [one.sights for one in wrong.objects] == [one.sights for one in graph.objects]
    assert wrong.cameras == graph.cameras


@settings(max_examples=40, deadline=None)
@given(scene_graphs(), st.integers(0, 99))
def test_shuffled_numbers_are_all_used_and_none_stays(graph: SceneGraph, seed: int) -> None:
    if len(graph.objects) < 2:
        with pytest.raises(DiagnosticsError, match="fewer than two"):
            shuffle_ids(graph, seed=seed)
        return
    other = shuffle_ids(graph, seed=seed)
    assert sorted(other.ids) == sorted(graph.ids)
    assert all(a != b for a, b in zip(graph.ids, other.ids, strict=True))
    assert other.renumbered(dict(zip(other.ids, graph.ids, strict=True))) == graph
    assert [edge.relations for edge in other.edges] == [edge.relations for edge in graph.edges]


@pytest.mark.parametrize("level", [-0.1, 1.1, math.nan])
def test_levels_out_of_range_are_refused(level: float) -> None:
    with pytest.raises(DiagnosticsError, match="from 0 to 1"):
        corrupt_graph(SceneGraph(objects=(SceneObject(id=1),)), level, seed=0)


def test_contradictions_stay_contradictions() -> None:
    graph = without(0, objects=3)
    both = graph.changed(edges=tuple(edge.model_copy(update={"relations": RELATIONS}) for edge in graph.edges))
    assert corrupt_graph(both, 1, seed=1, lengths=False) == both
