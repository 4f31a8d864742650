"""The cluster bootstrap of many groups at once: a table of thousands of means costs a few matrix products.

Groups with equally many clusters share their resamples, for each is drawn from the same seed. So each interval is the
one that `cluster_bootstrap` gives for the group alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DiagnosticsError
from .bootstrap import Combine, resample_weights
from .intervals import FEW_CLUSTERS, Interval, checked_confidence

__all__ = ["ClusteredCells", "bootstrap_cells"]

_STEP = 2.0**32
"""Terms are rounded to multiples of its inverse, so that sums of fewer than two million of them are exact, and the
same in whatever order a processor adds them up."""
_DECIMALS = 9
_ROUNDING = 1e-9
_COLUMNS_AT_ONCE = 4096


@dataclass(frozen=True)
class ClusteredCells:
    """Sums over the items of groups ("cells"), kept apart by cluster.

    Attributes:
        sums: (rows, k) sums of the terms; one row for each cluster of each cell.
        starts: (cells + 1,) where the rows of each cell begin; its clusters come in the order of their numbers.
        totals: (cells, k) sums over all items of a cell.
        n_items: (cells,) items.
    """

    sums: NDArray[np.float64]
    starts: NDArray[np.intp]
    totals: NDArray[np.float64]
    n_items: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        cells: NDArray[np.intp],
        clusters: NDArray[np.intp],
        terms: NDArray[np.float64],
        *,
        n_cells: int,
    ) -> ClusteredCells:
        """Adds up.

        Args:
            cells: (n,) number of the cell of each item; an item that belongs to several comes several times.
            clusters: (n,) number of the cluster of each item.
            terms: (n, k) finite numbers that each item adds to the k sums.
            n_cells: how many cells there are; some may be empty.

        Raises:
            DiagnosticsError: the lengths differ, or a term is not finite.
        """
        if not len(cells) == len(clusters) == len(terms) or not np.isfinite(terms).all():
            raise DiagnosticsError(
                f"cells need one cell, one cluster and finite terms an item, got {len(cells)}, {len(clusters)} and "
                f"{terms.shape}"
            )
        n_clusters = int(clusters.max()) + 1 if len(clusters) else 1
        pairs, row = np.unique(cells * n_clusters + clusters, return_inverse=True)
        columns = [np.bincount(row, weights=term, minlength=len(pairs)) for term in terms.T]
        totals = [np.bincount(cells, weights=term, minlength=n_cells) for term in terms.T]
        return cls(
            sums=np.stack(columns, axis=1).astype(np.float64),
            starts=np.searchsorted(pairs // n_clusters, np.arange(n_cells + 1)),
            totals=np.stack(totals, axis=1).astype(np.float64),
            n_items=np.bincount(cells, minlength=n_cells),
        )


class _Spread(NamedTuple):
    """Of a cell's replicates: how many are defined, and what they tell where enough are."""

    defined: int
    low: float | None
    high: float | None
    standard_error: float | None
    range: float | None


