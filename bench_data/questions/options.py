"""Options of a choice, built so that nobody can tell the right one from the options alone.

One principle holds in all of them: given the options shown, each is equally likely to be the right one. Distractors are
therefore never made *out of* the truth (neighbours, subsets, values around it), which would leave it in the middle of
them; the truth and the distractors are drawn as if they had come together.

* A single question: `key_options` and its kin draw the distractors uniformly from all other answers of the same form.
  That does it as long as all answers are about equally frequent.
* Where some answers are more frequent than others, `balanced_blocks` groups questions whose answers differ, and the
  answers of a group are the options of each of its questions. Each option is then right exactly once a group, however
  skewed the answers are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import TypeVar

from ..errors import BenchDataError
from .draws import Uniform
from .question import Option

__all__ = [
    "arranged",
    "balanced_blocks",
    "below",
    "direction_keys",
    "direction_options",
    "drawn",
    "key_options",
    "number_blocks",
    "number_key",
    "number_options",
    "permutation_options",
    "shuffled",
    "whole_groups",
]

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)

_MOST_RANKED = 6
_NUMBER_GAP = (1.3, 1.7)


def below(rng: Uniform, count: int) -> int:
    """A whole number from 0 to ``count - 1``, all equally likely; several times faster than ``rng.integers``."""
    return int(rng.random() * count)


def shuffled(rng: Uniform, items: Iterable[T]) -> list[T]:
    """The items in an order drawn uniformly from all (Fisher and Yates)."""
    order = list(items)
    random = rng.random
    for last in range(len(order) - 1, 0, -1):
        other = int(random() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def drawn(rng: Uniform, items: Sequence[T], count: int) -> list[T]:
    """``count`` different items (all of them, if there are fewer) in a random order, each subset equally likely."""
    pool = list(items)
    size, random = len(pool), rng.random
    taken = min(count, size)
    for place in range(taken):
        other = place + int(random() * (size - place))
        pool[place], pool[other] = pool[other], pool[place]
    return pool[:taken]


def whole_groups(rng: Uniform, groups: Sequence[tuple[T, ...]], most: int | None) -> Sequence[tuple[T, ...]]:
    """Groups drawn at random, with not more items in all than ``most``; all in their order where it is None.

    Groups as `balanced_blocks` makes them have the large ones first and the most frequent answers last: a random choice
    of whole groups keeps the mixture.
    """
    if most is None:
        return groups
    kept: list[tuple[T, ...]] = []
    for group in shuffled(rng, groups):
        if len(group) <= most:
            kept.append(group)
            most -= len(group)
    return kept


def arranged(rng: Uniform, options: Iterable[Option]) -> tuple[Option, ...]:
    """The options in a random order: the right one gets each letter equally often."""
    return tuple(shuffled(rng, options))


def key_options(
    rng: Uniform,
    truth: str,
    others: Sequence[str],
    *,
    texts: Mapping[str, str] | None = None,
    count: int = 4,
) -> tuple[Option, ...]:
    """The truth among answers drawn uniformly from ``others``: sectors, colours, names.

    For sectors, refuse a truth near a border beforehand. Forbidding the neighbour on the near side, as is often done,
    leaves the truth as the option without a neighbour more often than not.

    Args:
        truth: its key.
        others: all other keys that could have been the truth; those equal to it are passed over.
        texts: key -> how it reads; the key itself without it.
        count: options at most; fewer when there are not so many answers.

    Raises:
        BenchDataError: there is no other answer.
    """
    pool = [key for key in dict.fromkeys(others) if key != truth]
    if not pool:
        raise BenchDataError(f"no answer but {truth!r} is possible; a choice needs at least one other")
    keys = [truth, *drawn(rng, pool, count - 1)]
    return arranged(rng, (Option(key, texts[key] if texts else key) for key in keys))


def number_key(value: float, decimals: int) -> str:
    """The key of a number in a choice: the number as shown, "2.30" with two decimals; never "-0.00"."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def number_options(
    rng: Uniform,
    truth: float,
    *,
    decimals: int,
    suffix: str = "",
    count: int = 4,
    gap: tuple[float, float] = _NUMBER_GAP,
) -> tuple[Option, ...]:
    """Numbers of which the truth is the smallest, the second, ... or the largest equally often.

    Neighbouring numbers stand in ratios drawn independently of the truth and of its rank, so neither the middle number
    nor the widest gap says anything. What is left is what everyone knows: no distance in a room is 40 m. Where there
    are many questions of a kind, `number_blocks` avoids that too. Keys are `number_key` of the numbers; that of the
    truth is the right one.

    Args:
        truth: > 0.
        decimals: shown of each number.
        suffix: put behind it (" m").
        count: how many options, from 2.
        gap: least and largest ratio of neighbouring numbers, 1 < least <= largest.

    Raises:
        BenchDataError: a truth that is not positive, or so small that the options read the same; ask for the number, or
            show more decimals.
    """
    least, largest = gap
    if not truth > 0 or not 1 < least <= largest or count < 2:
        raise BenchDataError(
            f"number options need a truth > 0, a gap above 1 and at least two, got {truth!r}, {gap}, {count}"
        )
    rank = below(rng, count)
    values = [truth]
    for _ in range(rank):
        values.insert(0, values[0] / (least + (largest - least) * rng.random()))
    for _ in range(count - 1 - rank):
        values.append(values[-1] * (least + (largest - least) * rng.random()))
    keys = [number_key(value, decimals) for value in values]
    if len(set(keys)) < count or float(keys[0]) <= 0:
        raise BenchDataError(f"options around {truth:g} read the same with {decimals} decimals; show more of them")
    return arranged(rng, (Option(key, key + suffix) for key in keys))


