"""Scores by stress tag. An item counts under every tag that it carries, and under the one that its condition means."""

from __future__ import annotations

from typing import Final

import numpy as np

from ....bench_data.stress import ROBOSTRESS_TAGS, Stress, StressDimension, robostress_tag
from ...runs import RunItem
from ..summary import StressRow
from .conditions import named_condition
from .groups import Group, Grouping, counted, means_in
from .observations import Observations

__all__ = ["stress_rows", "stress_tags"]

_KNOWN: Final = {tag.value: tag for tag in ROBOSTRESS_TAGS}
_DIMENSIONS: Final = tuple(dict.fromkeys(tag.dimension for tag in ROBOSTRESS_TAGS))
_STRESSES: Final = frozenset(stress.value for stress in Stress)


def stress_tags(item: RunItem) -> frozenset[Stress]:
    """The RoboStressBench tags of an item: its own, and those of its degradations; words that are none are left out.

    Its own come as ``"M__transparent,G__occlusion"`` in the tag "stress"; letters may be missing.
    """
    own = {word.strip().rpartition("__")[2] for word in item.tags.get("stress", "").split(",")}
    name = named_condition(item.condition).name
    degradations = {one.stress for one in item.stress or ()} | ({Stress(name)} if name in _STRESSES else set())
    tags = {robostress_tag(one) for one in degradations} | {_KNOWN[word] for word in own if word in _KNOWN}
    return frozenset(tag for tag in tags if tag is not None)


def stress_rows(observed: Observations) -> tuple[StressRow, ...]:
    """All 16 tags and their four dimensions for each subject; () where no item has a tag."""
    grouping = _grouped_by_tag(observed)
    if not len(grouping.item):
        return ()
    scores = means_in(grouping, observed.score, observed)
    rows = []
    for subject, who in enumerate(observed.subjects):
        scored = np.isfinite(observed.score[subject])
        counts = [counted(grouping, observed.call[subject] >= 0), counted(grouping, scored)]
        chance = counted(grouping, scored * observed.chance[:, None])
        for place, group in enumerate(grouping.groups):
            n, there = (int(count[place]) for count in counts)
            tag = group.category
            is_tag = tag in _KNOWN
            rows.append(
                StressRow(
                    subject=who,
                    by="tag" if is_tag else "dimension",
                    tag=tag,
                    dimension=_KNOWN[tag].dimension.value if is_tag else StressDimension[tag.upper()].value,
                    n=n,
                    scored=there,
                    score=scores[subject][place],
                    chance=float(chance[place]) / there if there else None,
                )
            )
    return tuple(rows)


def _grouped_by_tag(observed: Observations) -> Grouping:
    tags = [stress_tags(item) for item in observed.items]
    groups = [Group("", "all", tag.value) for tag in ROBOSTRESS_TAGS]
    members = [[place for place, has in enumerate(tags) if tag in has] for tag in ROBOSTRESS_TAGS]
    for dimension in _DIMENSIONS:
        groups.append(Group("", "all", dimension.name.lower()))
        members.append([place for place, has in enumerate(tags) if any(tag.dimension is dimension for tag in has)])
    return Grouping(
        tuple(groups),
        np.array([place for some in members for place in some], np.intp),
        np.repeat(np.arange(len(groups)), [len(some) for some in members]),
    )
