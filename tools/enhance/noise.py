"""Noise: measured on the picture, then removed patch by patch in the cosine domain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, option, ramp, strength_of
from .filtering.noise_level import NoiseLevel, measure_noise
from .filtering.patch_dct import shrink_plane
from .filtering.planes import contiguous_planes, opponent_from_rgb, rgb_from_opponent
from .filtering.spatial import gaussian_blur

__all__ = ["denoise", "remove_noise"]

# Noise that nobody sees on a screen, and noise that everybody does (standard deviations of sRGB values).
_INVISIBLE_STD, _VISIBLE_STD = 1.2 / 255, 2.5 / 255
# The bigger the picture, the wider the patch grid: 0.2 dB for half the time.
_FINE_GRID_PIXELS = 2_000_000
# Colour noise lies in broader blotches than grey noise, and the eye resolves colour less: it is cleaned more octaves.
_GREY_SCALES, _COLOUR_SCALES = 2, 3


@rectifier(
    "denoise",
    summary="Removes sensor noise, as strong as it is measured at each brightness",
    treats=(Stress.NOISE,),
    stage=Stage.SENSOR,
    cost=Cost.TENTHS,
    options={
        STRENGTH: STRENGTH_HELP,
        "noise_std": "standard deviation of the noise in sRGB units, not measured",
    },
)
def denoise(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """Overcomplete DCT shrinkage of grey and colour planes (see ``filtering.patch_dct``).

    The noise of each opponent plane is measured as a function of brightness, so photon noise, read-out noise and the
    sRGB curve's boost of shadows are all followed. ``noise_std`` (an option; or a parameter of the hint) replaces the
    measurement with white noise.
    """
    planes = opponent_from_rgb(image_srgb)
    brightness = image_srgb.mean(axis=2, dtype=np.float32)
    levels = _noise_levels(planes, brightness, hint)
    typical = float(np.sqrt(np.mean([level.typical_std**2 for level in levels])))
    strength = strength_of(hint, ramp(typical, _INVISIBLE_STD, _VISIBLE_STD))
    parameters = {"noise_std": typical, "strength": strength}
    if strength == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="no visible noise; left as it is")
    cleaned = remove_noise(planes, brightness, levels)
    return Rectified(
        blend(image_srgb, rgb_from_opponent(cleaned), strength),
        parameters=parameters,
        note=f"removed noise of {255 * typical:.1f}/255",
    )


def remove_noise(
    planes: NDArray[np.float32], brightness: NDArray[np.float32], levels: list[NoiseLevel]
) -> NDArray[np.float32]:
    """Cleans opponent planes (H, W, 3) whose noise ``levels`` are given as functions of ``brightness`` (H, W)."""
    height, width = brightness.shape
    stride = 2 if height * width <= _FINE_GRID_PIXELS else 3
    smooth = gaussian_blur(brightness, 2.0)
    cleaned = [
        shrink_plane(plane, level.std_at(smooth), stride=stride, scales=_COLOUR_SCALES if channel else _GREY_SCALES)
        for channel, (plane, level) in enumerate(zip(contiguous_planes(planes), levels, strict=True))
    ]
    return np.stack(cleaned, axis=2)


def _noise_levels(planes: NDArray[np.float32], brightness: NDArray[np.float32], hint: RectifyHint) -> list[NoiseLevel]:
    given = hint.parameters.get("noise_std", 0.0)
    std = option(hint, "noise_std", max(0.0, float(given)), low=0.0, high=1.0)
    if std > 0:
        constant = NoiseLevel(np.array([0.5], dtype=np.float32), np.array([std], dtype=np.float32))
        return [constant] * 3
    return [measure_noise(plane, brightness=brightness) for plane in contiguous_planes(planes)]
