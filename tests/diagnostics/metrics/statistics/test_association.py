import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import paired_point_biserial, point_biserial

from ..golden import numbers

TABLE = numbers("spacedg_table2")


@pytest.mark.parametrize("condition", TABLE["columns"][1:])
def test_sensitivities_of_the_published_table(condition: str) -> None:
    """27 models, clean against one degradation: the values worked out from SpaceDG's printed table."""
    column = TABLE["columns"].index(condition)
    clean, degraded = [row[0] for row in TABLE["rows"]], [row[column] for row in TABLE["rows"]]
    r = point_biserial([0] * 27 + [1] * 27, clean + degraded)
    assert r == pytest.approx(TABLE["sensitivity"][condition], abs=0.005)
    paired = paired_point_biserial(clean, degraded)
    assert paired is not None and r is not None
    assert paired > 1.6 * r  # every model loses: the spread between models had hidden most of it


samples = st.lists(st.tuples(st.booleans(), st.floats(-1e3, 1e3)), min_size=3, max_size=40)


@given(samples)
def test_agrees_with_scipy(pairs: list[tuple[bool, float]]) -> None:
    flags, scores = np.array([pair[0] for pair in pairs], float), np.array([pair[1] for pair in pairs])
    r = point_biserial(flags, scores)
    if flags.min() == flags.max() or scores.min() == scores.max():
        assert r is None
    elif np.ptp(scores) > 1e-6 * np.abs(scores).max():
        assert r == pytest.approx(abs(scipy.stats.pointbiserialr(flags, scores).statistic), abs=1e-9)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=40))
def test_paired_counterpart_agrees_with_the_t_test(pairs: list[tuple[int, int]]) -> None:
    before, after = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    r = paired_point_biserial(before, after)
    moved = after - before
    if not moved.any():
        assert r is None
    elif np.ptp(moved) == 0:
        assert r == pytest.approx(1.0)
    else:
        t = scipy.stats.ttest_rel(after, before).statistic
        assert r == pytest.approx(abs(t) / np.sqrt(t**2 + len(pairs) - 1), abs=1e-9)


def test_it_is_the_plain_correlation_of_centred_pairs() -> None:
    rng = np.random.default_rng(0)
    before, after = rng.random(30), rng.random(30) + 0.2
    level = (before + after) / 2
    flags = [0] * 30 + [1] * 30
    assert paired_point_biserial(before, after) == pytest.approx(
        point_biserial(flags, np.concatenate([before - level, after - level])), abs=1e-12
    )


def test_what_cannot_be_estimated_is_none() -> None:
    assert point_biserial([0, 0, 0], [1, 2, 3]) is None
    assert point_biserial([0, 1, 1], [2, 2, 2]) is None
    assert point_biserial([1], [2]) is None
    assert point_biserial([0, 1, 1], [0.3, 0.1 + 0.2, 0.3]) is None
    assert paired_point_biserial([0.3, 0.5], [0.1 + 0.2, 0.5]) is None
    assert paired_point_biserial([1.0], [2.0]) is None
    assert paired_point_biserial([1.0, 3.0], [1.0, 3.0]) is None


@pytest.mark.parametrize(
    ("flags", "scores"), [([0, 1], [1.0]), ([0, 2], [1.0, 2.0]), ([], []), ([0, 1], [1.0, float("nan")])]
)
def test_broken_input_is_refused(flags: list[float], scores: list[float]) -> None:
    with pytest.raises(DiagnosticsError):
        point_biserial(flags, scores)
