"""Interval arithmetic holds every value that its operands can have."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.derive.interval import (
    ANYTHING,
    FULL_CIRCLE,
    Interval,
    absolute,
    bearing,
    cosine,
    difference,
    meet,
    point,
    product,
    scaled,
    sine,
    total,
)

numbers = st.floats(-50, 50)


@st.composite
def with_inner(draw: st.DrawFn) -> tuple[Interval, float]:
    """An interval, at times a point, and a value within."""
    low, high = sorted((draw(numbers), draw(numbers)))
    if draw(st.booleans()) and draw(st.booleans()):
        high = low
    share = draw(st.floats(0, 1))
    return Interval(low, high), min(high, max(low, low + share * (high - low)))


def holds(found: Interval, value: float) -> bool:
    return found.lo - 1e-9 <= value <= found.hi + 1e-9


@given(with_inner(), with_inner())
def test_two_operands(first: tuple[Interval, float], second: tuple[Interval, float]) -> None:
    (a, x), (b, y) = first, second
    operations: list[tuple[Callable[[Interval, Interval], Interval], float]] = [
        (total, x + y),
        (difference, x - y),
        (product, x * y),
    ]
    for operation, value in operations:
        assert holds(operation(a, b), value)
    assert holds(scaled(a, y), x * y)


@given(with_inner())
def test_one_operand(one: tuple[Interval, float]) -> None:
    a, x = one
    assert holds(absolute(a), abs(x))
    assert holds(cosine(a), math.cos(x))
    assert holds(sine(a), math.sin(x))
    assert -1 <= cosine(a).lo <= cosine(a).hi <= 1


@given(with_inner(), with_inner())
def test_bearings_of_all_vectors_of_a_rectangle(right: tuple[Interval, float], forward: tuple[Interval, float]) -> None:
    found = bearing(right[0], forward[0])
    assert found.hi - found.lo <= 2 * math.pi + 1e-9
    angle = math.atan2(right[1], forward[1])
    assert any(holds(found, angle + turn) for turn in (-2 * math.pi, 0.0, 2 * math.pi))
    inside = right[0].lo <= 0 <= right[0].hi and forward[0].lo <= 0 <= forward[0].hi
    assert inside or found.hi - found.lo <= math.pi + 1e-9


@pytest.mark.parametrize(
    ("right", "forward", "expected_deg"),
    [
        ((1, 1), (-1, 1), (45, 135)),
        ((-1, -1), (-1, 1), (-135, -45)),
        ((-1, 1), (1, 1), (-45, 45)),
        ((-1, 1), (-1, -1), (135, 225)),
        ((0, 1), (-1, -1), (135, 180)),
        ((-1, 0), (-1, -1), (180, 225)),
        ((0, math.inf), (1, 1), (0, 90)),
        ((1, math.inf), (-math.inf, -1), (90, 180)),
    ],
)
def test_bearings(right: tuple[float, float], forward: tuple[float, float], expected_deg: tuple[float, float]) -> None:
    found = bearing(Interval(*right), Interval(*forward))
    assert [math.degrees(end) for end in found] == pytest.approx(expected_deg)


def test_open_intervals() -> None:
    assert product(ANYTHING, point(0.0)) == (0, 0)
    assert product(point(2.0), ANYTHING) == ANYTHING
    assert product(Interval(0.0, math.inf), Interval(-1.0, 0.0)) == (-math.inf, 0)
    assert bearing(ANYTHING, ANYTHING) == FULL_CIRCLE
    assert not ANYTHING.is_exact
    assert ANYTHING.sign is None
    assert meet(Interval(0, 1), Interval(2, 3)).is_empty
    assert not ANYTHING.is_empty
    assert cosine(Interval(0.0, 10.0)) == (-1, 1)
