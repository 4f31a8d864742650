"""Scores and differences against loops over the replies, and against numbers worked out by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from seeworthy.diagnostics.metrics import cluster_bootstrap, paired_point_biserial, point_biserial
from seeworthy.diagnostics.report import ReportSummary, report_summary
from seeworthy.diagnostics.report.numbers.paired import holm
from seeworthy.diagnostics.report.summary import ALL_DEGRADED, PairedRow, ResultRow, SensitivityRow, Subject
from seeworthy.diagnostics.runs import Call, RunItem, judged_run
from seeworthy.tools.models import Reply, ReplyStatus

from .brute_force import Row, binomial_two_sided, pairs_between, pairs_of_conditions, rows_of
from .made_runs import FAILED, METRES, Answer, item, write_run

CONDITIONS = ("clean", "haze-1", "haze-3", "night_capture")
ARMS, PROMPTS = ("robust(m)", "m"), ("plain", "blind")
UGLY = (
    "A",
    "B",
    "B",
    "B",
    "???",
    FAILED,
    None,
    Reply(status=ReplyStatus.FILTERED),
    Reply(status=ReplyStatus.TRUNCATED, text="Well, "),
)


def many_items() -> list[RunItem]:
    found = []
    for number in range(24):
        for condition in CONDITIONS:
            if number == 5 and condition == "clean":
                continue  # a question without its clean twin
            measured = {"answer_format": METRES, "truth": 2.0, "kind": "how far"} if number % 3 == 0 else {}
            more = {"tags": {"task_group": f"group {number % 2}"}, **measured}
            found.append(item(number, condition, **(more if number != 7 else {**more, "truth": None})))
    return found


def drawn(seed: int) -> Answer:
    """Replies of every kind; the same for the same item, arm and prompt."""

    def answer(call: Call) -> Reply | str | None:
        letters = f"{seed}{call.item.id if call.prompt == 'plain' else call.item.question_id}{call.arm}{call.repeat}"
        rng = np.random.default_rng(list(letters.encode()))
        if call.item.answer_format == METRES:
            return f"{rng.choice([1.0, 1.8, 2.0, 2.1, 9.0])} m"
        return UGLY[int(rng.integers(len(UGLY)))]

    return answer


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReportSummary, list[Row]]:
    folder = write_run(
        tmp_path_factory.mktemp("made") / "run", many_items(), drawn(1), arms=ARMS, prompts=PROMPTS, repeats=2
    )
    return report_summary([folder.root]), rows_of(judged_run(folder))


def in_group(rows: list[Row], row: ResultRow) -> list[Row]:
    def belongs(one: Row) -> bool:
        form = one.item.answer_format.answer_type.value
        category = {
            "all": "all",
            "kind": one.item.kind,
            "task": one.item.tags["task_group"],
            "answer_format": form,
        }[row.by]
        there = one.item.condition == row.condition or (row.condition == ALL_DEGRADED and one.item.condition != "clean")
        return there and category == row.category and (one.arm, one.prompt) == (row.subject.arm, row.subject.prompt)

    return [one for one in rows if belongs(one)]


def test_every_score_and_count(made: tuple[ReportSummary, list[Row]]) -> None:
    summary, rows = made
    assert {row.by for row in summary.results} == {"all", "kind", "task", "answer_format"}
    assert len({(row.subject, row.condition, row.by, row.category) for row in summary.results}) == len(summary.results)
    for row in summary.results:
        mine = in_group(rows, row)
        statuses = Counter(one.status for one in mine)
        scores = [one.score for one in mine if one.score is not None]
        replies = len(mine) - statuses["missing"] - statuses["error"]
        open_ = sum(one.score is None and one.item.truth is not None for one in mine)
        assert (row.n, row.errors, row.missing) == (len(mine), statuses["error"], statuses["missing"])
        assert (row.scored, row.unscored) == (len(scores), replies - len(scores))
        assert row.parse_failure == (pytest.approx(statuses["no_answer"] / replies) if replies else None)
        assert row.refusal == (pytest.approx(statuses["refusal"] / replies) if replies else None)
        assert row.truncation == (pytest.approx(statuses["truncated"] / replies) if replies else None)
        if not scores:
            assert row.score is row.low is row.high is row.chance is None
            continue
        scored = [one.item for one in mine if one.score is not None]
        assert row.chance == pytest.approx(np.mean([0.0 if one.answer_format == METRES else 0.5 for one in scored]))
        assert row.low == pytest.approx(sum(scores) / (len(scores) + open_))
        assert row.high == pytest.approx((sum(scores) + open_) / (len(scores) + open_))
        alone = cluster_bootstrap(scores, [one.scene for one in scored], seed=summary.seed, resamples=summary.resamples)
        assert row.score is not None and row.score.flags == alone.flags
        assert row.score.estimate == pytest.approx(alone.estimate, abs=1e-11)
        assert (row.score.low, row.score.high) == (
            pytest.approx(alone.low, abs=2e-9),
            pytest.approx(alone.high, abs=2e-9),
        )


def test_blind_stands_beside_what_was_seen(made: tuple[ReportSummary, list[Row]]) -> None:
    summary, _ = made
    assert summary.blind_prompts == ("blind",)
    found = {(row.subject, row.condition, row.by, row.category): row for row in summary.results}
    for row in summary.results:
        blind = found[row.subject.model_copy(update={"prompt": "blind"}), row.condition, row.by, row.category]
        wanted = None if row.subject.prompt == "blind" or blind.score is None else blind.score.estimate
        assert row.blind == wanted


def test_every_paired_difference_over_all_items(made: tuple[ReportSummary, list[Row]]) -> None:
    summary, rows = made
    checked: Counter[str] = Counter()
    for row in summary.paired:
        if row.by != "all" or row.condition_after == ALL_DEGRADED:
            continue
        if row.contrast == "condition":
            pairs = list(pairs_of_conditions(rows, row.after.arm, row.after.prompt, row.condition_after))
        else:
            sides = (row.before.arm, row.before.prompt), (row.after.arm, row.after.prompt)
            pairs = list(pairs_between(rows, *sides, row.condition_after))
        check_pairs(row, pairs, summary)
        checked[row.contrast] += 1
    # Blind answers cannot tell conditions apart: not compared with themselves, and with other blind ones once.
    assert checked == {"condition": 2 * 3, "arm": 4 + 1, "prompt": 2 * 4}


def check_pairs(row: PairedRow, pairs: list[tuple[Row, Row]], summary: ReportSummary) -> None:
    differences = [after.score - before.score for before, after in pairs]  # type: ignore[operator]
    assert row.n == len(pairs)
    alone = cluster_bootstrap(
        differences, [after.item.scene for _, after in pairs], seed=summary.seed, resamples=summary.resamples
    )
    assert row.difference.estimate == pytest.approx(alone.estimate, abs=1e-11)
    assert row.difference.low == pytest.approx(alone.low, abs=2e-9)
    assert row.score_after - row.score_before == pytest.approx(row.difference.estimate)
    table = Counter((before.score, after.score) for before, after in pairs if after.item.answer_format != METRES)
    assert row.flips is not None and row.flip_items == sum(table.values())
    assert (row.flips.gained, row.flips.lost) == (table[0.0, 1.0], table[1.0, 0.0])
    assert (row.flips.both_right, row.flips.both_wrong) == (table[1.0, 1.0], table[0.0, 0.0])
    assert row.negative_flip_rate == pytest.approx(table[1.0, 0.0] / sum(table.values()))
    # Two repeats of one question are not two questions.
    assert row.mcnemar_p is row.mcnemar_p_holm is None


def test_a_pair_is_named_from_the_wrapped_to_the_wrapper_and_from_blind_to_seeing(
    made: tuple[ReportSummary, list[Row]],
) -> None:
    summary, _ = made
    sides = {
        (row.contrast, row.before.arm, row.before.prompt, row.after.arm, row.after.prompt) for row in summary.paired
    }
    assert sides == {
        *(("condition", arm, "plain", arm, "plain") for arm in ARMS),
        *(("arm", "m", prompt, "robust(m)", prompt) for prompt in PROMPTS),
        *(("prompt", arm, "blind", arm, "plain") for arm in ARMS),
    }


def test_mcnemar_and_holm_on_questions_that_come_once(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", many_items(), drawn(2), arms=ARMS)
    summary = report_summary([folder.root])
    rows = [row for row in summary.paired if row.by == "all" and row.contrast == "condition"]
    tested = [row for row in rows if row.condition_after != ALL_DEGRADED]
    assert len(tested) == 6
    assert all(row.mcnemar_p is None for row in rows if row.condition_after == ALL_DEGRADED)
    for row in tested:
        assert row.flips is not None
        gained, lost = row.flips.gained, row.flips.lost
        assert row.mcnemar_p == pytest.approx(binomial_two_sided(min(gained, lost), gained + lost))
    ordered = sorted(tested, key=lambda row: row.mcnemar_p or 0.0)
    worst = 0.0
    for rank, row in enumerate(ordered):
        worst = max(worst, min(1.0, (row.mcnemar_p or 0.0) * (6 - rank)))
        assert row.mcnemar_p_holm == pytest.approx(worst)


def test_holm_against_a_textbook_example() -> None:
    assert holm([0.01, 0.005, 0.03, 0.04]) == pytest.approx([0.03, 0.02, 0.06, 0.06])
    assert holm([]) == [] and holm([0.7, 0.9]) == [1.0, 1.0]


def sensitivities(summary: ReportSummary, degradation: str, by: str = "all") -> dict[Subject | None, SensitivityRow]:
    return {row.subject: row for row in summary.sensitivity if (row.degradation, row.by) == (degradation, by)}


@pytest.mark.parametrize("degradation", ["haze", "night_capture", "all"])
def test_sensitivity_is_the_point_biserial_of_the_pairs(
    made: tuple[ReportSummary, list[Row]], degradation: str
) -> None:
    summary, rows = made
    conditions = {"haze": ("haze-1", "haze-3"), "night_capture": ("night_capture",), "all": CONDITIONS[1:]}[degradation]
    found = sensitivities(summary, degradation)
    assert len(found) == 3  # both models that saw the pictures, and both together
    means, pooled = [], []
    for arm in ARMS:
        pairs = [pair for condition in conditions for pair in pairs_of_conditions(rows, arm, "plain", condition)]
        before, after = ([pair[side].score or 0.0 for pair in pairs] for side in (0, 1))
        means.append((np.mean(before), np.mean(after)))
        pooled += list(zip(before, after, strict=True))
        check_sensitivity(found[Subject(run="run", arm=arm, prompt="plain")], before, after)
    check_sensitivity(found[None], *([pair[side] for pair in pooled] for side in (0, 1)))
    flags, scores = [0, 0, 1, 1], [*(one[0] for one in means), *(one[1] for one in means)]
    together = found[None]
    assert together.models is not None and together.models_paired is not None and together.subjects == 2
    assert abs(together.models) == pytest.approx(point_biserial(flags, scores))
    before_means, after_means = ([one[side] for one in means] for side in (0, 1))
    assert abs(together.models_paired) == pytest.approx(paired_point_biserial(before_means, after_means))


def check_sensitivity(row: SensitivityRow, before: list[float], after: list[float]) -> None:
    assert row.n == len(before)
    assert row.items is not None and row.items_paired is not None
    flags = [0] * len(before) + [1] * len(after)
    assert abs(row.items.estimate) == pytest.approx(point_biserial(flags, before + after))
    assert abs(row.items_paired.estimate) == pytest.approx(paired_point_biserial(before, after))
    assert np.sign(row.items.estimate) == np.sign(round(np.mean(after) - np.mean(before), 9))


def test_sensitivity_of_scores_that_never_move_is_unknown(tmp_path: Path) -> None:
    items = [item(number, condition) for number in range(6) for condition in CONDITIONS]
    summary = report_summary([write_run(tmp_path / "run", items, lambda call: "B", arms=("a", "b")).root])
    assert summary.sensitivity
    assert all(row.items is row.items_paired is row.models is row.models_paired is None for row in summary.sensitivity)


def test_curves_repeat_the_tables(made: tuple[ReportSummary, list[Row]]) -> None:
    summary, _ = made
    scores = {(row.subject, row.condition, row.by, row.category): row for row in summary.results}
    differences = {
        (row.after, row.condition_after, row.by, row.category): row.difference
        for row in summary.paired
        if row.contrast == "condition"
    }
    assert {(one.subject.arm, one.degradation, one.task) for one in summary.severity_curves} == {
        (arm, "haze", "all") for arm in ARMS
    }
    assert {one.task for one in summary.task_curves} == {"group 0", "group 1"}
    for curve in (*summary.severity_curves, *summary.task_curves):
        assert curve.subject.prompt == "plain"
        by = "all" if curve.task == "all" else "task"
        assert [point.level for point in curve.points] == ["1", "3"]
        assert curve.clean == scores[curve.subject, "clean", by, curve.task].score
        for point in curve.points:
            assert point.score == scores[curve.subject, point.condition, by, curve.task].score
            assert point.difference == differences[curve.subject, point.condition, by, curve.task]
    assert {one.condition for one in summary.mixtures} == {"night_capture"}
    assert len(summary.mixtures) == 2 * 3


def test_levels_stand_from_weak_to_strong_and_conditions_too(tmp_path: Path) -> None:
    names = ["clean", "rain-bench", "rain-2", "rain", "rain@0", "haze-5", "as_found", "fog_bank"]
    items = [item(number, name) for number, name in enumerate(names)]
    summary = report_summary([write_run(tmp_path / "run", items, lambda call: "B").root])
    assert summary.conditions == (
        "clean",
        "as_found",
        "haze-5",
        "rain",
        "rain@0",
        "rain-2",
        "rain-bench",
        "fog_bank",
        ALL_DEGRADED,
    )
    [curve] = [one for one in summary.severity_curves if one.degradation == "rain"]
    assert [point.level for point in curve.points] == ["0", "2", "bench", ""]
    assert not any(curve.degradation in ("as_found", "fog_bank") for curve in summary.severity_curves)
    assert [one.condition for one in summary.mixtures] == ["fog_bank"]


def test_a_run_without_clean_pictures_has_scores_and_no_differences(tmp_path: Path) -> None:
    items = [item(number, "as_found") for number in range(4)]
    summary = report_summary([write_run(tmp_path / "run", items, lambda call: "B").root])
    assert [row.condition for row in summary.results if row.by == "all"] == ["as_found"]
    assert summary.paired == summary.sensitivity == summary.severity_curves == ()


def test_a_run_that_has_not_begun(tmp_path: Path) -> None:
    summary = report_summary([write_run(tmp_path / "run", many_items(), lambda call: None).root])
    assert all(row.score is None and row.missing == row.n > 0 for row in summary.results)
    assert summary.paired == summary.examples == ()
    [card] = summary.runs
    assert card.calls_left == card.planned_calls and card.first_call is None
