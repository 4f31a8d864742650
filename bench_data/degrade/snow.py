"""Snow: flakes in the air before the camera, soft discs near by, specks farther off, a white veil beyond.

Sizes are Gunn and Marshall's for the snowfall rate R (mm/h of water): N(D) = 3800 R^-0.87 exp(-2.55 R^-0.48 D) per m^3
and mm of melted diameter D (J. Meteor. 15, 1958). A flake is a loose aggregate of 0.07 of water's density, so it is 2.4
times as wide as its drop. It falls at 0.78 D^0.31 m/s (Langleben, QJRMS 80, 1954) and drifts with the wind and with
eddies. A flake scatters nearly all light, so it is as bright as its surroundings are on average: white before trees,
dark before a bright sky. See `airborne` for blur, streaks and veil; a flake is drawn as a handful of crystals, so that
large ones in focus are not round.

SpaceDG has no snow, so "bench" is ours. Rates: 1: 0.25-0.35 mm/h (light: visibility 1.8 km), 2: 0.60-0.75, 3: 1.4-1.7
(moderate: 700 m; flakes all over), 4: 2.8-3.4, 5: 5.5-6.5 (heavy: 330 m), bench: 9-11 (a squall: 250 m; small things
are lost). Exposures are 1/400 to 1/100 s. Each picture has flakes of its own. A room holds a few metres of air only, so
that there all levels are weaker than outdoors.
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

__all__ = ["SnowParameters", "snow", "snow_fall_speed_m_s", "snow_flake_sizes"]

_RATE_MM_H: dict[Severity, Range] = {
    1: (0.25, 0.35),
    2: (0.6, 0.75),
    3: (1.4, 1.7),
    4: (2.8, 3.4),
    5: (5.5, 6.5),
    "bench": (9.0, 11.0),
}
_EXPOSURE_S = (1 / 400, 1 / 100)
_APERTURE_M = (0.004, 0.008)
_WIND_M_S = 1.5

_FLAKE_OVER_SCENE = 3.2
"""Lit from all sides by a sky five times as bright as the scene and by the scene, or by snow on it."""

_FLAKE_OVER_DROP = 0.07 ** (-1 / 3)
_LARGEST_FLAKE_M = 0.02
_EDDY_SD_M_S = 0.35
_CRYSTALS = 5
_SHAPE_WIDTH_PX = 2.5
_ADDITIVE = np.array([0.8191725, 0.6710436, 0.5497005])
_CRYSTAL_SPREAD = 0.32


class SnowParameters(DegradationParameters):
    """Snowfall and the camera's exposure.

    Args:
        rate_mm_h: snowfall rate, millimetres of water per hour.
        wind_m_s: horizontal wind along the world's x and y; on a photograph to the right and away from the camera.
        exposure_s: how long the shutter is open.
        aperture_m: diameter of the lens's opening, which turns the nearest flakes into discs.
        flake_brightness: light of a flake over the mean luminance of the picture.
        tint: of the flakes' light; positive is cool.
    """

    rate_mm_h: float = Field(ge=0, le=100)
    wind_m_s: tuple[float, float]
    exposure_s: float = Field(gt=0, le=0.25)
    aperture_m: float = Field(ge=0, le=0.1)
    flake_brightness: float = Field(default=_FLAKE_OVER_SCENE, ge=0, le=100)
    tint: float = Field(default=0.0, ge=-0.5, le=0.5)

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        rate = draw(_RATE_MM_H, severity, rng)
        across, along = rng.uniform(-_WIND_M_S, _WIND_M_S, 2)
        return cls(
            rate_mm_h=rate,
            wind_m_s=(float(across), float(along)),
            exposure_s=draw_log(*_EXPOSURE_S, rng),
            aperture_m=float(rng.uniform(*_APERTURE_M)),
            tint=float(rng.uniform(0.0, 0.04)),
        )


@light_degradation(
    Stress.SNOW,
    summary="falling snow: soft flakes near by, a white veil far off",
    stage=FormationStage.ATMOSPHERE,
    parameters=SnowParameters,
    version="2",
)
def snow(light: SceneLight, parameters: SnowParameters, rng: np.random.Generator) -> LightEffect:
    """Lets flakes fall between camera and scene."""
    view = viewpoint_of(light)
    depth_m, assumed_depth = scene_depth_m(light)
    if parameters.rate_mm_h < SLIGHTEST_MM_H:
        return stated(light.image_linear, view.approximations, assumed_depth)
    law = snow_flake_sizes(parameters.rate_mm_h)
    flakes = _flakes(law, parameters, view, float(depth_m.max()), rng)
    shutter = Shutter(parameters.exposure_s, parameters.aperture_m, focus_m=float(np.median(depth_m)))
    radiance = sky_lit_radiance(light, parameters.flake_brightness, parameters.tint)
    return stated(
        laid_over(light, law, flakes, view, shutter, radiance, depth_m),
        view.approximations,
        assumed_depth,
        ("flakes were taken to be lit by a sky that matches the picture's mean brightness",),
    )


def snow_flake_sizes(rate_mm_h: float) -> SizeLaw:
    """Gunn and Marshall's law for the diameters of flakes, not of their drops, in metres."""
    return SizeLaw(
        intercept_per_m4=3800e3 * rate_mm_h**-0.87 / _FLAKE_OVER_DROP,
        slope_per_m=2.55e3 * rate_mm_h**-0.48 / _FLAKE_OVER_DROP,
    )


