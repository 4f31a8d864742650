import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import absolute_relative_error, band_success


@pytest.mark.parametrize(
    ("prediction", "truth", "success"),
    [
        (7.5, 10, True),
        (12.5, 10, True),
        (7.4999, 10, False),
        (12.5001, 10, False),
        (0.9 * 0.75, 0.9, True),
        (1.1 * 1.25, 1.1, True),
        (-1.2, -1, True),
        (1.2, -1, False),
        (0, 0, True),
        (0.001, 0, False),
        (None, 1, False),
        (math.nan, 1, False),
        (math.inf, 1, False),
    ],
)
def test_band_includes_its_ends(prediction: float | None, truth: float, success: bool) -> None:
    assert band_success(prediction, truth) is success


@given(st.integers(1, 10_000), st.integers(1, 1000))
def test_both_ends_of_the_band_succeed_for_any_truth(hundredths: int, unit: int) -> None:
    truth = hundredths / (100 * unit)
    assert band_success(truth * 0.75, truth)
    assert band_success(truth * 1.25, truth)
    assert not band_success(truth * 0.7499, truth)
    assert not band_success(truth * 1.2501, truth)


def test_another_band() -> None:
    assert band_success(1.09, 1, low=0.9, high=1.1)
    assert not band_success(0.75, 1, low=0.9, high=1.1)
    with pytest.raises(DiagnosticsError, match="empty"):
        band_success(1, 1, low=2, high=1)


@pytest.mark.parametrize(
    ("prediction", "truth", "error"),
    [(3, 4, 0.25), (5, 4, 0.25), (-3, -4, 0.25), (0, 0, 0.0), (1, 0, math.inf), (0, 5, 1.0)],
)
def test_absolute_relative_error(prediction: float, truth: float, error: float) -> None:
    assert absolute_relative_error(prediction, truth) == error


@pytest.mark.parametrize("prediction", [None, math.nan, math.inf])
def test_no_answer_has_no_error(prediction: float | None) -> None:
    assert math.isnan(absolute_relative_error(prediction, 2.0))


@pytest.mark.parametrize("truth", [None, math.nan, math.inf])
def test_a_missing_truth_is_an_error_of_the_data(truth: float | None) -> None:
    for metric in (band_success, absolute_relative_error):
        with pytest.raises(DiagnosticsError, match="error of the data"):
            metric(1.0, truth)
