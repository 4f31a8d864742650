"""Uneven light: shadows lifted by a smooth, edge-aware map of gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb, srgb_from_linear
from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.guided import guided_filter
from .filtering.hints import STRENGTH, STRENGTH_HELP, option, ramp, strength_of
from .filtering.planes import luminance
from .filtering.spatial import resize_linear, shrink_to_pixels
from .filtering.tone import apply_to_brightest, shoulder_curve

__all__ = ["LightReading", "balance_local_light", "read_local_light"]

Image = NDArray[np.float32]
Plane = NDArray[np.float32]

_READING_PIXELS = 400 * 300
# Half the width of the filter's windows, as a share of the longer side: wider than most objects.
_REACH = 0.2
# Variance of log2 light, in stops squared, below which a window counts as evenly lit: two stops of reflectance, from
# black cloth to white paper. A shadow with a clear edge has more.
_EPSILON_STOPS2 = 4.0
# Light below this is noise and rounding: half of the first 8-bit step is 1.5e-4.
_LEAST_LIGHT = 1e-3
# Shadows are compared to the well-lit part, this quantile of the illumination, and may be this much darker.
_LIT_QUANTILE = 0.85
_TOLERANCE_STOPS = 1.5
_MOST_LIFT_STOPS = 3.5
# Mean stops of lift over the picture. Photographs with dark objects ask for up to 0.9, a portrait in black on black
# for 1.3, a picture half in a shadow of four stops for about 1.2: the two overlap, so this tool acts mildly unasked.
_NEED_ABSENT, _NEED_PRESENT = 0.9, 1.8


@dataclass(frozen=True)
class LightReading:
    """The light on a scene, in stops (log2 of linear light), on a small copy.

    Args:
        illumination_stops: (h, w) edge-aware local mean.
        lit_stops: the level of its well-lit part.
    """

    illumination_stops: Plane
    lit_stops: float


def read_local_light(image_linear: Image) -> LightReading:
    """Separates light from reflectance by scale: the guided filter keeps edges of shadows and evens out objects."""
    small = shrink_to_pixels(image_linear, _READING_PIXELS)
    stops = _stops(small)
    radius_px = max(1, round(_REACH * max(stops.shape)))
    illumination = guided_filter(stops, stops, radius_px=radius_px, epsilon=_EPSILON_STOPS2)
    return LightReading(illumination, float(np.quantile(illumination, _LIT_QUANTILE)))


def _stops(image_linear: Image) -> Plane:
    return np.log2(np.maximum(luminance(image_linear), np.float32(_LEAST_LIGHT)))


@rectifier(
    "balance_local_light",
    summary="Lifts deep shadows and leaves the well-lit part alone",
    treats=(Stress.LOCAL_UNDEREXPOSURE, Stress.DARK_ABSORPTIVE),
    stage=Stage.EXPOSURE,
    cost=Cost.TENTHS,
    options={
        STRENGTH: STRENGTH_HELP,
        "most_lift_stops": "how far shadows are lifted at most, 0 to 5 stops (default 3.5)",
    },
)
def balance_local_light(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Multiplies linear light by a gain that depends on the illumination around a pixel, not on the pixel.

    The scheme of local tone mapping with a base and a detail layer (Durand and Dorsey, SIGGRAPH 2002), with the guided
    filter for the base, which leaves no halo at edges; only what is much darker than the well-lit part is pulled up.
    """
    light = linear_from_srgb(image_srgb)
    reading = read_local_light(light)
    most_lift = option(hint, "most_lift_stops", _MOST_LIFT_STOPS, low=0.0, high=5.0)
    lift_stops = _lift_stops(reading, most_lift)
    need = float(lift_stops.mean())
    strength = strength_of(hint, ramp(need, _NEED_ABSENT, _NEED_PRESENT))
    parameters = {"mean_lift_stops": need, "strength": strength}
    if strength == 0 or need == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="evenly lit; left as it is")
    full = _full_size(lift_stops, light)
    lifted = light * np.exp2(np.float32(strength) * full)[..., None]
    parameters["greatest_lift_stops"] = strength * float(full.max())
    return Rectified(
        srgb_from_linear(apply_to_brightest(lifted, shoulder_curve)),
        parameters=parameters,
        note=f"shadows lifted by up to {strength * full.max():.1f} stops",
    )


def _lift_stops(reading: LightReading, most_lift_stops: float) -> Plane:
    deficit = np.float32(reading.lit_stops - _TOLERANCE_STOPS) - reading.illumination_stops
    return np.asarray(np.clip(deficit, 0, most_lift_stops), dtype=np.float32)


def _full_size(lift_stops: Plane, light: Image) -> Plane:
    """The map at full size, with its edges on those of the picture."""
    height, width = light.shape[:2]
    coarse = resize_linear(lift_stops, (width, height))
    radius_px = max(2, round(0.5 * _REACH * max(height, width)))
    return guided_filter(_stops(light), coarse, radius_px=radius_px, epsilon=_EPSILON_STOPS2)
