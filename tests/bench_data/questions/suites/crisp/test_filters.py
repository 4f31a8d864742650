"""Filters of pictures against brute force and small examples."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.questions.suites.crisp.filters import (
    diverse,
    graph_signature,
    has_enough_objects,
    jaccard,
    near_duplicates,
)
from seeworthy.bench_data.scene_graphs import GraphEdge, GraphNode, RelationGraph

sets = st.lists(st.frozensets(st.integers(0, 6), max_size=5), max_size=12)
shares = st.sampled_from([0.3, 0.5, 0.8, 0.9, 1.0])


def plain_jaccard(one: Set[int], other: Set[int]) -> float:
    if not one and not other:
        return 1.0
    return sum(item in other for item in one) / (len(one) + sum(item not in one for item in other))


@given(sets, shares)
def test_near_duplicates_are_dropped_pair_by_pair(signatures: list[frozenset[int]], least: float) -> None:
    dropped: set[int] = set()
    for i in range(len(signatures)):
        for j in range(i + 1, len(signatures)):
            if i in dropped or j in dropped:
                continue
            if plain_jaccard(signatures[i], signatures[j]) >= least:
                dropped.add(i if len(signatures[i]) < len(signatures[j]) else j)
    assert near_duplicates(signatures, least_shared=least) == dropped
    kept = [one for place, one in enumerate(signatures) if place not in dropped]
    for place, one in enumerate(kept):
        assert all(jaccard(one, other) < least for other in kept[place + 1 :])


@given(sets, shares, st.integers(0, 5))
def test_diverse_pictures_share_little_and_the_fullest_come_first(
    object_sets: list[frozenset[int]], most: float, seed: int
) -> None:
    kept = diverse(object_sets, most_shared=most, rng=np.random.default_rng(seed))
    assert kept == diverse(object_sets, most_shared=most, rng=np.random.default_rng(seed))
    sizes = [len(object_sets[place]) for place in kept]
    assert sizes == sorted(sizes, reverse=True)
    for number, place in enumerate(kept):
        assert all(plain_jaccard(object_sets[place], object_sets[other]) < most for other in kept[:number])
    for place, one in enumerate(object_sets):
        if place not in kept:
            like = [other for other in kept if plain_jaccard(one, object_sets[other]) >= most]
            assert like
            assert max(len(object_sets[other]) for other in like) >= len(one)


def test_ties_are_broken_by_chance() -> None:
    twins = [frozenset({1, 2}), frozenset({1, 2})]
    assert {tuple(diverse(twins, most_shared=0.8, rng=np.random.default_rng(seed))) for seed in range(20)} == {
        (0,),
        (1,),
    }


def test_a_signature_forgets_numbers_and_exact_distances() -> None:
    def star(numbers: tuple[int, int], distance_m: float) -> RelationGraph:
        nodes = tuple(
            GraphNode(number, 1.0, 1.0, 1.0, 1.0, label) for number, label in zip(numbers, ("car", "van"), strict=True)
        )
        edge = GraphEdge(numbers[0], numbers[1], distance_m, ("left", "behind"))
        return RelationGraph(nodes=nodes, edges=(edge,), centre=numbers[0])

    one = graph_signature(star((1, 2), 4.99))
    assert one == {("car", "van", ("left", "behind"), 0)}
    assert one == graph_signature(star((7, 3), 0.1))
    assert one != graph_signature(star((1, 2), 5.0))
    assert graph_signature(star((1, 2), 25.0)) == {("car", "van", ("left", "behind"), 3)}
    assert graph_signature(star((1, 2), 24.9)) == {("car", "van", ("left", "behind"), 2)}


def test_a_picture_needs_two_to_twelve_objects() -> None:
    assert [has_enough_objects(count) for count in (0, 1, 2, 12, 13)] == [False, False, True, True, False]
    assert has_enough_objects(13, most=20)
    assert jaccard(set(), set()) == 1
