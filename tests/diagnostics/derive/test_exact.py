"""On true graphs with positions the engine answers every question as the key does, without the plain reference."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

import seeworthy.diagnostics.derive as derive_package
from seeworthy.bench_data.questions import QUESTION_SUITES, AnswerType, SceneFacts, evaluate
from seeworthy.bench_data.questions.query import (
    CameraFrame,
    CameraRef,
    Choose,
    CompassFrame,
    Distance,
    FacingFrame,
    HeightOf,
    ObjectRef,
    Offset,
    OwnFrame,
    Placed,
    Quantity,
    Query,
    RelationSet,
    Sector,
    Size,
    Spread,
    Turn,
    TurnWords,
    Value,
)
from seeworthy.diagnostics.derive import Status, agrees, derive, full_graph_of, oracle_ceiling
from seeworthy.diagnostics.scene_graph import scene_graph_of

from .made import ask, questions_of, scenes, usual


def test_every_kind_of_every_suite_is_answered_as_the_key_says() -> None:
    truths, questions = usual()
    assert len(questions) > 1000
    table = oracle_ceiling(questions, truths, derive, full_graph_of)
    wrong = {kind: row for kind, row in table.rows.items() if row.ceiling < 1}
    assert not wrong, table.as_text()
    assert table.overall.questions == len(questions)
    asked = {kind for _, kind in table.rows}
    known = {kind for name in QUESTION_SUITES.names() for kind in QUESTION_SUITES.get(name).kinds}
    assert asked <= known
    assert len(asked) > 0.85 * len(known), known - asked


def test_published_questions_too() -> None:
    truths = tuple(scenes(2))
    questions = [one for truth in truths for one in questions_of(truth, most_per_kind=3, published=True)]
    assert {one.suite for one in questions} == {"crisp", "open3dvqa", "spacedg"}
    table = oracle_ceiling(questions, truths, derive, full_graph_of)
    assert table.overall.right == table.overall.determined, table.as_text()
    assert table.overall.determined_share > 0.99


@pytest.mark.slow
def test_ten_thousand_questions() -> None:
    truths = list(scenes(16, first=100))
    questions = [one for truth in truths for one in questions_of(truth, most_per_kind=14)]
    assert len(questions) >= 10_000
    table = oracle_ceiling(questions, truths, derive, full_graph_of)
    print(table.as_text())
    assert table.overall.ceiling == 1.0


def test_every_form_of_query_occurs() -> None:
    _, questions = usual()
    forms = Counter(one.query.type for one in questions)
    expected = {
        *("value", "values", "exceeds", "related", "choose", "ranking", "direction_words"),
        *("sector", "relation_set", "turn_words", "exists", "locate"),
    }
    assert set(forms) == expected


_A, _B, _C, _EYE = ObjectRef(1), ObjectRef(3), ObjectRef(7), CameraRef(0)
_FRAMES = (
    CameraFrame(1),
    FacingFrame(_A, _B),
    FacingFrame(CameraRef(1), _B, tilted=True),
    FacingFrame(_A, _B, camera_plane=True),
    CompassFrame(_A, _B, 135.0),
    CompassFrame(CameraRef(1), _B, 45.0, camera_plane=True),
    OwnFrame(1),
)
_QUANTITIES: tuple[Quantity, ...] = (
    *(Distance(_A, CameraRef(1), along) for along in ("straight", "ground", "height", "camera_plane")),
    *(Offset(_C, _A, frame, axis) for frame in _FRAMES for axis in ("right", "up", "forward")),
    *(Distance(Placed(_A, CameraFrame(0), axis, -1.5), _B, "camera_plane") for axis in ("right", "up", "forward")),
    *(Spread(_B, CameraFrame(1), axis) for axis in ("right", "up", "forward", "volume")),
    *(Size(_B, side) for side in ("length", "width", "middle", "third_corner_distance")),
    *(HeightOf(_C, end) for end in ("top", "bottom", "centre")),
    *(Turn(0, 1, about) for about in ("yaw", "pitch", "roll", "total")),
)


@pytest.mark.parametrize("frame", ["level", "camera"])
@pytest.mark.parametrize("quantity", _QUANTITIES, ids=repr)
def test_quantities_in_every_frame_agree_with_the_plain_reference(quantity: Quantity, frame: str) -> None:
    truth = next(scenes(1))
    query = Value(quantity)
    expected = evaluate(query, truth.facts([2, 5])).value
    graph = scene_graph_of(truth, [2, 5], ids=list(truth.objects), frame=frame, edges="none")  # type: ignore[arg-type]
    found = derive(graph, ask(query, 1.0, AnswerType.NUMBER, views=("v2", "v5")))
    assert found.status is Status.DETERMINED
    assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)


_QUERIES: tuple[Query, ...] = (
    *(Sector(_C, _A, frame, naming) for frame in _FRAMES for naming in ("relative", "compass", "clock")),
    *(RelationSet(_C, _B, frame, 0.3, exclusive=False) for frame in _FRAMES),
    RelationSet(_C, CameraRef(1), CameraFrame(0), 0.2),
    TurnWords(0, 1),
    Choose({"a": Distance(_A, _B), "b": Distance(_B, _C), "c": Distance(_A, _C)}, "largest", rank=2),
    Choose({"a": HeightOf(_A, "top"), "b": HeightOf(_B, "top")}, "smallest", same_within=10.0),
)


@pytest.mark.parametrize("query", _QUERIES, ids=repr)
def test_words_in_every_frame_agree_with_the_plain_reference(query: Query) -> None:
    for truth in scenes(1):
        for views in ([0, 1], [3, 6]):
            try:
                expected = evaluate(query, truth.facts(views)).value
            except Exception as error:
                assert "neither single nor dual" in str(error)
                continue
            graph = scene_graph_of(truth, views, ids=list(truth.objects), edges="none")
            found = derive(graph, ask(query, "", AnswerType.NUMBER, views=("a", "b")))
            assert found.value == expected, found


def test_the_engine_does_not_use_the_plain_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    truths, questions = usual()
    folder = Path(str(derive_package.__file__)).parent
    imported = {
        (node.module or "") + "." + alias.name
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert not [name for name in imported if "evaluate" in name or "facts" in name or name.endswith(".measure")]

    def broken(*_: object, **__: object) -> None:
        raise AssertionError("the engine asked the reference")

    by_scene = {truth.scene: truth for truth in truths}
    some = questions[::40]
    graphs = [full_graph_of(by_scene[one.scene], one) for one in some]
    reference = sys.modules["seeworthy.bench_data.questions.evaluate"]
    monkeypatch.setattr(reference, "evaluate", broken)
    monkeypatch.setattr(reference, "measure", broken)
    monkeypatch.setattr(SceneFacts, "point", broken)
    for graph, one in zip(graphs, some, strict=True):
        found = derive(graph, one)
        assert found.value is not None
        assert agrees(one, found.value)


def test_steps_tell_the_numbers_that_were_used() -> None:
    truths, questions = usual()
    by_scene = {truth.scene: truth for truth in truths}
    for one in questions[::17]:
        found = derive(full_graph_of(by_scene[one.scene], one), one)
        assert found.steps, one
        assert found.reason == ""
    distance = next(one for one in questions if one.kind == "pair_distance" and one.suite == "crisp")
    found = derive(full_graph_of(by_scene[distance.scene], distance), distance)
    assert isinstance(distance.truth, float)
    assert any(f"{distance.truth:.2f} m" in step for step in found.steps)
    assert any(name in found.steps[0] for name in distance.names.values())


def test_a_question_about_what_a_graph_lacks_is_undefined() -> None:
    truth = next(scenes(1))
    graph = scene_graph_of(truth, [0], ids=[1, 3])
    found = derive(graph, ask(Value(Distance(_A, ObjectRef(5))), 1.0, AnswerType.NUMBER, names={5: "the vase"}))
    assert (found.status, found.reason) == (Status.UNDEFINED, "the vase is not in the graph")
    found = derive(graph, ask(Value(Distance(_A, CameraRef(4))), 1.0, AnswerType.NUMBER))
    assert found.status is Status.UNDEFINED
    assert "camera 5" in found.reason
    found = derive(scene_graph_of(truth, [0], with_positions=False), ask(Value(HeightOf(_A, "top")), 1.0))
    assert found.status is Status.UNDEFINED
