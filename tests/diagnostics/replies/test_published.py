"""The published rules give what the published code gave, row for row."""

import math
from typing import Any

import pytest

from seeworthy.bench_data.questions import AnswerFormat
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.replies import Published, parse_reply, published_reading, published_score
from seeworthy.diagnostics.replies.published import crisp, robostress, spacedg

from .corpus_files import golden

SPACEDG = golden("spacedg/scoring.json")
ROBOSTRESS = golden("robostress/parse_and_score.json")
GRAPHS = golden("crisp/sgc_scores.json")["cases"]
FOUR = AnswerFormat(answer_type="choice", options={"A": "w", "B": "x", "C": "y", "D": "z"})
SIX = AnswerFormat(answer_type="choice", options={letter: letter * 2 for letter in "ABCDEFG"})
METRES = AnswerFormat(answer_type="number", unit="m")
BOX, POINT = AnswerFormat(answer_type="box"), AnswerFormat(answer_type="point")


@pytest.mark.parametrize("row", SPACEDG["number_extract"], ids=lambda row: row["reply"])
def test_spacedg_numbers(row: dict[str, Any]) -> None:
    assert spacedg.extract_number(row["reply"]) == row["value"]
    assert published_reading(row["reply"], METRES, "spacedg").value == row["value"]


@pytest.mark.parametrize("row", SPACEDG["option_extract"], ids=lambda row: row["reply"])
def test_spacedg_letters(row: dict[str, Any]) -> None:
    assert (spacedg.extract_letter(row["reply"]) or False) == row["letter"]


@pytest.mark.parametrize("row", SPACEDG["row_scores"], ids=lambda row: f"{row['kind']}-{row['prediction']}")
def test_spacedg_row_scores(row: dict[str, Any]) -> None:
    kind = spacedg.answer_kind(row["question_type"], row["sub_question_type"])
    assert kind == row["kind"]
    assert spacedg.row_score(kind, row["prediction"], row["answer"]) == row["score"]


@pytest.mark.parametrize("row", ROBOSTRESS["mcq_parse"]["cases"], ids=lambda row: row["reply"])
def test_robostress_choices(row: dict[str, Any]) -> None:
    assert robostress.extract_choice_index(row["reply"], ROBOSTRESS["mcq_parse"]["n_options"]) == row["index"]
    reading = published_reading(row["reply"], FOUR, "robostress")
    assert reading.value == (None if row["index"] is None else "ABCD"[row["index"]])


@pytest.mark.parametrize("row", ROBOSTRESS["box_parse"], ids=lambda row: row["reply"])
def test_robostress_boxes(row: dict[str, Any]) -> None:
    assert published_reading(row["reply"], BOX, "robostress").value == tuple(row["box"])


@pytest.mark.parametrize("row", ROBOSTRESS["point_parse"], ids=lambda row: row["reply"])
def test_robostress_points(row: dict[str, Any]) -> None:
    value = published_reading(row["reply"], POINT, "robostress").value
    assert value == (None if row["point"] is None else tuple(row["point"]))


@pytest.mark.parametrize("row", ROBOSTRESS["box_score"]["cases"], ids=lambda row: row["reply"])
def test_robostress_box_scores(row: dict[str, Any]) -> None:
    assert published_score(row["reply"], BOX, ROBOSTRESS["box_score"]["truth_permille"], "robostress") == row["iou"]


@pytest.mark.parametrize("row", GRAPHS, ids=lambda row: f"{row['scene']}-{row['case']}")
def test_crisp_graphs(row: dict[str, Any]) -> None:
    assert _json(crisp.extract_graph(row["model_output"])) == row["parsed"]