def bootstrap_cells(
    cells: ClusteredCells,
    *,
    combine: Combine,
    seed: int,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> list[Interval | None]:
    """Percentile intervals of a statistic in every cell, by a bootstrap over clusters; bounds have nine decimals.

    Range: that of the statistic.

    Args:
        combine: maps sums (..., k) to the statistic (...), vectorised. NaN where it is undefined.
        seed: of the resamples; the same for every cell.

    Returns:
        One a cell; None where there is no item, or the statistic is undefined on all of them.

    >>> cells = ClusteredCells.of(
    ...     np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([[1.0, 1], [0, 1], [1, 1]]), n_cells=3
    ... )
    >>> found = bootstrap_cells(cells, combine=lambda sums: sums[..., 0] / sums[..., 1], seed=0)
    >>> [one and one.estimate for one in found], found[0].flags, found[1].flags
    ([0.5, 1.0, None], ('few_clusters',), ('one_cluster',))

    Raises:
        DiagnosticsError: too few resamples, or a confidence that is none.
    """
    level = checked_confidence(confidence)
    if resamples < 100:
        raise DiagnosticsError(f"{resamples} resamples cannot place the tails of an interval; use at least 100")
    sizes = np.diff(cells.starts)
    estimates = _quietly(combine, cells.totals)
    found: list[Interval | None] = [None] * len(sizes)
    by_size: dict[int, list[int]] = defaultdict(list)
    for cell in np.flatnonzero(np.isfinite(estimates) & (sizes > 0)).tolist():
        by_size[int(sizes[cell])].append(cell)
    tails = np.array([0.5 - level / 2, 0.5 + level / 2])
    exact = np.round(cells.sums * _STEP) / _STEP
    k = cells.sums.shape[1]
    for size, members in sorted(by_size.items()):
        for start in range(0, len(members), max(1, _COLUMNS_AT_ONCE // k)):
            some = members[start : start + max(1, _COLUMNS_AT_ONCE // k)]
            spreads: Sequence[_Spread | None] = [None] * len(some)
            if size > 1:
                blocks = [exact[cells.starts[cell] : cells.starts[cell + 1]] for cell in some]
                sums = _resampled(np.concatenate(blocks, axis=1), seed, resamples)
                spreads = _spreads(_quietly(combine, sums.reshape(resamples, len(some), k)), tails)
            for cell, spread in zip(some, spreads, strict=True):
                found[cell] = _interval(
                    float(estimates[cell]), spread, level, int(cells.n_items[cell]), size, resamples
                )
    return found


def _resampled(sums: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    weights = resample_weights(sums.shape[0], seed, resamples)
    return np.concatenate([some @ sums for some in weights])


def _quietly(combine: Combine, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cells without items divide by zero; they are told by the NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(combine(sums), dtype=np.float64)


def _spreads(replicates: NDArray[np.float64], tails: NDArray[np.float64]) -> list[_Spread]:
    """Of (resamples, cells) replicates, some of which may be undefined."""
    whole = np.isfinite(replicates).all(axis=0)
    spreads: dict[int, _Spread] = {}
    defined = replicates[:, whole]
    if defined.size:
        low, high = np.quantile(defined, tails, axis=0)
        errors, ranges = defined.std(axis=0, ddof=1), np.ptp(defined, axis=0)
        for place, *values in zip(np.flatnonzero(whole).tolist(), low, high, errors, ranges, strict=True):
            spreads[place] = _Spread(len(replicates), *map(float, values))
    for place in np.flatnonzero(~whole).tolist():
        some = replicates[np.isfinite(replicates[:, place]), place]
        if some.size > len(replicates) // 2:
            low, high = np.quantile(some, tails)
            spreads[place] = _Spread(some.size, float(low), float(high), float(some.std(ddof=1)), float(np.ptp(some)))
        else:
            spreads[place] = _Spread(some.size, None, None, None, None)
    return [spreads[place] for place in range(replicates.shape[1])]


def _interval(
    estimate: float, spread: _Spread | None, level: float, n_items: int, n_clusters: int, resamples: int
) -> Interval:
    flags = ["one_cluster"]
    if spread is not None:
        flags = ["few_clusters"] if n_clusters < FEW_CLUSTERS else []
        if spread.defined < resamples:
            flags.append("undefined_resamples")
        if spread.range is not None and spread.range <= _ROUNDING * max(1.0, abs(estimate)):
            flags.append("no_variation")
    return Interval(
        estimate=round(estimate, _DECIMALS + 3),
        low=_rounded(spread and spread.low),
        high=_rounded(spread and spread.high),
        standard_error=_rounded(spread and spread.standard_error),
        confidence=level,
        n_items=n_items,
        n_clusters=n_clusters,
        method=f"cluster bootstrap, percentile, {resamples} resamples",
        flags=tuple(flags),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)
