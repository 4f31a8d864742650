"""Scene graphs in a run: recorded replies get their recorded published scores, and sound ones beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.bench_data.suites import write_suite
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import RunFolder, read_records, run_results
from seeworthy.diagnostics.runs.graph_scoring import read_true_graph, score_graph_reply
from seeworthy.diagnostics.scene_graph import SceneGraph, SceneObject, grade_graph_reply, scene_graph_to_json
from seeworthy.tools.models import Reply, ReplyStatus, Request
from tests.diagnostics.scene_graph.graphs import golden, targets

from .small_runs import CountedModel, planned, run_in, small_items, table_in

CASES: list[dict[str, Any]] = golden("sgc_scores")["cases"]
GRAPH = AnswerFormat(answer_type=AnswerType.GRAPH)


def said(text: str, status: ReplyStatus = ReplyStatus.OK) -> Reply:
    return Reply(text=text, status=status)


@pytest.mark.parametrize("case", CASES, ids=[f"{one['scene']}-{one['case']}" for one in CASES])
def test_recorded_replies_get_their_published_scores(case: dict[str, Any]) -> None:
    truth = json.dumps(targets()[case["scene"]])
    scored = score_graph_reply(truth, said(case["model_output"]))
    recorded = case["scores"]
    if "raises" in recorded:
        assert scored.parts["published_sgc"] == 0
    else:
        assert scored.parts["published_sgc"] == recorded["SGC_Score"]
        assert scored.parts["published_estimation"] == recorded["S_est"]
        assert scored.parts["published_relation"] == recorded["S_rel"]
        assert scored.parts["published_json_valid"] == recorded["json_valid"]
    graph = read_true_graph(truth)
    assert graph is not None
    grade = grade_graph_reply(case["model_output"], graph)
    assert scored.score == (grade.sgc or 0.0)
    # A graph without any object is one to the grader; here it is an answer only where it says so itself.
    assert grade.read or scored.status != "ok"
    assert 0 <= scored.score <= 1


def test_the_truth_itself_is_right() -> None:
    for target in targets().values():
        scored = score_graph_reply(json.dumps(target), said(json.dumps(target)))
        assert scored.score == pytest.approx(1.0)
        assert (scored.status, scored.parts["published_json_valid"]) == ("ok", 1.0)
        graph = read_true_graph(json.dumps(target))
        assert graph is not None and graph.centre == target["edges"][0]["from"]


def test_a_truth_in_our_own_form_has_no_published_scores() -> None:
    truth = scene_graph_to_json(SceneGraph(objects=(SceneObject(id=1, height_m=1.0),)))
    scored = score_graph_reply(truth, said('{"objects": [{"id": 1, "height": "50 cm"}]}'))
    assert (scored.score, dict(scored.parts)) == (0.5, {"estimation": 0.5})


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (said("I cannot help with that."), "refusal"),
        (said('{"objects": []}', ReplyStatus.REFUSAL), "refusal"),
        (said("", ReplyStatus.FILTERED), "refusal"),
        (said(""), "no_answer"),
        (said('{"objects": [{"id": 1'), "truncated"),
        (said('{"objects": "none"}'), "invalid"),
    ],
)
def test_replies_without_a_graph_score_nothing_and_say_why(reply: Reply, status: str) -> None:
    truth = json.dumps(next(iter(targets().values())))
    scored = score_graph_reply(truth, reply)
    assert scored.score == 0
    assert scored.status == status


def test_of_a_graph_that_was_cut_what_is_whole_counts() -> None:
    truth = next(iter(targets().values()))
    text = json.dumps(truth)
    scored = score_graph_reply(json.dumps(truth), said(text[: len(text) // 2], ReplyStatus.TRUNCATED))
    assert scored.status == "truncated"
    assert 0 < scored.score < 1


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "{", '{"objects": []}', '{"objects": 3}', '{"objects": [{}]}', "1" * 5000, "[" * 9999],
)
def test_what_is_no_true_graph_is_none(text: str) -> None:
    assert read_true_graph(text) is None
    with pytest.raises(DiagnosticsError, match="true scene graph cannot be read"):
        score_graph_reply(text, said("{}"))


def graph_suite(root: Path) -> Path:
    items = small_items(root, questions=4, conditions=("clean", "haze-3"))
    scenes = sorted(targets())
    graphs = [
        replace(
            item,
            text=f"Draw the scene graph, number {place}. JSON only.",
            answer_format=GRAPH,
            truth=json.dumps(targets()[scenes[place % 2]]),
            kind="scene_graph",
        )
        for place, item in enumerate(items)
    ]
    write_suite(graphs, root / "suite.jsonl", "crisp", overwrite=True)
    return root / "suite.jsonl"


async def test_a_run_asks_for_graphs_and_scores_them(tmp_path: Path) -> None:
    suite = graph_suite(tmp_path / "suite")
    right = json.dumps(targets()[sorted(targets())[0]])
    rooms: set[int] = set()

    def draw(request: Request) -> str:
        rooms.add(request.settings.max_tokens)
        return right

    model = CountedModel(draw)
    plan = planned(suite, [model.arm])
    outcome = await run_in(tmp_path / "run", plan, [model.arm])
    assert (outcome.asked, outcome.failed) == (8, 0)
    assert rooms == {4096}  # the run's own limit is 1,024
    results = run_results(RunFolder(tmp_path / "run"))
    whole = next(group for group in results.groups if (group.condition, group.kind) == ("clean", "all"))
    assert (whole.n, whole.scored, whole.unscored) == (4, 4, 0)
    assert set(whole.parts) >= {"estimation", "relation", "published_sgc", "published_json_valid"}
    wrong = score_graph_reply(json.dumps(targets()[sorted(targets())[1]]), said(right))
    assert whole.score is not None
    assert whole.score.estimate == pytest.approx((1.0 + wrong.score) / 2)
    assert whole.parts["published_sgc"] == pytest.approx((1.0 + wrong.parts["published_sgc"]) / 2, abs=1e-6)
    assert "estimation" in table_in(tmp_path / "run")
    assert len(list(read_records(tmp_path / "run/records.jsonl"))) == 8