def _json(value: Any) -> Any:
    """As the golden file writes it: what is not finite as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, dict):
        return {key: _json(inner) for key, inner in value.items()}
    return [_json(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("reply", "answer", "lenient"),
    [  # what the published question parser was seen to do, and its lenient sister
        ("A: yes", "A:", "A"),
        ("I think it is B", "I", "B"),
        ("The answer is a chair", "A", "A"),
        ("B\nbecause", "B\nbecause", "B"),
        ("9.5m", "9.5m", "9"),
        ("It is 9.5", "It", "9.5"),
        ("9.5 m", "9.5", "9.5"),
        ("3.5m", "3.5m", "3"),
        ('{"answer": "C"}', "C", "C"),
        ("**D**", "D", "D"),
        ("(B) left", "B", "B"),
        ("<answer>C.</answer> A", "<answer>C.</answer>", "C"),
        ("Correct option: e", "E", "E"),
        ("", "", ""),
    ],
)
def test_crisp_answers(reply: str, answer: str, lenient: str) -> None:
    assert crisp.extract_answer(reply) == answer
    assert crisp.extract_answer_lenient(reply) == lenient


@pytest.mark.parametrize(
    ("reply", "answer_format", "truth", "score"),
    [
        ("B", FOUR, "B", 1.0),
        ("The answer is a chair", FOUR, "A", 1.0),
        ("I think B", FOUR, "B", 0.0),
        ("8", METRES, 10, 0.6),
        ("It is 8", METRES, 10, 0.0),
        ("8 m", METRES, 8, 1.0),
        ("nan", METRES, 8, 0.0),
    ],
)
def test_crisp_scores(reply: str, answer_format: AnswerFormat, truth: str | float, score: float) -> None:
    assert published_score(reply, answer_format, truth, "crisp") == pytest.approx(score)


def test_the_existence_trap_gives_every_reply_full_marks() -> None:
    exists = AnswerFormat(answer_type="choice", options={"A": "Yes", "B": "No"})
    assert [published_score(reply, exists, "yes", "spacedg") for reply in ("no", "yes", "no idea", "")] == [1.0] * 4


def test_yes_no_and_lists_and_counts() -> None:
    yes_no = AnswerFormat(answer_type="yes_no")
    lettered = AnswerFormat(answer_type="yes_no", options={"A": "yes", "B": "no"})
    sizes = AnswerFormat(answer_type="list", unit="m", length=3)
    count = AnswerFormat(answer_type="number", unit="count")
    assert published_reading("yes, no", yes_no, "spacedg").value is False
    assert published_reading("The answer is A", lettered, "crisp").value is True
    assert published_score("A", lettered, True, "crisp") == 1.0
    assert published_reading("1. 0.3\n2. 0.2\n3. 0.1", sizes, "spacedg").value == (0.3, 0.2, 0.1)
    assert published_score("[0.1, 0.2, 0.3]", sizes, [0.1, 0.2, 0.3], "spacedg") == 1.0
    assert published_reading("2.5", count, "spacedg").value == 2.0
    assert published_score("3", count, 3.0, "spacedg") == 1.0


def test_what_a_benchmark_cannot_read_is_said_and_not_scored() -> None:
    with pytest.raises(DiagnosticsError, match="robostress has no rule for a number"):
        published_reading("3 m", METRES, Published.ROBOSTRESS)
    with pytest.raises(DiagnosticsError, match="divides by the truth"):
        published_score("3", METRES, 0, "crisp")
    with pytest.raises(DiagnosticsError, match="does not score a point"):
        published_score("(1, 2)", POINT, [1, 2], "robostress")
    with pytest.raises(ValueError, match="sub_question_type"):
        spacedg.answer_kind("camera_translation")
    assert published_reading("A:", FOUR, "crisp").status.value == "invalid"
    assert published_reading("", METRES, "spacedg").status.value == "no_answer"
    assert published_reading("1e999", METRES, "spacedg").status.value == "invalid"


def test_published_rules_through_the_one_entry() -> None:
    result = parse_reply(FOUR, "Cup is left of the plate", published="robostress")
    assert (result.value, result.rule.value) == ("C", "published")


def test_long_damaged_graphs_are_not_repaired_for_minutes() -> None:
    assert crisp.extract_graph('{"a": [ "b\n' * 20_000) is None
    assert crisp.extract_graph('{"a": ' * 60) is None
