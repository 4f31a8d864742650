"""Weighted maximum coverage, greedily: which sets to take, one after the other."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchDataError

__all__ = ["Coverage", "SetPick", "greedy_coverage"]


class SetPick(NamedTuple):
    """One step."""

    number: int
    """The set that was taken."""
    gain: int
    """The weight that it added."""
    covered: int
    """The weight that is covered since."""


class Coverage(NamedTuple):
    """What was taken, and why it ended there."""

    picks: tuple[SetPick, ...]
    total: int
    """The weight of all elements."""
    overlap_floor_percent: int
    """The overlap that was asked for at the end."""


def greedy_coverage(
    sets: Sequence[NDArray[np.int64]],
    weights: ArrayLike,
    *,
    most: int,
    least: int = 0,
    stop_percent: int = 100,
    overlap_floors_percent: Sequence[int] = (0,),
    seeds: Sequence[int] = (),
) -> Coverage:
    """Takes the set that adds most weight, then the next, until enough is covered or nothing more is gained.

    Ties are settled by the larger weight of the whole set, then by the lower number. Gains only fall as more is
    covered, so stale ones are upper bounds and most need not be computed again (Minoux 1978); the order is that of the
    plain algorithm. Whole numbers keep gains exact. Without an overlap floor at least 1 - 1/e of the best possible
    weight is covered (Nemhauser et al. 1978).

    Args:
        sets: of each frame, distinct element numbers.
        weights: (elements,) whole numbers, at least 0.
        most: take up to so many sets, seeds included.
        least: do not stop before so many, seeds included, unless nothing is gained any more.
        stop_percent: stop when this share of the total weight is covered.
        overlap_floors_percent: once something is covered, a set is only taken when at least this share of its elements
            is covered already. When no set that gains anything reaches the floor, the next lower one holds from
            then on.
        seeds: sets that are taken beforehand.

    >>> sets = [np.array(s) for s in ([0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [0, 1, 2, 3], [8, 9], [8], [0, 4, 8])]
    >>> [(pick.number, pick.gain) for pick in greedy_coverage(sets, np.ones(10, int), most=9).picks]
    [(0, 4), (2, 4), (4, 2)]
    """
    state = _State(sets, _checked(weights), seeds)
    floors = list(overlap_floors_percent)
    if not floors or floors[-1] != 0 or sorted(floors, reverse=True) != floors:
        raise BenchDataError(f"overlap floors must fall to 0, got {floors}")
    seeded = set(seeds)
    heap = [(-own, -own, index) for index, own in enumerate(state.own_weights) if index not in seeded]
    heapq.heapify(heap)
    taken, level, picks = len(seeds), 0, list[SetPick]()
    while taken < most and not (taken >= least and state.covered_weight * 100 >= stop_percent * state.total):
        index, set_aside = _best(heap, state, floors[level])
        for entry in set_aside:
            heapq.heappush(heap, entry)
        if index is not None:
            gain = state.take(index)
            picks.append(SetPick(index, gain, state.covered_weight))
            taken += 1
        elif set_aside and level + 1 < len(floors):
            level += 1
        else:
            break
    return Coverage(tuple(picks), state.total, floors[level])


def _best(
    heap: list[tuple[int, int, int]], state: _State, floor_percent: int
) -> tuple[int | None, list[tuple[int, int, int]]]:
    """Removes the best set that reaches the floor, and those before it that do not, which are returned."""
    set_aside = list[tuple[int, int, int]]()
    while heap:
        bound, own, index = heapq.heappop(heap)
        gain = state.gain(index)
        if gain != -bound:
            heapq.heappush(heap, (-gain, own, index))
        elif gain == 0:  # and so has everything that is left
            heapq.heappush(heap, (bound, own, index))
            return None, set_aside
        elif state.reaches(index, floor_percent):
            return index, set_aside
        else:
            set_aside.append((bound, own, index))
    return None, set_aside


class _State:
    """What is covered so far."""

    def __init__(self, sets: Sequence[NDArray[np.int64]], weights: NDArray[np.int64], seeds: Sequence[int]) -> None:
        self.total = int(weights.sum())
        self.own_weights = [int(weights[one].sum()) for one in sets]
        self.covered_weight = 0
        self._sets, self._weights = sets, weights
        self._covered = np.zeros(len(weights), np.bool_)
        self._started = False
        for seed in seeds:
            self.take(seed)

    def gain(self, index: int) -> int:
        one = self._sets[index]
        return int(self._weights[one[~self._covered[one]]].sum())

    def take(self, index: int) -> int:
        gain = self.gain(index)
        self._covered[self._sets[index]] = True
        self.covered_weight += gain
        self._started = True
        return gain

    def reaches(self, index: int, floor_percent: int) -> bool:
        if not self._started or floor_percent == 0:
            return True
        one = self._sets[index]
        return int(np.count_nonzero(self._covered[one])) * 100 >= floor_percent * len(one)


def _checked(weights: ArrayLike) -> NDArray[np.int64]:
    values = np.asarray(weights)
    if values.ndim != 1 or values.dtype.kind not in "biu" or (values.size and int(values.min()) < 0):
        raise BenchDataError(f"weights must be whole numbers of at least 0 with shape (elements,), got {values.dtype}")
    return values.astype(np.int64)
