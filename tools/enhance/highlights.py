"""Too much light: over-exposed pictures and specular spots. Lost texture is never made up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb, srgb_from_linear
from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.guided import guided_filter
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, option, ramp, strength_of
from .filtering.spatial import gaussian_blur, local_maximum, local_minimum, resize_linear, shrink_to_pixels

__all__ = ["clipped_share", "lower_bright_parts", "recover_highlights", "soften_specular", "surplus_stops"]

Image = NDArray[np.float32]

# Linear light that counts as clipped; 8-bit values of 252 and more.
_CLIPPED = 0.97
# Least-squares fit of the stops of over-exposure to the log odds of clipped pixels, over the photographs of
# scikit-image, scikit-learn and matplotlib at gains of 1 to 6.4, less a tenth, since too little is the smaller mistake.
# A left-out photograph is off by 0.6 stops (root mean square).
_STOPS_AT_EVEN_ODDS, _STOPS_PER_LOG_ODDS = 2.1, 0.3
_STOPS_ABSENT, _STOPS_PRESENT = 0.65, 1.1
_MOST_STOPS = 2.7
# Clipped light was somewhere between 1 / gain and more than 1; this level for white errs least in the mean.
_WHITE = 0.82
# How suddenly a value near to white stops to be trusted: its doubt is x to this power.
_CLIP_POWER = 8
# A pixel whose darkest channel comes near to clipping is white rather than coloured.
_WHITE_POWER = 3
# Colour is learnt within this share of the longer side, from pixels that are bright but not clipped.
_COLOUR_REACH = 0.06
_LEAST_BRIGHT, _MOST_BRIGHT = 0.03, 0.9
# Brightness-weighted share of such pixels at which their colour is half trusted.
_HALF_TRUST = 0.03
_READING_PIXELS = 400 * 300
# Local surplus: clipped share of the whole picture at which it matters, and how far around a pixel it is counted.
_LOCAL_SHARE_ABSENT, _LOCAL_SHARE_PRESENT = 0.02, 0.08
_LOCAL_REACH = 0.05
_GUIDE_EPSILON = 0.03

# Specular spots: brighter than this in all channels, and smaller than this share of the longer side.
_SPECULAR_LEVEL = 0.8
_SPECULAR_SIZE = 0.02
_SPECULAR_SHARE_ABSENT, _SPECULAR_SHARE_PRESENT = 0.0005, 0.004


def clipped_share(image_linear: Image) -> float:
    """Share of the pixels that clip in two channels or all three.

    A sky or a lamp clips in good photographs too, but rarely in two channels over much of the picture.
    """
    return float((np.count_nonzero(image_linear > _CLIPPED, axis=2) >= 2).mean())


def surplus_stops(share: float) -> float:
    """How many stops too bright a picture is, from its :func:`clipped_share`."""
    log_odds = np.log2((share + 0.01) / (1 - share + 0.01))
    return float(np.clip(_STOPS_AT_EVEN_ODDS + _STOPS_PER_LOG_ODDS * log_odds, 0, _MOST_STOPS))


@rectifier(
    "recover_highlights",
    summary="Darkens an over-exposed picture; clipped colours follow their surroundings, clipped white stays plain",
    treats=(Stress.OVER_EXPOSURE, Stress.GLOBAL_OVEREXPOSURE),
    stage=Stage.EXPOSURE,
    cost=Cost.TENTHS,
    options={STRENGTH: STRENGTH_HELP, "stops": "stops to darken by, 0 to 4, instead of measuring"},
)
def recover_highlights(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Divides linear light by the surplus; a channel that clipped gets the value that the colour around it suggests.

    Light that clips in one channel has lost its hue, while the others still hold true values. Colour changes more
    slowly over a picture than brightness, so the ratio of channels is taken from unclipped pixels near by (the idea of
    Masood, Zhu and Tappen, "Automatic correction of saturated regions in photographs using cross-channel correlation",
    Computer Graphics Forum 2009). What clipped in all channels becomes plain white.
    """
    light = linear_from_srgb(image_srgb)
    measured = surplus_stops(clipped_share(light))
    asked = option(hint, "stops", 0.0, low=0.0, high=4.0)
    strength = 1.0 if asked else strength_of(hint, ramp(measured, _STOPS_ABSENT, _STOPS_PRESENT))
    stops = asked or strength * measured
    parameters = {"stops": stops, "strength": strength}
    if stops == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="highlights are intact; left as it is")
    gain = np.full((1, 1, 1), 2**stops, dtype=np.float32)
    return Rectified(
        srgb_from_linear(_darkened(light, gain, strength)),
        parameters=parameters,
        note=f"{stops:.1f} stops darker below the highlights",
    )


@rectifier(
    "lower_bright_parts",
    summary="Darkens only the parts of a picture where highlights clip",
    treats=(Stress.LOCAL_OVEREXPOSURE,),
    stage=Stage.EXPOSURE,
    cost=Cost.TENTHS,
    options={STRENGTH: STRENGTH_HELP},
)
def lower_bright_parts(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """As ``recover_highlights``, with the surplus estimated around each pixel, along the edges of the picture."""
    light = linear_from_srgb(image_srgb)
    share = clipped_share(light)
    strength = strength_of(hint, ramp(share, _LOCAL_SHARE_ABSENT, _LOCAL_SHARE_PRESENT))
    parameters = {"clipped_share": share, "strength": strength}
    if strength == 0 or share == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="highlights are intact; left as it is")
    stops = np.float32(strength) * _local_stops(light)
    parameters["most_stops"] = float(stops.max())
    darkened = _darkened(light, np.exp2(stops)[..., None], strength)
    return Rectified(
        srgb_from_linear(darkened), parameters=parameters, note=f"bright parts up to {stops.max():.1f} stops darker"
    )


