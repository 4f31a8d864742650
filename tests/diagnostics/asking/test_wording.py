"""What a model reads: the question, its options, the form of the answer, pictures first."""

import numpy as np
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Question, Unit
from seeworthy.diagnostics.asking import question_request, question_text
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.judging import read_answer
from seeworthy.tools.models import CoordinateSpace, ImagePart, Message, Reply, ReplyStatus, TextPart
from tests.diagnostics.asked import choice, number, of_type, yes_no

PICTURE = Picture(np.zeros((4, 6, 3), np.uint8))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (choice("a", ("a", "b")), ["A. the a one\nB. the b one", "capital letter"]),
        (yes_no(True), ["yes or no"]),
        (number(1.0), ["one number in m"]),
        (number(1, unit=Unit.COUNT), ["Reply with one number."]),
        (of_type(AnswerType.LIST, (1.0, 2.0), Unit.CENTIMETRE), ["exactly 2 numbers in cm"]),
        (of_type(AnswerType.CLOCK, 3), ["o'clock"]),
        (of_type(AnswerType.BOX, (0.0, 0.0, 1.0, 1.0)), ["four numbers", "0 to 1000"]),
        (of_type(AnswerType.POINT, (0.0, 0.0)), ["two numbers"]),
        (of_type(AnswerType.TEXT, "x"), ["few words"]),
    ],
)
def test_the_form_of_the_answer_is_said(question: Question, words: list[str]) -> None:
    text = question_text(question)
    assert text.startswith(question.text)
    assert all(one in text for one in words)


def test_the_prompt_leads_the_parser_to_every_option() -> None:
    question = choice("c", ("a", "b", "c", "d"))
    for letter, key in zip("ABCD", "abcd", strict=True):
        assert read_answer(question, Reply(text=letter, status=ReplyStatus.OK)).value == key


def test_boxes_are_asked_for_in_the_models_own_space() -> None:
    box = of_type(AnswerType.BOX, (0.0, 0.0, 1.0, 1.0))
    assert "in pixels" in question_text(box, space=CoordinateSpace.SENT_PIXELS)
    assert "from 0 to 1," in question_text(box, space=CoordinateSpace.FRACTION)


def test_pictures_come_first_then_what_is_told_then_the_question() -> None:
    request = question_request(
        yes_no(True), [PICTURE], space=CoordinateSpace.PERMILLE, before=["a hint", PICTURE], seed=3
    )
    parts = request.messages[0].parts
    assert [type(part) for part in parts] == [ImagePart, TextPart, ImagePart, TextPart]
    assert request.seed == 3 and request.messages[0].text.startswith("a hint\nIs object 1")


def test_in_a_conversation_pictures_are_not_shown_again() -> None:
    history = (Message(parts=(ImagePart(picture=PICTURE), TextPart(text="first"))),)
    request = question_request(yes_no(True), [PICTURE], space=CoordinateSpace.PERMILLE, history=history)
    assert len(request.pictures) == 1 and len(request.messages) == 2


def test_graphs_have_another_prompt() -> None:
    question = of_type(AnswerType.GRAPH, "")
    assert question.answer_format == AnswerFormat(answer_type=AnswerType.GRAPH)
    with pytest.raises(DiagnosticsError, match="prompt of its own"):
        question_text(question)
