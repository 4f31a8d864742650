"""Global under-exposure: gain in linear light, a lifted middle, rolled-off highlights; with or without denoising."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb, srgb_from_linear
from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.banding import remove_banding
from .filtering.hints import STRENGTH, STRENGTH_HELP, option, ramp, strength_of
from .filtering.noise_level import measure_noise
from .filtering.planes import contiguous_planes, luminance, opponent_from_rgb, rgb_from_opponent
from .filtering.spatial import shrink_to_pixels
from .filtering.tone import apply_to_brightest, encode_unclipped, lift_curve, shoulder_curve
from .noise import remove_noise

__all__ = ["ExposureReading", "lift_and_denoise", "lift_exposure", "read_exposure"]

# Where the 99th percentile of the brightest channel lies in a well-exposed photograph, in linear light (0.6 to 1 over
# the photographs in scikit-image and scikit-learn).
_TARGET_HIGHLIGHT = 0.8
# A photograph whose middle is darker than this after the gain hides its subject in the shadows; night scenes that are
# well exposed have a median of about 0.04.
_TARGET_MIDDLE = 0.06
_MOST_GAIN = 400.0
_MOST_LIFT = 3.0
# Stops of missing exposure that photographs of good exposure also show, and that they never do.
_STOPS_ABSENT, _STOPS_PRESENT = 0.6, 1.2
# The reading is taken on a picture this big, whose pixels average out noise.
_READING_PIXELS = 96 * 96

_TREATS = (Stress.LOW_LIGHT, Stress.GLOBAL_UNDEREXPOSURE)
_OPTIONS = {STRENGTH: STRENGTH_HELP, "gain": "factor on linear light, 1 to 400, instead of measuring"}


@dataclass(frozen=True)
class ExposureReading:
    """What a light meter says, in linear light.

    Args:
        highlight: 99th percentile of the brightest channel.
        middle: median luminance.
    """

    highlight: float
    middle: float

    @property
    def missing_stops(self) -> float:
        """Doublings of light that bring the highlights to where good photographs have them; negative = too bright."""
        return float(np.log2(_TARGET_HIGHLIGHT / max(self.highlight, 1e-6)))


def read_exposure(image_linear: NDArray[np.float32]) -> ExposureReading:
    """Reads (H, W, 3) linear light on a small copy, so that noise and single hot pixels do not count."""
    small = shrink_to_pixels(image_linear, _READING_PIXELS)
    return ExposureReading(
        highlight=float(np.percentile(small.max(axis=2), 99)), middle=float(np.median(luminance(small)))
    )


@dataclass(frozen=True)
class _Plan:
    gain: float
    lift: float
    strength: float


@rectifier(
    "lift_exposure",
    summary="Brightens an under-exposed picture in linear light without clipping its highlights",
    treats=_TREATS,
    stage=Stage.EXPOSURE,
    cost=Cost.MILLISECONDS,
    options=_OPTIONS,
)
def lift_exposure(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """Gain on linear light to a target highlight, then a lifted middle and a soft shoulder.

    Noise grows with the gain; ``lift_and_denoise`` removes it as well. ``noise_std`` in the returned parameters says
    how strong it has become.
    """
    image_linear = linear_from_srgb(image_srgb)
    plan = _plan(image_linear, hint)
    if plan.gain == 1:
        return _untouched(image_srgb, plan)
    amplified = image_linear * np.float32(plan.gain)
    noise_std = measure_noise(encode_unclipped(luminance(amplified))).typical_std
    return _finished(amplified, plan, noise_std)


@rectifier(
    "lift_and_denoise",
    summary="Brightens an under-exposed picture and removes the noise that the gain makes visible",
    treats=(*_TREATS, Stress.NOISE),
    stage=Stage.EXPOSURE,
    cost=Cost.SECONDS,
    options=_OPTIONS,
)
def lift_and_denoise(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """As ``lift_exposure``, with the noise measured and removed between the gain and the tone curve.

    The order matters. Before the gain, 8-bit steps and the clipping at black hide how noisy the shadows are; after the
    tone curve, noise in the highlights is squeezed. Cleaning display-encoded values also undoes part of the brightening
    that clipped noise brings to black (Foi, "Clipped noisy images", Signal Processing 2009): averages there lie lower
    than in linear light.
    """
    image_linear = linear_from_srgb(image_srgb)
    plan = _plan(image_linear, hint)
    if plan.gain == 1:
        return _untouched(image_srgb, plan)
    encoded = encode_unclipped(image_linear * np.float32(plan.gain))
    grey_std = measure_noise(encoded.mean(axis=2, dtype=np.float32)).typical_std
    encoded, _ = remove_banding(encoded, grey_std)
    planes = opponent_from_rgb(encoded)
    brightness = encoded.mean(axis=2, dtype=np.float32)
    levels = [measure_noise(plane, brightness=brightness) for plane in contiguous_planes(planes)]
    cleaned = np.maximum(rgb_from_opponent(remove_noise(planes, brightness, levels)), 0)
    return _finished(linear_from_srgb(cleaned), plan, levels[0].typical_std)


def _plan(image_linear: NDArray[np.float32], hint: RectifyHint) -> _Plan:
    reading = read_exposure(image_linear)
    asked = option(hint, "gain", 0.0, low=0.0, high=_MOST_GAIN)
    if asked >= 1:
        return _Plan(asked, 0.0, 1.0)
    strength = strength_of(hint, ramp(reading.missing_stops, _STOPS_ABSENT, _STOPS_PRESENT))
    full_gain = float(np.clip(2**reading.missing_stops, 1.0, _MOST_GAIN))
    gain = full_gain**strength
    middle = reading.middle * gain
    # The lift that brings the middle to its target: lift_curve solved for its parameter.
    lift = (_TARGET_MIDDLE - middle) / (max(middle, 1e-6) * (1 - _TARGET_MIDDLE))
    return _Plan(gain, strength * float(np.clip(lift, 0.0, _MOST_LIFT)), strength)


def _untouched(image_srgb: NDArray[np.float32], plan: _Plan) -> Rectified:
    return Rectified(
        image_srgb.copy(), parameters={"gain": 1.0, "strength": plan.strength}, note="well exposed; left as it is"
    )


def _finished(amplified_linear: NDArray[np.float32], plan: _Plan, noise_std: float) -> Rectified:
    toned = apply_to_brightest(amplified_linear, lambda light: shoulder_curve(lift_curve(light, plan.lift)))
    return Rectified(
        srgb_from_linear(toned),
        parameters={"gain": plan.gain, "lift": plan.lift, "strength": plan.strength, "noise_std": noise_std},
        note=f"{np.log2(plan.gain):+.1f} stops; noise {255 * noise_std:.0f}/255 after the gain",
    )
