"""Sensor noise at a normal exposure: what a high ISO gives.

SpaceDG has no such type, so "bench" is ours. The levels are set by the standard deviation that the noise has on
mid-grey (18 % light) in the 8-bit picture: 1: about 4, 2: 8, 3: 15, 4: 24, 5: 34, bench: 40 to 55 of 255. With N
electrons at white the shot noise on mid-grey is sqrt(0.18 / N) of linear light; the sRGB curve has slope 1.2 there, so
N = 0.18 (1.2 * 255 / sd)**2 gives 1050, 260, 75, 29, 15 and 5 to 10; the ranges below are around these.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..stress import Stress
from .registry import FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .sensor import SensorParameters, expose
from .severity import Range, draw_log, level_range

__all__ = ["NoiseParameters", "noise"]

_WHITE_ELECTRONS: dict[Severity, Range] = {
    1: (850, 1300),
    2: (210, 320),
    3: (60, 95),
    4: (24, 35),
    5: (13, 18),
    "bench": (5.5, 10),
}


class NoiseParameters(SensorParameters):
    """The sensor at high ISO: few electrons make white."""

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        white = draw_log(*level_range(_WHITE_ELECTRONS, severity), rng)
        # A modern sensor's read noise falls with gain to about an electron.
        return cls(
            exposure=1.0,
            white_electrons=white,
            read_noise_electrons=float(rng.uniform(0.6, 1.2)),
            row_noise_electrons=float(rng.uniform(0.05, 0.15)),
        )


@light_degradation(
    Stress.NOISE,
    summary="grain of a high ISO at normal brightness",
    stage=FormationStage.SENSOR,
    parameters=NoiseParameters,
)
def noise(light: SceneLight, parameters: NoiseParameters, rng: np.random.Generator) -> LightEffect:
    """Exposes the sensor normally, with few electrons."""
    return LightEffect(expose(light.image_linear, parameters, rng))
