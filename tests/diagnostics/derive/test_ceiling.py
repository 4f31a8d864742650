"""The oracle ceiling counts by kind what an engine derives from true graphs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from seeworthy.bench_data.questions import AnswerType, Question, SceneTruth
from seeworthy.bench_data.questions.query import Distance, Exceeds, ObjectRef, Value
from seeworthy.diagnostics.derive import (
    Derived,
    Status,
    agrees,
    derive,
    full_graph_of,
    numbers_by_name,
    oracle_ceiling,
    star_graph_of,
)
from seeworthy.diagnostics.derive.ceiling import CeilingTable
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.scene_graph import SceneGraph, SceneObject

from .made import ask, scenes, usual


def test_rows_add_up() -> None:
    truths, questions = usual()
    table = oracle_ceiling(questions, truths, derive, star_graph_of)
    overall = table.overall
    assert overall.questions == len(questions)
    assert overall.determined + overall.ambiguous + overall.undefined == overall.questions
    assert overall.ceiling == pytest.approx(overall.right_share * overall.determined_share)
    text = table.as_text().splitlines()
    assert len(text) == len(table.rows) + 2
    assert text[-1].startswith("all")


def test_an_engine_that_always_answers_the_same_is_counted_as_wrong() -> None:
    truths, questions = usual()
    yes_no = [one for one in questions if one.answer_type is AnswerType.YES_NO]

    def always_yes(_: SceneGraph, __: Question) -> Derived:
        return Derived(status=Status.DETERMINED, value=True)

    overall = oracle_ceiling(yes_no, truths, always_yes, full_graph_of).overall
    assert overall.determined == len(yes_no)
    assert overall.right == sum(one.truth is True for one in yes_no)


def test_the_graph_is_made_once_for_consecutive_questions_about_the_same_pictures() -> None:
    truths, questions = usual()
    marked = [one for one in questions if one.suite == "crisp"]
    made: list[str] = []

    def counted(truth: SceneTruth, question: Question) -> SceneGraph:
        made.append(question.id)
        return full_graph_of(truth, question)

    oracle_ceiling(marked, truths, derive, counted)
    assert len({(one.scene, one.views) for one in marked}) <= len(made) < len(marked)


def test_nothing_asked_and_nothing_known() -> None:
    assert oracle_ceiling([], [], derive, full_graph_of) == CeilingTable({})
    with pytest.raises(DiagnosticsError, match="no truth of scene"):
        oracle_ceiling([usual()[1][0]], [], derive, full_graph_of)


def test_answers_are_compared_in_their_own_form() -> None:
    query = Value(Distance(ObjectRef(1), ObjectRef(2)))
    number = ask(query, 2.34, AnswerType.NUMBER)
    assert agrees(number, 2.3400001)
    assert not agrees(number, 2.337)
    assert agrees(replace(number, published=True), 2.337)
    assert not agrees(number, "2.34")
    assert not agrees(number, (2.34,)) or agrees(number, 2.34)
    assert not agrees(ask(query, True), 1)
    assert agrees(replace(number, truth=(1.0, 2.0), answer_type=AnswerType.LIST), (1.0, 2.0))
    assert not agrees(replace(number, truth=(1.0, 2.0), answer_type=AnswerType.LIST), (1.0,))


def test_objects_are_found_by_marks_by_names_or_by_a_map() -> None:
    held = SceneGraph(
        objects=(
            SceneObject(id=4, label="Floor-lamp", distance_to_camera_m=3.0, attributes={"colour": "red"}),
            SceneObject(id=5, label="sofa", distance_to_camera_m=1.0),
            SceneObject(id=6, label="sofa", distance_to_camera_m=9.0, attributes={"colour": "blue"}),
        )
    )
    names = {11: "the red floor lamp", 12: "the sofa", 13: "a blue sofa"}
    query = Exceeds(Distance(ObjectRef(11), ObjectRef(13)), 2.0)
    question = ask(query, names=names)
    assert numbers_by_name(held, question) == {11: 4, 13: 6}
    assert derive(held, question).status is Status.UNDEFINED
    assert derive(held, question, numbering="names").value is True
    assert derive(held, question, numbering={11: 4, 13: 5}).status is Status.AMBIGUOUS
    marked = replace(question, marks={11: 5, 13: 6})
    assert derive(held, marked).value is True
    assert derive(held, marked, numbering="scene").status is Status.UNDEFINED
    assert "the red floor lamp" in derive(held, question).reason


def test_a_camera_that_looks_straight_down_has_a_graph_all_the_same() -> None:
    truth = next(scenes(1))
    camera = truth.views[0].camera
    pose = camera.world_from_camera.copy()
    pose[:3, :3] = [[1, 0, 0], [0, -1, 0], [0, 0, -1]]
    down = replace(
        truth, co_visibility=None, views=(replace(truth.views[0], camera=replace(camera, world_from_camera=pose)),)
    )
    query = Value(Distance(ObjectRef(1), ObjectRef(3), "ground"))
    question = replace(ask(query, 1.0, AnswerType.NUMBER), views=(truth.views[0].name,))
    graph = full_graph_of(down, question)
    assert graph.frame == "camera"
    a, b = (truth.objects[number].box.centre_m for number in (1, 3))
    assert derive(graph, question).value == pytest.approx(float(((a - b)[:2] ** 2).sum() ** 0.5))
