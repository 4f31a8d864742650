"""Which parts of the quality each stress spoils: where a treatment of it has to show its gain."""

from __future__ import annotations

from collections.abc import Collection

from ...bench_data.stress import Stress

__all__ = ["DARK_PATCHES", "GLARING_PATCHES", "treated_parts"]

DARK_PATCHES = frozenset((Stress.LOCAL_UNDEREXPOSURE, Stress.DARK_ABSORPTIVE))
"""Stresses of a part of the picture that is too dark; the picture as a whole may be well exposed."""
GLARING_PATCHES = frozenset((Stress.LOCAL_OVEREXPOSURE, Stress.SPECULAR_CONFUSION, Stress.LENS_FLARE))
"""The same for parts that are too bright."""

_TONE = ("exposure", "clipping", "contrast")
_DETAIL = ("sharpness",)

_PARTS: dict[Stress, tuple[str, ...]] = {
    Stress.LOW_LIGHT: _TONE,
    Stress.GLOBAL_UNDEREXPOSURE: _TONE,
    Stress.LOCAL_UNDEREXPOSURE: _TONE,
    Stress.DARK_ABSORPTIVE: _TONE,
    Stress.OVER_EXPOSURE: _TONE,
    Stress.GLOBAL_OVEREXPOSURE: _TONE,
    Stress.LOCAL_OVEREXPOSURE: _TONE,
    Stress.SPECULAR_CONFUSION: _TONE,
    Stress.LENS_FLARE: _TONE,
    Stress.HAZE: ("contrast", "exposure", "colourfulness"),
    Stress.RAIN: ("contrast", "naturalness", "noise"),
    Stress.SNOW: ("contrast", "naturalness", "noise"),
    Stress.LOW_CONTRAST: ("contrast", "exposure"),
    Stress.LOW_CONTRAST_BLEND: ("contrast", "exposure"),
    Stress.DEFOCUS: _DETAIL,
    Stress.MOTION_BLUR: _DETAIL,
    Stress.LOW_RES: _DETAIL,
    Stress.WATER_DROPLETS: _DETAIL,
    Stress.NOISE: ("noise", "naturalness"),
    Stress.JPEG_COMPRESSION: ("blockiness", "naturalness"),
    Stress.COLOUR_CAST: ("white_balance", "colourfulness"),
}


def treated_parts(stresses: Collection[Stress]) -> tuple[str, ...]:
    """The parts that any of the stresses spoils, without repetition; empty for those that only concern the view."""
    return tuple(dict.fromkeys(part for stress in sorted(stresses) for part in _PARTS.get(stress, ())))
