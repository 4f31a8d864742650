"""The same replies give the same bytes; runs over other data are refused; examples, costs, tags and cards."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.stress import ROBOSTRESS_TAGS
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import count_flips
from seeworthy.diagnostics.report import ReportSummary, report_summary
from seeworthy.diagnostics.report.writers import csv_files, report_json, report_latex, report_markdown
from seeworthy.diagnostics.runs import Call, RunItem, Spent, judged_run
from seeworthy.tools.models import Reply, ReplyStatus

from .brute_force import pairs_between, pairs_of_conditions, rows_of
from .made_runs import FAILED, item, write_run

CONDITIONS = ("clean", "haze-2", "low_light-4")


def items_of(count: int, conditions: tuple[str, ...] = CONDITIONS, **more: object) -> list[RunItem]:
    return [item(number, condition, **more) for number in range(count) for condition in conditions]


def some_wrong(call: Call) -> str:
    """Right on clean pictures but for every fifth question; robust(m) loses every seventh that m has."""
    number = int(call.item.question_id[1:])
    if call.item.condition == "clean":
        right = number % 5 != 0
    else:
        right = number % (2 if call.item.condition == "haze-2" else 3) == 0
    if call.arm == "robust(m)":
        right = (not right) if number % 7 == 0 else right
    return "B" if right else "A"


def texts(summary: ReportSummary) -> list[str]:
    return [report_json(summary), report_markdown(summary), report_latex(summary), *csv_files(summary).values()]


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**16), replies=st.lists(st.sampled_from(["A", "B", "???", "", "I can't see it."]), min_size=5)
)
def test_the_order_of_the_records_changes_no_byte(
    tmp_path_factory: pytest.TempPathFactory, seed: int, replies: list[str]
) -> None:
    items = items_of(4)

    def answer(call: Call) -> Reply | str:
        place = sum(call.key.encode())
        return FAILED if place % 11 == 0 else replies[place % len(replies)]

    written = []
    for order in (None, seed, seed + 1):
        # The label of a run is its folder's name.
        root = tmp_path_factory.mktemp("order") / "run"
        write_run(root, items, answer, arms=("m", "robust(m)"), shuffled=order)
        summary = report_summary([root])
        times = [run.model_copy(update={"first_call": None, "last_call": None}) for run in summary.runs]
        assert summary.without_times().runs == tuple(times)
        written.append(texts(summary))
    assert written[0] == written[1] == written[2]


def test_times_and_nothing_else_are_left_out(tmp_path: Path) -> None:
    summary = report_summary([write_run(tmp_path / "run", items_of(3), some_wrong).root])
    plain = summary.without_times()
    assert summary.runs[0].first_call is not None and plain.runs[0].first_call is plain.runs[0].last_call is None
    assert summary.costs[0].seconds == pytest.approx(4.5) and plain.costs[0].seconds is None
    assert "2026-01" in report_markdown(summary) and "2026-01" not in "".join(texts(plain))
    left = {"runs", "costs"}
    assert plain.model_dump(exclude=left) == summary.model_dump(exclude=left)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ([item(0), item(1, truth="A")], r"1 items differ, in the truth of 1 \(q0001@clean: truth\)"),
        ([item(0), item(1, text="Another?")], "text of 1"),
        ([item(0), item(1, pictures=[])], "pictures of 1"),
        ([item(0)], r"1 items only in one \(q0001@clean\)"),
        ([item(0), item(1), item(2), item(3)], r"2 items only in other \(q0002@clean, q0003@clean\)"),
    ],
)
def test_runs_over_other_data_are_refused_by_name(tmp_path: Path, changed: list[RunItem], words: str) -> None:
    one = write_run(tmp_path / "one", [item(0), item(1)], lambda call: "B")
    other = write_run(tmp_path / "other", changed, lambda call: "B")
    with pytest.raises(DiagnosticsError, match=words) as refused:
        report_summary([one.root, other.root])
    assert "one and other asked about different data" in str(refused.value)


def test_runs_over_the_same_data_stand_side_by_side(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", items_of(10), lambda call: "B", seed=0)
    tagged = items_of(10, tags={"task_group": "x"})
    other = write_run(tmp_path / "other", tagged, some_wrong, seed=4, repeats=2)
    summary = report_summary([one.root, other.root])
    assert [subject.run for subject in summary.subjects] == ["one", "other"]
    assert {row.name for row in summary.differences} >= {"settings.seed", "settings.repeats", "calls", "data.tags"}
    rows = [row for row in summary.paired if row.contrast == "run" and row.by == "all"]
    assert {row.condition_after for row in rows} == {*CONDITIONS, "all degraded"}
    # Only the first repeat has a counterpart.
    assert {row.n for row in rows} == {10, 20}
    assert all(row.score_before == 1.0 and row.difference.estimate < 0 for row in rows)
    assert summary.seed == 0
    swapped = report_summary([other.root, one.root])
    assert [row.difference.estimate for row in swapped.paired if row.contrast == "run" and row.by == "all"] == [
        -row.difference.estimate for row in rows
    ]


def test_a_report_takes_one_run_at_least_and_each_once(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match="a folder is given twice"):
        report_summary([tmp_path, tmp_path])
    with pytest.raises(DiagnosticsError, match="at least one"):
        report_summary([])


def test_examples_follow_their_rule(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", items_of(30), some_wrong, arms=("m", "robust(m)"))
    summary = report_summary([folder.root], examples=10)
    rows = rows_of(judged_run(folder))
    assert len(summary.examples) == 10
    assert len({one.question_id for one in summary.examples}) == 10
    lost_by_condition = {
        (arm, condition): {
            after.item.question_id
            for before, after in pairs_of_conditions(rows, arm, "plain", condition)
            if (before.score, after.score) == (1.0, 0.0)
        }
        for arm in ("m", "robust(m)")
        for condition in CONDITIONS[1:]
    }
    for one in summary.examples:
        assert one.before is not None and (one.before.score, one.after.score, one.loss) == (1.0, 0.0, 1.0)
        assert (one.before.text, one.after.text, one.truth) == ("B", "A", "B. the sofa")
        if one.why == "condition":
            assert one.before.condition == "clean" and one.before.subject == one.after.subject
            assert one.question_id in lost_by_condition[one.after.subject.arm, one.after.condition]
        else:
            assert one.why == "arm" and one.before.condition == one.after.condition
            assert (one.before.subject.arm, one.after.subject.arm) == ("m", "robust(m)")
        assert one.after.pictures[0].path == f"{one.after.condition}/{int(one.question_id[1:])}.png"
    sorts = Counter((one.why, one.after.subject.arm) for one in summary.examples)
    # Three takers in turn; each goes over its conditions in turn.
    assert set(sorts.values()) == {3, 4}
    conditions = [
        one.after.condition for one in summary.examples if (one.why, one.after.subject.arm) == ("condition", "m")
    ]
    assert conditions[:3] == ["haze-2", "low_light-4", "haze-2"]
    assert report_summary([folder.root], examples=3).examples == summary.examples[:3]
    assert report_summary([folder.root], examples=0).examples == ()


def test_where_nothing_can_be_compared_the_lowest_scores_are_shown(tmp_path: Path) -> None:
    items = [item(number, "as_found") for number in range(6)]
    long = "A " + "x" * 5000 + "\ud83d"
    folder = write_run(tmp_path / "run", items, lambda call: "B" if call.item.question_id == "q0003" else long)
    summary = report_summary([folder.root], examples=50)
    assert {one.question_id for one in summary.examples} == {f"q000{number}" for number in (0, 1, 2, 4, 5)}
    assert all(one.why == "wrong" and one.before is None and len(one.after.text) == 2000 for one in summary.examples)
    report_markdown(summary).encode("utf-8")


def test_costs_and_what_a_recovered_answer_costs(tmp_path: Path) -> None:
    def spent(call: Call) -> Spent:
        wrapped = call.arm == "robust(m)"
        return Spent(calls=3 if wrapped else 1, input_tokens=50, output_tokens=5, usd=0.03 if wrapped else 0.01)

    items = items_of(21)
    folder = write_run(
        tmp_path / "run", items, some_wrong, arms=("m", "robust(m)"), prompts=["plain", "blind"], spent=spent
    )
    summary = report_summary([folder.root])
    costs = {(row.subject.arm, row.subject.prompt): row for row in summary.costs}
    assert (costs["m", "plain"].questions, costs["m", "plain"].calls, costs["m", "plain"].usd) == (63, 63, 0.63)
    assert (costs["robust(m)", "plain"].calls, costs["robust(m)", "plain"].input_tokens) == (189, 3150)
    # Without pictures all conditions ask the same, which is paid once.
    assert (costs["m", "blind"].questions, costs["m", "blind"].calls) == (63, 21)
    rows = rows_of(judged_run(folder))
    for condition in CONDITIONS:
        [row] = [one for one in summary.recovery if one.condition == condition]
        pairs = list(pairs_between(rows, ("m", "plain"), ("robust(m)", "plain"), condition))
        flips = count_flips([pair[0].score or 0 for pair in pairs], [pair[1].score or 0 for pair in pairs])
        assert (row.pairs, row.recovered, row.lost, row.wraps) == (21, flips.gained, flips.lost, True)
        assert (row.calls_before, row.calls_after) == (21, 63)
        assert row.extra_calls_per_recovered == pytest.approx(42 / flips.gained)
        assert row.extra_usd_per_recovered == pytest.approx(0.42 / flips.gained)
        net = flips.gained - flips.lost
        assert row.extra_calls_per_net == (pytest.approx(42 / net) if net > 0 else None)
    assert {one.condition for one in summary.recovery} == {*CONDITIONS, "all degraded", "all"}


def test_unknown_prices_are_unknown(tmp_path: Path) -> None:
    spent = Spent(calls=1, unpriced=1)
    folder = write_run(tmp_path / "run", items_of(4), some_wrong, arms=("m", "n"), spent=lambda call: spent)
    summary = report_summary([folder.root])
    assert all(row.usd is None and row.unpriced == 12 for row in summary.costs)
    assert all(row.usd_before is row.extra_usd_per_recovered is None and not row.wraps for row in summary.recovery)


def test_all_16_tags_with_items_under_each_that_they_have(tmp_path: Path) -> None:
    tags = {0: "G__occlusion,G__occlusion,M__transparent", 1: "occlusion", 2: "X__nonsense", 3: ""}
    items = [
        item(number, condition, tags={"stress": text})
        for number, text in tags.items()
        for condition in ("as_found", "low_light-2")
    ]
    folder = write_run(tmp_path / "run", items, lambda call: "B" if call.item.question_id == "q0000" else "A")
    summary = report_summary([folder.root])
    by_tag = {row.tag: row for row in summary.stress if row.by == "tag"}
    assert [*by_tag] == [tag.value for tag in ROBOSTRESS_TAGS] and len(by_tag) == 16
    counts = {name: (row.n, row.score and row.score.estimate) for name, row in by_tag.items() if row.n}
    assert counts == {"transparent": (2, 1.0), "occlusion": (4, 0.5), "global_underexposure": (4, 0.25)}
    assert by_tag["dark_absorptive"].score is by_tag["dark_absorptive"].chance is None
    dimensions = {row.tag: (row.dimension, row.n) for row in summary.stress if row.by == "dimension"}
    assert dimensions == {"material": ("M", 2), "viewpoint": ("V", 0), "lighting": ("L", 4), "geometry": ("G", 4)}
    untagged = report_summary([write_run(tmp_path / "none", [item(0)], lambda call: "B").root])
    assert untagged.stress == ()


def test_the_run_card_has_what_was_set_and_said(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", items_of(3), some_wrong, prompts=["plain", "blind"], seed=7)
    [card] = report_summary([folder.root]).runs
    plan = folder.plan()
    assert (card.data_sha256, card.seed, card.generation) == (plan.data.sha256, 7, plan.settings.generation)
    assert (card.items, card.questions, card.scenes, card.conditions) == (9, 3, 3, dict.fromkeys(CONDITIONS, 3))
    assert card.arms[0].reported == {"m-1": 12} and card.planned_calls == 12 and card.calls_left == 0
    plain, blind = card.prompts
    assert [kind for kind, _ in plain.parts] == ["image", "text"] and not plain.blind
    assert plain.parts[0] == ("image", "clean/0.png") and plain.parts[1][1].startswith("Question 0?\n\nA. the lamp")
    assert [kind for kind, _ in blind.parts] == ["text"] and blind.blind
    assert card.versions == plan.versions and len(card.report_versions["scoring"]) == 16


def test_a_damaged_or_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match="is .*none the folder of a run"):
        report_summary([tmp_path / "none"])
    folder = write_run(tmp_path / "run", [item(0)], lambda call: "B")
    with pytest.raises(DiagnosticsError, match="audit"):
        report_summary([folder.root], audits=[tmp_path / "none"])
    (tmp_path / "results.json").write_text(json.dumps([{"model": 3}]))
    with pytest.raises(DiagnosticsError, match="no numbers of an audit"):
        report_summary([folder.root], audits=[tmp_path])


def test_a_graph_beside_answers_in_one_run(tmp_path: Path) -> None:
    truth = json.dumps({"objects": [{"id": "1", "label": "lamp"}]})
    graph = item(9, answer_format={"answer_type": "graph"}, truth=truth, kind="scene graph")
    folder = write_run(tmp_path / "run", [item(0), item(1), graph], lambda call: Reply(text="B", status=ReplyStatus.OK))
    [row] = report_summary([folder.root]).consistency
    assert (row.audit, row.model, row.qa, row.questions, row.graphs) == ("run", "m, plain", 1.0, 2, 1)
    assert row.sgc == 0.0 and row.graphs_failed == 1 and row.kappa is None
