"""Groups of items, and means, differences and intervals in all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...metrics import ClusteredCells, Interval, bootstrap_cells
from ...metrics.statistics.bootstrap import Combine
from ..summary import ALL_DEGRADED, By
from .conditions import named_condition
from .observations import Observations

__all__ = [
    "RESAMPLES",
    "Group",
    "Grouping",
    "counted",
    "grouped_by_condition",
    "intervals_of",
    "means_in",
    "ratio",
    "sums_in",
]

RESAMPLES: Final = 2000


class Group(NamedTuple):
    """What the items of a group have in common."""

    condition: str
    by: By
    category: str


@dataclass(frozen=True)
class Grouping:
    """Groups of items; an item may belong to several.

    Attributes:
        groups: their names.
        item, group: (q,) the memberships: item ``item[i]`` belongs to group ``group[i]``.
    """

    groups: tuple[Group, ...]
    item: NDArray[np.intp]
    group: NDArray[np.intp]

    def of_items(self, mask: NDArray[np.bool_]) -> Grouping:
        """The memberships of some items; groups stay, and may be empty."""
        kept = mask[self.item]
        return Grouping(self.groups, self.item[kept], self.group[kept])


def grouped_by_condition(observed: Observations) -> Grouping:
    """Every condition, and `ALL_DEGRADED` where there are several degraded ones, by every way of grouping items."""
    codes = [(name, observed.condition == place) for place, name in enumerate(observed.conditions)]
    degraded = np.array([named_condition(name).is_degraded for name in observed.conditions])
    if degraded.sum() > 1:
        codes.append((ALL_DEGRADED, degraded[observed.condition]))
    groups: list[Group] = []
    items, members = [], []
    for condition, mask in codes:
        inside = np.flatnonzero(mask)
        for by, categories in observed.categories.items():
            items.append(inside)
            members.append(len(groups) + categories.codes[inside])
            groups += [Group(condition, by, name) for name in categories.names]
    return Grouping(tuple(groups), np.concatenate(items), np.concatenate(members))


def sums_in(
    grouping: Grouping, values: NDArray[np.float64], observed: Observations, *, blocks: int
) -> tuple[ClusteredCells, NDArray[np.intp]]:
    """Sums of terms in every group of every block, apart by scene.

    Args:
        values: (b, m, r, k) terms; NaN in the first where an entry does not count.
        blocks: b, such as the number of subjects.

    Returns:
        The sums over cells numbered ``block * groups + group``, and the (b, groups) entries in each.
    """
    width = len(grouping.groups)
    cells, clusters, terms = [], [], []
    for block in range(blocks):
        entries = values[block][grouping.item]
        place, repeat = np.nonzero(np.isfinite(entries[..., 0]))
        cells.append(block * width + grouping.group[place])
        clusters.append(observed.cluster[grouping.item[place]])
        terms.append(entries[place, repeat])
    found = ClusteredCells.of(
        np.concatenate(cells), np.concatenate(clusters), np.concatenate(terms), n_cells=blocks * width
    )
    return found, found.n_items.reshape(blocks, width)


def intervals_of(cells: ClusteredCells, observed: Observations, combine: Combine) -> list[Interval | None]:
    """An interval of a statistic in every cell."""
    return bootstrap_cells(cells, combine=combine, seed=observed.seed, resamples=RESAMPLES)


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean, of sums of (value, 1)."""
    return np.asarray(sums[..., 0] / sums[..., 1])


def means_in(grouping: Grouping, values: NDArray[np.float64], observed: Observations) -> list[list[Interval | None]]:
    """Mean with its interval in every group, for each block.

    Args:
        values: (b, m, r); NaN where there is none.
    """
    blocks = len(values)
    cells, _ = sums_in(grouping, np.stack([values, np.ones_like(values)], axis=-1), observed, blocks=blocks)
    flat = intervals_of(cells, observed, ratio)
    width = len(grouping.groups)
    return [flat[start : start + width] for start in range(0, blocks * width, width)]


def counted(grouping: Grouping, mask: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.float64]:
    """(groups,) sums of an (m, r) array over the items of each group."""
    sums = mask.sum(axis=1, dtype=np.float64)[grouping.item]
    return np.bincount(grouping.group, weights=sums, minlength=len(grouping.groups)).astype(np.float64)
