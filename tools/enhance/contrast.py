"""Contrast: the whole range of tones spread out, or each part of the picture for itself; mildly, on lightness only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, option, ramp, strength_of

__all__ = ["equalise_contrast", "stretch_contrast"]

_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)
_LOW_PERCENTILE, _HIGH_PERCENTILE = 0.5, 99.5
# Span of lightness that ordinary photographs reach, and that of a flat one.
_FULL_SPAN, _FLAT_SPAN = 0.80, 0.50
_MOST_GAIN = 3.0
# Standard deviation of lightness, likewise.
_RICH_DEVIATION, _FLAT_DEVIATION = 0.13, 0.07
_CLIP_LIMIT, _TILES = 2.0, 8


@rectifier(
    "stretch_contrast",
    summary="Spreads the tones of a flat picture over the whole range",
    treats=(Stress.LOW_CONTRAST,),
    stage=Stage.ATMOSPHERE,
    cost=Cost.MILLISECONDS,
    options={STRENGTH: STRENGTH_HELP},
)
def stretch_contrast(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """One straight line for all channels between the outer percentiles of lightness, so that hues stay."""
    luma = image_srgb @ _LUMA
    low, high = (float(value) for value in np.percentile(luma, (_LOW_PERCENTILE, _HIGH_PERCENTILE)))
    span = high - low
    strength = strength_of(hint, ramp(span, _FULL_SPAN, _FLAT_SPAN))
    parameters = {"low": low, "high": high, STRENGTH: strength}
    if strength == 0 or span <= 1 / 255:
        return Rectified(image_srgb.copy(), parameters=parameters, note="the tones reach far enough; left as they are")
    gain = min(1 / span, _MOST_GAIN)
    middle = (low + high) / 2
    # What the gain limit leaves unused is shared between both ends.
    target = min(max(middle, gain * span / 2), 1 - gain * span / 2)
    stretched = np.clip((image_srgb - middle) * np.float32(gain) + np.float32(target), 0, 1)
    parameters["gain"] = gain
    return Rectified(
        blend(image_srgb, stretched.astype(np.float32), strength),
        parameters=parameters,
        note=f"tones spread {gain:.1f} times",
    )


@rectifier(
    "equalise_contrast",
    summary="Raises contrast in each part of the picture for itself, within a limit",
    treats=(Stress.LOW_CONTRAST, Stress.LOW_CONTRAST_BLEND),
    stage=Stage.SCENE,
    cost=Cost.MILLISECONDS,
    options={STRENGTH: STRENGTH_HELP, "clip_limit": f"steepest local tone curve, 1 to 8 (default {_CLIP_LIMIT:g})"},
)
def equalise_contrast(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """Contrast-limited adaptive histogram equalisation (Zuiderveld 1994) of CIELAB lightness; colour is untouched."""
    import cv2

    limit = option(hint, "clip_limit", _CLIP_LIMIT, low=1.0, high=8.0)
    lab = cv2.cvtColor(np.ascontiguousarray(image_srgb), cv2.COLOR_RGB2LAB).reshape(image_srgb.shape)
    lightness = lab[..., 0] / np.float32(100)
    deviation = float(lightness.std())
    strength = strength_of(hint, ramp(deviation, _RICH_DEVIATION, _FLAT_DEVIATION))
    parameters = {"deviation": deviation, "clip_limit": limit, STRENGTH: strength}
    if strength == 0 or min(image_srgb.shape[:2]) < 2 * _TILES:
        return Rectified(image_srgb.copy(), parameters=parameters, note="contrast is there; left as it is")
    levels = np.rint(lightness * np.float32(65535)).astype(np.uint16)
    equalised = cv2.createCLAHE(limit, (_TILES, _TILES)).apply(levels)
    lab[..., 0] = equalised.astype(np.float32) * np.float32(100 / 65535)
    result = np.clip(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), 0, 1)
    return Rectified(
        blend(image_srgb, result.astype(np.float32), strength), parameters=parameters, note="local contrast raised"
    )