def _local_stops(light: Image) -> NDArray[np.float32]:
    height, width = light.shape[:2]
    small = shrink_to_pixels(light, _READING_PIXELS)
    clipped = (np.count_nonzero(small > _CLIPPED, axis=2) >= 2).astype(np.float32)
    share = gaussian_blur(clipped, max(0.5, _LOCAL_REACH * max(clipped.shape)))
    log_odds = np.log2((share + np.float32(0.01)) / (1 - share + np.float32(0.01)))
    stops = np.clip(_STOPS_AT_EVEN_ODDS + _STOPS_PER_LOG_ODDS * log_odds - _STOPS_ABSENT, 0, _MOST_STOPS)
    coarse = resize_linear(stops.astype(np.float32), (width, height))
    guide = np.ascontiguousarray(light.max(axis=2))
    radius_px = max(2, round(_LOCAL_REACH * max(height, width)))
    refined = guided_filter(guide, coarse, radius_px=radius_px, epsilon=_GUIDE_EPSILON)
    return np.clip(refined, 0, _MOST_STOPS)


def _darkened(light: Image, gain: Image, strength: float) -> Image:
    """Linear light over ``gain`` (broadcast to (H, W, 1)), with clipped channels filled in."""
    white = np.float32(1 - strength * (1 - _WHITE))
    doubt = light**_CLIP_POWER
    filled = _clipped_light(light, doubt, gain, white)
    return np.asarray(light / gain * (1 - doubt) + filled * doubt, dtype=np.float32)


def _clipped_light(light: Image, doubt: Image, gain: Image, white: np.float32) -> Image:
    """(H, W, 3) what each channel would have been at the right exposure, had it clipped."""
    logarithm = np.log(np.maximum(light, np.float32(0.004)))
    colour, trust = _colour_near_by(light, logarithm)
    known = 1 - doubt + np.float32(1e-4)
    brightness = (known * (logarithm - colour)).sum(axis=2, keepdims=True) / known.sum(axis=2, keepdims=True)
    # It was at least what the clipping level became; where no neighbour tells the colour it is taken for little more.
    least = np.minimum(1 / gain, white)
    unknown = least ** np.float32(0.8) * white ** np.float32(0.2)
    coloured = np.clip(colour + brightness - np.log(gain), np.log(least), np.log(white))
    coloured = trust * coloured + (1 - trust) * np.log(unknown)
    whiteness = light.min(axis=2, keepdims=True) ** _WHITE_POWER
    return np.asarray(np.exp((1 - whiteness) * coloured + whiteness * np.log(white)), dtype=np.float32)


def _colour_near_by(light: Image, logarithm: Image) -> tuple[Image, Image]:
    """Mean log light (H, W, 3) of the bright, unclipped pixels around each pixel, and how far to trust it (H, W, 1)."""
    height, width = light.shape[:2]
    brightest = light.max(axis=2, keepdims=True)
    weight = brightest * ((brightest > _LEAST_BRIGHT) & (brightest < _MOST_BRIGHT))
    small = shrink_to_pixels(np.concatenate([logarithm * weight, weight], axis=2), _READING_PIXELS)
    near = resize_linear(gaussian_blur(small, max(0.5, _COLOUR_REACH * max(small.shape[:2]))), (width, height))
    weight_near = near[..., 3:]
    colour = near[..., :3] / np.maximum(weight_near, np.float32(1e-6))
    trust = weight_near / (weight_near + np.float32(_HALF_TRUST))
    return np.asarray(colour, dtype=np.float32), np.asarray(trust, dtype=np.float32)


@rectifier(
    "soften_specular",
    summary="Dims small white reflections towards the surface around them",
    treats=(Stress.SPECULAR_CONFUSION,),
    stage=Stage.SCENE,
    cost=Cost.MILLISECONDS,
    options={STRENGTH: STRENGTH_HELP},
)
def soften_specular(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Halves the step between small spots that are bright in all channels and their surroundings.

    The spots are what a morphological opening removes; a reflection is white, so the darkest channel shows it best
    (the dichromatic model: Shafer, Color Research and Application 1985). Half, so that a lamp or an eye stays one.
    """
    longer = max(image_srgb.shape[:2])
    radius_px = max(1, round(_SPECULAR_SIZE * longer / 2))
    opened = np.stack(
        [_opened(np.ascontiguousarray(image_srgb[..., channel]), radius_px) for channel in range(3)], axis=2
    )
    darkest = image_srgb.min(axis=2)
    step = darkest - opened.min(axis=2)
    spots = ((darkest > _SPECULAR_LEVEL) & (step > 0.15)).astype(np.float32)
    share = float(spots.mean())
    strength = strength_of(hint, ramp(share, _SPECULAR_SHARE_ABSENT, _SPECULAR_SHARE_PRESENT))
    parameters = {"spot_share": share, "strength": strength}
    if strength == 0 or share == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="no specular spots; left as it is")
    # A soft mask, one pixel wider, leaves no dark rim.
    mask = np.clip(gaussian_blur(local_maximum(spots, 1), 1.0), 0, 1)[..., None]
    dimmed = image_srgb - mask * np.float32(0.5) * (image_srgb - np.minimum(opened, image_srgb))
    return Rectified(
        blend(image_srgb, dimmed, strength),
        parameters=parameters,
        note=f"dimmed reflections on {share:.2%} of the picture",
    )


def _opened(plane: NDArray[np.float32], radius_px: int) -> NDArray[np.float32]:
    return local_maximum(local_minimum(plane, radius_px), radius_px)
