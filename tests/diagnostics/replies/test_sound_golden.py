"""The golden replies under the sound rules: the same answer as published, or a reason why that answer was a fault."""

from typing import Any

import pytest

from seeworthy.bench_data.questions import AnswerFormat
from seeworthy.diagnostics.replies import (
    Interval,
    PictureFrame,
    parse_box,
    parse_choice,
    parse_graph_json,
    parse_number,
    parse_point,
    parse_reply,
    score_side_by_side,
)
from seeworthy.tools.models import CoordinateSpace

from .corpus_files import golden

SPACEDG = golden("spacedg/scoring.json")
ROBOSTRESS = golden("robostress/parse_and_score.json")
GRAPHS = golden("crisp/sgc_scores.json")["cases"]
LETTERS = "ABCDEFG"
OPTIONS = dict(zip(LETTERS, ("front", "rear", "north", "south", "east", "west", "centre"), strict=True))
UNIT_SQUARE = (CoordinateSpace.PERMILLE, (1000, 1000), (1000, 1000))

CHOICE_FAULTS = {  # published reading was a fault; the sound outcome
    "None of these": "no_answer",
    "Cup is left of the plate": "no_answer",  # first letter of a word
    "A or B": "ambiguous",
    "The object is a bowl": "no_answer",  # the article
    "Cannot determine from the image.": "no_answer",
    "Definitely the mug": "no_answer",
    "I cannot answer that.": "refusal",
    "Actually it's B": "B",
    "7": "invalid",
    "A. left\nB. right": "no_answer",  # the options said again
    "Answer is A or B": "ambiguous",
    "<think>A or C</think>B": "B",  # the letter before the closing tag
    "<answer>Back</answer>": "no_answer",  # no option has this text
    "left": "no_answer",
    "Because the camera moved": "no_answer",
}
NUMBER_FAULTS: dict[str, Any] = {
    "about 2 to 3 meters": Interval(2, 3),
    "3-4": Interval(3, 4),
    "[2.4, 3.0]": "ambiguous",
    "It is 2.4 meters away from image 2": 2.4,
    "two point five": 2.5,
}


def outcome(result: Any) -> Any:
    return result.value if result.ok else result.status.value


@pytest.mark.parametrize("row", ROBOSTRESS["mcq_parse"]["cases"], ids=lambda row: row["reply"])
def test_robostress_choices(row: dict[str, Any]) -> None:
    four = {letter: OPTIONS[letter] for letter in "ABCD"}
    published = "no_answer" if row["index"] is None else LETTERS[row["index"]]
    assert outcome(parse_choice(row["reply"], four)) == CHOICE_FAULTS.get(row["reply"], published)


@pytest.mark.parametrize("row", SPACEDG["option_extract"], ids=lambda row: row["reply"])
def test_spacedg_choices(row: dict[str, Any]) -> None:
    assert outcome(parse_choice(row["reply"], OPTIONS)) == CHOICE_FAULTS.get(row["reply"], row["letter"] or "no_answer")


@pytest.mark.parametrize("row", SPACEDG["number_extract"], ids=lambda row: row["reply"])
def test_spacedg_numbers(row: dict[str, Any]) -> None:
    expected = NUMBER_FAULTS.get(row["reply"], row["value"])
    assert outcome(parse_number(row["reply"], "m")) == expected


@pytest.mark.parametrize("row", ROBOSTRESS["box_parse"], ids=lambda row: row["reply"])
def test_robostress_boxes(row: dict[str, Any]) -> None:
    assert parse_box(row["reply"], *UNIT_SQUARE).value == (100, 200, 600, 800)


@pytest.mark.parametrize("row", ROBOSTRESS["point_parse"], ids=lambda row: row["reply"])
def test_robostress_points(row: dict[str, Any]) -> None:
    faults = {"(1,2,3)": None}  # three numbers are no point
    expected = faults.get(row["reply"], row["point"] and tuple(row["point"]))
    assert parse_point(row["reply"], *UNIT_SQUARE).value == expected


@pytest.mark.parametrize("row", ROBOSTRESS["box_score"]["cases"], ids=lambda row: row["reply"])
def test_robostress_box_scores(row: dict[str, Any]) -> None:
    frame = PictureFrame(CoordinateSpace.PERMILLE, (1000, 1000), (1000, 1000))
    truth = ROBOSTRESS["box_score"]["truth_permille"]
    scored = score_side_by_side([(AnswerFormat(answer_type="box"), row["reply"], truth)], "robostress", frame=frame)
    clipped = row["reply"] == "(100,200,1200,800)"  # out of range: invalid, not clipped silently
    assert scored[0].published == row["iou"]
    assert scored[0].sound == pytest.approx(0.0 if clipped else row["iou"], abs=1e-12)
    assert (scored[0].status.value == "invalid") == (clipped or row["reply"] == "(100,200,100,800)")


GRAPH_FAULTS = {
    "two_fences": "ok",  # the corrected graph counts, not the empty first one
    "wrapped": "ok",
    "truncated_30pct": "truncated",
    "truncated_70pct": "truncated",
    "refusal": "refusal",
    "null": "no_answer",
    "empty": "no_answer",
    "objects_null": "invalid",
    "edge_entry_string": "invalid",
    "duplicate_node_and_edge_last_wrong": "invalid",
    "nan_and_infinity": "invalid",
    "list_top": "invalid",
    "empty_object": "invalid",
    "objects_as_dict": "invalid",
    "object_entry_null": "invalid",
    "missing_last_node": "invalid",
}


@pytest.mark.parametrize("row", GRAPHS, ids=lambda row: f"{row['scene']}-{row['case']}")
def test_crisp_graphs(row: dict[str, Any]) -> None:
    result = parse_graph_json(row["model_output"])
    assert result.status.value == GRAPH_FAULTS.get(row["case"], "ok")
    if row["case"] not in GRAPH_FAULTS:
        assert result.value == row["parsed"]
    if result.status.value == "truncated":
        whole = result.candidates[0].value
        published = row["parsed"]
        assert whole["objects"] == published["objects"][: len(whole["objects"])]
        assert len(whole["objects"]) >= 2


SPACEDG_FORMATS = {
    "MCQ": AnswerFormat(answer_type="choice", options=OPTIONS),
    "NA": AnswerFormat(answer_type="number", unit="m"),
    "YN": AnswerFormat(answer_type="yes_no"),
    "COUNT": AnswerFormat(answer_type="number", unit="count"),
    "SIZE_LIST": AnswerFormat(answer_type="list", unit="m", length=3),
}
ROW_OUTCOMES = {
    "I see 3 chairs and 1 table": "ambiguous",
    "2.5": "invalid",
    "unsure": "no_answer",
    "[0.10, 0.20]": "invalid",
    "<answer>no</answer>": "no_answer",
}


@pytest.mark.parametrize("row", SPACEDG["row_scores"], ids=lambda row: f"{row['kind']}-{row['prediction']}")
def test_spacedg_rows(row: dict[str, Any]) -> None:
    result = parse_reply(SPACEDG_FORMATS[row["kind"]], row["prediction"])
    if row["prediction"] in ROW_OUTCOMES:
        assert outcome(result) == ROW_OUTCOMES[row["prediction"]]
    else:
        extracted = row["extracted"]
        expected = (
            tuple(extracted) if isinstance(extracted, list) else {"yes": True, "no": False}.get(extracted, extracted)
        )
        assert result.value == expected
