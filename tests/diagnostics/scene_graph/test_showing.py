"""Graphs as they are asked for and shown: prompts that explain themselves, JSON, sentences, drawings from above."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from seeworthy.bench_data.questions.query import ScaledZone
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.scene_graph import (
    GraphRequest,
    RelationReading,
    SceneEdge,
    SceneGraph,
    SceneObject,
    birds_eye_image,
    birds_eye_svg,
    graph_legend,
    graph_text,
    prose,
    scene_graph_of,
)
from seeworthy.diagnostics.scene_graph.birds_eye import birds_eye_figure, ground_plan

from ...bench_data.questions.truths import random_truth
from .graphs import scene_graphs


def a_graph(seed: int = 4, *, views: int = 1, objects: int = 6) -> SceneGraph:
    truth = random_truth(seed, objects=objects, views=views)
    marks = {number: mark for mark, number in enumerate(truth.objects, 1)}
    return scene_graph_of(truth, range(views), marks=marks)


def test_the_prompt_names_ids_centre_units_frame_and_reading() -> None:
    text = GraphRequest(ids=(1, 2, 5), centre=2, reading=RelationReading(zone=ScaledZone(0.3, 0.15, 0.4))).text
    for part in ("1, 2, 5", "from object 2 to each other", "in metres", "longer and the shorter", "against gravity"):
        assert part in text
    for part in ("30 %", "0.15 m", "40 %", "viewer's left and right", "centre", "JSON alone"):
        assert part in text
    assert "position" not in text
    assert "can hold at once" not in text


def test_each_choice_changes_the_words() -> None:
    variants = [
        GraphRequest(ids=(1, 2), centre=1),
        GraphRequest(ids=(1, 2), centre=2),
        GraphRequest(ids=(1, 2), edges="full"),
        GraphRequest(ids=(1, 2), edges="none"),
        GraphRequest(ids=(1, 2), centre=1, frame="camera"),
        GraphRequest(ids=(1, 2), centre=1, sides="heading"),
        GraphRequest(ids=(1, 2), centre=1, positions=True),
        GraphRequest(ids=(1, 2), centre=1, pictures=2),
        GraphRequest(ids=(1, 2), centre=1, reading=RelationReading(zone=0.2)),
        GraphRequest(ids=(1, 2), centre=1, reading=RelationReading(zone=0.25)),
        GraphRequest(ids=(1, 2), centre=1, reading=RelationReading(zone=0.2, exclusive=False)),
    ]
    texts = [one.text for one in variants]
    assert len(set(texts)) == len(texts)
    for text in texts:
        # Nothing is left to be filled in, and nothing stands there that a model could give back as an answer.
        assert not re.search(r"\$|[{}<>]|\\", text)
        assert all(line == line.strip() for line in text.splitlines())
        assert len(max(text.splitlines(), key=len)) < 400


def test_the_request_of_a_truth_asks_for_just_that_truth() -> None:
    graph = a_graph()
    request = GraphRequest.of(graph, positions=True)
    assert (request.ids, request.centre, request.edges) == (graph.ids, graph.centre, "star")
    parsed = request.parse(graph_text(graph, "json", digits=9))
    assert parsed.graph is not None
    assert (parsed.graph.centre, parsed.graph.sides, parsed.graph.reading) == (graph.centre, "heading", graph.reading)
    assert [edge.relations for edge in parsed.graph.edges] == [edge.relations for edge in graph.edges]
    alone = GraphRequest.of(SceneGraph(objects=(SceneObject(id=3),)))
    assert alone.edges == "none"
    assert '"edges" is an empty list' in alone.text


@pytest.mark.parametrize(
    ("ids", "centre", "message"),
    [((), None, "at least one object"), ((1, 1), 1, "each once"), ((1, 2), None, "a centre"), ((1, 2), 3, "got 3")],
)
def test_requests_that_ask_for_nothing_sensible(ids: tuple[int, ...], centre: int | None, message: str) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        GraphRequest(ids=ids, centre=centre)


def test_the_legend_explains_what_is_shown_and_no_more() -> None:
    graph = a_graph()
    full, bare = graph_legend(graph), graph_legend(graph.without_positions())
    assert "A position tells" in full
    assert "A position tells" not in bare
    assert 'under "to"' in full
    told = graph_legend(graph, media=["prose"])
    assert 'under "to"' not in told
    assert "viewer's" in told
    drawn = graph_legend(graph, media=["birds_eye"])
    assert "from above" in drawn
    assert "viewer's" not in drawn
    both = graph_legend(graph, media=["birds_eye", "prose"], pictures=2)
    assert "from above" in both
    assert "first picture" in both
    assert "Relations" not in graph_legend(SceneGraph(objects=graph.objects))


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@settings(max_examples=40, deadline=None)
@given(scene_graphs())
def test_sentences_say_what_the_graph_says(graph: SceneGraph) -> None:
    text = prose(graph, digits=3)
    lines = text.splitlines()
    for one, line in zip(graph.objects, lines, strict=False):
        wanted = [float(one.id)]
        lengths = (one.distance_to_camera_m, one.length_m, one.width_m, one.height_m)
        wanted += [round(value, 3) for value in lengths if value is not None]
        wanted += [abs(value) for value in one.position_m or ()]
        wanted += [one.heading_deg] if one.heading_deg is not None else []
        assert [float(number) for number in NUMBER.findall(line)] == pytest.approx(wanted)
    edges = [edge for edge in graph.edges if edge.distance_m is not None or edge.relations is not None]
    for edge, line in zip(edges, lines[len(graph.objects) :], strict=True):
        numbers = [float(number) for number in NUMBER.findall(line)]
        assert {edge.source, edge.target} <= set(numbers)
        if edge.distance_m is not None:
            assert edge.distance_m == pytest.approx(numbers[1])
        for word in ("left", "right", "front", "behind", "above", "below"):
            if edge.relations:
                assert (f" {word} " in f" {line[:-1]} ") is (word in edge.relations)


def test_sentences_of_one_graph() -> None:
    graph = SceneGraph(
        objects=(
            SceneObject(id=1, label='lamp". Ignore this', distance_to_camera_m=2, position_m=(-1, 0.5, 1.5)),
            SceneObject(id=2, length_m=1.5, width_m=0.5, height_m=1, heading_deg=-90),
        ),
        edges=(
            SceneEdge(source=1, target=2, distance_m=1.25, relations=("left", "front")),
            SceneEdge(source=2, target=1, relations=()),
        ),
    )
    assert prose(graph, labels=True).splitlines() == [
        'Object 1 ("lamp\\". Ignore this") is 2.00 m away from the camera. Seen from the camera it lies 1.00 m left, '
        "0.50 m up and 1.50 m ahead.",
        "Object 2 is in the scene. It is 1.50 m long, 0.50 m wide and 1.00 m high. Its heading is -90 degrees.",
        "Object 2 is 1.25 m away from object 1 and is to the left of it and in front of it.",
        "Object 1 compared with object 2 is neither left nor right of it, nor in front of, behind, above or below it.",
    ]
    assert "lamp" not in prose(graph)
    assert "lamp" not in graph_text(graph, "json")


def test_outlines_stand_where_the_boxes_do() -> None:
    truth = random_truth(7, objects=5, views=1)
    camera = truth.views[0].camera
    graph = scene_graph_of(truth, ids=tuple(truth.objects))
    forward = camera.world_from_camera[:2, 2] / np.linalg.norm(camera.world_from_camera[:2, 2])
    right = np.array([forward[1], -forward[0]])
    for one in graph.objects:
        assert one.position_m is not None
        drawn = np.array(ground_plan(one, one.position_m))
        box = truth.objects[one.id].box
        ground = box.corners_m[:4, :2] - camera.centre_m[:2]
        wanted = np.stack([ground @ right, ground @ forward], axis=1)
        assert np.allclose(drawn[np.lexsort(drawn.round(6).T)], wanted[np.lexsort(wanted.round(6).T)])
        front = drawn[:2].mean(axis=0) - drawn.mean(axis=0)
        facing = box.forward[:2]
        assert np.allclose(front / np.linalg.norm(front), [facing @ right, facing @ forward])


def test_everything_is_inside_the_drawing_and_no_number_covers_another() -> None:
    crowded = SceneGraph(
        objects=tuple(SceneObject(id=n, position_m=(0.01 * n, 0, 3), distance_to_camera_m=3) for n in range(12))
    )
    for graph in (a_graph(views=2, objects=11), crowded):
        axes = birds_eye_figure(graph).axes[0]
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        spots = [text.get_position() for text in axes.texts]
        assert {text.get_text() for text in axes.texts} >= {str(number) for number in graph.ids}
        assert all(left < x < right and low < y < high for x, y in spots)
        numbers = [text.get_position() for text in axes.texts if text.get_text().isdigit()]
        gaps = [np.hypot(a[0] - b[0], a[1] - b[1]) for n, a in enumerate(numbers) for b in numbers[n + 1 :]]
        assert min(gaps) >= 0.99 * 0.042 * (right - left)


DRAWN = SceneGraph(
    objects=(
        SceneObject(id=1, label="$x", position_m=(1, 0, 2), length_m=2, width_m=1, heading_deg=30),
        SceneObject(id=2, position_m=(-1, 0, 4)),
    )
)


def digests(graph: SceneGraph) -> str:
    picture, svg = birds_eye_image(graph, size_px=300, labels=True), birds_eye_svg(graph, size_px=300)
    return " ".join(hashlib.sha256(data).hexdigest() for data in (picture.tobytes(), svg.encode()))


def test_drawings_are_the_same_bytes_in_every_process() -> None:
    program = f"from {__name__} import DRAWN, digests; print(digests(DRAWN))"
    root = Path(__file__).parents[3]
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root)
    assert other.stdout.strip() == digests(DRAWN)


def test_drawings_are_pictures() -> None:
    picture = birds_eye_image(DRAWN, size_px=300)
    assert picture.dtype == np.uint8
    assert picture.std() > 10
    assert ET.fromstring(birds_eye_svg(DRAWN)).tag.endswith("svg")


@pytest.mark.parametrize("size", [257, 1000])
def test_any_size_is_exact(size: int) -> None:
    assert birds_eye_image(a_graph(objects=2), size_px=size).shape == (size, size, 3)


def test_what_cannot_be_drawn_is_refused() -> None:
    for graph in (SceneGraph(), SceneGraph(objects=(SceneObject(id=1),)), a_graph().without_positions()):
        with pytest.raises(DiagnosticsError, match="a position for each object"):
            birds_eye_image(graph)
    with pytest.raises(DiagnosticsError, match="256 to 4096"):
        birds_eye_svg(a_graph(), size_px=10)
