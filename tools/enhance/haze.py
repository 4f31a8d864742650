"""Haze: the dark-channel prior with an airlight that stays grey and a transmission that skies cannot mislead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb
from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.guided import guided_filter
from .filtering.hints import STRENGTH, STRENGTH_HELP, ramp, strength_of
from .filtering.noise_level import encoded_slope, measure_noise
from .filtering.patch_dct import shrink_plane
from .filtering.planes import contiguous_planes, opponent_from_rgb, rgb_from_opponent
from .filtering.spatial import closing, gradient_magnitude, local_minimum, resize_linear, shrink_to_pixels
from .filtering.tone import encode_unclipped

__all__ = ["HazeReading", "dehaze", "dehaze_mild", "read_haze"]

Image = NDArray[np.float32]
Plane = NDArray[np.float32]

# Haze is estimated on a copy of this many pixels; it has no fine detail of its own.
_READING_PIXELS = 400 * 300
# Sizes as shares of the longer side of the picture.
_PATCH, _AIRLIGHT_PATCH = 0.008, 0.02
# White things and walls, up to twice these shares of the width or of the height, are as far as what is beside them.
# Along the floor depth changes from row to row, and hardly within a row.
_OBJECT_ACROSS, _OBJECT_DOWN = 0.3, 0.16
_GUIDE_PATCHES, _GUIDE_EPSILON = 3, 1e-2
# Share of pixels, the ones whose neighbourhood is brightest in all channels, that show the airlight (He et al. take
# 0.1 %; the median over five times as many is steadier).
_AIRLIGHT_SHARE = 0.005
# Airlight under a daylight sky, in linear light; where no pixel is opaque, the brightest haze is darker than that.
_LEAST_AIRLIGHT = 0.65
# Haze is white light scattered without colour: more tint than this comes from the objects seen through it.
_MOST_TINT = 0.04
# Light is amplified by no more than its inverse. Below, rounding to 8 bits leaves nothing to be seen.
_LEAST_TRANSMISSION = 0.03
# The share of the haze that the mild tool takes off: light is amplified 8 times at most, not 33.
_MILD = 0.9
# What is left of this share of the texture marks how thick the haze gets; beyond lie skies and white walls.
_TEXTURE_SHARE = 0.05
_LEAST_TEXTURE = 0.8 / 255
_MOST_TEXTURE = 0.05
# Veil over the texture. Clear photographs: 0.03 to 0.12, and 0.17 for a bare concrete floor; haze of optical thickness
# 0.35, the lightest that is worth naming: 0.18 to 0.40.
_VEIL_ABSENT, _VEIL_PRESENT = 0.14, 0.24
# Airlight that is clipped white is an over-exposed white room or sky, which looks like haze in every other way.
_CLIPPED_AIRLIGHT, _UNCLIPPED_AIRLIGHT = 0.99, 0.95
# Rounding to 8 bits (standard deviation 0.29/255) is amplified like noise; from here on it shows.
_ROUNDING_STD, _VISIBLE_STD = 0.4 / 255, 2.5 / 255


@dataclass(frozen=True)
class HazeReading:
    """Haze in a picture.

    Args:
        airlight_linear: (3,) colour of opaque haze, in linear light.
        transmission: (h, w) share of the light that passed, on a small copy of the picture.
        guide: (h, w) brightness of that copy.
        veil: how much haze lies over what has texture, 0 to 1.
    """

    airlight_linear: NDArray[np.float32]
    transmission: Plane
    guide: Plane
    veil: float


def read_haze(image_srgb: Image) -> HazeReading:
    """Estimates airlight and transmission.

    After He, Sun and Tang, "Single image haze removal using dark channel prior" (TPAMI 2011, equations 11 and 12), on
    linear light, with three changes:

    * the airlight is grey but for a slight tint, and not darker than daylight haze;
    * a closing (local maximum, then minimum) lifts things that are white themselves to the transmission beside them;
    * nothing counts as hazier than the haziest part that still shows texture, so a bright sky is not thick haze.

    Args:
        image_srgb: (H, W, 3) in [0, 1].
    """
    small = shrink_to_pixels(image_srgb, _READING_PIXELS)
    light = linear_from_srgb(small)
    guide = small.mean(axis=2, dtype=np.float32)
    longer = max(guide.shape)
    patch = max(1, round(_PATCH * longer))
    height, width = guide.shape
    airlight = _airlight(light, max(2, round(_AIRLIGHT_PATCH * longer)))
    dark = local_minimum((light / airlight).min(axis=2), patch)
    lower_bound = np.clip(1 - dark, _LEAST_TRANSMISSION, 1)
    closed = closing(lower_bound, round(_OBJECT_ACROSS * width), round(_OBJECT_DOWN * height))
    texture = np.minimum(gradient_magnitude(guide), np.float32(_MOST_TEXTURE))
    # Dividing by the transmission gives texture that haze has faded its own weight back.
    restored = np.where(texture > _LEAST_TEXTURE, texture / closed, np.float32(0))
    floor = _weighted_quantile(closed, restored, _TEXTURE_SHARE)
    return HazeReading(airlight, np.maximum(closed, np.float32(floor)), guide, _veil(dark, texture))


def _airlight(light: Image, radius_px: int) -> NDArray[np.float32]:
    dark = local_minimum(light.min(axis=2), radius_px)
    opaque = dark >= np.quantile(dark, 1 - _AIRLIGHT_SHARE)
    colour = np.median(light[opaque], axis=0)
    grey = float(colour.mean())
    tint = np.clip(colour / max(grey, 1e-3), 1 - _MOST_TINT, 1 + _MOST_TINT)
    return np.asarray(max(grey, _LEAST_AIRLIGHT) * tint, dtype=np.float32)


def _weighted_quantile(values: Plane, weights: Plane, share: float) -> float:
    """The value below which ``share`` of the weight lies; 1 when there is no weight."""
    order = np.argsort(values, axis=None, kind="stable")
    running = np.cumsum(weights.ravel()[order], dtype=np.float64)
    if running[-1] <= 0:
        return 1.0
    return float(values.ravel()[order[np.searchsorted(running, share * running[-1])]])


def _veil(dark: Plane, texture: Plane) -> float:
    total = float(texture.sum())
    return float((texture * np.clip(dark, 0, 1)).sum()) / total if total > 1e-6 else 0.0


@rectifier(
    "dehaze",
    summary="Takes haze off by the dark-channel prior, and leaves skies and white objects as they are",
    treats=(Stress.HAZE,),
    stage=Stage.ATMOSPHERE,
    cost=Cost.TENTHS,
    version="3",
    options={STRENGTH: STRENGTH_HELP},
)
def dehaze(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Inverts Koschmieder's law, ``I = J t + A (1 - t)``, on linear light.

    Where the inversion amplifies noise and 8-bit steps until they show, the result is denoised by just that much.
    """
    return _dehazed(image_srgb, hint, 1.0)


