"""An estimate with its uncertainty, and the interval of a plain proportion."""

from __future__ import annotations

import math
from statistics import NormalDist

from pydantic import BaseModel, ConfigDict

from ...errors import DiagnosticsError

__all__ = ["FEW_CLUSTERS", "Interval", "checked_confidence", "wilson_interval"]

FEW_CLUSTERS = 30
"""Below it the bootstrap's intervals come out too narrow (Cameron and Miller 2015 call 20 to 50 "few")."""


class Interval(BaseModel):
    """An estimate with an interval.

    Attributes:
        low, high: None when the data cannot tell (fewer than two clusters).
        standard_error: None likewise.
        flags: what a reader must know: ``one_cluster``, ``few_clusters`` (fewer than 30), ``no_variation`` (every
            resample gave the same value, so the width of 0 is no evidence), ``undefined_resamples`` (the statistic
            could not be computed on some of them).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    estimate: float
    low: float | None
    high: float | None
    standard_error: float | None
    confidence: float
    n_items: int
    n_clusters: int
    method: str
    flags: tuple[str, ...] = ()


def wilson_interval(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion of independent items.

    Unlike a bootstrap it stays open for 0 of n and n of n, so it is the one to show there.

    Source: Wilson 1927.

    >>> interval = wilson_interval(20, 20)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.839, 1.0)

    Raises:
        DiagnosticsError: n is not positive, or the successes lie outside 0 to n.
    """
    level = checked_confidence(confidence)
    if n < 1 or not 0 <= successes <= n:
        raise DiagnosticsError(f"wilson_interval: {successes} of {n} is no proportion; n must be at least 1")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(
        estimate=share,
        low=max(0.0, centre - half),
        high=min(1.0, centre + half),
        standard_error=math.sqrt(share * (1 - share) / n),
        confidence=level,
        n_items=n,
        n_clusters=n,
        method="wilson",
    )


def checked_confidence(confidence: float) -> float:
    """``confidence``, strictly between 0 and 1.

    Raises:
        DiagnosticsError: it is not; 95 % is written 0.95.
    """
    if not 0 < confidence < 1:
        raise DiagnosticsError(f"confidence must lie between 0 and 1, got {confidence}; 95 % is 0.95")
    return float(confidence)
