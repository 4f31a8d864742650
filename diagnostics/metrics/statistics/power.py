"""How many items it takes to see a difference, before any call is paid for.

All numbers are normal approximations; with clusters, multiply by ``design_effect``.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from ...errors import DiagnosticsError

__all__ = [
    "design_effect",
    "detectable_difference",
    "items_for_flips",
    "items_for_paired_difference",
    "items_per_group",
]


def items_for_paired_difference(
    difference: float, *, standard_deviation: float, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Items, each seen under both conditions, needed to detect a mean difference of graded scores.

    ``n = ((z_{1-α/2} + z_power) σ / δ)²``; Miller 2024, "Adding error bars to evals".

    Args:
        difference: as a share, so 5 points are 0.05. The sign does not matter.
        standard_deviation: of the differences of single items.

    >>> items_for_paired_difference(0.05, standard_deviation=0.5)
    785

    Raises:
        DiagnosticsError: the difference is 0, the deviation negative, or a probability lies outside (0, 1).
    """
    delta = _checked_difference(difference)
    if not 0 <= standard_deviation < math.inf:
        raise DiagnosticsError(f"standard_deviation must be finite and not negative, got {standard_deviation}")
    z_alpha, z_power = _quantiles(power, alpha)
    return max(2, math.ceil(((z_alpha + z_power) * standard_deviation / delta) ** 2))


def detectable_difference(n: int, *, standard_deviation: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest mean difference that n paired items can detect: the inverse of ``items_for_paired_difference``.

    >>> round(detectable_difference(785, standard_deviation=0.5), 4)
    0.05

    Raises:
        DiagnosticsError: fewer than two items, a negative deviation, or a probability outside (0, 1).
    """
    if n < 2 or not 0 <= standard_deviation < math.inf:
        raise DiagnosticsError(f"needs at least two items and a deviation >= 0, got {n} and {standard_deviation}")
    z_alpha, z_power = _quantiles(power, alpha)
    return (z_alpha + z_power) * standard_deviation / math.sqrt(n)


def items_for_flips(difference: float, *, flip_share: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Items needed for McNemar's test to detect a difference of right answers.

    ``n = (z_{1-α/2} sqrt(ψ) + z_power sqrt(ψ - δ²))² / δ²``; Connor 1987.

    Args:
        difference: accuracy after minus before as a share, so 5 points are 0.05. The sign does not matter.
        flip_share: ψ, the share of items that flip either way, at least the difference.

    >>> items_for_flips(0.05, flip_share=0.2)
    626

    Raises:
        DiagnosticsError: the difference is 0 or larger than the flip share, or a probability lies outside (0, 1).
    """
    delta = _checked_difference(difference)
    if not delta <= flip_share <= 1:
        raise DiagnosticsError(
            f"flip_share is {flip_share}, but a difference of {delta} needs at least that share of flips, and at most 1"
        )
    z_alpha, z_power = _quantiles(power, alpha)
    spread = z_alpha * math.sqrt(flip_share) + z_power * math.sqrt(flip_share - delta**2)
    return max(2, math.ceil((spread / delta) ** 2))


def items_per_group(difference: float, *, baseline: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Items in each of two separate groups needed to detect a difference of two accuracies.

    Pairing the items needs far fewer; this is what a comparison of two runs on different items costs.
    ``n = (z_{1-α/2} sqrt(2 p̄ q̄) + z_power sqrt(p₁q₁ + p₂q₂))² / δ²``; Fleiss, Levin and Paik 2003, chapter 4.

    Args:
        difference: as a share, so 5 points are 0.05; the sign says on which side of the baseline.
        baseline: accuracy of the first group.

    >>> items_per_group(0.05, baseline=0.6)
    1471

    Raises:
        DiagnosticsError: the difference is 0, an accuracy lies outside [0, 1], or a probability outside (0, 1).
    """
    delta = _checked_difference(difference)
    other = baseline + difference
    if not (0 <= baseline <= 1 and 0 <= other <= 1):
        raise DiagnosticsError(f"the accuracies {baseline} and {other} must both lie in [0, 1]")
    z_alpha, z_power = _quantiles(power, alpha)
    pooled = (baseline + other) / 2
    spread = z_alpha * math.sqrt(2 * pooled * (1 - pooled)) + z_power * math.sqrt(
        baseline * (1 - baseline) + other * (1 - other)
    )
    return max(2, math.ceil((spread / delta) ** 2))


def design_effect(items_per_cluster: float, *, intracluster_correlation: float) -> float:
    """By how much dependence inside clusters raises the number of items: ``1 + (m - 1) ρ`` (Kish 1965).

    >>> design_effect(13, intracluster_correlation=0.1)
    2.2

    Raises:
        DiagnosticsError: fewer than one item a cluster, or a correlation outside [0, 1].
    """
    if items_per_cluster < 1 or not 0 <= intracluster_correlation <= 1:
        raise DiagnosticsError(
            "design_effect needs items_per_cluster >= 1 and a correlation in [0, 1], got "
            f"{items_per_cluster} and {intracluster_correlation}"
        )
    return 1 + (items_per_cluster - 1) * intracluster_correlation


def _quantiles(power: float, alpha: float) -> tuple[float, float]:
    if not (0 < power < 1 and 0 < alpha < 1):
        raise DiagnosticsError(f"power and alpha must lie between 0 and 1, got {power} and {alpha}; 80 % is 0.8")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(power)


def _checked_difference(difference: float) -> float:
    if difference == 0 or not math.isfinite(difference) or abs(difference) > 1:
        raise DiagnosticsError(
            f"the difference is {difference}; give it as a share between 0 and 1, so 5 points are 0.05"
        )
    return abs(float(difference))
