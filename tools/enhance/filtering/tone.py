"""Tone curves on linear light, and one way to apply them that keeps hue and clips nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["apply_to_brightest", "encode_unclipped", "lift_curve", "shoulder_curve"]

Light = NDArray[np.float32]


def encode_unclipped(light: Light) -> NDArray[np.float32]:
    """The sRGB curve, continued beyond white and, as a straight line, below black; so that noise keeps its mean."""
    toe = light * np.float32(12.92)
    power = np.float32(1.055) * np.maximum(light, np.float32(1e-6)) ** np.float32(1 / 2.4) - np.float32(0.055)
    return np.where(light <= np.float32(0.0031308), toe, power)


def lift_curve(light: Light, lift: float) -> Light:
    """``(1 + lift) x / (1 + lift x)``: raises the middle, keeps 0 and 1, and amplifies black by no more than 1 + lift.

    The photographic curve of Reinhard et al. (SIGGRAPH 2002, equation 3) with a fixed white. Negative ``lift`` above -1
    lowers the middle: ``lift_curve(lift_curve(x, a), -a / (1 + a)) == x``.
    """
    return np.float32(1 + lift) * light / (1 + np.float32(lift) * np.clip(light, 0, 1))


def shoulder_curve(light: Light, *, knee: float = 0.75) -> Light:
    """The identity up to ``knee``, then an exponential that reaches 1 only at infinity, with a continuous slope."""
    room = np.float32(1 - knee)
    above = np.maximum(light - np.float32(knee), 0)
    return np.where(light <= knee, light, np.float32(1) - room * np.exp(-above / room))


def apply_to_brightest(image_linear: Light, curve: Callable[[Light], Light]) -> Light:
    """Scales each pixel so that its brightest channel follows ``curve``: ratios of channels, and so hue, stay.

    Args:
        image_linear: (H, W, 3) light, which may exceed 1.
        curve: from light >= 0 to [0, 1], with ``curve(0) == 0``.
    """
    brightest = np.maximum(image_linear.max(axis=2, keepdims=True), np.float32(1e-6))
    scaled: Light = image_linear * (curve(brightest) / brightest)
    return scaled
