"""RobustVLM is itself a model, in plain Python, in a running loop, and as a node of somebody's graph."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TypedDict

import pytest

from seeworthy.agent import RobustVLM
from seeworthy.agent.infer_format import infer_answer_format
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerType
from seeworthy.tools.models import (
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
    user_message,
)

from .conftest import AddTool, ScriptedModel
from .test_editors import good
from .test_graph import DOWN, OPTIONS


def chat(text: str, *pictures: Picture) -> Request:
    return Request(messages=(user_message(text, pictures),))


def test_it_is_a_model_and_so_is_a_wrapped_one() -> None:
    robust = RobustVLM(ScriptedModel(lambda r: "B"))
    assert isinstance(robust, VisionLanguageModel)
    assert robust.name == "robust(scripted)"
    assert RobustVLM(robust).name == "robust(robust(scripted))"


async def test_profile_off_and_pictureless_requests_pass_through_untouched(photograph: Picture) -> None:
    model = ScriptedModel(lambda r: Reply(text="hi", status=ReplyStatus.TRUNCATED))
    with_picture, without = chat("Where?", photograph), chat("Hello")
    assert (await RobustVLM(model, profile="off").reply(with_picture)).status is ReplyStatus.TRUNCATED
    assert (await RobustVLM(model).reply(without)).text == "hi"
    assert model.asked == [with_picture, without]


@pytest.mark.usefixtures("always_dark")
async def test_the_reply_is_in_the_models_own_words_with_the_reasons_beside_it(
    dark: Picture, only_tool: AddTool
) -> None:
    only_tool(good)
    model = ScriptedModel(lambda r: "It is **B**, the right one.")
    reply = await RobustVLM(model).reply(chat("Where?\nA. left\nB. right", dark))
    assert (reply.status, reply.text) == (ReplyStatus.OK, "It is **B**, the right one.")
    assert any("low_light" in note for note in reply.notes)
    assert any("good" in note for note in reply.notes)


@pytest.mark.usefixtures("always_dark")
async def test_an_abstention_is_said_in_words_that_no_parser_takes_for_an_option(
    dark: Picture, only_tool: AddTool
) -> None:
    from seeworthy.diagnostics.replies import parse_choice

    only_tool(good)
    words = iter("ABC")
    options = {"A": "left", "B": "right", "C": "behind"}
    reply = await RobustVLM(ScriptedModel(lambda r: next(words))).reply(
        chat("Where?\nA. left\nB. right\nC. behind", dark)
    )
    assert reply.text.startswith("Cannot tell")
    assert parse_choice(reply.text, options).status != "ok"


async def test_a_model_that_is_down_is_a_reply_not_an_exception(photograph: Picture) -> None:
    reply = await RobustVLM(ScriptedModel(lambda r: DOWN)).reply(chat("Where?", photograph))
    assert reply.status is ReplyStatus.ERROR
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.CONNECTION


def test_plain_python(photograph: Picture) -> None:
    result = RobustVLM(ScriptedModel(lambda r: "A")).solve_sync("Where?", [photograph], options=OPTIONS)
    assert result.value == "A"


async def test_a_notebook_whose_loop_is_running(photograph: Picture) -> None:
    robust = RobustVLM(ScriptedModel(lambda r: "A"))
    assert robust.solve_sync("Where?", [photograph], options=OPTIONS).value == "A"
    assert (await robust.solve("Where?", [photograph], options=OPTIONS)).value == "A"


def test_one_solver_serves_several_loops_one_after_another(photograph: Picture) -> None:
    robust = RobustVLM(ScriptedModel(lambda r: "A"))
    values = [asyncio.run(robust.solve("Where?", [photograph], options=OPTIONS)).value for _ in range(2)]
    assert values == ["A", "A"]


class _State(TypedDict, total=False):
    question: str
    pictures: list[str]
    options: dict[str, str]
    answer: dict[str, object]


async def test_a_node_of_somebodys_graph(photograph: Picture, tmp_path: Path) -> None:
    from langgraph.graph import END, START, StateGraph

    path = tmp_path / "ein Bild ü.png"
    path.write_bytes(photograph.png())
    builder = StateGraph(_State)
    builder.add_node("see", RobustVLM(ScriptedModel(lambda r: "A")).as_node())
    builder.add_edge(START, "see")
    builder.add_edge("see", END)
    final = await builder.compile().ainvoke({"question": "Where?", "pictures": [str(path)], "options": OPTIONS})
    assert final["answer"]["answer"] == "A"
    assert final["answer"]["outcome"] == "answered"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Which?\nA. one\nB. two", AnswerType.CHOICE),
        ("Which?\n(A) one\n(B) two\n(C) three", AnswerType.CHOICE),
        ("Which?\n  A: one\n  B: two", AnswerType.CHOICE),
        ("A. Introduction only", AnswerType.TEXT),
        ("Is it open? Answer yes or no.", AnswerType.YES_NO),
        ("Is it open? Reply with 'yes' or 'no' only", AnswerType.YES_NO),
        ("Describe the picture.", AnswerType.TEXT),
        ("", AnswerType.TEXT),
        ("B. two\nA. one", AnswerType.TEXT),
    ],
)
def test_the_form_of_a_ready_made_prompt(text: str, kind: AnswerType) -> None:
    assert infer_answer_format(chat(text)).answer_type is kind
