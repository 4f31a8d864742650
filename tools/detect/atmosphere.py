"""Air and contrast: the dark channel, the colour of the airlight, saturation, and how much of the tonal range is
used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .views import PictureViews

__all__ = ["AtmosphereStatistics", "measure_atmosphere"]

_PATCH_PX = 9
"""He et al. use 15 px on pictures of about 450 px; this is the same share of the 256 px copy."""

_HAZE_KEPT = 0.95
"""He et al., eq. 12: the share of haze that is removed; a little is left, as distance looks without it unnatural."""

_LOCAL_SIGMA_PX = 4.0
_SATURATION_FLOOR = 0.05


@dataclass(frozen=True)
class AtmosphereStatistics:
    """Cues of veiled or flat pictures.

    Attributes:
        dark_low, dark_median, dark_high: 10th, 50th and 90th percentile of the dark channel of linear light (minimum
            over colours and a 9 px patch); near 0 in clear air. He, Sun and Tang, "Single image haze removal using dark
            channel prior" (2009).
        airlight_linear: luminance of the airlight by their section 4.3, the brightest 0.1 % of the dark channel.
        airlight_tint: largest minus smallest channel of that colour, over its mean; haze is grey.
        transmission: 20th percentile of 1 - 0.95 dark(I / A), their eq. 12: how much light of the far parts gets here.
        saturation_mean, saturation_high: mean and 90th percentile of HSV saturation.
        colour_attenuation: mean of value minus saturation, Zhu, Mai and Shao, "A fast single image haze removal
            algorithm using color attenuation prior" (2015): grows with the depth of haze.
        range_srgb: 99th minus 1st percentile of luma; range_middle_srgb: 90th minus 10th.
        rms_contrast: standard deviation of luma.
        local_contrast: median over the picture of the local standard deviation of luma (Gaussian window, sigma 4 px).
        veil_contrast: the same where the dark channel is in its upper third: what the air hides first.
        veil_local_ratio: veil_contrast over local_contrast of the rest.
    """

    dark_low: float
    dark_median: float
    dark_high: float
    airlight_linear: float
    airlight_tint: float
    transmission: float
    saturation_mean: float
    saturation_high: float
    colour_attenuation: float
    range_srgb: float
    range_middle_srgb: float
    rms_contrast: float
    local_contrast: float
    veil_contrast: float
    veil_local_ratio: float


def measure_atmosphere(views: PictureViews) -> AtmosphereStatistics:
    """Measures on the 256 px copy."""
    linear, srgb, luma = views.tone_linear, views.tone_srgb, views.tone_luma
    dark = _dark_channel(linear)
    airlight = _airlight(linear, dark)
    normalised = _dark_channel(np.asarray(linear / np.maximum(airlight, 0.02), dtype=np.float32))
    transmission = 1 - _HAZE_KEPT * np.clip(normalised, 0, 1)
    value = srgb.max(axis=2)
    saturation = (value - srgb.min(axis=2)) / np.maximum(value, _SATURATION_FLOOR)
    contrast = _local_deviation(luma)
    veiled = dark >= np.percentile(dark, 67)
    clear_contrast = float(np.median(contrast[~veiled])) if not veiled.all() else float(np.median(contrast))
    veil_contrast = float(np.median(contrast[veiled]))
    low, lower, upper, high = np.percentile(luma, [1, 10, 90, 99])
    dark_low, dark_median, dark_high = np.percentile(dark, [10, 50, 90])
    return AtmosphereStatistics(
        dark_low=float(dark_low),
        dark_median=float(dark_median),
        dark_high=float(dark_high),
        airlight_linear=float(airlight.mean()),
        airlight_tint=float((airlight.max() - airlight.min()) / max(float(airlight.mean()), 0.02)),
        transmission=float(np.percentile(transmission, 20)),
        saturation_mean=float(saturation.mean()),
        saturation_high=float(np.percentile(saturation, 90)),
        colour_attenuation=float((value - saturation).mean()),
        range_srgb=float(high - low),
        range_middle_srgb=float(upper - lower),
        rms_contrast=float(luma.std()),
        local_contrast=float(np.median(contrast)),
        veil_contrast=veil_contrast,
        veil_local_ratio=float((veil_contrast + 0.002) / (clear_contrast + 0.002)),
    )


def _dark_channel(image: NDArray[np.float32]) -> NDArray[np.float32]:
    import cv2

    window = np.ones((_PATCH_PX, _PATCH_PX), np.uint8)
    return np.asarray(cv2.erode(np.ascontiguousarray(image.min(axis=2)), window), dtype=np.float32)


def _airlight(image_linear: NDArray[np.float32], dark: NDArray[np.float32]) -> NDArray[np.float32]:
    """(3,) linear RGB: the mean colour of the haziest 0.1 % of pixels, at least four of them."""
    count = min(dark.size, max(4, dark.size // 1000))
    haziest = np.argpartition(dark.ravel(), dark.size - count)[dark.size - count :]
    return np.asarray(image_linear.reshape(-1, 3)[haziest].mean(axis=0), dtype=np.float32)


def _local_deviation(luma: NDArray[np.float32]) -> NDArray[np.float32]:
    import cv2

    mean = cv2.GaussianBlur(luma, (0, 0), _LOCAL_SIGMA_PX)
    mean_square = cv2.GaussianBlur(luma * luma, (0, 0), _LOCAL_SIGMA_PX)
    return np.asarray(np.sqrt(np.maximum(mean_square - mean * mean, 0)), dtype=np.float32)
