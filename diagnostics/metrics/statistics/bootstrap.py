"""Cluster bootstrap: whole scenes (or images) are drawn again, because questions on one scene share its fate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError
from .intervals import FEW_CLUSTERS, Interval, checked_confidence
from .samples import checked_sample, cluster_index

__all__ = [
    "BootstrapMethod",
    "Combine",
    "cluster_bootstrap",
    "cluster_bootstrap_sums",
    "cluster_resampled_sums",
    "resample_weights",
]

BootstrapMethod = Literal["percentile", "bca"]
Combine = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_CELLS_PER_CHUNK = 4_000_000  # resamples x clusters held at a time: 32 MB
_ROUNDING = 1e-12


def cluster_bootstrap(
    values: ArrayLike,
    clusters: Sequence[str] | Sequence[int] | None = None,
    *,
    seed: int | np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 4000,
    method: BootstrapMethod = "percentile",
) -> Interval:
    """Interval of a mean over items that come in clusters.

    The default is the percentile interval: it never leaves the range of the metric and needs no further assumption.
    ``"bca"`` corrects bias and skewness with a jackknife over clusters (Efron 1987); it is the better one for skewed
    scores, given enough clusters. With fewer than 30 clusters both are too narrow and ``few_clusters`` is flagged.

    Args:
        values: (n,) one finite score an item.
        clusters: (n,) label of the scene or image of each item; None when the items are independent.
        seed: an integer gives the same interval each time.

    >>> interval = cluster_bootstrap([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"], seed=1)
    >>> interval.estimate, interval.n_clusters, interval.flags
    (0.5, 3, ('few_clusters',))

    Raises:
        DiagnosticsError: no value, a value that is not finite, or labels that do not match.
    """
    sample = checked_sample(values, name="values")
    terms = np.column_stack([sample, np.ones_like(sample)])
    return cluster_bootstrap_sums(
        terms, clusters, combine=_ratio, seed=seed, confidence=confidence, resamples=resamples, method=method
    )


def cluster_bootstrap_sums(
    terms: ArrayLike,
    clusters: Sequence[str] | Sequence[int] | None = None,
    *,
    combine: Combine,
    seed: int | np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 4000,
    method: BootstrapMethod = "percentile",
) -> Interval:
    """Interval of any statistic that is a function of sums over the items: ratios, group means, kappa, correlations.

    Each resample needs only the sums of its clusters, so all resamples are one matrix product.

    Args:
        terms: (n, k) what each item adds to the k sums. A mean has ``(score, 1)``; a mean of group means has one such
            pair a group; agreement has one column a cell of the table.
        clusters: (n,) labels, or None for independent items.
        combine: maps sums (..., k) to the statistic (...), vectorised. NaN where it is undefined.
        seed: an integer gives the same interval each time.

    >>> terms = [(3.0, 2.0), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0)]
    >>> cluster_bootstrap_sums(terms, combine=lambda sums: sums[..., 0] / sums[..., 1], seed=0).estimate
    1.1428571428571428

    Raises:
        DiagnosticsError: as ``cluster_bootstrap``, or the statistic is undefined on the data itself.
    """
    level = checked_confidence(confidence)
    matrix = np.asarray(terms, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] == 0 or not np.isfinite(matrix).all():
        raise DiagnosticsError(f"terms must be finite numbers of shape (n, k) with n >= 1, got shape {matrix.shape}")
    if resamples < 100:
        raise DiagnosticsError(f"{resamples} resamples cannot place the tails of an interval; use at least 100")
    index, n_clusters = cluster_index(clusters, matrix.shape[0])
    columns = [np.bincount(index, weights=column, minlength=n_clusters).astype(np.float64) for column in matrix.T]
    sums = np.stack(columns, axis=1)
    estimate = float(combine(sums.sum(axis=0)))
    if not np.isfinite(estimate):
        raise DiagnosticsError(f"the statistic is {estimate} on the data itself, so it has no interval")
    low, high, standard_error, flags = None, None, None, ["one_cluster"]
    if n_clusters > 1:
        flags = ["few_clusters"] if n_clusters < FEW_CLUSTERS else []
        replicates = combine(_resampled_sums(sums, np.random.default_rng(seed), resamples))
        defined = replicates[np.isfinite(replicates)]
        if defined.size < resamples:
            flags.append("undefined_resamples")
        if defined.size > resamples // 2:
            tails = np.array([0.5 - level / 2, 0.5 + level / 2])
            if method == "bca":
                tails = _bca_tails(tails, estimate, defined, combine(sums.sum(axis=0) - sums))
            low, high = (float(bound) for bound in np.quantile(defined, tails))
            standard_error = float(defined.std(ddof=1))
            if np.ptp(defined) <= _ROUNDING * max(1.0, abs(estimate)):
                flags.append("no_variation")
    return Interval(
        estimate=estimate,
        low=low,
        high=high,
        standard_error=standard_error,
        confidence=level,
        n_items=matrix.shape[0],
        n_clusters=n_clusters,
        method=f"cluster bootstrap, {method}, {resamples} resamples",
        flags=tuple(flags),
    )


def cluster_resampled_sums(
    terms: ArrayLike,
    clusters: Sequence[str] | Sequence[int] | None = None,
    *,
    seed: int | np.random.Generator,
    resamples: int = 2000,
) -> NDArray[np.float64]:
    """Sums over resamples of whole clusters, for statements on several statistics at once ("how often do both hold?").

    Args:
        terms: (n, k) what each item adds to the k sums.
        clusters: (n,) labels, or None for independent items.
        seed: an integer gives the same resamples each time.

    Returns:
        (resamples, k) sums over as many clusters as there are, drawn with replacement.

    >>> cluster_resampled_sums([[1.0], [1.0]], seed=0, resamples=3).tolist()
    [[2.0], [2.0], [2.0]]

    Raises:
        DiagnosticsError: no item, a term that is not finite, or labels that do not match.
    """
    matrix = np.asarray(terms, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] == 0 or not np.isfinite(matrix).all():
        raise DiagnosticsError(f"terms must be finite numbers of shape (n, k) with n >= 1, got shape {matrix.shape}")
    index, n_clusters = cluster_index(clusters, matrix.shape[0])
    columns = [np.bincount(index, weights=column, minlength=n_clusters).astype(np.float64) for column in matrix.T]
    return _resampled_sums(np.stack(columns, axis=1), np.random.default_rng(seed), resamples)


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    ratio: NDArray[np.float64] = sums[..., 0] / sums[..., 1]
    return ratio


def _resampled_sums(sums: NDArray[np.float64], generator: np.random.Generator, resamples: int) -> NDArray[np.float64]:
    """(resamples, k): sums over as many clusters as there are, drawn with replacement."""
    return np.concatenate([weights @ sums for weights in resample_weights(sums.shape[0], generator, resamples)])


def resample_weights(n_clusters: int, seed: int | np.random.Generator, resamples: int) -> Iterator[NDArray[np.float64]]:
    """How often each cluster comes in each resample, in pieces of (rows, n_clusters) that fit the memory."""
    generator = np.random.default_rng(seed)
    rows = max(1, _CELLS_PER_CHUNK // n_clusters)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = generator.integers(0, n_clusters, size=(count, n_clusters))
        cells = drawn + n_clusters * np.arange(count)[:, None]
        weights = np.bincount(cells.ravel(), minlength=count * n_clusters).reshape(count, n_clusters)
        yield weights.astype(np.float64)


def _bca_tails(
    tails: NDArray[np.float64],
    estimate: float,
    replicates: NDArray[np.float64],
    jackknife: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Percentiles moved for bias and acceleration (Efron 1987)."""
    from scipy.special import ndtr, ndtri

    left_out = jackknife[np.isfinite(jackknife)]
    below = np.mean(replicates < estimate) + 0.5 * np.mean(replicates == estimate)
    smallest = 0.5 / replicates.size
    bias = ndtri(np.clip(below, smallest, 1 - smallest))
    deviation = left_out.mean() - left_out
    spread = np.sum(deviation**2) ** 1.5
    acceleration = np.sum(deviation**3) / (6 * spread) if spread > 0 else 0.0
    shifted = bias + ndtri(tails)
    moved: NDArray[np.float64] = ndtr(bias + shifted / (1 - acceleration * shifted))
    return np.clip(moved, 0.0, 1.0)
