"""Where another tool's scores differ from ours: counted by reason, against verdicts worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.importing import ChangeReason, Comparison, compare_scores
from seeworthy.diagnostics.runs import RunFolder

from .making import imported, items_in, json_lines, lmms_row, suite_in, table, vlmeval_row

# Question 0 and 1 have the truth B, question 2 the count 3, question 3 two metres.
CASES = [
    # (question, reply, the score there, why it changed; None when it did not)
    (0, "The answer is B.", 1, None),
    (0, "A", 0, None),
    (0, "**B**", 0, ChangeReason.MISSED),
    (0, "A, because B is farther away.", 1, ChangeReason.OTHER),
    (0, "Based on the image, I cannot say.", 1, ChangeReason.NO_ANSWER),
    (0, "I do not have access to the image.", 1, ChangeReason.REFUSAL),
    (0, "C", 1, ChangeReason.INVALID),
    (0, "Failed to obtain answer via API.", 0, ChangeReason.FAILED_CALL),
    (2, "There are three.", 0, ChangeReason.MISSED),
    (3, "about 210 cm", 0, ChangeReason.MISSED),
    (3, "3 m", 0, ChangeReason.GRADED),
    (3, "2 m", 1, None),
    (3, "2.2 m", 0.5, ChangeReason.MEASURE),
]


def compared(root: Path, question: int, reply: str, score: float) -> Comparison:
    suite = suite_in(root / "suite")
    row = vlmeval_row(items_in(root / "suite")[question], reply, hit=score)
    folder, _ = imported([table(root / "m.tsv", [row])], suite, root / "run", "vlmeval")
    (found,) = compare_scores(folder)
    return found


@pytest.mark.parametrize(("question", "reply", "score", "reason"), CASES)
def test_every_reason(tmp_path: Path, question: int, reply: str, score: float, reason: ChangeReason | None) -> None:
    found = compared(tmp_path, question, reply, score)
    assert [change.reason for change in found.changes] == ([] if reason is None else [reason])
    assert found.changed == (reason is not None)
    assert found.compared == (reason is not ChangeReason.FAILED_CALL)
    for change in found.changes:
        (example,) = change.examples
        assert (example.reply, example.old, example.place) == (reply, score, "m.tsv line 2")


def test_means_counts_and_examples(tmp_path: Path) -> None:
    names = tuple(f"c{place}" for place in range(5))
    suite = suite_in(tmp_path / "suite", conditions=names)
    items = [item for item in items_in(tmp_path / "suite", conditions=names) if item.question_id == "q0"]
    replies = ["**B**", "**B**", "**B**", "**B**", "A"]
    old = table(
        tmp_path / "m.tsv", [vlmeval_row(item, reply, hit=0) for item, reply in zip(items, replies, strict=True)]
    )
    folder, _ = imported([old], suite, tmp_path / "run", "vlmeval")
    (found,) = compare_scores(folder)
    assert (found.score, found.compared, found.changed) == ("hit", 5, 4)
    assert (found.old_mean, found.new_mean) == (0.0, pytest.approx(0.8))
    (change,) = found.changes
    assert (change.reason, change.count, change.up, change.down) == (ChangeReason.MISSED, 4, 4, 0)
    assert [one.new_reading for one in change.examples] == ["B", "B", "B"]
    text = "\n".join(found.lines())
    assert "4 of 5 scores changed; mean 0.000 there, 0.800 here" in text
    assert "a right answer was not found there (4 up, 0 down)" in text


def test_only_rows_with_a_score_are_compared(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    rows = [
        vlmeval_row(items[0], "B", hit=None),
        vlmeval_row(items[1], "B", hit=87.5),
        vlmeval_row(items[2], "3", hit=1),
    ]
    folder, _ = imported([table(tmp_path / "m.tsv", rows)], suite, tmp_path / "run", "vlmeval")
    (found,) = compare_scores(folder)
    assert (found.compared, found.unscored_there, found.changed) == (1, 2, 0)
    bare, _ = imported([table(tmp_path / "n.tsv", [vlmeval_row(items[0], "B")])], suite, tmp_path / "bare", "vlmeval")
    assert compare_scores(bare)[0].lines() == ["n: the files hold no score of their own to compare with"]


def test_what_the_tool_read_stands_beside_what_we_read(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    item = items_in(tmp_path / "suite")[0]
    record = {
        "sample_id": item.id,
        "prompt": item.text,
        "raw_response": "Based on the image, the answer is unclear to me.",
        "parsed_answer": {"kind": "mcq", "answer_index": 1, "answer": "B"},
        "metrics": {"mcq_correct": True, "mask_correct": None, "bbox_iou": None},
        "model_name": "m",
    }
    (tmp_path / "predictions.json").write_text(json.dumps([record]))
    folder, _ = imported([tmp_path / "predictions.json"], suite, tmp_path / "run", "robostress")
    (change,) = compare_scores(folder)[0].changes
    assert change.reason is ChangeReason.NO_ANSWER
    assert (change.examples[0].old_reading, change.examples[0].new_reading) == ("B", None)


def test_several_scores_need_a_name(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    row = lmms_row(items_in(tmp_path / "suite")[0], 0, ["B"], strict=0.0, loose=1.0)
    folder, _ = imported([json_lines(tmp_path / "s.jsonl", [row])], suite, tmp_path / "run", "lmms-eval")
    assert compare_scores(folder)[0].score == "seeworthy_score"
    assert compare_scores(folder, score="strict")[0].changed == 1
    with pytest.raises(DiagnosticsError, match="the files have: loose, seeworthy_score, strict"):
        compare_scores(folder, score="other")
    del row["seeworthy_score"]
    foreign, _ = imported([json_lines(tmp_path / "t.jsonl", [row])], suite, tmp_path / "foreign", "lmms-eval")
    with pytest.raises(DiagnosticsError, match="several scores"):
        compare_scores(foreign)


def test_only_imported_runs_have_something_to_compare(tmp_path: Path) -> None:
    from ..runs.small_runs import CountedModel, planned, small_suite

    run = RunFolder(tmp_path / "run")
    with run.begun(planned(small_suite(tmp_path / "suite"), [CountedModel().arm])):
        pass
    with pytest.raises(DiagnosticsError, match="was not imported"):
        compare_scores(run)