def snow_fall_speed_m_s(flake_diameter_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Langleben's law for aggregates of dendrites."""
    melted_mm = flake_diameter_m * (1e3 / _FLAKE_OVER_DROP)
    return np.asarray(0.78 * melted_mm**0.31)


def _flakes(
    law: SizeLaw, parameters: SnowParameters, view: Viewpoint, farthest_m: float, rng: np.random.Generator
) -> Particles:
    fastest_m_s = float(2.0 + np.hypot(*parameters.wind_m_s))
    position_m, diameter_m, uniform = scatter(
        law,
        view,
        margin_m=fastest_m_s * parameters.exposure_s / 2 + _LARGEST_FLAKE_M,
        farthest_m=farthest_m,
        rng=rng,
        columns=6,
    )
    diameter_m = np.minimum(diameter_m, _LARGEST_FLAKE_M)
    velocity = fall_velocity_m_s(snow_fall_speed_m_s(diameter_m), parameters.wind_m_s, view)
    # A uniform number in [0, 1) has a standard deviation of 1 / sqrt(12).
    velocity += (uniform[:, :3] - 0.5) * np.sqrt(12) * _EDDY_SD_M_S
    return _as_crystals(Particles(position_m, velocity, diameter_m), uniform[:, 3:], view)


def _as_crystals(flakes: Particles, uniform: NDArray[np.float64], view: Viewpoint) -> Particles:
    """Flakes whose image is wide enough to show a shape become a handful of crystals that share their area."""
    is_wide = flakes.diameter_m * view.mean_focal_px > _SHAPE_WIDTH_PX * flakes.position_m[:, 2]
    wide, narrow = np.flatnonzero(is_wide), np.flatnonzero(~is_wide)
    spread_m = 2 * _CRYSTAL_SPREAD * flakes.diameter_m[wide, None, None]
    # Multiples of three irrational numbers fill the flake evenly (Roberts's additive sequence).
    uniform = uniform[wide, None] + np.arange(_CRYSTALS)[:, None] * _ADDITIVE
    uniform -= np.floor(uniform)
    places_m = flakes.position_m[wide, None] + (uniform - 0.5) * spread_m
    return Particles(
        np.concatenate([flakes.position_m[narrow], places_m.reshape(-1, 3)]),
        np.concatenate([flakes.velocity_m_s[narrow], np.repeat(flakes.velocity_m_s[wide], _CRYSTALS, axis=0)]),
        np.concatenate([flakes.diameter_m[narrow], np.repeat(flakes.diameter_m[wide] / np.sqrt(_CRYSTALS), _CRYSTALS)]),
    )
