"""The sentences at the top say what the numbers say, and how sure one can be."""

from __future__ import annotations

import pytest

from seeworthy.diagnostics.report.page.headline import headline, warnings
from seeworthy.diagnostics.report.summary import ALL, ALL_DEGRADED, PairedRow, ReportSummary, ResultRow, Subject

from .summaries import Maker, interval


def small(drop: float = -0.2, *, half: float = 0.05, wrapped: bool = False) -> ReportSummary:
    """One model, or two, with known scores: 80 % on clean pictures, and ``drop`` from there on degraded ones."""
    arms = ("nano", "robust(nano)") if wrapped else ("nano",)
    maker = Maker(arms=arms, degradations=("haze",), levels=2)
    made = maker.summary()
    estimates = {"clean": 0.8, "haze@1": 0.75, "haze@2": 0.5, ALL_DEGRADED: 0.8 + drop}

    def result(row: ResultRow) -> ResultRow:
        return row.model_copy(
            update={"score": interval(estimates[row.condition] - 0.1 * row.subject.arm.startswith("robust"))}
        )

    def pair(row: PairedRow) -> PairedRow:
        change = {"haze@1": -0.05, "haze@2": -0.3, ALL_DEGRADED: drop}.get(row.condition_after, 0.1)
        change = 0.1 if row.contrast == "arm" else change
        return row.model_copy(update={"difference": interval(change, half)})

    return made.model_copy(
        update={"results": tuple(map(result, made.results)), "paired": tuple(map(pair, made.paired))}
    )


def test_what_was_asked_and_how_much_is_there() -> None:
    first = headline(small())[0]
    # 45 items a condition, of which 2 are missing and 1 failed, under three conditions; "all degraded" adds none.
    assert first == "1 model was asked 45 questions about 9 scenes under 3 conditions: 126 of 135 replies are there."


def test_a_loss_is_told_as_a_loss() -> None:
    second = headline(small(-0.2))[1]
    assert second.startswith("On clean pictures nano scores 80.0% [75.0, 85.0], where guessing gives 25.0%")
    assert second.endswith("degraded pictures cost it 20.0 [15.0, 25.0] points.")


def test_a_gain_and_no_clear_change_are_told_as_such() -> None:
    assert headline(small(0.1))[1].endswith("degraded pictures change that by +10.0 [+5.0, +15.0] points.")
    assert headline(small(-0.02))[1].endswith("cost it 2.0 [−3.0, 7.0] points (which may be chance).")


def test_the_best_of_several_is_named() -> None:
    second = headline(small(wrapped=True))[1]
    assert "nano does best, with 80.0%" in second and "robust" not in second


def test_the_third_sentence_is_of_the_wrapped_model_where_there_is_one() -> None:
    third = headline(small(wrapped=True))[2]
    assert third == (
        "On degraded pictures wrapping nano as robust(nano) changes its score by +10.0 [+5.0, +15.0] points: "
        "23 answers came right and 7 went wrong."
    )


def test_or_else_of_the_hardest_condition() -> None:
    third = headline(small())[2]
    assert third.startswith("The largest loss is nano's under haze@2, 30.0 [25.0, 35.0] points: ")


def test_nothing_lost_is_told() -> None:
    summary = small()
    better = [row.model_copy(update={"difference": interval(0.1)}) for row in summary.paired]
    assert headline(summary.model_copy(update={"paired": tuple(better)}))[2] == "No condition lowers a score."


def test_nothing_asked_and_nothing_scored() -> None:
    assert headline(ReportSummary(runs=())) == ("Nothing was asked, so there is nothing to report.",)
    summary = small()
    bare = [row.model_copy(update={"score": None}) for row in summary.results]
    assert (
        headline(summary.model_copy(update={"results": tuple(bare), "paired": ()}))[1] == "No answer could be scored."
    )


def test_blind_answers_are_never_the_best() -> None:
    maker = Maker(arms=("nano",), prompts=("plain", "blind"), degradations=("haze",), levels=1)
    summary = maker.summary()
    rows = [
        row.model_copy(update={"score": interval(0.9 if row.subject.prompt == "blind" else 0.4)})
        for row in summary.results
    ]
    second = headline(summary.model_copy(update={"results": tuple(rows)}))[1]
    assert "nano scores 40.0%" in second


def test_bad_replies_are_pooled_with_the_right_weights() -> None:
    subject = Subject(run="r", arm="nano", prompt="plain")
    maker = Maker(arms=("nano",), runs=("r",), degradations=("haze",), levels=1)
    rows = [
        maker.result(subject, condition, "all", ALL).model_copy(update={"n": n, "missing": 0, "errors": e, **rates})
        for condition, n, e, rates in (
            ("clean", 100, 0, {"parse_failure": 0.0, "refusal": 0.0}),
            ("haze@1", 310, 10, {"parse_failure": 0.2, "refusal": 0.04}),
            (ALL_DEGRADED, 310, 10, {"parse_failure": 0.2, "refusal": 0.04}),
        )
    ]
    summary = maker.summary().model_copy(update={"results": tuple(rows), "paired": ()})
    found = " ".join(warnings(summary))
    assert "nano: 15.0% of the replies could not be read (20.0% under haze@1) and 10 calls failed." in found
    assert "refusal" not in found


@pytest.mark.parametrize("left", [0, 12])
def test_calls_without_a_reply_are_told(left: int) -> None:
    summary = small()
    runs = tuple(run.model_copy(update={"calls_left": left}) for run in summary.runs)
    found = " ".join(warnings(summary.model_copy(update={"runs": runs})))
    assert ("12 of 900 calls have no reply yet" in found) == bool(left)


def test_settings_that_differ_between_runs_are_told_at_the_top() -> None:
    summary = Maker(runs=("monday", "tuesday")).summary()
    assert "tuesday differs from monday in settings.seed." in warnings(summary)
    many = tuple(summary.differences[0].model_copy(update={"name": f"s{place}"}) for place in range(9))
    found = warnings(summary.model_copy(update={"differences": many}))
    assert "tuesday differs from monday in s0, s1, s2, s3, s4, s5 and 3 more." in found
