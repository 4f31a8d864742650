from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import ERROR_STATUS, REPLY_STATUSES, accuracy, score_rates


def test_an_error_is_out_of_the_denominator_and_bounds_the_accuracy() -> None:
    rates = score_rates(["ok"] * 19 + ["error"], [1.0] * 16 + [0.0] * 3 + [None])
    assert (rates.n, rates.scored, rates.errors) == (20, 19, 1)
    assert rates.accuracy == pytest.approx(16 / 19)
    assert (rates.accuracy_low, rates.accuracy_high) == (0.80, 0.85)
    assert rates.describe() == "19 scored, 1 error; accuracy 0.84, bounds 0.80–0.85"


def test_a_model_that_never_answers_scores_zero_each_time() -> None:
    statuses, chance = ["no_answer"] * 400, [0.25] * 400
    first, second = (score_rates(statuses, [None] * 400, chance_levels=chance) for _ in range(2))
    assert first == second
    assert first.accuracy == 0.0
    assert (first.ok, first.scored, first.parse_rate) == (0, 400, 0.0)
    assert first.chance == 0.25
    assert first.chance_adjusted == pytest.approx(-1 / 3)
    assert first.accuracy_when_answered is None


def test_every_status_is_counted_on_its_own() -> None:
    statuses = ["ok"] * 4 + ["no_answer", "ambiguous", "invalid", "refusal", "refusal", "truncated", "error", "error"]
    rates = score_rates(statuses, [1, 1, 0.5, 0] + [None] * 8)
    assert (rates.no_answer, rates.ambiguous, rates.invalid) == (1, 1, 1)
    assert rates.accuracy == 0.25
    assert rates.accuracy_when_answered == 0.625
    assert rates.parse_failure_rate == 0.3
    assert rates.refusal_rate == 0.2
    assert rates.truncation_rate == 0.1
    assert rates.describe() == (
        "10 scored, 1 no answer, 1 ambiguous, 1 invalid, 2 refusal, 1 truncated, 2 errors; "
        "accuracy 0.25, bounds 0.21–0.38"
    )


def test_only_ok_items_score() -> None:
    assert score_rates(["refusal", "truncated", "error"], [1.0, 1.0, 1.0]).accuracy == 0.0


def test_an_enum_with_these_values_will_do() -> None:
    class Status(StrEnum):
        OK = "ok"
        REFUSAL = "refusal"

    assert score_rates([Status.OK, Status.REFUSAL], [1.0, None]).accuracy == 0.5


def test_rates_alone_need_no_scores() -> None:
    rates = score_rates(["ok", "refusal", "error"], chance_levels=[0.5, 0.5, 0.5])
    assert (rates.parse_rate, rates.refusal_rate, rates.chance) == (0.5, 0.5, 0.5)
    assert (rates.accuracy, rates.accuracy_low, rates.accuracy_high, rates.chance_adjusted) == (None,) * 4
    assert rates.describe() == "2 scored, 1 refusal, 1 error"


def test_nothing_at_all_and_nothing_but_errors() -> None:
    empty = score_rates([], [])
    assert (empty.n, empty.accuracy, empty.parse_rate, empty.describe()) == (0, None, None, "0 scored")
    broken = score_rates(["error"] * 3, [None] * 3, chance_levels=[0.5] * 3)
    assert (broken.accuracy, broken.accuracy_low, broken.accuracy_high) == (None, 0.0, 1.0)
    assert (broken.chance, broken.refusal_rate, broken.describe()) == (None, None, "0 scored, 3 errors")


@given(st.lists(st.tuples(st.sampled_from([*REPLY_STATUSES, ERROR_STATUS]), st.floats(0, 1))))
def test_counts_add_up_and_bounds_hold(items: list[tuple[str, float]]) -> None:
    rates = score_rates([status for status, _ in items], [score for _, score in items])
    assert sum(getattr(rates, status) for status in REPLY_STATUSES) == rates.scored
    assert rates.scored + rates.errors == rates.n == len(items)
    if rates.accuracy is not None and rates.accuracy_low is not None and rates.accuracy_high is not None:
        assert rates.accuracy_low - 1e-12 <= rates.accuracy <= rates.accuracy_high + 1e-12
        assert rates.accuracy_high - rates.accuracy_low == pytest.approx(rates.errors / rates.n)


@pytest.mark.parametrize(
    ("statuses", "scores", "message"),
    [
        (["ok"], [], "0 scores for 1 statuses"),
        (["fine"], [1.0], "unknown statuses"),
        (["ok"], [None], "needs a score"),
        (["ok"], [float("nan")], "needs a score"),
        (["ok"], [1.5], "needs a score"),
    ],
)
def test_broken_input_is_refused(statuses: list[str], scores: list[float | None], message: str) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        score_rates(statuses, scores)


def test_a_chance_level_is_a_share() -> None:
    with pytest.raises(DiagnosticsError, match=r"0\.25"):
        score_rates(["ok"], [1.0], chance_levels=[25])


def test_plain_accuracy() -> None:
    assert accuracy([1, 0, 0.5, True]) == 0.625
    for broken in ([], [2.0], [float("nan")]):
        with pytest.raises(DiagnosticsError):
            accuracy(broken)
