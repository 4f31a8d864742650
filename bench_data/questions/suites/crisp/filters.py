"""Which pictures to keep: not too empty or full, not of the same objects, not with the same graph (CRISP's filters).

Names of objects must be unique over all pictures that are compared: with numbers that begin anew in each scene, two
rooms look identical.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence, Set
from typing import TypeVar

from ....scene_graphs import Relation, RelationGraph
from ...draws import Uniform
from ...options import shuffled

__all__ = [
    "DISTANCE_BINS_M",
    "Signature",
    "distance_bin",
    "diverse",
    "graph_signature",
    "has_enough_objects",
    "jaccard",
    "near_duplicates",
]

Item = TypeVar("Item", bound=Hashable)

DISTANCE_BINS_M = (5.0, 15.0, 25.0)
"""Borders of the bins in which two distances count as the same."""

Signature = frozenset[tuple[str, str, tuple[Relation, ...], int]]
"""What a star is made of: category of the centre and of the other object, relations, bin of the distance."""


def has_enough_objects(count: int, *, least: int = 2, most: int = 12) -> bool:
    """Whether a picture has so many objects that it can be asked about, and not more than one can keep apart."""
    return least <= count <= most


def jaccard(one: Set[Item], other: Set[Item]) -> float:
    """Shared elements over all elements; 1 of two empty sets.

    >>> jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    """
    together = len(one | other)
    return len(one & other) / together if together else 1.0


def diverse(object_sets: Sequence[Set[Item]], *, most_shared: float, rng: Uniform) -> list[int]:
    """The places of pictures of which no two show nearly the same objects, the fullest first, ties in random order.

    Args:
        object_sets: of each picture, the objects in it.
        most_shared: a picture is left out when its Jaccard index with a kept one reaches this.
        rng: breaks ties.
    """
    order = sorted(shuffled(rng, range(len(object_sets))), key=lambda place: len(object_sets[place]), reverse=True)
    kept: list[int] = []
    for place in order:
        if all(jaccard(object_sets[place], object_sets[other]) < most_shared for other in kept):
            kept.append(place)
    return kept


def graph_signature(graph: RelationGraph) -> Signature:
    """What a star says, without numbers."""
    labels = {node.id: node.label for node in graph.nodes}
    return frozenset(
        (labels[edge.source], labels[edge.target], edge.relations, distance_bin(edge.distance_m))
        for edge in graph.edges
    )


def distance_bin(distance_m: float) -> int:
    """The number of the bin that a distance falls into, from 0."""
    return bisect_right(DISTANCE_BINS_M, distance_m)


def near_duplicates(signatures: Sequence[Set[Item]], *, least_shared: float = 0.9) -> set[int]:
    """The places of pictures to leave out, so that no two that stay have nearly the same signature.

    Of two, the one with the smaller signature goes; of equals the later one. Pairs are compared in order, as published.
    """
    dropped: set[int] = set()
    for first in range(len(signatures)):
        for second in range(first + 1, len(signatures)):
            if first in dropped:
                break
            if second in dropped:
                continue
            one, other = signatures[first], signatures[second]
            # The index cannot exceed the ratio of the sizes; most pairs end here.
            small, large = sorted((len(one), len(other)))
            if large and small < least_shared * large:
                continue
            if jaccard(one, other) >= least_shared:
                dropped.add(first if len(one) < len(other) else second)
    return dropped
