"""A limit keeps a fair, fixed, nested part of a suite."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.suites import SuiteItem
from seeworthy.diagnostics.runs.selection import stratified

from .small_runs import CHOICE


def item(kind: str, condition: str, question: int) -> SuiteItem:
    return SuiteItem(
        id=f"{kind}/{condition}/{question}",
        text="?",
        images=(),
        answer_format=CHOICE,
        truth="A",
        question_id=f"{kind}/{question}",
        kind=kind,
        condition=condition,
    )


def paired(sizes: dict[str, int], conditions: list[str]) -> list[SuiteItem]:
    return [item(kind, one, place) for kind, size in sizes.items() for one in conditions for place in range(size)]


suites = st.builds(
    paired,
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 12), min_size=1),
    st.lists(st.sampled_from(["clean", "haze", "rain"]), min_size=1, unique=True),
)


@given(suites, st.integers(0, 3), st.data())
def test_a_smaller_limit_is_a_part_of_a_larger_one_and_the_order_of_the_file_decides_nothing(
    items: list[SuiteItem], seed: int, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(items))
    large = data.draw(st.integers(1, len(items)))
    small = data.draw(st.integers(1, large))
    most = stratified(items, seed=seed, limit=large)
    assert len(most) == large
    assert stratified(shuffled, seed=seed, limit=small) == most[:small]


@given(suites, st.integers(0, 3), st.data())
def test_every_kind_under_every_condition_first_and_then_in_proportion(
    items: list[SuiteItem], seed: int, data: st.DataObject
) -> None:
    limit = data.draw(st.integers(1, len(items)))
    sizes = Counter((one.kind, one.condition) for one in items)
    kept = Counter((one.kind, one.condition) for one in stratified(items, seed=seed, limit=limit))
    if limit <= len(sizes):
        assert max(kept.values()) == 1
        return
    assert kept.keys() == sizes.keys()
    # Largest and smallest share differ by what one item of the smaller stratum amounts to, and the first one.
    for one, other in ((a, b) for a in sizes for b in sizes):
        assert (kept[one] - 1) / sizes[one] <= (kept[other] + 0.5) / sizes[other] + 1e-9


@given(suites, st.integers(0, 3), st.data())
def test_evenly_is_the_same_number_of_each_as_far_as_it_goes(
    items: list[SuiteItem], seed: int, data: st.DataObject
) -> None:
    limit = data.draw(st.integers(1, len(items)))
    sizes = Counter((one.kind, one.condition) for one in items)
    drawn = stratified(items, seed=seed, limit=limit, even=True)
    kept = Counter((one.kind, one.condition) for one in drawn)
    most = max(kept.values())
    assert all(kept[one] >= min(size, most - 1) for one, size in sizes.items())
    assert stratified(items, seed=seed, even=True)[:limit] == drawn


@given(st.integers(1, 9), st.integers(0, 5), st.data())
def test_pairs_stay_together(questions: int, seed: int, data: st.DataObject) -> None:
    items = paired({"a": questions, "b": questions}, ["clean", "haze", "rain"])
    groups = data.draw(st.integers(1, 2 * questions))
    kept = Counter(one.question_id for one in stratified(items, seed=seed, limit=3 * groups))
    assert set(kept.values()) == {3}


def test_another_seed_draws_others(tmp_path: Path) -> None:
    items = paired({"a": 200}, ["clean"])
    drawn = [frozenset(one.id for one in stratified(items, seed=seed, limit=50)) for seed in range(4)]
    assert len(set(drawn)) == 4
    # Two draws of 50 of 200 share 12.5 on average, with a standard deviation of 2.7.
    assert 2 <= len(drawn[0] & drawn[1]) <= 25
