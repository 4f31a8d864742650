"""The one entry: the answer type chooses the parser, the server's status comes first, and nothing is ever random."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from seeworthy.bench_data.questions import AnswerFormat
from seeworthy.diagnostics import replies
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import score_rates
from seeworthy.diagnostics.replies import (
    Flag,
    ParseStatus,
    PictureFrame,
    Rule,
    format_side_by_side,
    parse_reply,
    score_side_by_side,
)
from seeworthy.diagnostics.replies.side_by_side import sound_score
from seeworthy.tools.models import CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus

FOUR = AnswerFormat(answer_type="choice", options={"A": "left", "B": "right", "C": "above", "D": "below"})
FRAME = PictureFrame(CoordinateSpace.PERMILLE, (1000, 500), (2000, 1000))
ONE_OF_EACH = [
    (FOUR, "B", "B"),
    (AnswerFormat(answer_type="yes_no"), "Yes.", True),
    (AnswerFormat(answer_type="number", unit="m"), "about 250 cm", 2.5),
    (AnswerFormat(answer_type="list", unit="m", length=2), "[1, 2]", (1.0, 2.0)),
    (AnswerFormat(answer_type="clock"), "3 o'clock", 3.0),
    (AnswerFormat(answer_type="box"), "[100, 200, 300, 400]", (200.0, 200.0, 600.0, 400.0)),
    (AnswerFormat(answer_type="point"), "(500, 250)", (1000.0, 250.0)),
    (AnswerFormat(answer_type="graph"), '{"objects": [{"id": 1}]}', {"objects": [{"id": 1}]}),
    (AnswerFormat(answer_type="text"), " a  mug ", "a mug"),
]


@dataclass(frozen=True)
class Question:
    answer_format: AnswerFormat


@pytest.mark.parametrize(("asked", "text", "value"), ONE_OF_EACH, ids=lambda item: getattr(item, "answer_type", None))
def test_the_answer_type_chooses_the_parser(asked: AnswerFormat, text: str, value: object) -> None:
    for question in (asked, Question(asked)):
        for reply in (text, Reply(text=text, status=ReplyStatus.OK)):
            assert parse_reply(question, reply, frame=FRAME).value == value


@pytest.mark.parametrize(("asked", "text", "value"), ONE_OF_EACH, ids=lambda item: getattr(item, "answer_type", None))
@pytest.mark.parametrize("status", [ReplyStatus.REFUSAL, ReplyStatus.FILTERED])
def test_what_the_server_refused_is_a_refusal(
    asked: AnswerFormat, text: str, value: object, status: ReplyStatus
) -> None:
    result = parse_reply(asked, Reply(text=text, status=status), frame=FRAME)
    assert (result.status, result.rule) == (ParseStatus.REFUSAL, Rule.REPLY_STATUS)


@pytest.mark.parametrize(
    ("asked", "text", "value"), [*ONE_OF_EACH[:3], ONE_OF_EACH[4]], ids=lambda item: getattr(item, "answer_type", None)
)
def test_a_bare_answer_at_the_cut_does_not_stand(asked: AnswerFormat, text: str, value: object) -> None:
    result = parse_reply(asked, Reply(text=text.rstrip("."), status=ReplyStatus.TRUNCATED), frame=FRAME)
    assert result.status is ParseStatus.TRUNCATED
    assert Flag.RAISE_OUTPUT_BUDGET in result.flags


def test_a_closed_bracket_at_the_cut_proves_that_the_list_is_whole() -> None:
    asked, text, value = ONE_OF_EACH[3]
    result = parse_reply(asked, Reply(text=text, status=ReplyStatus.TRUNCATED))
    assert (result.value, result.flags[-1]) == (value, Flag.ANSWER_BEFORE_CUT)


@pytest.mark.parametrize("asked", [asked for asked, _, _ in ONE_OF_EACH], ids=lambda asked: asked.answer_type.value)
def test_silence_after_a_cut_asks_for_a_larger_budget(asked: AnswerFormat) -> None:
    reply = Reply(text="", reasoning="Let me see", status=ReplyStatus.TRUNCATED, finish_reason="length")
    result = parse_reply(asked, reply, frame=FRAME)
    assert result.status is ParseStatus.TRUNCATED
    assert Flag.RAISE_OUTPUT_BUDGET in result.flags
    assert "raise the output budget" in result.detail


@pytest.mark.parametrize("asked", [asked for asked, _, _ in ONE_OF_EACH], ids=lambda asked: asked.answer_type.value)
def test_a_failed_call_is_no_reply(asked: AnswerFormat) -> None:
    fault = Fault(kind=FaultKind.SERVER, message="HTTP 500", retryable=True)
    with pytest.raises(DiagnosticsError, match=r"call failed \(HTTP 500\).*ask the item again"):
        parse_reply(asked, Reply(text="B", status=ReplyStatus.ERROR, fault=fault), frame=FRAME)


def test_reasoning_of_its_own_field_is_never_graded() -> None:
    result = parse_reply(FOUR, Reply(text=" ", reasoning="The answer is B", status=ReplyStatus.OK))
    assert result.status is ParseStatus.NO_ANSWER
    assert [(one.value, one.rule, one.span) for one in result.candidates] == [("B", Rule.IN_REASONING, None)]


@pytest.mark.parametrize("kind", ["box", "point"])
def test_coordinates_need_a_frame(kind: str) -> None:
    with pytest.raises(DiagnosticsError, match="needs frame="):
        parse_reply(AnswerFormat(answer_type=kind), "[1, 2, 3, 4]")


def test_intervals_follow_the_rule_that_is_asked_for() -> None:
    metres = AnswerFormat(answer_type="number", unit="m")
    assert parse_reply(metres, "2 to 3 m", intervals="midpoint").value == 2.5


def test_a_model_that_only_mumbles_scores_zero_every_time() -> None:
    def score() -> tuple[float | None, float | None, float | None]:
        results = [parse_reply(FOUR, "???") for _ in range(400)]
        scores = [float(result.value == "A") for result in results]
        rates = score_rates([result.status for result in results], scores, chance_levels=[0.25] * 400)
        return rates.accuracy, rates.parse_rate, rates.chance

    assert score() == score() == (0.0, 0.0, 0.25)


def sources() -> Iterator[Path]:
    for module in pkgutil.walk_packages(replies.__path__, prefix=f"{replies.__name__}."):
        yield Path(importlib.import_module(module.name).__file__ or "")


@pytest.mark.parametrize("path", list(sources()), ids=lambda path: path.stem)
def test_no_random_number_no_evaluation_and_no_clock(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not imported & {"random", "secrets", "time", "datetime", "numpy.random", "pickle"}
    assert not called & {"eval", "exec", "compile"}
    assert not [name for name in called if re.search(r"\brandom\b", name)]


def test_side_by_side_shows_where_the_scores_differ() -> None:
    rows = [
        (FOUR, "Based on the image, it is the right one. Answer: B", "B"),
        (FOUR, "Cup is above", "C"),
        (FOUR, "A", "A"),
    ]
    scored = score_side_by_side(rows, "robostress")
    assert [(row.sound, row.published) for row in scored] == [(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]
    scored = score_side_by_side([(FOUR, "Cannot tell.", "C"), (FOUR, "The answer is D.", "D")], "robostress")
    assert [(row.sound, row.published, row.status.value) for row in scored] == [
        (0.0, 1.0, "no_answer"),
        (1.0, 1.0, "ok"),
    ]
    table = format_side_by_side(scored, "robostress")
    assert "Cannot tell." in table
    assert "The answer is D." not in table
    assert table.splitlines()[-1].split() == ["0.500", "1.000", "mean", "of", "2", "replies"]


def test_sound_scores() -> None:
    metres = AnswerFormat(answer_type="number", unit="m")
    count = AnswerFormat(answer_type="number", unit="count")
    clock = AnswerFormat(answer_type="clock")
    sizes = AnswerFormat(answer_type="list", unit="m", length=3)
    assert sound_score(metres, parse_reply(metres, "8 m"), 10) == 0.7
    assert sound_score(metres, parse_reply(metres, "8 to 12 m"), 10) == 0.0
    assert sound_score(count, parse_reply(count, "3"), 3) == 1.0
    assert sound_score(clock, parse_reply(clock, "12 o'clock"), 12) == 1.0
    assert sound_score(sizes, parse_reply(sizes, "[0.3, 0.2, 0.1]"), [0.1, 0.2, 0.3]) == 1.0
    with pytest.raises(DiagnosticsError, match="no score"):
        sound_score(AnswerFormat(answer_type="graph"), parse_reply(FOUR, "B"), "B")
