"""Chance agreement against Cohen's kappa of another library, brute force, and two blind routes."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from seeworthy.bench_data.questions import AnswerType, Unit
from seeworthy.diagnostics.consistency import Compared, expected_agreement, expected_same_wrong
from seeworthy.diagnostics.judging import agreement
from tests.diagnostics.asked import choice, number, of_type, yes_no
from tests.diagnostics.consistency.compare import compared

KEYS = ("front", "left", "back", "right", "up", "down", "near", "far")


def kappa(items: list[Compared]) -> float:
    agreed = np.array(
        [
            agreement(item.question, item.direct, item.derived_value)
            for item in items
            if item.direct is not None and item.derived_value is not None
        ]
    )
    chance = expected_agreement(items)
    return float((agreed - chance).sum() / (1 - chance).sum())


@pytest.mark.parametrize("seed", range(5))
def test_yes_no_gives_cohens_kappa(seed: int) -> None:
    rng = np.random.default_rng(seed)
    direct = rng.random(60) < 0.7
    derived = np.where(rng.random(60) < 0.6, direct, rng.random(60) < 0.3)
    items = [
        compared(yes_no(True, name=str(n)), bool(a), bool(b))
        for n, (a, b) in enumerate(zip(direct, derived, strict=True))
    ]
    assert kappa(items) == pytest.approx(cohen_kappa_score(direct, derived))


@pytest.mark.parametrize("seed", range(3))
def test_the_same_options_give_cohens_kappa(seed: int) -> None:
    rng = np.random.default_rng(seed)
    direct = rng.choice(KEYS[:4], 80, p=[0.5, 0.2, 0.2, 0.1])
    derived = np.where(rng.random(80) < 0.5, direct, rng.choice(KEYS[:4], 80))
    items = []
    for n, (a, b) in enumerate(zip(direct, derived, strict=True)):
        shown = tuple(str(one) for one in rng.permutation(KEYS[:4]))  # letters follow the order; keys do not
        items.append(compared(choice("front", shown, name=str(n)), str(a), str(b)))
    assert kappa(items) == pytest.approx(cohen_kappa_score(direct, derived))


def test_two_habits_without_a_common_picture_are_not_consistent() -> None:
    """Both routes like "front" and see nothing: raw agreement is high, the corrected one is about zero."""
    rng = np.random.default_rng(1)

    def liking_front(offered: list[str]) -> str:
        weights = np.array([6.0 if one == "front" else 1.0 for one in offered])
        return str(rng.choice(offered, p=weights / weights.sum()))

    items, agreed = [], []
    for n in range(600):
        offered = [str(one) for one in rng.choice(KEYS, 4, replace=False)]
        direct, derived = liking_front(offered), liking_front(offered)
        items.append(compared(choice(offered[0], tuple(offered), name=str(n)), direct, derived))
        agreed.append(direct == derived)
    assert np.mean(agreed) > 0.32  # one in four by blind guessing
    assert abs(kappa(items)) < 0.06


def test_options_seen_once_say_nothing() -> None:
    items = [
        compared(choice(f"{n}a", (f"{n}a", f"{n}b", f"{n}c", f"{n}d"), name=str(n)), f"{n}a", f"{n}a") for n in range(9)
    ]
    assert expected_agreement(items) == pytest.approx(0.25)
    assert kappa(items) == pytest.approx(1)


def test_measures_are_compared_with_answers_to_other_questions() -> None:
    rng = np.random.default_rng(2)
    direct, derived = rng.uniform(0.5, 5, 12), rng.uniform(0.5, 5, 12)
    question = number(1.0)
    items = [compared(question, float(a), float(b)) for a, b in zip(direct, derived, strict=True)]
    brute = [
        np.mean([agreement(question, float(a), float(b)) for m, b in enumerate(derived) if m != n])
        for n, a in enumerate(direct)
    ]
    assert expected_agreement(items) == pytest.approx(np.array(brute))


def test_a_model_that_always_says_two_metres_is_not_consistent() -> None:
    items = [compared(number(float(n), name=str(n)), 2.0, 2.0) for n in range(1, 9)]
    assert expected_agreement(items) == pytest.approx(1)


def test_kinds_are_kept_apart_and_gaps_are_nan() -> None:
    items = [
        compared(yes_no(True, name="1", kind="one"), True, True),
        compared(yes_no(True, name="2", kind="two"), False, False),
        compared(yes_no(True, name="3", kind="two"), None, True),
        compared(yes_no(True, name="4", kind="two"), True, None),
        compared(number(2.0, name="5"), 2.0, 2.0),
    ]
    expected = expected_agreement(items)
    assert expected[[0, 1]] == pytest.approx(1)  # in each kind only one answer was ever given
    assert np.isnan(expected[[2, 3]]).all()
    assert expected[4] == 0  # no other measure to compare with


def test_a_kind_asked_in_two_forms_counts_as_two() -> None:
    items = [
        compared(choice("3", ("1", "2", "3", "4"), name="1", kind="count"), "3", "3"),
        compared(choice("2", ("2", "5", "6", "7"), name="2", kind="count"), "2", "2"),
        compared(number(3, unit=Unit.COUNT, name="3", kind="count"), 3, 3),
    ]
    assert expected_agreement(items) == pytest.approx([0.25, 0.25, 0.0], abs=0.1)


def test_clock_hours_have_twelve_answers() -> None:
    items = [compared(of_type(AnswerType.CLOCK, 3), hour, hour) for hour in (1, 2, 3, 12)]
    assert expected_agreement(items) == pytest.approx(0.25)


def test_the_same_wrong_answer_by_chance() -> None:
    items = [
        compared(choice("a", ("a", "b", "c", "d"), name="1"), "b", "b"),
        compared(choice("a", ("a", "b", "c"), name="2"), "b", "c"),
        compared(yes_no(True, name="3"), False, False),
        compared(choice("a", ("a", "b", "c"), name="4"), "a", "c"),
        compared(number(10.0, name="5"), 1.0, 1.0),
        compared(number(10.0, name="6"), 1.05, 3.0),
        compared(number(10.0, name="7"), 10.0, 3.0),
        compared(of_type(AnswerType.LIST, (1.0, 2.0), Unit.METRE), (9.0, 9.0), (9.0, 9.0)),
    ]
    expected = expected_same_wrong(items)
    assert expected[:3] == pytest.approx([1 / 3, 1 / 2, 1.0])
    assert np.isnan(expected[[3, 6]]).all()
    assert expected[[4, 5]] == pytest.approx([0.0, 1.0])  # 1.0 against 3.0, and 1.05 against 1.0
    assert expected[7] == 0
