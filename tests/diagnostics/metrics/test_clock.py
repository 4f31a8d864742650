import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import clock_error_deg, clock_hour

from .golden import numbers


@pytest.mark.parametrize("row", numbers("open3dvqa_clock_sweep")["clock_sweep_egocentric"], ids=str)
def test_published_hours(row: dict[str, float]) -> None:
    assert clock_hour(row["bearing_deg_right_positive"], published="open3dvqa") == row["clock"]


@pytest.mark.parametrize(
    ("bearing_deg", "hour"),
    [(0, 12), (14.9, 12), (-14.9, 12), (15, 1), (-15, 12), (-15.1, 11), (29.9, 1), (90, 3), (180, 6), (-180, 6),
     (-90, 9), (345, 12), (344.9, 11), (360, 12), (720, 12), (-0.0, 12), (-1e-12, 12)],
)  # fmt: skip
def test_nearest_hour(bearing_deg: float, hour: int) -> None:
    assert clock_hour(bearing_deg) == hour


@given(st.floats(-1e4, 1e4))
def test_the_hour_is_never_more_than_15_degrees_away(bearing_deg: float) -> None:
    apart = (bearing_deg - 30 * clock_hour(bearing_deg)) % 360
    assert min(apart, 360 - apart) <= 15 + 1e-9


@pytest.mark.parametrize(
    ("predicted", "truth", "error"),
    [(12, 1, 30), (1, 12, 30), (11, 12, 30), (0, 12, 0), (3, 9, 180), (12, 12, 0), (1.5, 1, 15), (7, 12, 150)],
)
def test_error_goes_the_short_way_round(predicted: float, truth: float, error: float) -> None:
    assert clock_error_deg(predicted, truth) == error


@given(st.floats(0, 12), st.floats(0, 12), st.floats(0, 12))
def test_error_is_a_distance_on_the_circle(a: float, b: float, c: float) -> None:
    assert clock_error_deg(a, b) == clock_error_deg(b, a)
    assert 0 <= clock_error_deg(a, b) <= 180
    assert clock_error_deg(a, c) <= clock_error_deg(a, b) + clock_error_deg(b, c) + 1e-9
    angle = math.degrees(math.acos(max(-1.0, min(1.0, math.cos(math.radians(30 * (a - b)))))))
    assert clock_error_deg(a, b) == pytest.approx(angle, abs=1e-5)


@pytest.mark.parametrize("predicted", [None, math.nan, 13, -1, math.inf])
def test_no_hour_has_no_error(predicted: float | None) -> None:
    assert math.isnan(clock_error_deg(predicted, 3))


@pytest.mark.parametrize("truth", [13, -1, math.nan])
def test_a_true_hour_off_the_face_is_an_error_of_the_data(truth: float) -> None:
    with pytest.raises(DiagnosticsError):
        clock_error_deg(3, truth)


def test_a_bearing_must_be_finite() -> None:
    with pytest.raises(DiagnosticsError):
        clock_hour(math.nan)
