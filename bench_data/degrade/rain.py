"""Rain: drops that fall through the air before the camera, as streaks near by and as a veil far off.

Sizes are Marshall and Palmer's for the rain rate R (mm/h): N(D) = 8000 exp(-4.1 R^-0.21 D) per m^3 and mm (J. Meteor.
5, 1948). Fall speeds are Atlas's, v = 9.65 - 10.3 exp(-0.6 D) m/s with D in mm (Rev. Geophys. 11, 1973). How bright a
streak is follows Garg and Nayar, "Vision and Rain" (IJCV 75(1), 2007): a drop is a lens that shows nearly all of its
surroundings, so its light hardly depends on what is behind it; it covers a pixel for the time D / v, and the scene is
seen for the rest of the exposure. Large drops swing in shape, which makes streaks brighter and darker along their
length (Rayleigh's second mode). See `airborne` for the veil.

SpaceDG has no rain, so "bench" is ours. Rain rates: 1: 4-6 mm/h (steady rain: a few fine streaks), 2: 14-18, 3: 40-50
(a downpour: streaks all over), 4: 90-110, 5: 180-210 (cloudburst; far things grey), bench: 300-400 (as in the heaviest
hours on record). Exposures are 1/250 to 1/100 s. Each picture has drops of its own. A room holds a few metres of air
only, so that there all levels are weaker than outdoors.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..stress import Stress
from .airborne import Particles, Shutter, SizeLaw, scatter
from .precipitation import SLIGHTEST_MM_H, fall_velocity_m_s, laid_over, scene_depth_m, sky_lit_radiance, stated
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .severity import Range, draw, draw_log
from .viewpoint import Viewpoint, viewpoint_of

__all__ = ["RainParameters", "rain", "rain_drop_sizes", "rain_fall_speed_m_s"]

_RATE_MM_H: dict[Severity, Range] = {
    1: (4.0, 6.0),
    2: (14.0, 18.0),
    3: (40.0, 50.0),
    4: (90.0, 110.0),
    5: (180.0, 210.0),
    "bench": (300.0, 400.0),
}
_EXPOSURE_S = (1 / 250, 1 / 100)
_WIND_M_S = 2.5

_DROP_OVER_SCENE = (3.5, 6.0)
"""Half of what a drop shows is sky, five times as bright as the scene, and half is the scene; that makes 3. Rain is
noticed where the light comes from behind it, which makes more."""

_HEAVIEST_DROP_M = 0.006
"""Larger drops break up as they fall."""

_GUST_SD = 0.05
"""Spread of the direction of fall, in radians: gusts are not the same everywhere."""

_FLICKER = 0.35
_SURFACE_TENSION_N_M = 0.073
_WATER_KG_M3 = 1000.0


class RainParameters(DegradationParameters):
    """Rain and the camera's exposure.

    Args:
        rate_mm_h: rain rate, millimetres of water per hour.
        wind_m_s: horizontal wind along the world's x and y; on a photograph to the right and away from the camera.
        exposure_s: how long the shutter is open: long exposures make long faint streaks.
        aperture_m: diameter of the lens's opening, which blurs the nearest drops.
        drop_brightness: light of a drop over the mean luminance of the picture.
        tint: of the drops' light; positive is cool.
    """

    rate_mm_h: float = Field(ge=0, le=2000)
    wind_m_s: tuple[float, float]
    exposure_s: float = Field(gt=0, le=0.25)
    aperture_m: float = Field(default=0.003, ge=0, le=0.1)
    drop_brightness: float = Field(ge=0, le=100)
    tint: float = Field(default=0.0, ge=-0.5, le=0.5)

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        rate = draw(_RATE_MM_H, severity, rng)
        across, along = rng.uniform(-_WIND_M_S, _WIND_M_S, 2)
        return cls(
            rate_mm_h=rate,
            wind_m_s=(float(across), float(along)),
            exposure_s=draw_log(*_EXPOSURE_S, rng),
            drop_brightness=float(rng.uniform(*_DROP_OVER_SCENE)),
            tint=float(rng.uniform(-0.01, 0.04)),
        )


@light_degradation(
    Stress.RAIN,
    summary="rain: streaks near by, a veil far off",
    stage=FormationStage.ATMOSPHERE,
    parameters=RainParameters,
    version="2",
)
def rain(light: SceneLight, parameters: RainParameters, rng: np.random.Generator) -> LightEffect:
    """Lets drops fall between camera and scene."""
    view = viewpoint_of(light)
    depth_m, assumed_depth = scene_depth_m(light)
    if parameters.rate_mm_h < SLIGHTEST_MM_H:
        return stated(light.image_linear, view.approximations, assumed_depth)
    law = rain_drop_sizes(parameters.rate_mm_h)
    drops = _drops(law, parameters, view, float(depth_m.max()), rng)
    shutter = Shutter(parameters.exposure_s, parameters.aperture_m, focus_m=float(np.median(depth_m)))
    radiance = sky_lit_radiance(light, parameters.drop_brightness, parameters.tint)
    return stated(
        laid_over(light, law, drops, view, shutter, radiance, depth_m),
        view.approximations,
        assumed_depth,
        ("drops were taken to be lit by a sky that matches the picture's mean brightness",),
    )


def rain_drop_sizes(rate_mm_h: float) -> SizeLaw:
    """Marshall and Palmer's law in metres."""
    return SizeLaw(intercept_per_m4=8000e3, slope_per_m=4.1e3 * rate_mm_h**-0.21)


def rain_fall_speed_m_s(diameter_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Atlas's fit to the terminal speed of drops, zero for the smallest."""
    return np.asarray(np.maximum(9.65 - 10.3 * np.exp(-600 * diameter_m), 0))


def _drops(
    law: SizeLaw, parameters: RainParameters, view: Viewpoint, farthest_m: float, rng: np.random.Generator
) -> Particles:
    fastest_m_s = float(np.hypot(10.0, np.hypot(*parameters.wind_m_s)))
    position_m, diameter_m, uniform = scatter(
        law, view, margin_m=fastest_m_s * parameters.exposure_s / 2, farthest_m=farthest_m, rng=rng, columns=4
    )
    diameter_m = np.minimum(diameter_m, _HEAVIEST_DROP_M)
    speed = rain_fall_speed_m_s(diameter_m)
    velocity = fall_velocity_m_s(speed, parameters.wind_m_s, view)
    # The sum of two uniform numbers has a triangular law, wide enough here to have the stated spread.
    gust = (uniform[:, 0] + uniform[:, 1] - 1) * np.sqrt(6) * _GUST_SD * speed
    velocity[:, 0] += gust
    swing_hz = np.sqrt(8 * _SURFACE_TENSION_N_M / (_WATER_KG_M3 * (diameter_m / 2) ** 3)) / (2 * np.pi)
    flicker = np.stack([_FLICKER * uniform[:, 2], 2 * np.pi * uniform[:, 3], swing_hz], axis=1)
    return Particles(position_m, velocity, diameter_m, flicker)
