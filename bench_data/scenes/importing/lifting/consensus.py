"""Which fragments are of one thing: by how many of the views that see two of them have both in one mask.

After MaskClustering (Yan et al. 2024), with the labels of the masks as a further condition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....errors import BenchDataError
from .fragments import Fragment
from .settings import LiftSettings
from .sighting import Sightings

__all__ = ["clustered", "united"]

_MOST_FRAGMENTS = 6000


def clustered(fragments: Sequence[Fragment], told: Sightings, settings: LiftSettings) -> list[list[int]]:
    """Groups of fragments, each group in order, groups by their first. Masks over several things are in none.

    Raises:
        BenchDataError: more fragments than can be compared.
    """
    from scipy.sparse import csr_array

    if len(fragments) > _MOST_FRAGMENTS:
        raise BenchDataError(
            f"{len(fragments)} masks are more than the {_MOST_FRAGMENTS} that can be compared; take fewer views"
        )
    groups = [[k] for k in np.flatnonzero(~_over_several(fragments, told, settings)).tolist()]
    while True:
        contained = np.stack([told.contained[group].any(axis=0) for group in groups]) if groups else told.contained[:0]
        masked = np.stack([told.masked[group].any(axis=0) for group in groups]) if groups else told.masked[:0]
        members = csr_array(contained.astype(np.float32))
        supporters: NDArray[np.float32] = (members @ members.T).toarray()
        observers = masked.astype(np.float32) @ masked.T.astype(np.float32)
        rate = np.divide(supporters, observers, out=np.zeros_like(supporters), where=observers > 0)
        a, b = np.nonzero(np.triu((rate >= settings.consensus) & (supporters > 0), 1))
        # The surest pairs first, so that a conflict of labels breaks the weakest link.
        order = np.lexsort((b, a, -rate[a, b], -supporters[a, b]))
        merged = united(groups, [(int(a[k]), int(b[k])) for k in order], [one.label for one in fragments])
        if len(merged) == len(groups):
            return merged
        groups = merged


def united(groups: Sequence[Sequence[int]], pairs: Sequence[tuple[int, int]], labels: Sequence[str]) -> list[list[int]]:
    """Groups after joining pairs of them, in turn, unless that would join two different labels."""
    leader = list(range(len(groups)))
    names = [{labels[k] for k in group} - {""} for group in groups]

    def find(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    for first, second in pairs:
        one, other = find(first), find(second)
        if one != other and len(names[one] | names[other]) <= 1:
            low, high = min(one, other), max(one, other)
            leader[high], names[low] = low, names[one] | names[other]
    members: dict[int, list[int]] = {}
    for k, group in enumerate(groups):
        members.setdefault(find(k), []).extend(group)
    return sorted((sorted(group) for group in members.values()), key=lambda group: group[0])


def _over_several(fragments: Sequence[Fragment], told: Sightings, settings: LiftSettings) -> NDArray[np.bool_]:
    """(M,) masks that most other views split among several masks."""
    others = told.masked.copy()
    others[np.arange(len(fragments)), [one.view for one in fragments]] = False
    whole = _contained_by_view(told)
    observers = others.sum(axis=1)
    split = (others & ~whole).sum(axis=1)
    return np.asarray((observers > 0) & (split > settings.most_split * observers))


def _contained_by_view(told: Sightings) -> NDArray[np.bool_]:
    """(M, V) whether a view has the fragment in one of its masks."""
    ends = [*told.first_mask[1:].tolist(), told.contained.shape[1]]
    columns = [
        told.contained[:, start:end].any(axis=1) for start, end in zip(told.first_mask.tolist(), ends, strict=True)
    ]
    return np.stack(columns, axis=1)