@rectifier(
    "dehaze_mild",
    summary="Takes off nine tenths of the haze: less to see, and less noise, than without any",
    treats=(Stress.HAZE,),
    stage=Stage.ATMOSPHERE,
    cost=Cost.TENTHS,
    version="3",
    options={STRENGTH: STRENGTH_HELP},
)
def dehaze_mild(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """`dehaze`, short of the end: of the thickest haze the last tenth can bring up more noise than things."""
    return _dehazed(image_srgb, hint, _MILD)


def _dehazed(image_srgb: Image, hint: RectifyHint, share: float) -> Rectified:
    reading = read_haze(image_srgb)
    unclipped = ramp(float(reading.airlight_linear.mean()), _CLIPPED_AIRLIGHT, _UNCLIPPED_AIRLIGHT)
    strength = share * strength_of(hint, unclipped * ramp(reading.veil, _VEIL_ABSENT, _VEIL_PRESENT))
    parameters = {"veil": reading.veil, "strength": strength}
    if strength == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="no haze; left as it is")
    transmission = 1 - np.float32(strength) * (1 - _full_size_transmission(image_srgb, reading))
    light = linear_from_srgb(image_srgb) - reading.airlight_linear
    light /= transmission[..., None]
    light += reading.airlight_linear
    restored = encode_unclipped(np.clip(light, 0, 1))
    restored = _without_amplified_noise(image_srgb, restored, transmission)
    parameters |= {
        "airlight_linear": float(reading.airlight_linear.mean()),
        "least_transmission": float(transmission.min()),
    }
    return Rectified(
        np.clip(restored, 0, 1), parameters=parameters, note=f"haze down to {transmission.min():.0%} transmission"
    )


def _full_size_transmission(image_srgb: Image, reading: HazeReading) -> Plane:
    height, width = image_srgb.shape[:2]
    guide = image_srgb.mean(axis=2, dtype=np.float32)
    coarse = resize_linear(reading.transmission, (width, height))
    radius_px = _GUIDE_PATCHES * max(1, round(_PATCH * max(height, width)))
    refined = guided_filter(guide, coarse, radius_px=radius_px, epsilon=_GUIDE_EPSILON)
    return np.clip(refined, _LEAST_TRANSMISSION, 1)


def _without_amplified_noise(image_srgb: Image, restored: Image, transmission: Plane) -> Image:
    """Shrinks noise by what the inversion made of it: the slopes of the sRGB curve at both ends, over t."""
    before, after = image_srgb.mean(axis=2, dtype=np.float32), restored.mean(axis=2, dtype=np.float32)
    source_std = np.maximum(measure_noise(before).std_at(before), np.float32(_ROUNDING_STD))
    amplified = source_std * encoded_slope(after) / (encoded_slope(before) * transmission)
    if float(np.quantile(amplified[::4, ::4], 0.9)) < _VISIBLE_STD:
        return restored
    planes = contiguous_planes(opponent_from_rgb(restored))
    cleaned = [shrink_plane(plane, amplified, scales=3) for plane in planes]
    return rgb_from_opponent(np.stack(cleaned, axis=2))
