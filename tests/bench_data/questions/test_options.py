"""Options from which nothing can be guessed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import Option
from seeworthy.bench_data.questions.options import (
    arranged,
    balanced_blocks,
    below,
    direction_keys,
    direction_options,
    drawn,
    key_options,
    number_blocks,
    number_key,
    number_options,
    permutation_options,
    shuffled,
    whole_groups,
)

WAYS = [("left", "right"), ("down", "up"), ("backward", "forward")]
SECTORS = [str(number) for number in range(8)]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def close_to(share: float, expected: float, count: int) -> bool:
    """Within four standard errors."""
    return abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / count)


def test_draws_are_uniform() -> None:
    source = rng(3)
    counts = Counter(below(source, 5) for _ in range(5000))
    assert set(counts) == set(range(5))
    assert all(close_to(count / 5000, 0.2, 5000) for count in counts.values())
    orders = Counter(tuple(shuffled(source, "abc")) for _ in range(6000))
    assert len(orders) == 6
    assert all(close_to(count / 6000, 1 / 6, 6000) for count in orders.values())
    pairs = Counter(frozenset(drawn(source, "abcd", 2)) for _ in range(6000))
    assert len(pairs) == 6
    assert all(close_to(count / 6000, 1 / 6, 6000) for count in pairs.values())
    assert sorted(drawn(source, [1, 2], 5)) == [1, 2]
    assert drawn(source, [], 3) == []


def test_the_right_option_gets_every_letter() -> None:
    source = rng(1)
    options = [Option(key, key) for key in "wxyz"]
    places = Counter([one.key for one in arranged(source, options)].index("w") for _ in range(4000))
    assert all(close_to(count / 4000, 0.25, 4000) for count in places.values())


def chance_of(
    make: Callable[[np.random.Generator], tuple[str, tuple[Option, ...]]],
    guess: Callable[[list[str]], str],
    count: int = 4000,
) -> float:
    source = rng(7)
    hits = 0
    for _ in range(count):
        truth, options = make(source)
        keys = [option.key for option in options]
        assert truth in keys
        assert len(set(keys)) == len(keys) == 4
        hits += guess(keys) == truth
    return hits / count


def isolation(keys: list[str]) -> str:
    """The sector whose nearest neighbour among the options is farthest off."""

    def nearest(key: str) -> int:
        return min(min((int(key) - int(o)) % 8, (int(o) - int(key)) % 8) for o in keys if o != key)

    return max(keys, key=nearest)


def hub(keys: list[str]) -> str:
    """The direction that shares most words with the others."""
    return max(keys, key=lambda key: sum(len(set(key.split("+")) & set(o.split("+"))) for o in keys))


def first_agreement(keys: list[str]) -> str:
    """The order that agrees with the others in most places."""
    return max(
        keys, key=lambda k: sum(a == b for o in keys for a, b in zip(k.split(" < "), o.split(" < "), strict=True))
    )


MAKERS: dict[str, tuple[Callable[[np.random.Generator], tuple[str, tuple[Option, ...]]], Callable[[list[str]], str]]]


def a_sector(source: np.random.Generator) -> tuple[str, tuple[Option, ...]]:
    truth = SECTORS[below(source, 8)]
    return truth, key_options(source, truth, SECTORS)


def a_number(source: np.random.Generator) -> tuple[str, tuple[Option, ...]]:
    truth = math.exp(6 * source.random())
    return number_key(truth, 3), number_options(source, truth, decimals=3, suffix=" m")


def a_direction(source: np.random.Generator) -> tuple[str, tuple[Option, ...]]:
    keys = direction_keys(WAYS, 1 + below(source, 3))
    truth = keys[below(source, len(keys))]
    return truth, direction_options(source, truth, WAYS)


def an_order(source: np.random.Generator) -> tuple[str, tuple[Option, ...]]:
    truth = " < ".join(shuffled(source, "abc"))
    return truth, permutation_options(source, truth)


MAKERS = {
    "isolated sector": (a_sector, isolation),
    "second smallest number": (a_number, lambda keys: sorted(keys, key=float)[1]),
    "smallest number": (a_number, lambda keys: min(keys, key=float)),
    "widest gap": (
        a_number,
        lambda keys: sorted(keys, key=float)[int(np.argmax(np.diff(np.log(sorted(map(float, keys))))))],
    ),
    "longest direction": (a_direction, lambda keys: max(keys, key=len)),
    "hub of directions": (a_direction, hub),
    "agreeing order": (an_order, first_agreement),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_guesser_that_sees_options_only_stays_at_chance(name: str) -> None:
    make, guess = MAKERS[name]
    assert close_to(chance_of(make, guess), 0.25, 4000)


def test_the_same_guessers_beat_options_made_from_the_truth() -> None:
    """The usual way of making distractors leaks, and the guessers above see it."""

    def neighbours(source: np.random.Generator) -> tuple[str, tuple[Option, ...]]:
        truth = 1.0 + source.random()
        values = [truth, truth * 0.8, truth * 1.2, truth * (0.6 if source.random() < 0.5 else 1.4)]
        return number_key(truth, 4), tuple(Option(number_key(v, 4), "") for v in values)

    assert chance_of(neighbours, lambda keys: sorted(keys, key=float)[1]) > 0.4

    def without_neighbour(source: np.random.Generator) -> tuple[str, tuple[Option, ...]]:
        truth = below(source, 8)
        far = [str((truth + step) % 8) for step in range(2, 7)]
        return str(truth), key_options(source, str(truth), far)

    assert chance_of(without_neighbour, isolation) > 0.4


def test_directions_have_as_many_words_as_the_truth() -> None:
    assert len(direction_keys(WAYS, 1)) == 6
    assert len(direction_keys(WAYS, 2)) == 12
    assert len(direction_keys(WAYS, 3)) == 8
    for seed in range(30):
        options = direction_options(rng(seed), "right+up+forward", WAYS)
        assert {option.key.count("+") for option in options} == {2}
        assert "right-up-forward" in {option.text for option in options}
    with pytest.raises(BenchDataError, match="no direction"):
        direction_options(rng(), "up+left", WAYS)


def test_texts_and_suffixes() -> None:
    options = key_options(rng(), "a", ["a", "b"], texts={"a": "the lamp", "b": "the mug"})
    assert {option.text for option in options} == {"the lamp", "the mug"}
    named = permutation_options(rng(), "x < y", texts={"x": "the lamp", "y": "the mug"})
    assert {option.text for option in named} == {"the lamp < the mug", "the mug < the lamp"}
    assert all(option.text == option.key + " m" for option in number_options(rng(), 2.0, decimals=2, suffix=" m"))
    assert number_key(-0.001, 2) == "0.00"


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: key_options(rng(), "a", ["a"]), "no answer but"),
        (lambda: number_options(rng(), 0.0, decimals=2), "truth > 0"),
        (lambda: number_options(rng(), 0.01, decimals=2), "read the same"),
        (lambda: number_options(rng(), 1.0, decimals=2, gap=(1.0, 1.5)), "gap above 1"),
        (lambda: permutation_options(rng(), "a"), "2 to 6"),
        (lambda: permutation_options(rng(), "a < a"), "2 to 6"),
    ],
)
def test_impossible_options_say_why(build: Callable[[], object], says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        build()


@given(st.lists(st.sampled_from("abcdef"), max_size=40), st.integers(2, 5), st.integers(0, 99))
def test_blocks_hold_different_answers_and_no_question_twice(keys: list[str], most: int, seed: int) -> None:
    blocks = balanced_blocks(rng(seed), keys, most=most)
    places = [place for block in blocks for place in block]
    assert len(places) == len(set(places))
    assert all(2 <= len(block) <= most and len({keys[p] for p in block}) == len(block) for block in blocks)
    # What is left over can have one answer only, or another block could be made.
    assert len({key for place, key in enumerate(keys) if place not in set(places)}) < 2
    assert blocks == balanced_blocks(rng(seed), keys, most=most)


@given(st.lists(st.floats(0.01, 100), max_size=40), st.integers(2, 5), st.integers(0, 99))
def test_number_blocks_hold_values_that_differ(values: list[float], most: int, seed: int) -> None:
    blocks = number_blocks(rng(seed), values, most=most, ratio=1.5)
    places = [place for block in blocks for place in block]
    assert len(places) == len(set(places))
    for block in blocks:
        ordered = sorted(values[place] for place in block)
        assert 2 <= len(block) <= most
        assert all(b >= 1.5 * a for a, b in pairwise(ordered))
    with pytest.raises(BenchDataError, match="ratio"):
        number_blocks(rng(), [1.0, 0.0])


def test_blocks_hide_how_frequent_the_answers_are() -> None:
    keys = ["front"] * 60 + ["left"] * 30 + ["back"] * 20 + ["right"] * 10
    right: Counter[tuple[frozenset[str], str]] = Counter()
    for block in balanced_blocks(rng(), keys, most=4):
        shown = frozenset(keys[place] for place in block)
        right.update((shown, keys[place]) for place in block)
    for shown in {one for one, _ in right}:
        assert len({right[shown, key] for key in shown}) == 1
    # Groups of four use up the partners of "front"; pairs would not lose one, as it is no more than half of all.
    assert sum(right.values()) == 90
    assert len(balanced_blocks(rng(), keys, most=2)) == 60
    assert balanced_blocks(rng(), keys[:60], most=4) == []
    assert all(len(block) >= 3 for block in balanced_blocks(rng(), keys, most=4, least=3))


@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 5), max_size=12),
    most=st.none() | st.integers(0, 20),
)
def test_whole_groups_stay_whole_and_leave_no_room_for_another(seed: int, sizes: list[int], most: int | None) -> None:
    groups = [tuple(range(number * 10, number * 10 + size)) for number, size in enumerate(sizes)]
    kept = whole_groups(rng(seed), groups, most)
    assert set(kept) <= set(groups)
    assert len(set(kept)) == len(kept)
    if most is None:
        assert list(kept) == groups
    else:
        left = most - sum(map(len, kept))
        assert left >= 0
        assert all(len(group) > left for group in groups if group not in kept)
