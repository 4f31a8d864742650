"""Pairs of views that see partly the same and stand apart from one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from .baselines import angles_rad, distances_m, largest_euler_rad, poses_of

__all__ = ["PairLimits", "ViewPair", "eligible_pairs", "sample_pairs"]

PairMethod = Literal["each_view_once", "any", "published"]


@dataclass(frozen=True, kw_only=True)
class PairLimits:
    """Which pairs of views will do; a lower limit must be exceeded or reached, an upper one not exceeded.

    Args:
        more_overlap_than, most_overlap: the share of co-visibility, above the first and up to the second.
        least_translation_m, most_translation_m: between the cameras' centres.
        least_rotation_rad, most_rotation_rad: between their orientations.
        rotation: "angle" of the rotation from one to the other, or "largest_euler" angle of it, as published.
    """

    more_overlap_than: float = 0.25
    most_overlap: float = math.inf
    least_translation_m: float = 0.0
    most_translation_m: float = math.inf
    least_rotation_rad: float = 0.0
    most_rotation_rad: float = math.inf
    rotation: Literal["angle", "largest_euler"] = "angle"

    def __post_init__(self) -> None:
        ranges = [
            ("overlap", self.more_overlap_than, self.most_overlap),
            ("translation_m", self.least_translation_m, self.most_translation_m),
            ("rotation_rad", self.least_rotation_rad, self.most_rotation_rad),
        ]
        for name, low, high in ranges:
            if not low <= high:
                raise BenchDataError(f"PairLimits: the limits of {name} must be in order, got {low!r} to {high!r}")
        if self.rotation not in ("angle", "largest_euler"):
            raise BenchDataError(f'PairLimits.rotation must be "angle" or "largest_euler", got {self.rotation!r}')


class ViewPair(NamedTuple):
    """Two views by their numbers, in the order in which they are shown."""

    first: int
    second: int
    overlap: float
    translation_m: float
    rotation_rad: float


def eligible_pairs(overlap: ArrayLike, cameras: Sequence[Camera], limits: PairLimits | None = None) -> list[ViewPair]:
    """All pairs within limits, ``first < second``, in order.

    Args:
        overlap: (N, N) co-visibility of the cameras, symmetric (see `symmetric`).
        cameras: N cameras.
        limits: which pairs will do.

    Raises:
        BenchDataError: an overlap of another shape, not symmetric, or not finite.
    """
    limits = limits or PairLimits()
    shares = _checked(overlap, len(cameras))
    poses = poses_of(cameras)
    moved = distances_m(poses)
    turned = angles_rad(poses) if limits.rotation == "angle" else largest_euler_rad(poses)
    good = (shares > limits.more_overlap_than) & (shares <= limits.most_overlap)
    good &= (moved >= limits.least_translation_m) & (moved <= limits.most_translation_m)
    good &= (turned >= limits.least_rotation_rad) & (turned <= limits.most_rotation_rad)
    firsts, seconds = np.nonzero(np.triu(good, k=1))
    return [
        ViewPair(i, j, float(shares[i, j]), float(moved[i, j]), float(turned[i, j]))
        for i, j in zip(firsts.tolist(), seconds.tolist(), strict=True)
    ]


def sample_pairs(
    overlap: ArrayLike,
    cameras: Sequence[Camera],
    *,
    rng: np.random.Generator,
    limits: PairLimits | None = None,
    count: int | None = None,
    method: PairMethod = "each_view_once",
) -> list[ViewPair]:
    """Pairs drawn at random from those within limits, each shown in a random order.

    Args:
        overlap, cameras, limits: as for `eligible_pairs`.
        rng: where the draws come from.
        count: at most so many; None for as many as there are.
        method: "each_view_once": no view is in two pairs. "any": any different pairs. "published": views in random
            order, each with all later views that will do and are free; as the search does not stop at the first, a view
            can be paired with many, who then are with no other.

    Returns:
        In the order in which they were drawn.
    """
    if method not in ("each_view_once", "any", "published"):
        raise BenchDataError(f'method must be "each_view_once", "any" or "published", got {method!r}')
    if count is not None and count < 0:
        raise BenchDataError(f"count must be at least 0, got {count}")
    pairs = eligible_pairs(overlap, cameras, limits)
    if method == "published":
        chosen = _published(pairs, rng.permutation(len(cameras)))
    else:
        chosen = [pairs[k] for k in rng.permutation(len(pairs)).tolist()]
        if method == "each_view_once":
            chosen = _disjoint(chosen)
    flips = rng.random(len(chosen)) < 0.5
    shown = [
        pair._replace(first=pair.second, second=pair.first) if flip else pair
        for pair, flip in zip(chosen, flips.tolist(), strict=True)
    ]
    return shown[:count]


def _disjoint(pairs: list[ViewPair]) -> list[ViewPair]:
    """The pairs, in order, whose views are in no earlier one."""
    used: set[int] = set()
    kept = []
    for pair in pairs:
        if used.isdisjoint((pair.first, pair.second)):
            kept.append(pair)
            used.update((pair.first, pair.second))
    return kept


def _published(pairs: list[ViewPair], order: NDArray[np.int64]) -> list[ViewPair]:
    """Pairs as the published loop finds them: its inner loop goes on after a hit."""
    by_views = {(pair.first, pair.second): pair for pair in pairs}
    views, used, found = order.tolist(), set[int](), []
    for place, one in enumerate(views):
        if one in used:
            continue
        for other in views[place + 1 :]:
            pair = by_views.get((min(one, other), max(one, other)))
            if other not in used and pair is not None:
                found.append(pair)
                used.update((one, other))
    return found


def _checked(overlap: ArrayLike, count: int) -> NDArray[np.float64]:
    shares = np.asarray(overlap, dtype=np.float64)
    if shares.size == 0 and count == 0:
        return np.zeros((0, 0))
    if shares.shape != (count, count):
        raise BenchDataError(f"overlap must have shape {(count, count)} for {count} cameras, got {shares.shape}")
    if not np.isfinite(shares).all():
        raise BenchDataError("overlap is not finite")
    if not np.allclose(shares, shares.T):
        raise BenchDataError("overlap must be the same both ways; pass symmetric(shares)")
    return shares
