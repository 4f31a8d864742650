"""The same items under two conditions: difference with interval, flips both ways, exact McNemar test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict

from ...errors import DiagnosticsError
from .bootstrap import BootstrapMethod, cluster_bootstrap
from .intervals import Interval
from .samples import checked_pair

__all__ = ["Flips", "PairedDifference", "count_flips", "mcnemar_exact", "paired_difference"]


class Flips(BaseModel):
    """How right and wrong answers moved between two conditions; the four counts add up to the items.

    Attributes:
        gained: wrong before, right after.
        lost: right before, wrong after.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    both_right: int
    both_wrong: int
    gained: int
    lost: int

    @property
    def gain_rate(self) -> float | None:
        """Share of the wrong answers that became right; None if none was wrong. Range: [0, 1]; higher is better."""
        wrong = self.gained + self.both_wrong
        return self.gained / wrong if wrong else None

    @property
    def loss_rate(self) -> float | None:
        """Share of the right answers that became wrong; None if none was right. Range: [0, 1]; lower is better."""
        right = self.lost + self.both_right
        return self.lost / right if right else None


class PairedDifference(BaseModel):
    """``after - before`` over the same items.

    Attributes:
        flips, mcnemar_p: None unless all scores are 0 or 1. The p-value takes the items as independent; when they come
            in clusters, trust the interval of ``difference`` instead.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: float
    after: float
    difference: Interval
    flips: Flips | None
    mcnemar_p: float | None


def paired_difference(
    before: ArrayLike,
    after: ArrayLike,
    clusters: Sequence[str] | Sequence[int] | None = None,
    *,
    seed: int | np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 4000,
    method: BootstrapMethod = "percentile",
) -> PairedDifference:
    """Mean difference of two conditions on the same items, with a cluster bootstrap interval.

    Range: [-1, 1] for scores in [0, 1]; higher is better for ``after``.

    Args:
        before, after: (n,) scores of the same items in the same order.
        clusters: (n,) label of the scene or image of each item; None when the items are independent.
        seed: an integer gives the same interval each time.

    >>> result = paired_difference([1, 0, 0, 1], [1, 1, 1, 0], seed=0)
    >>> result.difference.estimate, result.flips.gained, result.flips.lost, result.mcnemar_p
    (0.25, 2, 1, 1.0)

    Raises:
        DiagnosticsError: lengths differ, there is no item, or a score is not finite.
    """
    first, second = checked_pair(before, after)
    difference = cluster_bootstrap(
        second - first, clusters, seed=seed, confidence=confidence, resamples=resamples, method=method
    )
    binary = bool(np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all())
    flips = count_flips(first, second) if binary else None
    return PairedDifference(
        before=float(first.mean()),
        after=float(second.mean()),
        difference=difference,
        flips=flips,
        mcnemar_p=None if flips is None else mcnemar_exact(flips.gained, flips.lost),
    )


def count_flips(before: ArrayLike, after: ArrayLike) -> Flips:
    """The two-by-two table of right and wrong before and after.

    >>> count_flips([1, 1, 0, 0, 0], [1, 0, 1, 1, 0])
    Flips(both_right=1, both_wrong=1, gained=2, lost=1)

    Raises:
        DiagnosticsError: lengths differ, there is no item, or a score is neither 0 nor 1.
    """
    first, second = checked_pair(before, after)
    if not (np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all()):
        raise DiagnosticsError("flips need scores of 0 or 1; for graded scores look at the paired difference")
    was_right, is_right = first == 1, second == 1
    return Flips(
        both_right=int(np.sum(was_right & is_right)),
        both_wrong=int(np.sum(~was_right & ~is_right)),
        gained=int(np.sum(~was_right & is_right)),
        lost=int(np.sum(was_right & ~is_right)),
    )


def mcnemar_exact(gained: int, lost: int) -> float:
    """Two-sided p-value of McNemar's exact test: could this many flips each way be a fair coin?

    Range: (0, 1]; smaller speaks more strongly against "no effect". It is 1 when nothing flipped.

    Source: McNemar 1947 in its binomial form. The items must be independent.

    >>> mcnemar_exact(9, 1)
    0.021484375

    Raises:
        DiagnosticsError: a count is negative.
    """
    if gained < 0 or lost < 0:
        raise DiagnosticsError(f"mcnemar_exact: counts cannot be negative, got {gained} and {lost}")
    from scipy.special import bdtr

    n = gained + lost
    return min(1.0, 2 * float(bdtr(min(gained, lost), n, 0.5))) if n else 1.0
