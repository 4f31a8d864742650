"""Physical quantities behind a finding, as far as one picture tells them; rectifiers take them as hints."""

from __future__ import annotations

import math

import numpy as np

from ...bench_data.stress import Stress
from .features import PictureFeatures

__all__ = ["physical_parameters"]

_USUAL_WHITE_LINEAR = 0.8
"""99.5th percentile of luminance in a well exposed photograph."""

_OVER_EXPOSURE_GAINS = (1.65, 2.4, 3.5, 5.0, 6.4)
"""Gain at severity 1 to 5, the middles of the levels of the over-exposure degradation."""

_LOW_RES_SCALES = (0.5, 0.31, 0.18, 0.11, 0.067)
"""Scale at severity 1 to 5, the middles of the levels of the low-resolution degradation."""

_BOX_LENGTH_PER_STD = math.sqrt(12)
"""A motion at constant speed spreads light over a box, whose standard deviation is its length / sqrt(12)."""

_CLEAR_PEAK = 5.0


def physical_parameters(stress: Stress, features: PictureFeatures, severity: float) -> dict[str, float]:
    """Estimates for one stress; the unit stands in the name.

    ``exposure_gain`` is how much more light than normal the picture got (below 1: too little), ``noise_std`` is per
    channel on a 0 to 1 scale of 8-bit sRGB, ``sigma_px`` the standard deviation of the blur along one axis,
    ``angle_deg`` the direction of motion (0 along x, 90 along y), ``scale`` the small size over the size of the
    picture, ``airlight_linear`` the light of thick haze, ``transmission`` what gets through to the far parts,
    ``red_gain`` and ``blue_gain`` what would make grey grey.
    """
    exposure, edges, colour = features.exposure, features.edges, features.colour
    noise_std = features.noise.channel_std / 255
    match stress:
        case Stress.LOW_LIGHT:
            gain = min(1.0, exposure.white_linear / _USUAL_WHITE_LINEAR)
            return {"exposure_gain": gain, "noise_std": noise_std}
        case Stress.OVER_EXPOSURE:
            return {
                "exposure_gain": _at_severity(_OVER_EXPOSURE_GAINS, severity),
                "clipped_share": exposure.any_clipped,
            }
        case Stress.LOCAL_UNDEREXPOSURE:
            return {"area_share": exposure.dark_patch.share}
        case Stress.LOCAL_OVEREXPOSURE:
            return {"area_share": exposure.bright_patch.share}
        case Stress.HAZE:
            air = features.atmosphere
            return {"airlight_linear": air.airlight_linear, "transmission": air.transmission}
        case Stress.DEFOCUS:
            return {"sigma_px": edges.typical_px}
        case Stress.MOTION_BLUR:
            spread_px = math.sqrt(max(edges.wide_direction_px**2 - edges.narrow_direction_px**2, 0.0))
            return {"angle_deg": edges.motion_angle_deg, "length_px": _BOX_LENGTH_PER_STD * spread_px}
        case Stress.NOISE:
            shot = features.noise.shot_electrons
            return {"noise_std": noise_std} | ({"electrons_at_white": shot} if shot > 0 else {})
        case Stress.JPEG_COMPRESSION:
            blocks = features.blocks
            offsets = {"block_offset_x": float(blocks.offset_x), "block_offset_y": float(blocks.offset_y)}
            return offsets | ({"jpeg_quality": blocks.quality} if blocks.quality > 0 else {})
        case Stress.LOW_RES:
            return {"scale": _scale(features, severity)}
        case Stress.COLOUR_CAST:
            return {
                "red_gain": 1 / max(colour.red_over_green, 0.05),
                "blue_gain": 1 / max(colour.blue_over_green, 0.05),
            }
        case Stress.LOW_CONTRAST:
            return {"black_level": exposure.black_srgb, "white_level": exposure.white_srgb}
        case _:
            return {}


def _scale(features: PictureFeatures, severity: float) -> float:
    """By the period of the interpolation where it shows, else what that severity means."""
    resolution = features.resolution
    return resolution.scale if resolution.resampling > _CLEAR_PEAK else _at_severity(_LOW_RES_SCALES, severity)


def _at_severity(levels: tuple[float, ...], severity: float) -> float:
    """The value of a graded quantity at a severity between two levels, evenly by ratio."""
    return float(np.exp(np.interp(severity, np.arange(1, len(levels) + 1), np.log(levels))))
