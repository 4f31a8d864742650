"""Replies become answers in the terms of their question, and never exceptions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.questions import AnswerType, Question, Truth, Unit
from seeworthy.diagnostics.judging import answer_as_text, read_answer
from seeworthy.diagnostics.replies import PictureFrame
from seeworthy.tools.models import CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus
from tests.diagnostics.asked import choice, number, of_type, yes_no

COLOURS = choice("red", ("blue", "red", "green"))
FRAME = PictureFrame(CoordinateSpace.PERMILLE, (100, 100), (200, 200))


def said(text: str, status: ReplyStatus = ReplyStatus.OK) -> Reply:
    return Reply(text=text, status=status)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (COLOURS, "B", "red"),
        (COLOURS, "It is the green one.", "green"),
        (yes_no(True), "No.", False),
        (number(2.0), "about 250 cm", 2.5),
        (number(2.0), "between 2 and 3 m", 2.5),
        (number(2.0, unit=Unit.CENTIMETRE), "1.2 m", 120.0),
        (of_type(AnswerType.CLOCK, 3), "3 o'clock", 3),
        (of_type(AnswerType.LIST, (1.0, 2.0), Unit.METRE), "1, 2", (1.0, 2.0)),
        (of_type(AnswerType.BOX, (0.0, 0.0, 20.0, 20.0)), "[0, 0, 500, 500]", (0.0, 0.0, 100.0, 100.0)),
    ],
)
def test_answers_are_in_the_terms_of_the_truth(question: Question, text: str, value: Truth) -> None:
    read = read_answer(question, said(text), frame=FRAME)
    assert (read.status, read.value) == ("ok", value)
    assert type(read.value) is type(value)


@pytest.mark.parametrize(
    ("question", "reply", "status"),
    [
        (COLOURS, said(""), "no_answer"),
        (COLOURS, said("I cannot tell."), "no_answer"),
        (COLOURS, said("x", ReplyStatus.REFUSAL), "refusal"),
        (COLOURS, said("It could be", ReplyStatus.TRUNCATED), "truncated"),
        (number(2.0), said("at least 2 m"), "invalid"),
        (number(2.0), Reply(status=ReplyStatus.ERROR, fault=None), "error"),
    ],
)
def test_no_answer_has_a_reason(question: Question, reply: Reply, status: str) -> None:
    read = read_answer(question, reply)
    assert read.value is None
    assert read.status == status


def test_a_failed_call_says_why() -> None:
    fault = Fault(kind=FaultKind.TIMEOUT, message="60 s are over", retryable=True)
    assert read_answer(COLOURS, Reply(status=ReplyStatus.ERROR, fault=fault)).detail == "60 s are over"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.sampled_from([COLOURS, yes_no(True), number(1.0), of_type(AnswerType.CLOCK, 3)]))
def test_any_text_is_read_or_refused(text: str, question: Question) -> None:
    read = read_answer(question, said(text))
    assert (read.value is None) == (read.status != "ok")
    if read.value is not None and question is COLOURS:
        assert read.value in {"blue", "red", "green"}


def test_answers_as_people_read_them() -> None:
    assert answer_as_text(COLOURS, "red") == "B. the red one"
    assert answer_as_text(yes_no(True), False) == "no"
    assert answer_as_text(number(1.0), 2.34567) == "2.346 m"
    assert answer_as_text(number(3, unit=Unit.COUNT), 3) == "3"
    assert answer_as_text(of_type(AnswerType.LIST, (1.0, 2.0), Unit.METRE), (1.0, 2.5)) == "1, 2.5 m"
    assert answer_as_text(COLOURS, None) == "none"
