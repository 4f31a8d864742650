"""Scales: from values to pixels, with round numbers as ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale", "percent", "points", "reach_of", "signed_percent", "tick_words", "ticks_between"]


@dataclass(frozen=True)
class Scale:
    """A straight scale: ``low`` is drawn at ``start`` pixels and ``high`` at ``end``.

    >>> Scale(0, 1, 100, 300).at(0.25)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value is drawn; values beyond the ends are drawn at the ends."""
        held = min(max(value, min(self.low, self.high)), max(self.low, self.high))
        return self.start + (self.end - self.start) * (held - self.low) / (self.high - self.low)


def ticks_between(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from ``low`` to ``high``, both included where they are round.

    >>> ticks_between(0, 1)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> ticks_between(-0.1, 0.1)
    [-0.1, -0.05, 0.0, 0.05, 0.1]
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = [power * factor for factor in (1, 2, 2.5, 5, 10, 20, 25)]
    step = next(one for one in steps if (high - low) / one <= most - 1 + 1e-9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


def reach_of(values: Iterable[float]) -> float:
    """A round number that all values lie within on both sides of 0.

    >>> reach_of([0.02, -0.13])
    0.15
    """
    largest = max((abs(value) for value in values), default=0.0)
    for reach in (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0):
        if largest <= reach + 1e-9:
            return reach
    return max(1.0, largest)


def percent(share: float) -> str:
    """A share for people, with one decimal, so that columns of them line up.

    >>> percent(0.425), percent(1.0)
    ('42.5%', '100.0%')
    """
    return f"{100 * share:.1f}%"


def signed_percent(share: float) -> str:
    """
    >>> signed_percent(-0.05), signed_percent(0.0), signed_percent(-0.0001)
    ('−5.0%', '0.0%', '0.0%')
    """
    words = percent(abs(share))
    if words == "0.0%":
        return words
    return ("+" if share > 0 else "−") + words


def points(difference: float) -> str:
    """A difference of shares in percentage points.

    >>> points(0.051), points(-0.2)
    ('+5.1', '−20.0')
    """
    return signed_percent(difference).removesuffix("%")


def tick_words(share: float) -> str:
    """A share at a tick, as short as it goes.

    >>> tick_words(0.25), tick_words(0.125)
    ('25%', '12.5%')
    """
    return percent(share).replace(".0%", "%")
