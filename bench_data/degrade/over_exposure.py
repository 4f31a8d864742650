"""Over-exposure: too much light; everything beyond the sensor's white is lost before the gamma curve.

Published range (SpaceDG, table 9): gain 7 to 10, which whitens all that was brighter than 10 to 14 % of white. The
levels step by about a factor of 1.5: 1: 1.5-1.8 (highlights go), 2: 2.2-2.6, 3: 3.2-3.8 (mid-grey is at 60-70 % light,
sky and walls are white), 4: 4.6-5.4, 5: 6.0-6.8.

The standard sensor noise that the paper asks for is that of a good exposure: 15,000 to 25,000 electrons at white, read
noise 3 electrons.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..stress import Stress
from .registry import FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .sensor import SensorParameters, expose
from .severity import Range, draw

__all__ = ["OverExposureParameters", "over_exposure"]

_GAIN: dict[Severity, Range] = {
    1: (1.5, 1.8),
    2: (2.2, 2.6),
    3: (3.2, 3.8),
    4: (4.6, 5.4),
    5: (6.0, 6.8),
    "bench": (7.0, 10.0),
}


class OverExposureParameters(SensorParameters):
    """The sensor at a high exposure."""

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        return cls(
            exposure=draw(_GAIN, severity, rng),
            white_electrons=float(rng.uniform(15000, 25000)),
            read_noise_electrons=3.0,
            row_noise_electrons=1.0,
        )


@light_degradation(
    Stress.OVER_EXPOSURE,
    summary="too much light: bright parts clip to white",
    stage=FormationStage.SENSOR,
    parameters=OverExposureParameters,
)
def over_exposure(light: SceneLight, parameters: OverExposureParameters, rng: np.random.Generator) -> LightEffect:
    """Exposes the sensor to ``parameters.exposure`` times the light and clips."""
    return LightEffect(expose(light.image_linear, parameters, rng))
