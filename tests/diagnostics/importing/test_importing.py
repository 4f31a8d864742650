"""Old results become runs: what is told is kept, what is not told stays unknown, what does not fit is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seeworthy.bench_data.suites import read_suite, write_suite
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.importing import ImportLimits
from seeworthy.diagnostics.importing.old_scores import read_old_scores
from seeworthy.diagnostics.report import report_summary
from seeworthy.diagnostics.runs import RunFolder, RunSettings, plan_differences, read_records, run_results
from seeworthy.tools.models import ReplyStatus

from .making import imported, items_in, json_lines, lmms_row, replies_in, suite_in, table, vlmeval_row

RIGHT = ("B", "B", "3", "2 m")


def scores(folder: RunFolder) -> dict[tuple[str, str], float]:
    """(arm, kind) -> mean score, of the clean pictures."""
    found = run_results(folder).groups
    return {(one.arm, one.kind): one.score.estimate for one in found if one.score and one.condition == "clean"}


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".json"])
def test_predictions_of_vlmevalkit(tmp_path: Path, suffix: str) -> None:
    suite = suite_in(tmp_path / "suite")
    replies = ("**B**", "A", "three", "about 210 cm")
    rows = [vlmeval_row(item, reply) for item, reply in zip(items_in(tmp_path / "suite"), replies, strict=True)]
    old = tmp_path / f"my-model_suite{suffix}"
    if suffix == ".json":
        # VLMEvalKit writes NaN where a cell was empty.
        old.write_text(json.dumps([{**row, "hint": float("nan")} for row in rows], indent=4))
    else:
        table(old, rows)
    folder, summary = imported([old], suite, tmp_path / "run", "vlmeval")
    assert (summary.rows, summary.replies, summary.failed) == (4, 4, 0)
    assert summary.rows_left_out == ()
    # 210 cm of 2 m: an error of 5 % meets all ten thresholds up to 0.95.
    assert scores(folder) == {
        ("my-model", "closer"): 0.5,
        ("my-model", "how many"): 1.0,
        ("my-model", "how far"): 1.0,
        ("my-model", "all"): 0.75,
    }


def test_what_the_file_does_not_tell_is_unknown(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    old = table(tmp_path / "m_suite.tsv", [vlmeval_row(items_in(tmp_path / "suite")[0], "B")])
    folder, _ = imported([old], suite, tmp_path / "run", "vlmeval")
    plan = folder.plan()
    assert plan.settings.generation is None
    assert [(one.name, one.version) for one in plan.settings.prompts] == [("imported", "unknown")]
    assert plan.imported is not None
    assert "the prompt" in plan.imported.unknown
    assert [(one.name, one.bytes) for one in plan.imported.files] == [("m_suite.tsv", old.stat().st_size)]
    (record,) = read_records(folder.records)
    assert (record.sent, record.at, record.reply.sent_images, record.reply.usage.output_tokens) == ((), "", (), None)
    assert (record.spent.calls, record.spent.unpriced) == (1, 1)
    with pytest.raises(DiagnosticsError, match="how models decode"):
        _ = plan.settings.decoding


def test_the_prompt_is_not_one_to_ask_with(tmp_path: Path) -> None:
    from ..runs.small_runs import CountedModel

    with pytest.raises(DiagnosticsError, match="imported"):
        RunSettings.of([], [CountedModel().arm], prompts=["imported"])


def test_a_table_of_vlmevalkit_is_a_suite_and_loses_no_name_to_pandas(tmp_path: Path) -> None:
    write_suite(items_in(tmp_path / "suite")[:2], tmp_path / "bench.tsv", "vlmeval")
    named = [
        {**vlmeval_row(item, "B"), "index": f"{place}.0"} for place, item in enumerate(items_in(tmp_path / "suite")[:2])
    ]
    by_item = [{**row, "item_id": item.id} for row, item in zip(named, read_suite(tmp_path / "bench.tsv"), strict=True)]
    old = table(tmp_path / "m_bench_gpt4_result.tsv", by_item)
    folder, summary = imported([old], tmp_path / "bench.tsv", tmp_path / "run", "vlmeval")
    assert summary.replies == 2
    assert folder.plan().settings.arms[0].name == "m"


def test_logged_samples_of_a_task_of_ours(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite", conditions=("clean", "haze"))
    items = items_in(tmp_path / "suite", conditions=("clean", "haze"))
    shapes: list[object] = ["B", ["B"], [["3"]], "2 m", ["A"], ["B"], ["3"], ["4 m"]]
    rows = [lmms_row(item, place, reply) for place, (item, reply) in enumerate(zip(items, shapes, strict=True))]
    old = json_lines(tmp_path / "20260101_120000_samples_my_task.jsonl", rows)
    (tmp_path / "20260101_120000_results.json").write_text(json.dumps({"model_name": "org/model", "x": float("nan")}))
    folder, summary = imported([old], suite, tmp_path / "run", "lmms-eval")
    assert summary.replies == 8
    assert scores(folder)[("org/model", "all")] == 1.0
    (first, *_) = read_records(folder.records)
    assert first.sent[0][0] == "text"
    assert "Question" in first.sent[0][1]


def test_the_raw_reply_counts_and_not_what_a_filter_left_of_it(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    row = lmms_row(items[0], 0, ["A"], resps=[["I considered A, but the answer is B."]])
    folder, _ = imported([json_lines(tmp_path / "s.jsonl", [row])], suite, tmp_path / "run", "lmms-eval")
    assert replies_in(folder) == {"q0@clean": "I considered A, but the answer is B."}


def test_several_replies_are_repeats(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    row = lmms_row(items_in(tmp_path / "suite")[0], 0, ["B"], resps=[["B", "A", "B"]])
    folder, summary = imported([json_lines(tmp_path / "s.jsonl", [row])], suite, tmp_path / "run", "lmms-eval")
    assert folder.plan().settings.repeats == 3
    assert [one.reply.text for one in read_records(folder.records)] == ["B", "A", "B"]
    assert any("several replies" in line for line in summary.warnings)


def robostress_record(identity: str, reply: str | None, **more: object) -> dict[str, object]:
    return {
        "question_id": 1,
        "sample_id": identity,
        "dataset": "01",
        "gt_type": "mcq",
        "prompt": "Question 0?\n\nA. the lamp\nB. the sofa\n\nReply with one letter.",
        "raw_response": reply,
        "parsed_answer": None,
        "metrics": {"mcq_correct": False, "mask_correct": None, "bbox_iou": None},
        "model_name": "published-model",
        "error": None,
        "rectified_image_path": None,
        **more,
    }


def test_predictions_of_robostressbench(tmp_path: Path) -> None:
    items = items_in(tmp_path / "source")[:1]
    write_suite(items, tmp_path / "suite", "robostress")
    old = tmp_path / "predictions.json"
    old.write_text(json.dumps([robostress_record("q0@clean", "The answer is B.")], indent=2))
    folder, summary = imported([old], tmp_path / "suite", tmp_path / "run", "robostress")
    assert summary.replies == 1
    assert run_results(folder).groups[-1].score is not None
    assert folder.plan().settings.arms[0].name == "published-model"


def test_failed_calls_are_errors_and_no_wrong_answers(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    old = table(
        tmp_path / "m_suite.tsv",
        [vlmeval_row(items[0], "Failed to obtain answer via API."), vlmeval_row(items[1], "B")],
    )
    folder, summary = imported([old], suite, tmp_path / "run", "vlmeval")
    assert summary.failed == 1
    closer = next(one for one in run_results(folder).groups if one.kind == "closer")
    assert (closer.n, closer.errors, closer.scored) == (2, 1, 1)
    assert closer.score is not None
    assert closer.score.estimate == 1.0
    failed = robostress_record("q0@clean", None, error="OutOfMemoryError: 40 GiB")
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps([failed, robostress_record("q1@clean", "B", prompt="Question 1?")]))
    folder, _ = imported([path], suite, tmp_path / "other", "robostress")
    assert replies_in(folder) == {"q0@clean": "!OutOfMemoryError: 40 GiB", "q1@clean": "B"}


def test_rows_and_items_that_find_no_partner_are_counted_and_named(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    rows = [
        vlmeval_row(items[0], "B"),
        {**vlmeval_row(items[1], "B"), "index": "gone"},
        {**vlmeval_row(items[2], "3"), "question": "Quite another question?"},
    ]
    folder, summary = imported([table(tmp_path / "m.tsv", rows)], suite, tmp_path / "run", "vlmeval")
    assert [(one.reason, one.count, one.named) for one in summary.rows_left_out] == [
        ("its item asks another question", 1, ("m.tsv line 4: q2@clean",)),
        ("no item has its id", 1, ("m.tsv line 3: gone",)),
    ]
    assert summary.items_without_reply.named == ("q1@clean", "q2@clean", "q3@clean")
    assert sum(one.missing for one in run_results(folder).groups if one.kind == "all") == 3
    assert json.loads((folder.root / "import.json").read_text()) == summary.model_dump(mode="json")


def test_equal_rows_count_once_and_clashing_rows_not_at_all(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    rows = [vlmeval_row(items[place], reply) for place, reply in ((0, "B"), (0, "B"), (1, "A"), (1, "B"))]
    for order in (rows, rows[::-1]):
        out = tmp_path / f"run-{order is rows}"
        folder, summary = imported([table(tmp_path / "m.tsv", order)], suite, out, "vlmeval")
        assert replies_in(folder) == {"q0@clean": "B"}
        assert {one.reason: one.count for one in summary.rows_left_out} == {
            "several rows reply differently to one item": 2,
            "it repeats another row": 1,
        }


def test_several_models_side_by_side(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    for name, reply in (("one", "A"), ("two", "B")):
        (tmp_path / name).mkdir()
        record = robostress_record("q0@clean", reply, model_name=name)
        (tmp_path / name / "predictions.json").write_text(json.dumps([record]))
    files = [tmp_path / name / "predictions.json" for name in ("one", "two")]
    folder, _ = imported(files, suite, tmp_path / "run", "robostress")
    assert scores(folder)[("one", "closer")] == 0.0
    assert scores(folder)[("two", "closer")] == 1.0
    imported_from = folder.plan().imported
    assert imported_from is not None
    assert [one.name for one in imported_from.files] == ["one/predictions.json", "two/predictions.json"]
    together, _ = imported(files[:1], suite, tmp_path / "named", "robostress", model="mine")
    assert [arm.name for arm in together.plan().settings.arms] == ["mine"]


def test_conditions_are_kept_or_left_out(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite", conditions=("clean", "haze"))
    items = items_in(tmp_path / "suite", conditions=("clean", "haze"))
    old = table(tmp_path / "m.tsv", [vlmeval_row(item, "B") for item in items])
    folder, summary = imported([old], suite, tmp_path / "run", "vlmeval", conditions=("haze",))
    assert summary.items == 4
    assert {item.condition for item in folder.items()} == {"haze"}
    assert [(one.reason, one.count) for one in summary.rows_left_out] == [("its condition is left out", 4)]
    with pytest.raises(DiagnosticsError, match=r"'rain'; the data has: clean, haze"):
        imported([old], suite, tmp_path / "rain", "vlmeval", conditions=("rain",))


def test_a_folder_that_exists_is_never_touched(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    old = table(tmp_path / "m.tsv", [vlmeval_row(items_in(tmp_path / "suite")[0], "B")])
    (tmp_path / "run").mkdir()
    (tmp_path / "run/records.jsonl").write_text("paid\n")
    with pytest.raises(DiagnosticsError, match="exists"):
        imported([old], suite, tmp_path / "run", "vlmeval")
    assert (tmp_path / "run/records.jsonl").read_text() == "paid\n"
    with pytest.raises(DiagnosticsError, match="no row fits"):
        imported([table(tmp_path / "n.tsv", [{"index": "x", "prediction": "B"}])], suite, tmp_path / "new", "vlmeval")
    assert not (tmp_path / "new").exists()
    assert not list(tmp_path.glob(".*part"))


def test_the_same_files_give_the_same_bytes_and_plans_tell_files_apart(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    old = table(tmp_path / "m.tsv", [vlmeval_row(item, "B") for item in items])
    folders = [imported([old], suite, tmp_path / name, "vlmeval")[0] for name in ("one", "two")]
    for name in ("plan.json", "items.jsonl", "records.jsonl", "old_scores.jsonl", "import.json"):
        assert (folders[0].root / name).read_bytes() == (folders[1].root / name).read_bytes()
    other = table(tmp_path / "m2.tsv", [vlmeval_row(item, "A") for item in items])
    changed, _ = imported([other], suite, tmp_path / "three", "vlmeval", model="m")
    names = {one.name for one in plan_differences(folders[0].plan(), changed.plan())}
    assert names == {"imported.files.0.name", "imported.files.0.sha256"}


def test_boxes_need_to_know_what_they_are_measured_in(tmp_path: Path) -> None:
    from dataclasses import replace

    from seeworthy.bench_data.questions import AnswerFormat, AnswerType

    box = AnswerFormat(answer_type=AnswerType.BOX)
    item = replace(items_in(tmp_path / "suite")[0], answer_format=box, truth=(8.0, 6.0, 16.0, 12.0))
    write_suite([item], tmp_path / "suite/suite.jsonl", "native")
    suite = tmp_path / "suite/suite.jsonl"
    old = table(tmp_path / "m.tsv", [{"index": item.id, "prediction": "[250, 250, 500, 500]"}])
    with pytest.raises(DiagnosticsError, match="--space"):
        imported([old], suite, tmp_path / "run", "vlmeval")
    from .making import PERMILLE

    folder, _ = imported([old], suite, tmp_path / "run", "vlmeval", space=PERMILLE)
    assert scores(folder)[("m", "all")] == pytest.approx(1.0)


def test_limits(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    old = table(tmp_path / "m.tsv", [vlmeval_row(items[0], "B" * 50), vlmeval_row(items[1], "B")])
    folder, summary = imported([old], suite, tmp_path / "run", "vlmeval", limits=ImportLimits(reply_characters=40))
    assert [one.reason for one in summary.rows_left_out] == ["a reply has more than 40 characters"]
    with pytest.raises(DiagnosticsError, match="more than the limit"):
        imported([old], suite, tmp_path / "a", "vlmeval", limits=ImportLimits(file_bytes=10))
    with pytest.raises(DiagnosticsError, match="more than 1 rows"):
        imported([old], suite, tmp_path / "b", "vlmeval", limits=ImportLimits(rows=1))
    with pytest.raises(DiagnosticsError, match="given twice"):
        imported([old, old], suite, tmp_path / "c", "vlmeval")
    assert all(one.reply.status is ReplyStatus.OK for one in read_records(folder.records))


def test_any_text_survives(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    items = items_in(tmp_path / "suite")
    texts = ["\ud800 lone", "=1+1", "nul \x00 and 😀", "null"]
    rows = [lmms_row(item, place, [[text]]) for place, (item, text) in enumerate(zip(items, texts, strict=True))]
    rows[0] |= {"filtered_resps": ["\ud800"], "resps": [[texts[0]]]}
    stray = {**rows[0], "doc_id": 9, "seeworthy_score": {"score": 1, "question_id": "\ud800", "condition": "clean"}}
    old = json_lines(tmp_path / "d_samples_t.jsonl", [*rows, stray])
    (tmp_path / "d_results.json").write_text(json.dumps({"model_name": "a\ud800\nb"}))
    folder, summary = imported([old], suite, tmp_path / "run", "lmms-eval")
    assert replies_in(folder) == {item.id: text for item, text in zip(items, texts, strict=True)}
    assert summary.rows_left_out[0].count == 1
    assert [arm.name for arm in folder.plan().settings.arms] == ["a? b"]
    assert {one.item: one.reading for one in read_old_scores(folder.root)}["q0@clean"] == "\ud800"


def test_a_report_shows_as_unknown_what_is_unknown(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "suite")
    old = table(tmp_path / "m.tsv", [vlmeval_row(item, "B") for item in items_in(tmp_path / "suite")])
    folder, _ = imported([old], suite, tmp_path / "run", "vlmeval")
    summary = report_summary([folder.root])
    card = summary.runs[0]
    assert card.imported is not None
    assert (card.generation, card.prompts, card.first_call) == (None, (), None)
    # A prompt that nobody knows is not a blind one.
    assert summary.blind_prompts == ()
    assert (summary.costs[0].seconds, summary.costs[0].usd) == (None, None)
