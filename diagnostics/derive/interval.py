"""Interval arithmetic on plain floats: what a quantity may be, given what is known."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = [
    "ANYTHING",
    "FULL_CIRCLE",
    "SLACK",
    "UNSIGNED",
    "ZERO",
    "Interval",
    "absolute",
    "bearing",
    "cosine",
    "difference",
    "hull",
    "meet",
    "point",
    "product",
    "scaled",
    "sine",
    "total",
]

SLACK = 1e-9
"""Metres, radians, or shares: differences smaller than this may be rounding, and decide nothing."""


class Interval(NamedTuple):
    """All values from ``lo`` to ``hi``; empty where ``lo`` is the larger one."""

    lo: float
    hi: float

    @property
    def is_exact(self) -> bool:
        """Whether it holds one value, up to rounding."""
        return self.lo == self.hi or (math.isfinite(self.lo) and self.hi - self.lo <= SLACK * max(1.0, abs(self.lo)))

    @property
    def is_empty(self) -> bool:
        """Whether no value is left, beyond rounding."""
        return self.lo > self.hi + SLACK * max(1.0, abs(self.lo))

    @property
    def middle(self) -> float:
        """Half way; the value itself of an exact one."""
        return self.lo if self.lo == self.hi else (self.lo + self.hi) / 2

    @property
    def sign(self) -> bool | None:
        """True where it is above 0, False where it is below, None where it may be either, or 0."""
        if self.lo > SLACK:
            return True
        return False if self.hi < -SLACK else None


ANYTHING = Interval(-math.inf, math.inf)
UNSIGNED = Interval(0.0, math.inf)
ZERO = Interval(0.0, 0.0)
FULL_CIRCLE = Interval(-math.pi, math.pi)


def point(value: float) -> Interval:
    """One value."""
    return Interval(value, value)


def total(a: Interval, b: Interval) -> Interval:
    """Their sum."""
    return Interval(a.lo + b.lo, a.hi + b.hi)


def difference(a: Interval, b: Interval) -> Interval:
    """a - b, as if the two had nothing to do with each other."""
    return Interval(a.lo - b.hi, a.hi - b.lo)


def scaled(a: Interval, factor: float) -> Interval:
    """Times a number; of an unbounded one 0 times is 0."""
    if factor == 0:
        return ZERO
    return Interval(a.lo * factor, a.hi * factor) if factor > 0 else Interval(a.hi * factor, a.lo * factor)


def product(a: Interval, b: Interval) -> Interval:
    """Their product."""
    if a.lo == a.hi:
        return scaled(b, a.lo)
    # 0 times unbounded is 0 here: the other factor is some number.
    ends = [x * y if x and y else 0.0 for x in a for y in b]
    return Interval(min(ends), max(ends))


def absolute(a: Interval) -> Interval:
    """Its absolute values.

    >>> absolute(Interval(-2, 1))
    Interval(lo=0.0, hi=2)
    """
    if a.lo >= 0:
        return a
    return Interval(-a.hi, -a.lo) if a.hi <= 0 else Interval(0.0, max(-a.lo, a.hi))


def meet(a: Interval, b: Interval) -> Interval:
    """What both hold; possibly empty."""
    return Interval(a.lo if a.lo > b.lo else b.lo, a.hi if a.hi < b.hi else b.hi)


def hull(a: Interval, b: Interval) -> Interval:
    """The smallest one around both."""
    return Interval(min(a.lo, b.lo), max(a.hi, b.hi))


def bearing(right: Interval, forward: Interval) -> Interval:
    """Bearings in radians, clockwise from forward, of all vectors with such parts; at most a full circle.

    >>> bearing(point(1.0), point(0.0))
    Interval(lo=1.5707963267948966, hi=1.5707963267948966)
    """
    if right.lo == right.hi and forward.lo == forward.hi:
        return point(math.atan2(right.lo, forward.lo))
    if right.lo <= 0 <= right.hi and forward.lo <= 0 <= forward.hi:
        return FULL_CIRCLE
    corners = [math.atan2(r, f) for r in right for f in forward]
    # A rectangle without the origin is seen within half a circle: turn so that none of it is behind.
    if max(corners) - min(corners) > math.pi or (forward.hi < 0 and right.lo <= 0 <= right.hi):
        corners = [angle + 2 * math.pi if angle < 0 else angle for angle in corners]
    return Interval(min(corners), max(corners))


def cosine(angles: Interval) -> Interval:
    """Cosines of all angles, in radians."""
    if angles.lo == angles.hi:
        return point(math.cos(angles.lo))
    if not angles.hi - angles.lo < 2 * math.pi:
        return Interval(-1.0, 1.0)
    ends = math.cos(angles.lo), math.cos(angles.hi)
    top = math.floor(angles.hi / (2 * math.pi)) * 2 * math.pi >= angles.lo
    bottom = (math.floor((angles.hi - math.pi) / (2 * math.pi)) * 2 + 1) * math.pi >= angles.lo
    return Interval(-1.0 if bottom else min(ends), 1.0 if top else max(ends))


def sine(angles: Interval) -> Interval:
    """Sines of all angles, in radians."""
    if angles.lo == angles.hi:
        return point(math.sin(angles.lo))
    return cosine(Interval(angles.lo - math.pi / 2, angles.hi - math.pi / 2))
