import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import count_flips, mcnemar_exact, paired_difference


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_agrees_with_the_binomial_test(gained: int, lost: int) -> None:
    p = mcnemar_exact(gained, lost)
    assert p == mcnemar_exact(lost, gained)
    if gained + lost:
        assert p == pytest.approx(scipy.stats.binomtest(gained, gained + lost).pvalue, rel=1e-9)
    else:
        assert p == 1.0


@pytest.mark.parametrize(("gained", "lost"), [(0, 1), (10, 2), (2, 10), (40, 40), (1000, 800)])
def test_mcnemar_agrees_with_statsmodels(gained: int, lost: int) -> None:
    expected = mcnemar([[5, lost], [gained, 7]], exact=True).pvalue
    assert mcnemar_exact(gained, lost) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(DiagnosticsError):
        mcnemar_exact(-1, 2)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_flips_partition_the_items(pairs: list[tuple[bool, bool]]) -> None:
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    flips, back = count_flips(before, after), count_flips(after, before)
    assert flips.both_right + flips.both_wrong + flips.gained + flips.lost == len(pairs)
    assert (flips.gained, flips.lost) == (back.lost, back.gained)
    assert flips.gained - flips.lost == sum(after) - sum(before)


def test_flip_rates_have_their_own_denominators() -> None:
    flips = count_flips([1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 0])
    assert (flips.loss_rate, flips.gain_rate) == (0.25, 0.5)
    assert count_flips([1, 1], [1, 0]).gain_rate is None
    assert count_flips([0, 0], [1, 0]).loss_rate is None


def test_flips_need_right_or_wrong() -> None:
    with pytest.raises(DiagnosticsError, match="0 or 1"):
        count_flips([0.5], [1])


def test_paired_difference_is_far_sharper_than_two_runs() -> None:
    rng = np.random.default_rng(0)
    before = rng.random(200)
    after = before + 0.05 + 0.02 * rng.normal(size=200)
    result = paired_difference(before, after, seed=0)
    interval = result.difference
    assert interval.low is not None and interval.high is not None
    expected = scipy.stats.ttest_rel(after, before).confidence_interval(0.95)
    assert interval.low == pytest.approx(expected.low, abs=5e-4)
    assert interval.high == pytest.approx(expected.high, abs=5e-4)
    assert result.after - result.before == pytest.approx(interval.estimate)
    assert (result.flips, result.mcnemar_p) == (None, None)


def test_right_and_wrong_come_with_flips_and_a_test() -> None:
    before, after = [1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [1] * 20 + [0] * 30
    result = paired_difference(before, after, seed=0)
    assert result.flips is not None
    assert (result.flips.gained, result.flips.lost) == (20, 5)
    assert result.mcnemar_p == mcnemar_exact(20, 5)
    assert result.difference.estimate == pytest.approx(0.15)


def test_clusters_widen_the_interval() -> None:
    labels = [f"scene {index // 10}" for index in range(400)]
    rng = np.random.default_rng(1)
    shift = np.repeat(rng.normal(size=40), 10)
    before, after = np.zeros(400), shift
    alone, clustered = paired_difference(before, after, seed=0), paired_difference(before, after, labels, seed=0)
    assert alone.difference.standard_error is not None and clustered.difference.standard_error is not None
    assert clustered.difference.standard_error == pytest.approx(10**0.5 * alone.difference.standard_error, rel=0.1)


@pytest.mark.parametrize(("before", "after"), [([1, 0], [1]), ([], []), ([1, float("nan")], [1, 1])])
def test_broken_input_is_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(DiagnosticsError):
        paired_difference(before, after, seed=0)


def test_one_pair_has_a_difference_but_no_interval() -> None:
    result = paired_difference([0], [1], seed=0)
    assert result.difference.estimate == 1.0
    assert (result.difference.low, result.difference.flags) == (None, ("one_cluster",))
