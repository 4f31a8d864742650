"""Subjects behave as they are labelled, the same in every process, and answer nobody but their harness."""

import subprocess
import sys

import numpy as np
import pytest

from seeworthy.bench_data.questions import AnswerType
from seeworthy.diagnostics.derive import derive
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.judging import read_answer, score_answer
from seeworthy.diagnostics.scene_graph import parse_scene_graph, scene_graph_to_json, score_scene_graph
from seeworthy.diagnostics.subjects import Behaviour, CalibrationSubject, Sheet, SubjectKind
from seeworthy.diagnostics.subjects.worlds import graph_of_world, imagined_world, perceived_world
from seeworthy.tools.errors import ModelError
from seeworthy.tools.models import ReplyStatus, Request, user_message
from seeworthy.tools.models.conformance import CHECKS, Check, Subject
from seeworthy.tools.models.registry import resolve_model
from tests.diagnostics.subjects.pool import PooledPicture, drawn, room_pictures

PERFECT = Behaviour(SubjectKind.GROUNDED, 0.0)


@pytest.fixture(scope="module")
def pictures() -> list[PooledPicture]:
    return drawn(6, 0)


def test_perfect_eyes_are_right_in_everything(pictures: list[PooledPicture]) -> None:
    for known, questions, _ in pictures:
        assert PERFECT.graph(Sheet(picture=known)) == known.graph
        for question in questions:
            assert score_answer(question, PERFECT.answer(Sheet(picture=known, question=question))) == 1


def test_a_perceived_world_is_close_and_an_imagined_one_is_not(pictures: list[PooledPicture]) -> None:
    rng = np.random.default_rng(0)
    for known, _, _ in pictures:
        near = graph_of_world(known, perceived_world(known, 0.05, rng))
        far = [graph_of_world(known, imagined_world(known, rng)) for _ in range(5)]
        good = score_scene_graph(near, known.graph).sgc
        bad = np.mean([score_scene_graph(one, known.graph).sgc for one in far])
        assert good is not None and good > 0.8 > 0.65 > bad
        assert {one.ids for one in far} == {known.graph.ids}
        assert all(one.centre == known.graph.centre for one in far)


def test_who_believes_a_text(pictures: list[PooledPicture]) -> None:
    """A false graph beside the picture is followed by those, and only those, that are said to believe texts."""
    followed = dict.fromkeys(SubjectKind, 0)
    asked = 0
    for known, questions, ceilings in pictures:
        false = graph_of_world(known, imagined_world(known, np.random.default_rng(5)))
        for question in questions:
            told = derive(false, question).value
            if told is None or told == question.truth or question.answer_type is AnswerType.NUMBER:
                continue
            asked += ceilings[question.id].is_determined
            for kind in SubjectKind:
                answer = Behaviour(kind, 0.0).answer(Sheet(picture=known, question=question, given=false))
                followed[kind] += answer == told
    assert asked > 5
    believers = {kind for kind, count in followed.items() if count > asked / 2}
    assert believers == {SubjectKind.DISCONNECTED, SubjectKind.TRUSTING, SubjectKind.BLIND}


def test_without_a_picture_nobody_knows_anything(pictures: list[PooledPicture]) -> None:
    for kind in SubjectKind:
        blind = Behaviour(kind, 0.0)
        scores = [
            score_answer(question, blind.answer(Sheet(picture=known, question=question, sees=False)))
            for known, questions, _ in pictures
            for question in questions
        ]
        assert np.mean(scores) < 0.6
        graphs = [
            score_scene_graph(blind.graph(Sheet(picture=one.known, sees=False)), one.known.graph) for one in pictures
        ]
        assert np.mean([scores.sgc or 0.0 for scores in graphs]) < 0.65


async def test_replies_say_what_the_behaviour_means(pictures: list[PooledPicture]) -> None:
    subject = CalibrationSubject(Behaviour(SubjectKind.HALLUCINATING, 0.5, 3))
    for known, questions, _ in pictures[:3]:
        for question in questions:
            sheet, request = Sheet(picture=known, question=question), Request(messages=(user_message(question.id),))
            subject.expect(request, sheet)
            read = read_answer(question, await subject.reply(request))
            wanted = subject.behaviour.answer(sheet)
            assert read.value == (pytest.approx(wanted, rel=1e-5) if isinstance(wanted, float) else wanted)
        request = Request(messages=(user_message("graph"),))
        subject.expect(request, Sheet(picture=known))
        parsed = parse_scene_graph((await subject.reply(request)).text, centre=known.graph.centre)
        drawn_graph = subject.behaviour.graph(Sheet(picture=known))
        assert parsed.graph is not None
        assert [edge.relations for edge in parsed.graph.edges] == [edge.relations for edge in drawn_graph.edges]


async def test_a_sheet_serves_once_and_strangers_get_a_fixed_sentence(pictures: list[PooledPicture]) -> None:
    subject, request = CalibrationSubject(PERFECT), Request(messages=(user_message("hello"),))
    assert "simulated subject" in (await subject.reply(request)).text
    subject.expect(request, Sheet(picture=pictures[0].known, degradation="haze"))
    assert (await subject.reply(request)).text == "haze"
    reply = await subject.reply(request)
    assert reply.status is ReplyStatus.OK and "simulated subject" in reply.text


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_it_conforms_to_the_protocol(check: Check) -> None:
    subject = Subject(build=lambda: CalibrationSubject(PERFECT))
    if not check.applies_to(subject):
        pytest.skip(check.needs)
    check.run(subject)


def test_names_carry_fault_dial_and_a_warning() -> None:
    model = resolve_model("sim/shortcut@0.7", {"seed": "5"})
    assert isinstance(model, CalibrationSubject)
    assert model.behaviour == Behaviour(SubjectKind.SHORTCUT, 0.7, 5)
    assert model.name == "sim/shortcut@0.7 (knows the truth, seed 5)"
    assert resolve_model("sim/blind").name == "sim/blind@1 (knows the truth)"
    assert resolve_model("sim/grounded").name == "sim/grounded@0.03 (knows the truth)"


@pytest.mark.parametrize(
    "name", ["sim/lazy", "sim/blind@", "sim/blind@2", "sim/blind@nan", "sim/blind@x", "sim/blind@-0.1"]
)
def test_wrong_names_are_refused(name: str) -> None:
    with pytest.raises(ModelError):
        resolve_model(name)


def test_wrong_use_is_refused(pictures: list[PooledPicture]) -> None:
    with pytest.raises(DiagnosticsError, match="from 0 to 1"):
        Behaviour(SubjectKind.BLIND, 1.5)
    with pytest.raises(DiagnosticsError, match="no question"):
        PERFECT.answer(Sheet(picture=pictures[0].known))


_SCRIPT = """
from tests.diagnostics.subjects.test_subjects import said_by_a_blind_one
print(said_by_a_blind_one(), end="")
"""


def said_by_a_blind_one() -> str:
    known, questions, _ = room_pictures(0)[0]
    subject = Behaviour(SubjectKind.BLIND, 0.9, 4)
    answers = [subject.answer(Sheet(picture=known, question=question)) for question in questions]
    return f"{scene_graph_to_json(subject.graph(Sheet(picture=known)))}\n{answers}"


def test_another_process_gives_the_same() -> None:
    run = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    assert run.stdout == said_by_a_blind_one()
