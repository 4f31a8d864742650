"""How many pictures of which fullness to keep: CRISP's buckets of sparse, common and dense pictures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ....errors import BenchDataError
from ...draws import Uniform
from ...options import shuffled

__all__ = ["BUCKETS", "balanced_pictures", "bucket_of", "shared_evenly"]

BUCKETS: Mapping[str, range] = {"sparse": range(2, 4), "common": range(4, 9), "dense": range(9, 13)}
"""Name -> numbers of objects."""
_SHARES = {"sparse": 1, "common": 2, "dense": 2}


def bucket_of(object_count: int) -> str | None:
    """The bucket of a picture with so many objects; None where it has too few or too many.

    >>> bucket_of(5), bucket_of(1)
    ('common', None)
    """
    return next((name for name, counts in BUCKETS.items() if object_count in counts), None)


def balanced_pictures(
    object_counts: Sequence[int], *, most: int = 600, rng: Uniform, published: bool = False
) -> list[int]:
    """The places of pictures to keep, in order: at most ``most``, of all buckets and of all numbers of objects.

    All dense and common pictures stay, and half as many sparse as common ones. Where that is too many, sparse, common
    and dense ones are kept as 1 : 2 : 2; what a bucket lacks the others make up for (``published``: nobody does).

    Args:
        object_counts: of each picture.
        most: pictures in all.
        rng: chooses among pictures with the same number of objects.

    Raises:
        BenchDataError: ``most`` below 1.
    """
    if most < 1:
        raise BenchDataError(f"at least one picture must be kept, got most={most}")
    places: dict[str, dict[int, list[int]]] = {name: defaultdict(list) for name in BUCKETS}
    for place, count in enumerate(object_counts):
        bucket = bucket_of(count)
        if bucket is not None:
            places[bucket][count].append(place)
    there = {name: sum(map(len, by_count.values())) for name, by_count in places.items()}
    wanted = _targets(there, most, published=published)
    kept: list[int] = []
    for name, by_count in places.items():
        taken = shared_evenly({count: len(found) for count, found in by_count.items()}, wanted[name])
        for count, number in taken.items():
            kept += shuffled(rng, by_count[count])[:number]
    return sorted(kept)


def _targets(there: Mapping[str, int], most: int, *, published: bool) -> dict[str, int]:
    wanted = {**there, "sparse": min(there["sparse"], there["common"] // 2)}
    if sum(wanted.values()) <= most:
        return wanted
    targets = {name: min(there[name], most * share // sum(_SHARES.values())) for name, share in _SHARES.items()}
    if published:
        return targets
    # Fuller pictures carry more questions, so they come first; sparse ones never exceed half of the common ones.
    for name in ("dense", "common", "sparse"):
        limit = wanted[name] if name == "sparse" else there[name]
        targets[name] += max(0, min(limit - targets[name], most - sum(targets.values())))
    return targets


def shared_evenly(there: Mapping[int, int], total: int) -> dict[int, int]:
    """How many to take of each kind so that all have about the same, none more than are there.

    The remainder goes to the kinds with the most, and what one kind lacks to those with the most to spare; of equals
    the smaller key comes first.

    >>> shared_evenly({2: 10, 3: 1}, 6)
    {2: 5, 3: 1}
    """
    total = min(total, sum(there.values()))
    if total == 0:
        return dict.fromkeys(there, 0)
    share, left = divmod(total, len(there))
    by_most = sorted(there, key=lambda key: (-there[key], key))
    taken = {key: min(there[key], share + (place < left)) for place, key in enumerate(by_most)}
    while (short := total - sum(taken.values())) > 0:
        roomiest = min(there, key=lambda key: (taken[key] - there[key], key))
        taken[roomiest] += min(short, there[roomiest] - taken[roomiest])
    return {key: taken[key] for key in there}
