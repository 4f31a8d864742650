"""One wrong scale for all lengths of a kind: a graph in centimetres is a slip of the unit, not blindness.

The scale is the median of told over true. It is a slip when it lies near a factor between metres and another unit, far
from 1, and most lengths follow it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...bench_data.questions import Unit

__all__ = ["ScaleError", "scale_error"]

_SLIPS = (Unit.MILLIMETRE, Unit.CENTIMETRE, Unit.DECIMETRE, Unit.INCH, Unit.FOOT, Unit.KILOMETRE)
"""Yards are left out: they are too near to metres to be told from an estimate that is off."""

NEAR_FACTOR = 1.25
"""How near to the factor of a unit the median must be, as a ratio."""
SPREAD_FACTOR = 1.5
"""How far from the median half of the lengths may be, as a ratio: more is noise, not a scale."""
LEAST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class ScaleError:
    """The common scale of told lengths.

    Attributes:
        scale: told over true, in the median; None without a pair of positive lengths.
        spread: half of the lengths are within this factor of the scale (1 is all the same).
        pairs: positive lengths in both graphs.
        aligned: the mean of smaller over larger once all are divided by the scale; in [0, 1], higher is better. What
            was not told is left out.
        slip: the unit in which the lengths seem to be told; None where nothing speaks for one.
    """

    scale: float | None = None
    spread: float | None = None
    pairs: int = 0
    aligned: float | None = None
    slip: Unit | None = None


def scale_error(told_m: Sequence[float], true_m: Sequence[float]) -> ScaleError:
    """The common scale of pairs of lengths; pairs with one that is not positive are left out.

    >>> found = scale_error([150, 210, 80], [1.5, 2.0, 0.8])
    >>> found.slip, round(found.scale, 6)
    (<Unit.CENTIMETRE: 'cm'>, 100.0)
    """
    logs = [math.log(p) - math.log(g) for p, g in zip(told_m, true_m, strict=True) if p > 0 and g > 0]
    if not logs:
        return ScaleError()
    middle = statistics.median(logs)
    spread = statistics.median(abs(one - middle) for one in logs)
    aligned = sum(math.exp(-abs(one - middle)) for one in logs) / len(logs)
    nearest = min(_SLIPS, key=lambda unit: abs(middle + math.log(unit.in_base)))
    is_slip = (
        len(logs) >= LEAST_PAIRS
        and abs(middle + math.log(nearest.in_base)) <= math.log(NEAR_FACTOR)
        and spread <= math.log(SPREAD_FACTOR)
    )
    return ScaleError(math.exp(middle), math.exp(spread), len(logs), aligned, nearest if is_slip else None)
