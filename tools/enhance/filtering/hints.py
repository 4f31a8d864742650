"""How a rectifier reads its hint: options within their range, and how much of the repair to apply."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...errors import ToolError
from ...registry import RectifyHint

__all__ = ["STRENGTH", "STRENGTH_HELP", "blend", "option", "ramp", "strength_of"]

STRENGTH = "strength"
STRENGTH_HELP = "0 leaves the picture alone, 1 (the default) repairs as much as was measured; between, it blends"


def option(hint: RectifyHint, name: str, default: float, *, low: float, high: float) -> float:
    """The option's value, checked.

    Raises:
        ToolError: not a finite number in ``[low, high]``.
    """
    value = float(hint.options.get(name, default))
    if not math.isfinite(value) or not low <= value <= high:
        raise ToolError(f"option {name}={value:g} is out of range; choose {low:g} to {high:g}")
    return value


def strength_of(hint: RectifyHint, need: float) -> float:
    """The share of the repair to apply, in [0, 1].

    Args:
        need: how clearly the tool itself sees the stress, in [0, 1].

    Without a severity in the hint the tool's own measurement decides. With one, severities below 1 fade out (the scale
    calls them not worth naming), and a tool that sees nothing itself still holds back by half.
    """
    asked = option(hint, STRENGTH, 1.0, low=0.0, high=1.0)
    if hint.severity is None:
        return asked * need
    return asked * min(1.0, max(0.0, hint.severity)) * (1 + need) / 2


def ramp(value: float, absent: float, present: float) -> float:
    """0 at ``absent``, 1 at ``present``, linear between; either may be the greater."""
    return float(np.clip((value - absent) / (present - absent), 0.0, 1.0))


def blend(source: NDArray[np.float32], repaired: NDArray[np.float32], strength: float) -> NDArray[np.float32]:
    """``source`` moved towards ``repaired`` and clipped to [0, 1]; float32."""
    mixed = source + np.float32(strength) * (repaired - source)
    return np.clip(mixed, 0, 1, out=mixed)
