"""Which pictures stay when there are too many."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions.suites.crisp.selection import (
    balanced_pictures,
    bucket_of,
    shared_evenly,
)

Counts = st.lists(st.integers(0, 14), max_size=200)


def buckets(counts: list[int], kept: list[int]) -> Counter[str | None]:
    return Counter(bucket_of(counts[place]) for place in kept)


def test_few_pictures_all_stay_but_for_sparse_ones_beyond_half_of_the_common() -> None:
    counts = [2] * 10 + [5] * 8 + [10] * 3 + [1, 13]
    kept = balanced_pictures(counts, rng=np.random.default_rng(0))
    assert buckets(counts, kept) == {"sparse": 4, "common": 8, "dense": 3}


def test_only_dense_pictures_are_cut_to_their_share_by_the_published_rule() -> None:
    counts = [9] * 700
    assert len(balanced_pictures(counts, rng=np.random.default_rng(0), published=True)) == 240
    assert len(balanced_pictures(counts, rng=np.random.default_rng(0))) == 600


def test_the_published_shares() -> None:
    counts = [2, 3] * 400 + [4, 5, 6, 7, 8] * 200 + [9, 10, 11, 12] * 200
    for published in (True, False):
        kept = balanced_pictures(counts, rng=np.random.default_rng(0), published=published)
        assert buckets(counts, kept) == {"sparse": 120, "common": 240, "dense": 240}
        assert Counter(counts[place] for place in kept) == {
            **dict.fromkeys((2, 3), 60),
            **dict.fromkeys(range(4, 9), 48),
            **dict.fromkeys(range(9, 13), 60),
        }


@given(Counts, st.integers(1, 100), st.booleans(), st.integers(0, 3))
def test_what_holds_for_any_pictures(counts: list[int], most: int, published: bool, seed: int) -> None:
    kept = balanced_pictures(counts, most=most, rng=np.random.default_rng(seed), published=published)
    assert kept == sorted(set(kept))
    assert len(kept) <= most
    assert all(bucket_of(counts[place]) for place in kept)
    again = balanced_pictures(counts, most=most, rng=np.random.default_rng(seed), published=published)
    assert kept == again
    rule = balanced_pictures(counts, most=most, rng=np.random.default_rng(seed), published=True)
    assert len(rule) <= len(balanced_pictures(counts, most=most, rng=np.random.default_rng(seed)))


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 30), max_size=8), st.integers(0, 200))
def test_even_shares(there: dict[int, int], total: int) -> None:
    taken = shared_evenly(there, total)
    assert sum(taken.values()) == min(total, sum(there.values()))
    assert all(0 <= taken[key] <= there[key] for key in there)


def test_shortages_go_to_where_most_is_left() -> None:
    assert shared_evenly({4: 2, 5: 30, 6: 20}, 30) == {4: 2, 5: 18, 6: 10}


def test_nothing_to_keep_is_an_error() -> None:
    with pytest.raises(BenchDataError, match="at least one"):
        balanced_pictures([3], most=0, rng=np.random.default_rng(0))
