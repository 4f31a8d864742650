"""How often two answers would agree by chance, if each kept its habits but looked at another picture.

The habits of the two routes are their marginals: how often each answer is given. Three cases:

* Questions that offer the same answers (yes or no, clock hours, the same options): the marginals themselves, which
  makes the corrected agreement Cohen's kappa (Cohen 1960).
* Questions that offer different options: how readily each option is taken when it is offered (Luce's choice rule),
  worked out without the question itself and drawn a little towards guessing; an option seen only once says nothing.
* Measures: the agreement of one question's answer with the other route's answers to other questions of its kind,
  which makes the corrected agreement a weighted kappa (Cohen 1968).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...bench_data.questions import AnswerType, Question, Truth
from ..judging import Tolerances, agreement, same_answer
from .compared import Compared, Outcome, outcome_of

__all__ = ["expected_agreement", "expected_same_wrong"]

_MOST_SHIFTS = 100
_MOST_STEPS, _SETTLED = 100, 1e-6
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
    """Places of the items with two answers, kind by kind; a kind that is asked in two forms counts as two."""
    groups: dict[tuple[str, str, AnswerType], list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        if item.is_covered:
            question = item.question
            groups[question.suite, question.kind, question.answer_type].append(place)
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
    chances = [_taken_chances(offers, [pair[route] for pair in pairs]) for route in (0, 1)]
    return [sum(a * b for a, b in zip(one, two, strict=True)) for one, two in zip(*chances, strict=True)]


def _taken_chances(offers: Sequence[tuple[Truth, ...]], taken: Sequence[Truth]) -> list[list[float]]:
    """For each question, how likely each of its options is to be taken, as learnt from the other questions alone.

    Luce's choice rule: an option is taken with a chance proportional to its weight. The weights are those of the most
    likely rule (Hunter 2004, the MM algorithm), drawn to equal weights by one pseudo-observation each.
    """
    counts = Counter(taken)
    weights = dict.fromkeys((key for keys in offers for key in keys), 1.0)
    for _ in range(_MOST_STEPS):
        shares = _shares(offers, weights)
        fitted = {key: (counts[key] + 1) / (shares[key] + 1) for key in weights}
        moved = max(abs(fitted[key] - weight) / weight for key, weight in weights.items())
        weights = fitted
        if moved < _SETTLED:
            break
    shares = _shares(offers, weights)
    found = []
    for keys, own in zip(offers, taken, strict=True):
        own_share = 1 / sum(weights[key] for key in keys)
        others = [(counts[key] - (key == own) + 1) / (shares[key] - own_share + 1) for key in keys]
        total = sum(others)
        found.append([one / total for one in others])
    return found


def _shares(offers: Sequence[tuple[Truth, ...]], weights: Mapping[Truth, float]) -> dict[Truth, float]:
    """Key -> the sum of 1 / (total weight offered) over the questions that offer it."""
    shares = dict.fromkeys(weights, 0.0)
    for keys in offers:
        share = 1 / sum(weights[key] for key in keys)
        for key in keys:
            shares[key] += share
    return shares


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
