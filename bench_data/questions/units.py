"""Units of the answers that questions ask for, and their size in the base unit of their dimension."""

from __future__ import annotations

import math
from enum import StrEnum

__all__ = ["Dimension", "Unit"]


class Dimension(StrEnum):
    """What a unit measures; numbers of different dimensions are never converted into each other."""

    LENGTH = "length"
    AREA = "area"
    VOLUME = "volume"
    ANGLE = "angle"
    COUNT = "count"
    RATIO = "ratio"


class Unit(StrEnum):
    """A unit by its usual symbol."""

    MILLIMETRE = "mm"
    CENTIMETRE = "cm"
    DECIMETRE = "dm"
    METRE = "m"
    KILOMETRE = "km"
    INCH = "in"
    FOOT = "ft"
    YARD = "yd"
    MILE = "mile"
    SQUARE_CENTIMETRE = "cm2"
    SQUARE_METRE = "m2"
    SQUARE_FOOT = "ft2"
    CUBIC_CENTIMETRE = "cm3"
    CUBIC_METRE = "m3"
    LITRE = "l"
    DEGREE = "deg"
    RADIAN = "rad"
    COUNT = "count"
    RATIO = "ratio"
    PERCENT = "%"

    @property
    def dimension(self) -> Dimension:
        return _SCALE[self][0]

    @property
    def in_base(self) -> float:
        """Size in the base unit of the dimension: metre, square metre, cubic metre, degree, one."""
        return _SCALE[self][1]

    def convert(self, value: float, to: Unit) -> float:
        """``value`` of this unit in unit ``to``.

        >>> round(Unit.FOOT.convert(8, Unit.METRE), 4)
        2.4384

        Raises:
            ValueError: the two measure different things.
        """
        if self.dimension is not to.dimension:
            raise ValueError(f"{self.value} measures {self.dimension.value}, {to.value} measures {to.dimension.value}")
        return value if self is to else value * self.in_base / to.in_base


_SCALE: dict[Unit, tuple[Dimension, float]] = {
    Unit.MILLIMETRE: (Dimension.LENGTH, 0.001),
    Unit.CENTIMETRE: (Dimension.LENGTH, 0.01),
    Unit.DECIMETRE: (Dimension.LENGTH, 0.1),
    Unit.METRE: (Dimension.LENGTH, 1.0),
    Unit.KILOMETRE: (Dimension.LENGTH, 1000.0),
    Unit.INCH: (Dimension.LENGTH, 0.0254),
    Unit.FOOT: (Dimension.LENGTH, 0.3048),
    Unit.YARD: (Dimension.LENGTH, 0.9144),
    Unit.MILE: (Dimension.LENGTH, 1609.344),
    Unit.SQUARE_CENTIMETRE: (Dimension.AREA, 1e-4),
    Unit.SQUARE_METRE: (Dimension.AREA, 1.0),
    Unit.SQUARE_FOOT: (Dimension.AREA, 0.3048**2),
    Unit.CUBIC_CENTIMETRE: (Dimension.VOLUME, 1e-6),
    Unit.CUBIC_METRE: (Dimension.VOLUME, 1.0),
    Unit.LITRE: (Dimension.VOLUME, 1e-3),
    Unit.DEGREE: (Dimension.ANGLE, 1.0),
    Unit.RADIAN: (Dimension.ANGLE, 180.0 / math.pi),
    Unit.COUNT: (Dimension.COUNT, 1.0),
    Unit.RATIO: (Dimension.RATIO, 1.0),
    Unit.PERCENT: (Dimension.RATIO, 0.01),
}
