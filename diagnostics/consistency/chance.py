"""How often two answers would agree by chance, if each kept its habits but looked at another picture.

The habits of the two routes are their marginals: how often each answer is given. Three cases:

* Questions that offer the same answers (yes or no, clock hours, the same options): the marginals themselves, which
  makes the corrected agreement Cohen's kappa (Cohen 1960).
* Questions that offer different options: how readily each option is taken when it is offered, worked out without the
  question itself, and drawn a little towards guessing; an option seen only once says nothing.
* Measures: the agreement of one question's answer with the other route's answers to other questions of its kind,
  which makes the corrected agreement a weighted kappa (Cohen 1968).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...bench_data.questions import AnswerType, Question, Truth
from ..judging import Tolerances, agreement, same_answer
from .compared import Compared, Outcome, outcome_of

__all__ = ["expected_agreement", "expected_same_wrong"]

_MOST_SHIFTS = 100
_CATEGORICAL = (AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.CLOCK)

Match = Callable[[Question, Truth, Truth], float]


def expected_agreement(items: Sequence[Compared]) -> NDArray[np.float64]:
    """(n,) the agreement expected by chance of each item's two answers, within its kind of question.

    Range: [0, 1]. An item without two answers gets NaN.
    """
    expected = np.full(len(items), np.nan)
    for places in _by_kind(items):
        group = [items[place] for place in places]
        if group[0].question.answer_type in _CATEGORICAL:
            offers = [_offered(item.question) for item in group]
            of_group = _fixed(group) if len(set(offers)) == 1 else _varying(group, offers)
        else:
            of_group = _shifted(group, agreement)
        expected[places] = of_group
    return expected


def expected_same_wrong(items: Sequence[Compared], tolerances: Tolerances | None = None) -> NDArray[np.float64]:
    """(n,) how likely two wrong answers to each question are to be the same wrong one by chance.

    Range: [0, 1]. Of k options any other of the k - 1 wrong ones is as likely; measures are compared with the other
    route's wrong answers to other questions of their kind. NaN where the two answers are not both wrong.
    """
    expected = np.full(len(items), np.nan)
    wrong = [outcome_of(item, tolerances) in (Outcome.SAME_WRONG, Outcome.DIFFERENT_WRONG) for item in items]
    for places in _by_kind(items):
        kept = [place for place in places if wrong[place]]
        if not kept:
            continue
        group = [items[place] for place in kept]
        if group[0].question.answer_type in _CATEGORICAL:
            expected[kept] = [1 / max(1, len(_offered(item.question)) - 1) for item in group]
        else:
            expected[kept] = _shifted(group, lambda question, a, b: float(same_answer(question, a, b, tolerances)))
    return expected


def _by_kind(items: Sequence[Compared]) -> Iterable[list[int]]:
    """Places of the items with two answers, kind by kind."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        if item.is_covered:
            groups[item.question.suite, item.question.kind].append(place)
    return groups.values()


def _offered(question: Question) -> tuple[Truth, ...]:
    """All answers that a question allows, sorted."""
    if question.answer_type is AnswerType.YES_NO:
        return False, True
    if question.answer_type is AnswerType.CLOCK:
        return tuple(range(1, 13))
    return tuple(sorted(option.key for option in question.options))


def _pairs(group: Sequence[Compared]) -> list[tuple[Truth, Truth]]:
    return [
        (item.direct, item.derived_value)
        for item in group
        if item.direct is not None and item.derived_value is not None
    ]


def _fixed(group: Sequence[Compared]) -> float:
    """Cohen's expected agreement."""
    pairs = _pairs(group)
    direct, derived = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    return sum(count * derived[key] for key, count in direct.items()) / len(pairs) ** 2


def _varying(group: Sequence[Compared], offers: Sequence[tuple[Truth, ...]]) -> list[float]:
    """The chance that both routes take the same option of those offered, by their readiness to take each."""
    pairs = _pairs(group)
    offered = Counter(key for keys in offers for key in keys)
    taken = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    return [
        sum(
            a * b
            for a, b in zip(
                *(_readiness(keys, counts, offered, own) for counts, own in zip(taken, pair, strict=True)), strict=True
            )
        )
        for keys, pair in zip(offers, pairs, strict=True)
    ]


def _readiness(keys: tuple[Truth, ...], taken: Counter[Truth], offered: Counter[Truth], own: Truth) -> list[float]:
    """How likely each key is to be taken: (times taken + 1/n) / (times offered + 1), without this question itself."""
    weights = [(taken[key] - (key == own) + 1 / len(keys)) / offered[key] for key in keys]
    total = sum(weights)
    return [weight / total for weight in weights]


def _shifted(group: Sequence[Compared], match: Match) -> list[float]:
    """The mean match of each answer with the other route's answers to other questions of the group.

    Other questions are found by shifting the list, at most `_MOST_SHIFTS` times: all of them in a group that is no
    larger. A single item has no others, and nothing is expected of it.
    """
    pairs = _pairs(group)
    count = len(pairs)
    shifts = range(1, min(count - 1, _MOST_SHIFTS) + 1)
    if not shifts:
        return [0.0] * count
    return [
        sum(match(item.question, pairs[place][0], pairs[(place + shift) % count][1]) for shift in shifts) / len(shifts)
        for place, item in enumerate(group)
    ]
