import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import (
    chance_adjusted_accuracy,
    chance_adjusted_by_type,
    chance_level,
)

from .golden import numbers


@pytest.mark.parametrize(
    ("answer_format", "level"),
    [
        (AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "1", "B": "2", "C": "3", "D": "4"}), 1 / 4),
        (AnswerFormat(answer_type=AnswerType.YES_NO), 1 / 2),
        (AnswerFormat(answer_type=AnswerType.YES_NO, options={"A": "yes", "B": "no", "C": "cannot tell"}), 1 / 3),
        (AnswerFormat(answer_type=AnswerType.CLOCK), 1 / 12),
        (AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE), 0.0),
        (AnswerFormat(answer_type=AnswerType.LIST, unit=Unit.METRE, length=3), 0.0),
        (AnswerFormat(answer_type=AnswerType.BOX), 0.0),
        (AnswerFormat(answer_type=AnswerType.POINT), 0.0),
        (AnswerFormat(answer_type=AnswerType.TEXT), 0.0),
        (AnswerFormat(answer_type=AnswerType.GRAPH), 0.0),
    ],
)
def test_chance_of_every_answer_type(answer_format: AnswerFormat, level: float) -> None:
    assert chance_level(answer_format) == level


def test_published_chance_adjusted_accuracy() -> None:
    golden = numbers("spacedg_scoring")["chance_adjusted_accuracy"]
    scores = [row["hit"] for row in golden["rows"]]
    levels = [1 / len(ast.literal_eval(row["options"])) for row in golden["rows"]]
    assert chance_adjusted_accuracy(scores, levels) == pytest.approx(golden["caa"], abs=1e-15)


@given(st.lists(st.booleans(), min_size=1, max_size=20), st.lists(st.booleans(), min_size=1, max_size=20))
def test_agrees_with_scikit_learn_on_balanced_classes(first: list[bool], second: list[bool]) -> None:
    """With two equally frequent classes the adjusted balanced accuracy is the same number."""
    n = min(len(first), len(second))
    truth = [0] * n + [1] * n
    predicted = [int(value) for value in first[:n] + second[:n]]
    scores = [float(a == b) for a, b in zip(truth, predicted, strict=True)]
    expected = balanced_accuracy_score(truth, predicted, adjusted=True)
    assert chance_adjusted_accuracy(scores, [0.5] * (2 * n)) == pytest.approx(expected, abs=1e-12)


def test_by_type_keeps_order_and_guards_certain_guesses() -> None:
    types = ["yes_no", AnswerType.NUMBER, "yes_no", "choice"]
    table = chance_adjusted_by_type(types, [1, 0.4, 0, 1], [0.5, 0.0, 0.5, 1.0])
    assert list(table) == ["yes_no", "number", "choice"]
    assert (table["yes_no"].n, table["yes_no"].accuracy, table["yes_no"].adjusted) == (2, 0.5, 0.0)
    assert table["number"].adjusted == 0.4
    assert table["choice"].adjusted is None


@pytest.mark.parametrize(
    ("scores", "levels"),
    [([], []), ([1], [0.5, 0.5]), ([1], [1.0]), ([2], [0.5]), ([1], [-0.1]), ([float("nan")], [0])],
)
def test_broken_input_is_refused(scores: list[float], levels: list[float]) -> None:
    with pytest.raises(DiagnosticsError):
        chance_adjusted_accuracy(scores, levels)


def test_by_type_needs_one_length() -> None:
    with pytest.raises(DiagnosticsError, match="one length"):
        chance_adjusted_by_type(["a"], [1, 0], [0.5, 0.5])