def direction_keys(opposites: Sequence[tuple[str, str]], words: int) -> tuple[str, ...]:
    """All directions of so many words, at most one of each pair of opposites, in the pairs' order.

    >>> direction_keys([("left", "right"), ("backward", "forward")], 2)
    ('left+backward', 'left+forward', 'right+backward', 'right+forward')
    """
    return tuple("+".join(key) for pairs in combinations(opposites, words) for key in product(*pairs))


def direction_options(
    rng: Uniform,
    truth: str,
    opposites: Sequence[tuple[str, str]],
    *,
    texts: Mapping[str, str] | None = None,
    count: int = 4,
) -> tuple[Option, ...]:
    """The truth among other directions of as many words, so that no option is a part of another one, and none longer.

    Args:
        truth: words joined by "+", as `DirectionWords` and `RelationSet` give them.
        opposites: pairs of words that exclude each other, in the order in which a key has them.
        texts: key -> how it reads; words joined by hyphens without it.
        count: options at most.

    Raises:
        BenchDataError: the truth is no such direction.
    """
    keys = direction_keys(opposites, truth.count("+") + 1)
    if truth not in keys:
        raise BenchDataError(f"{truth!r} is no direction of the words {list(opposites)}")
    return key_options(rng, truth, keys, texts=texts or {key: key.replace("+", "-") for key in keys}, count=count)


def permutation_options(
    rng: Uniform,
    truth: str,
    *,
    separator: str = " < ",
    texts: Mapping[str, str] | None = None,
    count: int = 4,
) -> tuple[Option, ...]:
    """The truth among other orders of the same things, each other order equally likely.

    Swapping two things of the true order would make it the option that agrees with the others most.

    Args:
        truth: the things in their order, joined by ``separator``, as `Ranking` gives it; at most 6.
        separator: between two things, in the key and in the text.
        texts: thing -> how it reads.
        count: options at most.

    Raises:
        BenchDataError: fewer than two things, more than 6, or one of them twice.
    """
    things = truth.split(separator)
    if not 2 <= len(things) <= _MOST_RANKED or len(set(things)) != len(things):
        raise BenchDataError(f"an order needs 2 to {_MOST_RANKED} different things, got {things}")
    others = [separator.join(order) for order in permutations(sorted(things))]
    named = {key: separator.join(texts[one] for one in key.split(separator)) for key in others} if texts else None
    return key_options(rng, truth, others, texts=named, count=count)


def balanced_blocks(rng: Uniform, keys: Sequence[Key], *, most: int, least: int = 2) -> list[tuple[int, ...]]:
    """Groups of questions with different answers; the answers of a group are to be the options of all its questions.

    Takes the answers of which most are left first, so that groups are large as long as they can be. Seen over a group
    each option is right exactly once: the options, and all that the questions of a group share (a threshold, a
    category, a declared direction), say nothing about the answer.

    Args:
        keys: the answer of each question.
        most: questions in a group at most.
        least: smaller groups are left out.

    Returns:
        Places in ``keys``; each at most once. What is missing has no partner with another answer.

    >>> import numpy as np
    >>> blocks = balanced_blocks(np.random.default_rng(0), ["left", "left", "right", "left"], most=4)
    >>> len(blocks), len(blocks[0])
    (1, 2)
    """
    left: defaultdict[Key, list[int]] = defaultdict(list)
    for place in shuffled(rng, range(len(keys))):
        left[keys[place]].append(place)
    # The order of first appearance after the shuffle breaks ties: random, and the same in every process.
    rows = list(left.values())
    blocks: list[tuple[int, ...]] = []
    while len(rows) >= least:
        rows.sort(key=len, reverse=True)
        blocks.append(tuple(row.pop() for row in rows[:most]))
        rows = [row for row in rows if row]
    return blocks


def number_blocks(
    rng: Uniform, values: Sequence[float], *, most: int = 4, least: int = 2, ratio: float = _NUMBER_GAP[0]
) -> list[tuple[int, ...]]:
    """`balanced_blocks` for numbers: groups of questions whose true values are the options of each of them.

    Args:
        values: the answer of each question, > 0.
        most: questions in a group at most.
        least: smaller groups are left out.
        ratio: of any two values in a group at least, > 1.

    Returns:
        Places in ``values``; each at most once.

    Raises:
        BenchDataError: values or a ratio that are too small.
    """
    if ratio <= 1 or any(not value > 0 for value in values):
        raise BenchDataError(f"number blocks need values > 0 and a ratio above 1, got a ratio of {ratio}")
    groups: list[list[int]] = []
    growing: list[list[int]] = []
    for place in shuffled(rng, range(len(values))):
        value = values[place]
        for group in growing:
            if all(max(value, values[other]) >= ratio * min(value, values[other]) for other in group):
                group.append(place)
                break
        else:
            group = [place]
            groups.append(group)
            growing.append(group)
        if len(group) == most:
            growing.remove(group)
    return [tuple(group) for group in groups if len(group) >= least]
