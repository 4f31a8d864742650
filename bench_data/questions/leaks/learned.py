"""Guessers that have read the answers of other scenes, and see no picture."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .items import Item
from .rules import Scores

__all__ = ["KNOWING", "LEARNED", "Train"]

Train = Callable[[Sequence[Item]], Scores]
"""Reads items with their answers, and becomes a guesser."""

_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+(?:-[^\W\d_]+)*")
_IDLE = frozenset({"the", "a", "an", "of", "and", "or", "is", "in", "to", "with"})
_IN_EVERY = 0.95
_PENALTY = 1.0
_STEPS = 60


def _usual(group: Callable[[Item], Hashable]) -> Train:
    """Takes the answer that is right most often, of those shown, in items of the same group."""

    def train(items: Sequence[Item]) -> Scores:
        shown: Counter[tuple[Hashable, str]] = Counter()
        right: Counter[tuple[Hashable, str]] = Counter()
        for item in items:
            shown.update((group(item), key) for key in item.keys)
            right[group(item), item.keys[item.right]] += 1

        def scores(item: Item) -> list[float]:
            # Laplace's rule, one right among all options as a start, so that a rare answer is not believed at once.
            return [(right[group(item), key] + 1) / (shown[group(item), key] + len(item.keys)) for key in item.keys]

        return scores

    return train


def _usual_letter(items: Sequence[Item]) -> Scores:
    right: Counter[tuple[str, int, int]] = Counter((item.kind, len(item.keys), item.right) for item in items)

    def scores(item: Item) -> list[float] | None:
        if item.keys == ("yes", "no"):
            return None
        return [float(right[item.kind, len(item.keys), place]) for place in range(len(item.keys))]

    return scores


def _words(text: str) -> list[str]:
    """Small words and numbers; of a number also its size in half octaves, so that similar ones are alike."""
    found = []
    for word in _WORD.findall(text):
        found.append(word.lower())
        if word[0].isdigit() and float(word) > 0:
            found.append(f"#{round(2 * np.log2(float(word)))}")
    return [word for word in found if word not in _IDLE]


class _Vocabulary:
    """Turns options into numbered features; numbers are given while it reads, and unknown ones are dropped later."""

    def __init__(self, items: Sequence[Item], *, crossed: bool) -> None:
        self._crossed = crossed
        self._numbers: dict[Hashable, int] = {}
        self._common = _common_words(items)
        self._reading = True

    def stop_reading(self) -> int:
        """No new features from here on; their count."""
        self._reading = False
        return len(self._numbers)

    def rows(self, item: Item) -> list[list[int]]:
        """For each option the numbers of its features."""
        common = self._common.get((item.kind, item.wording), frozenset())
        asked = sorted(set(_words(item.text)) - common)
        return [self._numbered(self._features(item, place, asked)) for place in range(len(item.keys))]

    def _features(self, item: Item, place: int, asked: list[str]) -> Iterator[Hashable]:
        key, text = item.keys[place], item.texts[place]
        yield item.kind, "place", place
        yield item.kind, "key", key
        yield item.kind, item.wording, "key", key
        words = _words(text)
        yield from ((item.kind, "word", word) for word in words)
        yield from ((item.kind, "pair", pair) for pair in pairwise(words))
        yield from ((item.kind, "asked", word, key) for word in asked)
        if self._crossed:
            yield from ((item.kind, "crossed", word, option) for word in asked for option in dict.fromkeys(words))

    def _numbered(self, features: Iterator[Hashable]) -> list[int]:
        numbers = self._numbers
        if self._reading:
            return [numbers.setdefault(feature, len(numbers)) for feature in features]
        return [numbers[feature] for feature in features if feature in numbers]


def _common_words(items: Sequence[Item]) -> dict[tuple[str, int], frozenset[str]]:
    """The words that nearly all texts of a wording have: they say nothing, and would cost time."""
    count: Counter[tuple[str, int]] = Counter()
    words: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for item in items:
        count[item.kind, item.wording] += 1
        words[item.kind, item.wording].update(set(_words(item.text)))
    return {
        group: frozenset(word for word, seen in found.items() if seen >= _IN_EVERY * count[group] and count[group] > 9)
        for group, found in words.items()
    }


def _word_model(crossed: bool) -> Train:
    """Logistic regression over the options (a softmax for each question) on words of text and options."""

    def train(items: Sequence[Item]) -> Scores:
        vocabulary = _Vocabulary(items, crossed=crossed)
        rows = [row for item in items for row in vocabulary.rows(item)]
        sizes = np.array([len(item.keys) for item in items])
        right = np.cumsum(sizes) - sizes + np.array([item.right for item in items])
        weights = _fit(rows, vocabulary.stop_reading(), sizes, right)

        def scores(item: Item) -> list[float]:
            return [float(weights[row].sum()) for row in vocabulary.rows(item)]

        return scores

    return train


def _fit(
    rows: list[list[int]], features: int, sizes: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(features,) weights that make the right options likely, held small by a penalty on their squares."""
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    columns = np.fromiter((number for row in rows for number in row), dtype=np.int64)
    ends = np.cumsum([0, *(len(row) for row in rows)])
    X = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), features))
    starts = np.cumsum(sizes) - sizes
    target = np.zeros(len(rows))
    target[right] = 1
    question = np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = X @ weights
        logits = logits - np.maximum.reduceat(logits, starts)[question]
        odds = np.exp(logits)
        total = np.add.reduceat(odds, starts)
        cost = np.log(total).sum() - logits[right].sum() + _PENALTY / 2 * weights @ weights
        return float(cost), X.T @ (odds / total[question] - target) + _PENALTY * weights

    found = minimize(loss, np.zeros(features), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return np.asarray(found.x, dtype=np.float64)


LEARNED: dict[str, Train] = {
    "usual letter": _usual_letter,
    "usual answer of the kind": _usual(lambda item: item.kind),
    "usual answer of the kind and wording": _usual(lambda item: (item.kind, item.wording)),
    "usual answer among these options": _usual(lambda item: (item.kind, tuple(sorted(item.keys)))),
    "words of text and options": _word_model(crossed=False),
}
"""Name -> guesser to be trained."""
KNOWING: dict[str, Train] = {"what things are usually like": _word_model(crossed=True)}
"""Guessers that learn facts about the world, such as that wardrobes are longer than stools. What they reach beyond
chance is knowledge that no making of options can hide; it is reported, and not held against a suite."""
