"""Many bootstraps at once against one at a time, and against the order in which numbers are added."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import ClusteredCells, Interval, bootstrap_cells, cluster_bootstrap
from seeworthy.diagnostics.metrics.statistics.bootstrap import Combine

RESAMPLES = 300


def mean(sums: np.ndarray) -> np.ndarray:
    return np.asarray(sums[..., 0] / sums[..., 1])


def intervals(
    cells: np.ndarray, clusters: np.ndarray, scores: np.ndarray, n_cells: int, combine: Combine = mean
) -> list[Interval | None]:
    terms = np.stack([scores, np.ones(len(scores))], axis=1)
    grouped = ClusteredCells.of(cells, clusters, terms, n_cells=n_cells)
    return bootstrap_cells(grouped, combine=combine, seed=7, resamples=RESAMPLES)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), n=st.integers(1, 60), n_cells=st.integers(1, 6), n_clusters=st.integers(1, 40))
def test_each_cell_gets_the_interval_that_it_gets_alone(seed: int, n: int, n_cells: int, n_clusters: int) -> None:
    rng = np.random.default_rng(seed)
    cells, clusters = rng.integers(0, n_cells, n), rng.integers(0, n_clusters, n)
    scores = rng.choice([0.0, 0.1, 0.3, 1.0], n)
    found = intervals(cells, clusters, scores, n_cells)
    assert len(found) == n_cells
    for cell, interval in enumerate(found):
        mine = cells == cell
        if not mine.any():
            assert interval is None
            continue
        alone = cluster_bootstrap(scores[mine], clusters[mine].tolist(), seed=7, resamples=RESAMPLES)
        assert interval is not None
        assert (interval.n_items, interval.n_clusters, interval.flags) == (
            alone.n_items,
            alone.n_clusters,
            alone.flags,
        )
        assert interval.estimate == pytest.approx(alone.estimate, abs=1e-11)
        for name in ("low", "high", "standard_error"):
            one, other = getattr(interval, name), getattr(alone, name)
            assert one == (None if other is None else pytest.approx(other, abs=2e-9))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_the_order_of_the_items_changes_no_bit_of_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 200
    cells, clusters, scores = rng.integers(0, 3, n), rng.integers(0, 35, n), rng.random(n)
    order = rng.permutation(n)
    first = intervals(cells, clusters, scores, 3)
    second = intervals(cells[order], clusters[order], scores[order], 3)
    assert [(one and (one.low, one.high)) for one in first] == [(one and (one.low, one.high)) for one in second]


def test_a_statistic_that_is_undefined_has_no_interval_and_does_not_stop_the_others() -> None:
    def skewed(sums: np.ndarray) -> np.ndarray:
        return np.where(sums[..., 0] > 0, mean(sums), np.nan)

    found = intervals(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1.0, 0.0, 0.0]), 2, skewed)
    assert found[1] is None
    assert found[0] is not None and "undefined_resamples" in found[0].flags


def test_many_clusters_in_pieces_of_memory() -> None:
    n = 5000
    scores = np.arange(n) % 2.0
    [interval] = intervals(np.zeros(n, np.intp), np.arange(n), scores, 1)
    assert interval is not None and interval.low is not None and interval.high is not None
    assert 0.5 - 0.03 < interval.low < 0.5 < interval.high < 0.5 + 0.03


def test_wrong_input_is_named() -> None:
    two = np.array([0, 1])
    with pytest.raises(DiagnosticsError, match="one cluster"):
        ClusteredCells.of(two, two[:1], np.ones((2, 2)), n_cells=2)
    with pytest.raises(DiagnosticsError, match="finite"):
        ClusteredCells.of(two, two, np.full((2, 2), np.nan), n_cells=2)
    cells = ClusteredCells.of(two, two, np.ones((2, 2)), n_cells=2)
    with pytest.raises(DiagnosticsError, match="at least 100"):
        bootstrap_cells(cells, combine=mean, seed=0, resamples=10)
