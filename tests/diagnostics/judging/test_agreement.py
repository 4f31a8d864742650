"""Agreement knows no reference; right and same have stated tolerances."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.questions import AnswerType, Unit
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.judging import (
    Tolerances,
    agreement,
    is_comparable,
    is_right,
    numeric_agreement,
    same_answer,
    score_answer,
    symmetric_error,
)
from seeworthy.diagnostics.metrics import mean_relative_accuracy
from tests.diagnostics.asked import choice, number, of_type, yes_no

finite = st.floats(-1e6, 1e6)


@given(finite, finite)
def test_neither_number_is_the_reference(a: float, b: float) -> None:
    assert numeric_agreement(a, b) == numeric_agreement(b, a)
    assert symmetric_error(a, b) == symmetric_error(b, a)
    assert 0 <= numeric_agreement(a, b) <= 1
    assert numeric_agreement(a, a) == 1


@given(st.floats(0.01, 1e3), st.floats(1.0, 50.0), st.floats(0.01, 100.0))
def test_only_the_ratio_counts(a: float, ratio: float, scale: float) -> None:
    assert symmetric_error(a, a * ratio) == pytest.approx(1 - 1 / ratio, abs=1e-9)
    assert symmetric_error(a * scale, a * ratio * scale) == pytest.approx(symmetric_error(a, a * ratio), abs=1e-9)


@given(st.floats(0.1, 100), st.floats(0.1, 100))
def test_it_is_relative_accuracy_against_the_larger(a: float, b: float) -> None:
    assert numeric_agreement(a, b) == pytest.approx(mean_relative_accuracy(min(a, b), max(a, b)), abs=1e-9)


def test_relative_accuracy_is_not_symmetric_and_this_is() -> None:
    assert mean_relative_accuracy(2, 3) != mean_relative_accuracy(3, 2)
    assert numeric_agreement(2, 3) == numeric_agreement(3, 2) == 0.4


def test_opposite_signs_and_zeros() -> None:
    assert numeric_agreement(1, -1) == numeric_agreement(0, 1) == 0
    assert numeric_agreement(0, 0) == 1


def test_forms_of_answers() -> None:
    assert agreement(yes_no(True), False, False) == 1
    assert agreement(choice("a", ("a", "b")), "a", "b") == 0
    extents = of_type(AnswerType.LIST, (1.0, 2.0), Unit.METRE)
    assert agreement(extents, (2.0, 1.0), (1.0, 2.0)) == 1  # extents have no order
    assert agreement(extents, (2.0,), (1.0, 2.0)) == 0
    assert agreement(number(3, unit=Unit.COUNT), 3.0, 4.0) == 0  # counts are the same or not
    box = of_type(AnswerType.BOX, (0.0, 0.0, 1.0, 1.0))
    assert agreement(box, (0.0, 0.0, 2.0, 2.0), (1.0, 0.0, 3.0, 2.0)) == pytest.approx(1 / 3)
    assert agreement(box, (2.0, 2.0, 0.0, 0.0), (3.0, 0.0, 1.0, 2.0)) == 0


def test_tolerances_decide_right_and_same() -> None:
    near = Tolerances(right=0.2, same=0.1)
    assert is_right(number(10.0), 8.0, near)  # exactly at the edge
    assert not is_right(number(10.0), 7.9, near)
    assert same_answer(number(1.0), 9.0, 10.0, near)
    assert not same_answer(number(1.0), 8.9, 10.0, near)
    assert not is_right(number(1.0), None)
    box = of_type(AnswerType.BOX, (0.0, 0.0, 2.0, 1.0))
    assert is_right(box, (0.0, 0.0, 1.0, 1.0)) and not is_right(box, (0.0, 0.0, 0.9, 1.0))


def test_points_are_not_compared() -> None:
    point = of_type(AnswerType.POINT, (1.0, 1.0))
    assert not is_comparable(point)
    for judge in (lambda: agreement(point, (1.0, 1.0), (1.0, 1.0)), lambda: score_answer(point, (1.0, 1.0))):
        with pytest.raises(DiagnosticsError, match="point"):
            judge()


def test_scores_by_form() -> None:
    assert score_answer(yes_no(True), True) == 1
    assert score_answer(number(10.0), 8.0) == 0.7
    assert score_answer(number(3, unit=Unit.COUNT), 3.0) == 1
    assert score_answer(number(3, unit=Unit.COUNT), 3.4) == 0
    assert score_answer(choice("a", ("a", "b")), None) == 0
    assert score_answer(of_type(AnswerType.CLOCK, 3), 3) == 1
    assert score_answer(of_type(AnswerType.BOX, (0.0, 0.0, 2.0, 1.0)), (0.0, 0.0, 1.0, 1.0)) == 0.5
    assert math.isclose(score_answer(of_type(AnswerType.LIST, (1.0, 2.0), Unit.METRE), (2.0, 1.0)), 1)
