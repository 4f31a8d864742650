import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import list_mean_relative_accuracy, mean_relative_accuracy

from .golden import numbers


@pytest.mark.parametrize(
    ("prediction", "truth", "score"),
    [
        (2, 2, 1.0),
        (1.5, 1.0, 0.1),
        (0, 0, 1.0),
        (1, 0, 0.0),
        (-1, -1, 1.0),
        (-1.2, -1, 0.7),
        (1.2, 1, 0.7),
        (8, 10, 0.7),
        (12, 10, 0.7),
        (0.8, 1, 0.7),
        (1.35, 1, 0.4),
        (0.65, 1, 0.4),
        (13.5, 10, 0.4),
        (1.05, 1, 1.0),
        (0.95, 1, 1.0),
        (1.0500001, 1, 0.9),
        (1.500001, 1, 0.0),
        (-2, 2, 0.0),
        (0, 5, 0.0),
        (3 * 1.2, 3, 0.7),
        (0.1 * 3 * 1.35, 0.1 * 3, 0.4),
        (np.float64(8), np.float64(10), 0.7),
        (1e308, -1e308, 0.0),
        (5e-324, 5e-324, 1.0),
        (1e-300, 0.0, 0.0),
        (None, 3.0, 0.0),
        (math.nan, 3.0, 0.0),
        (math.inf, 3.0, 0.0),
    ],
)
def test_scores_at_edges_zero_and_negative_truths(prediction: float | None, truth: float, score: float) -> None:
    assert mean_relative_accuracy(prediction, truth) == score


@pytest.mark.parametrize("truth", [None, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("prediction", [1.0, None, math.nan])
def test_a_missing_truth_is_an_error_of_the_data(prediction: float | None, truth: float | None) -> None:
    with pytest.raises(DiagnosticsError, match="error of the data"):
        mean_relative_accuracy(prediction, truth)


@given(st.integers(-400, 400), st.integers(-400, 400).filter(bool), st.sampled_from([1, 10, 100, 1000]))
def test_agrees_with_exact_fractions(prediction: int, truth: int, unit: int) -> None:
    error = abs(Fraction(prediction - truth, truth))
    exact = sum(error <= Fraction(percent, 100) for percent in range(50, 0, -5)) / 10
    assert mean_relative_accuracy(prediction / unit, truth / unit) == exact


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 1))
def test_never_worse_when_nearer_and_the_same_mirrored(prediction: float, truth: float, share: float) -> None:
    nearer = truth + share * (prediction - truth)
    assert mean_relative_accuracy(nearer, truth) >= mean_relative_accuracy(prediction, truth)
    assert mean_relative_accuracy(-prediction, -truth) == mean_relative_accuracy(prediction, truth)


def outcome(prediction: float | None, truth: float | None, published: str) -> object:
    try:
        return mean_relative_accuracy(prediction, truth, published=published)  # type: ignore[arg-type]
    except (ZeroDivisionError, TypeError) as problem:
        return {"raises": type(problem).__name__}


@pytest.mark.parametrize("row", numbers("crisp_mra")["mra"], ids=str)
def test_published_crisp_rows(row: dict[str, object]) -> None:
    assert outcome(row["pred"], row["target"], "crisp") == row["qa_task"]  # type: ignore[arg-type]
    assert outcome(row["pred"], row["target"], "crisp_consistency") == row["consistency"]  # type: ignore[arg-type]


@pytest.mark.parametrize("row", numbers("spacedg_scoring")["mra_scalar"], ids=str)
def test_published_spacedg_rows(row: dict[str, float]) -> None:
    assert mean_relative_accuracy(row["pred"], row["truth"], published="spacedg") == row["mra"]


def test_sound_score_agrees_with_published_ones_off_the_edges() -> None:
    rows = [(row["pred"], row["truth"], row["mra"]) for row in numbers("spacedg_scoring")["mra_scalar"] if row["truth"]]
    rows += [
        (row["pred"], row["target"], row["consistency"])
        for row in numbers("crisp_mra")["mra"]
        if row["target"] and (row["pred"], row["target"]) != (8, 10)  # 20 %: the published grid just misses it
    ]
    assert len(rows) == 31
    for prediction, truth, score in rows:
        assert mean_relative_accuracy(prediction, truth) == score


@pytest.mark.parametrize(
    ("predictions", "truths", "score"),
    [
        ([0.3, 0.2, 0.1], [0.1, 0.2, 0.3], 1.0),
        ([1.2, 2.0, 3.0], [3.0, 1.0, 2.0], (0.7 + 1 + 1) / 3),
        ([0.1, 0.2], [0.1, 0.2, 0.3], 0.0),
        ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3], 0.0),
        ([0.1, math.nan, 0.3], [0.1, 0.2, 0.3], 0.0),
        ([0.1, None, 0.3], [0.1, 0.2, 0.3], 0.0),
        ([], [1.0], 0.0),
        (None, [1.0], 0.0),
    ],
)
def test_lists_are_sorted_and_averaged(
    predictions: list[float | None] | None, truths: list[float], score: float
) -> None:
    assert list_mean_relative_accuracy(predictions, truths) == pytest.approx(score, abs=1e-15)


def test_published_lists_keep_their_order() -> None:
    rows = [row for row in numbers("spacedg_scoring")["row_scores"] if row["kind"] == "SIZE_LIST"]
    assert len(rows) == 2
    for row in rows:
        truths = [float(word) for word in row["answer"].strip("[]").split(",")]
        assert list_mean_relative_accuracy(row["extracted"], truths, published="spacedg") == row["score"]


@pytest.mark.parametrize("truths", [[], [1.0, math.nan], [None]])
def test_a_broken_true_list_is_an_error_of_the_data(truths: list[float]) -> None:
    with pytest.raises(DiagnosticsError):
        list_mean_relative_accuracy([1.0], truths)
