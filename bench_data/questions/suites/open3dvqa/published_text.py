"""How the published generators put answers into words, unit and rounding faults included."""

from __future__ import annotations

import math

__all__ = ["clock_hour", "length_text", "volume_text"]


def length_text(metres: float) -> str:
    """A length in metres, or in kilometres above one, to two decimals without their trailing zeros.

    >>> length_text(12.345), length_text(1000.01)
    ('12.35 meters', '1.0 kilometers')
    """
    return f"{round(metres / 1000, 2)} kilometers" if metres > 1000 else f"{round(metres, 2)} meters"


def volume_text(cubic_metres: float) -> str:
    """A volume: of a small one the cubic metres, called cubic decimetres; of others all digits.

    >>> volume_text(0.00099)
    '0.00099 cubic decimeter'
    """
    return f"{cubic_metres} cubic {'decimeter' if cubic_metres < 0.001 else 'meter'}"


def clock_hour(right_m: float, forward_m: float) -> int:
    """The hour that the bearing has reached, to a hundredth of a degree: from 30 h to 30 (h + 1) degrees.

    >>> clock_hour(-0.1, 100.0), clock_hour(49.0, 100.0)
    (11, 12)
    """
    return int(round(math.degrees(math.atan2(right_m, forward_m)), 2) % 360 // 30) or 12
