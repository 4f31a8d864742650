"""How the embedded model writes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.nano.answers import NUMBER_WORDS, graph_words, number_word
from seeworthy.diagnostics.scene_graph import GraphRequest, SceneEdge, SceneGraph, SceneObject, score_scene_graph


@given(st.floats(min_value=0, max_value=60, allow_nan=False))
def test_every_length_is_one_word_near_it(length: float) -> None:
    word = number_word(length)
    assert word in NUMBER_WORDS
    assert abs(float(word) - length) <= max(0.0101, min(0.0251, 0.13 * length), 0.05 * length)


def test_a_written_graph_reads_back_as_what_it_tells() -> None:
    graph = SceneGraph(
        objects=(
            SceneObject(id=2, distance_to_camera_m=2.0, length_m=1.0, width_m=0.5, height_m=1.5),
            SceneObject(id=1, distance_to_camera_m=4.0, length_m=0.4, width_m=0.4, height_m=0.5),
        ),
        edges=(SceneEdge(source=2, target=1, distance_m=2.5, relations=("left", "behind")),),
        centre=2,
    )
    words = graph_words(graph)
    assert json.loads(words)["edges"][0]["relations"] == ["left", "behind"]
    read = GraphRequest.of(graph).parse(words)
    assert read.status.value == "clean"
    scores = score_scene_graph(read.graph, graph)
    assert scores.estimation == pytest.approx(1.0)
    assert scores.relation == pytest.approx(1.0)


def test_a_graph_of_one_object_has_no_edges() -> None:
    graph = SceneGraph(objects=(SceneObject(id=7, distance_to_camera_m=1, length_m=1, width_m=1, height_m=1),))
    assert json.loads(graph_words(graph))["edges"] == []


def test_what_is_not_stated_is_nothing_to_learn_from() -> None:
    with pytest.raises(DiagnosticsError, match="must state every length"):
        graph_words(SceneGraph(objects=(SceneObject(id=1, distance_to_camera_m=1.0),)))
