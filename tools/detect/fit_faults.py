"""Faults that the degradations do not make but the model must know: colour cast, low contrast, light or shade in one
place.

The levels follow the degradations' idea of a scale: 1 a person notices beside the original, 3 is plainly wrong, 5 hides
most of what it touches.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import Picture, linear_from_srgb, srgb_from_linear
from ...bench_data.stress import Stress

__all__ = ["SYNTHETIC_FAULTS", "apply_fault"]

SYNTHETIC_FAULTS: tuple[Stress, ...] = (
    Stress.COLOUR_CAST,
    Stress.LOW_CONTRAST,
    Stress.LOCAL_UNDEREXPOSURE,
    Stress.LOCAL_OVEREXPOSURE,
)

_CAST_DEG: Mapping[int, float] = {1: 6.0, 2: 9.0, 3: 13.0, 4: 18.0, 5: 24.0}
"""Angle in linear RGB between grey and the light."""

_KEPT_RANGE: Mapping[int, float] = {1: 0.70, 2: 0.55, 3: 0.40, 4: 0.28, 5: 0.18}
"""Share of the tonal range that is left, display-encoded."""

_SHADE: Mapping[int, float] = {1: 0.25, 2: 0.12, 3: 0.05, 4: 0.02, 5: 0.008}
"""Light left in the shaded part."""

_GLARE: Mapping[int, float] = {1: 2.5, 2: 4.0, 3: 7.0, 4: 12.0, 5: 20.0}
"""Gain in the lit part."""


def apply_fault(picture: Picture, stress: Stress, severity: int, rng: np.random.Generator) -> Picture:
    """The picture with one of ``SYNTHETIC_FAULTS`` at severity 1 to 5, about 10 % off the level at random."""
    jitter = float(rng.uniform(0.9, 1.1))
    linear = linear_from_srgb(picture.image_srgb)
    if stress is Stress.COLOUR_CAST:
        return Picture.from_srgb(srgb_from_linear(linear * _cast_gains(_CAST_DEG[severity] * jitter, rng)))
    if stress is Stress.LOW_CONTRAST:
        middle = float(rng.uniform(0.35, 0.65))
        kept = _KEPT_RANGE[severity] * jitter
        return Picture.from_srgb((middle + kept * (picture.image_srgb - middle)).astype(np.float32))
    mask = _soft_mask(picture.height, picture.width, rng)[..., None]
    gain = _SHADE[severity] if stress is Stress.LOCAL_UNDEREXPOSURE else _GLARE[severity]
    # Light falls off by ratio, so the transition is even in stops.
    return Picture.from_srgb(srgb_from_linear((linear * np.exp(mask * np.log(gain * jitter))).astype(np.float32)))


def _cast_gains(angle_deg: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """(3,) gains of mean luminance 1 whose direction is ``angle_deg`` off grey; mostly warm or cool, as lamps and
    shade are."""
    warm_cool = np.array([1.0, 0.0, -1.0]) / np.sqrt(2)
    green_magenta = np.array([-1.0, 2.0, -1.0]) / np.sqrt(6)
    turn = float(rng.normal(0, 0.5)) + (np.pi if rng.random() < 0.5 else 0.0)
    away = np.cos(turn) * warm_cool + np.sin(turn) * green_magenta
    light = np.cos(np.deg2rad(angle_deg)) * np.ones(3) / np.sqrt(3) + np.sin(np.deg2rad(angle_deg)) * away
    return np.asarray(light / (light @ np.array([0.2126, 0.7152, 0.0722])), dtype=np.float32)


def _soft_mask(height: int, width: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """(H, W) in [0, 1]: an ellipse or one side of a line, a fifth to nearly half of the picture, with a soft border."""
    import cv2

    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x / width - 0.5, y / height - 0.5
    if rng.random() < 0.5:
        turn, offset = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.0, 0.22))
        inside = x * np.cos(turn) + y * np.sin(turn) > offset
    else:
        centre_x, centre_y = rng.uniform(-0.3, 0.3, size=2)
        radius_x, radius_y = rng.uniform(0.25, 0.42, size=2)
        inside = ((x - centre_x) / radius_x) ** 2 + ((y - centre_y) / radius_y) ** 2 < 1
    border_px = float(rng.uniform(0.005, 0.04)) * max(height, width)
    return np.asarray(cv2.GaussianBlur(inside.astype(np.float32), (0, 0), border_px), dtype=np.float32)
