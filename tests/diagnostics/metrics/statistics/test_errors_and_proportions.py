import numpy as np
import pytest
import scipy.stats
import statsmodels.regression.linear_model as sm
from statsmodels.stats.proportion import proportion_confint

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import standard_error, wilson_interval


def test_independent_items_give_the_familiar_error() -> None:
    sample = np.random.default_rng(0).random(37)
    assert standard_error(sample) == pytest.approx(scipy.stats.sem(sample), rel=1e-12)


def test_clusters_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 9, size=100)
    sample = rng.random(100) + 0.3 * labels
    model = sm.OLS(sample, np.ones(100))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": labels, "use_correction": True})
    assert standard_error(sample, labels.tolist()) == pytest.approx(float(fitted.bse[0]), rel=1e-10)
    assert standard_error(sample, labels.tolist()) > 3 * (standard_error(sample) or 0)


def test_fewer_than_two_clusters_have_no_error() -> None:
    assert standard_error([0.5]) is None
    assert standard_error([0.5, 0.6, 0.7], ["a", "a", "a"]) is None
    assert standard_error([0.5, 0.5]) == 0.0


def test_a_value_that_is_not_finite_is_refused() -> None:
    with pytest.raises(DiagnosticsError, match="leave those items out"):
        standard_error([1.0, np.inf])


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (1, 5), (16, 20), (500, 1000), (1, 1)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_wilson_agrees_with_statsmodels(successes: int, n: int, confidence: float) -> None:
    low, high = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    interval = wilson_interval(successes, n, confidence=confidence)
    assert interval.low == pytest.approx(low, abs=1e-12)
    assert interval.high == pytest.approx(high, abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_no_proportion_is_refused(successes: int, n: int) -> None:
    with pytest.raises(DiagnosticsError):
        wilson_interval(successes, n)
