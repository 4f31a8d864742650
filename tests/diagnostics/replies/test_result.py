"""The result can hold a value only when it is an answer."""

import math

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.replies import Interval, ParsedReply, ParseStatus


@pytest.mark.parametrize("status", [status for status in ParseStatus if status is not ParseStatus.OK])
def test_only_ok_holds_a_value(status: ParseStatus) -> None:
    assert not ParsedReply(status).ok
    with pytest.raises(DiagnosticsError, match="cannot hold the value"):
        ParsedReply(status, "B")


def test_ok_needs_a_value() -> None:
    with pytest.raises(DiagnosticsError):
        ParsedReply(ParseStatus.OK)
    assert ParsedReply(ParseStatus.OK, False).ok
    assert ParsedReply(ParseStatus.OK, 0.0).ok


def test_frozen() -> None:
    with pytest.raises(AttributeError):
        ParsedReply(ParseStatus.OK, "B").value = "A"  # type: ignore[misc]


@pytest.mark.parametrize(("low", "high"), [(3, 2), (math.nan, 1), (0, math.nan)])
def test_an_interval_is_in_order(low: float, high: float) -> None:
    with pytest.raises(DiagnosticsError, match="low <= high"):
        Interval(low, high)
