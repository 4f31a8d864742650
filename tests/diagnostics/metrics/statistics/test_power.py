import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import power_proportions_2indep

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import (
    design_effect,
    detectable_difference,
    items_for_flips,
    items_for_paired_difference,
    items_per_group,
    mcnemar_exact,
)


@pytest.mark.parametrize("difference", [0.02, 0.05, -0.1])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_paired_scores_agree_with_statsmodels(difference: float, power: float) -> None:
    expected = NormalIndPower().solve_power(effect_size=abs(difference) / 0.4, alpha=0.05, power=power, ratio=0)
    n = items_for_paired_difference(difference, standard_deviation=0.4, power=power)
    assert n == int(np.ceil(expected - 1e-6))
    assert detectable_difference(n, standard_deviation=0.4, power=power) <= abs(difference)
    assert detectable_difference(n - 1, standard_deviation=0.4, power=power) > abs(difference)


@pytest.mark.parametrize(("difference", "baseline"), [(0.05, 0.6), (-0.05, 0.6), (0.1, 0.25), (0.02, 0.9)])
def test_separate_groups_agree_with_statsmodels(difference: float, baseline: float) -> None:
    n = items_per_group(difference, baseline=baseline)
    reached = power_proportions_2indep(difference, baseline, n, alternative="two-sided", return_results=False)
    short = power_proportions_2indep(difference, baseline, n - 1, alternative="two-sided", return_results=False)
    assert reached >= 0.8 - 1e-6
    assert short < 0.8 + 1e-4


def test_flips_give_the_power_that_they_promise() -> None:
    """Simulated: McNemar's exact test is a little conservative, so it stays somewhat below the promise."""
    n = items_for_flips(0.08, flip_share=0.25)
    rng = np.random.default_rng(0)
    gain, loss = (0.25 + 0.08) / 2, (0.25 - 0.08) / 2
    draws = rng.multinomial(n, [gain, loss, 1 - gain - loss], size=2000)
    found = np.mean([mcnemar_exact(int(gained), int(lost)) < 0.05 for gained, lost, _ in draws])
    assert 0.74 <= found <= 0.83


def test_pairing_pays() -> None:
    assert items_for_flips(0.05, flip_share=0.2) < 0.5 * items_per_group(0.05, baseline=0.6)
    assert items_for_flips(0.05, flip_share=0.1) < items_for_flips(0.05, flip_share=0.2)


def test_one_sided_flips_are_the_easiest() -> None:
    z_alpha = scipy.stats.norm.ppf(0.975)
    z_power = scipy.stats.norm.ppf(0.8)
    expected = (z_alpha * 0.1**0.5 + z_power * (0.1 - 0.01) ** 0.5) ** 2 / 0.01
    assert items_for_flips(0.1, flip_share=0.1) == int(np.ceil(expected))


def test_design_effect() -> None:
    assert design_effect(1, intracluster_correlation=0.9) == 1.0
    assert design_effect(10, intracluster_correlation=1.0) == 10.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: items_for_paired_difference(0.0, standard_deviation=0.5),
        lambda: items_for_paired_difference(5, standard_deviation=0.5),
        lambda: items_for_paired_difference(0.05, standard_deviation=-1),
        lambda: items_for_paired_difference(0.05, standard_deviation=0.5, power=80),
        lambda: items_for_flips(0.1, flip_share=0.05),
        lambda: items_for_flips(0.1, flip_share=1.5),
        lambda: items_per_group(0.2, baseline=0.9),
        lambda: items_per_group(0.1, baseline=0.5, alpha=0),
        lambda: detectable_difference(1, standard_deviation=0.5),
        lambda: design_effect(0.5, intracluster_correlation=0.1),
        lambda: design_effect(5, intracluster_correlation=-0.1),
    ],
)
def test_nonsense_is_refused(call: object) -> None:
    assert callable(call)
    with pytest.raises(DiagnosticsError):
        call()
