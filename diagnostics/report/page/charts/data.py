"""What the charts draw: plain numbers with names. A chart knows nothing of runs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Axis", "Bar", "BarRow", "Curve", "CurvePoint", "FlipRow", "ForestRow", "RadarSeries", "Span"]


@dataclass(frozen=True)
class Span:
    """A value with its interval.

    Args:
        value: the estimate.
        low, high: ends of the interval; None where the data cannot tell.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; a point where there is none."""
        return (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class Bar:
    """One bar of a row.

    Args:
        series: place of its name in the chart's legend, from 0.
        span: what it shows; None where nothing was measured.
        note: for people who point at it, such as "n = 40".
        chance: what guessing scores; None where that is unknown.
    """

    series: int
    span: Span | None
    note: str = ""
    chance: float | None = None


@dataclass(frozen=True)
class BarRow:
    """Bars with one label, such as all models under one condition."""

    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve.

    Args:
        x: where it stands, such as a severity from 0 (clean) to 5.
        span: its height.
        note: for people who point at it.
    """

    x: float
    span: Span
    note: str = ""


@dataclass(frozen=True)
class Curve:
    """A line through points, from left to right.

    Args:
        series: place of its name in the chart's legend, from 0.
        points: in rising ``x``.
    """

    series: int
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class Axis:
    """A spoke of a radar.

    Args:
        label: its name.
        note: a second, fainter line, such as "n = 212".
        group: neighbours with one group are drawn as one sector; "" for none.
    """

    label: str
    note: str = ""
    group: str = ""


@dataclass(frozen=True)
class RadarSeries:
    """One outline of a radar; ``values`` has one entry an axis, None where nothing was measured."""

    series: int
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class ForestRow:
    """A difference with its interval.

    Args:
        label: what is compared.
        span: the difference; above 0 is a gain.
        words: shown at the right, such as "12 gained, 3 lost".
        heading: a heading above this row; "" for none.
    """

    label: str
    span: Span
    words: str = ""
    heading: str = ""


@dataclass(frozen=True)
class FlipRow:
    """How answers moved.

    Args:
        label: what is compared.
        gained, lost: wrong before and right after, and the other way round.
        n: pairs, at least 1.
        words: shown at the right.
        heading: a heading above this row; "" for none.
    """

    label: str
    gained: int
    lost: int
    n: int
    words: str = ""
    heading: str = ""
