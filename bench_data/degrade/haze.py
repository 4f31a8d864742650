"""Haze by Koschmieder's law, on linear light: I = J exp(-beta d) + A (1 - exp(-beta d)), equation 7 of SpaceDG.

Published range (table 9): beta 3.5 to 6.0, with neither the unit of d, nor A, nor the domain given. With d in metres a
room would be white from two metres on, so d here is depth over the scene's 95th-percentile depth, and beta is the
optical thickness up to there; ``depth_scale_m`` gives a metric beta instead. Levels: 1: 0.30-0.40 (far parts keep 70 %
of their contrast), 2: 0.65-0.80, 3: 1.2-1.5 (far parts keep 25 %), 4: 2.0-2.4, 5: 2.9-3.4.

In a scene all views share one far depth, and haze acts in every instant of an exposure on the depth of that instant;
where less than half of a pixel is covered, it is as far as that depth.

The airlight A is grey with a slight warm or cool tint, 0.65 to 0.9 of white in linear light: an overcast sky.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import Field

from ..stress import Stress
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .scene_depth import filled_depth_m, ground_plane_relative_depth, relative_depth
from .severity import Range, draw

__all__ = ["HazeParameters", "haze"]

_BETA: dict[Severity, Range] = {
    1: (0.30, 0.40),
    2: (0.65, 0.80),
    3: (1.2, 1.5),
    4: (2.0, 2.4),
    5: (2.9, 3.4),
    "bench": (3.5, 6.0),
}


class HazeParameters(DegradationParameters):
    """Air between camera and scene.

    Args:
        optical_thickness: beta times the reference depth (no unit).
        airlight_linear: colour of fully thick haze, linear RGB, 1 = white.
        depth_scale_m: the reference depth in metres; None = the scene's 95th-percentile depth.
    """

    optical_thickness: float = Field(ge=0, le=1000)
    airlight_linear: tuple[float, float, float]
    depth_scale_m: float | None = Field(default=None, gt=0)

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        thickness = draw(_BETA, severity, rng)
        grey, tint = float(rng.uniform(0.65, 0.9)), float(rng.uniform(-0.03, 0.03))
        return cls(optical_thickness=thickness, airlight_linear=(grey - tint, grey, grey + tint))


@light_degradation(
    Stress.HAZE,
    summary="fog or smog that grows with distance",
    stage=FormationStage.ATMOSPHERE,
    parameters=HazeParameters,
    per_pixel=True,
)
def haze(light: SceneLight, parameters: HazeParameters, rng: np.random.Generator) -> LightEffect:
    """Mixes scene light and airlight by the transmission at each pixel."""
    height, width = light.image_linear.shape[:2]
    approximations: tuple[str, ...] = ()
    if light.depth_m is None:
        depth = ground_plane_relative_depth(height, width)
        approximations = (
            "no depth given: a floor seen by a level camera was assumed, with its horizon in the upper half",
        )
    elif parameters.depth_scale_m is None:
        depth = relative_depth(light.depth_m, light.far_m)
    else:
        depth = filled_depth_m(light.depth_m) / np.float32(parameters.depth_scale_m)
    if light.depth_m is not None and np.isnan(light.depth_m).any():
        approximations = ("pixels without depth took that of the nearest pixel that has one",)
    transmission = np.exp(-np.float32(parameters.optical_thickness) * depth)[..., None]
    airlight = np.array(parameters.airlight_linear, dtype=np.float32)
    return LightEffect(light.image_linear * transmission + airlight * (1 - transmission), approximations)
