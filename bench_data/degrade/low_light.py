"""Low light: a short exposure of a dark scene, with the noise that comes with few photons; no gain afterwards.

Published range (SpaceDG, table 9): exposure 0.003 to 0.005, which puts white at 10 to 16 of 255 by the sRGB curve (18
to 23 by a plain gamma of 2.2). The levels step by about a factor of 2.5 in light, so that each is clearly darker:

1: 0.25-0.35 (white at 137-160 of 255: dusk, all visible), 2: 0.10-0.14, 3: 0.035-0.05 (white at 52-63: objects
must be guessed), 4: 0.014-0.02, 5: 0.006-0.008 (just brighter than bench).

Display white is 6,000 to 9,000 electrons, the read noise 2.5 to 4 electrons: a small-pixel camera at base ISO. At
bench strength white is then about 30 electrons, as in published extreme-low-light captures. Row noise is a sixth of the
read noise: banding that shows once the picture is brightened.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..stress import Stress
from .registry import FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .sensor import SensorParameters, expose
from .severity import Range, draw

__all__ = ["LowLightParameters", "low_light"]

_EXPOSURE: dict[Severity, Range] = {
    1: (0.25, 0.35),
    2: (0.10, 0.14),
    3: (0.035, 0.05),
    4: (0.014, 0.02),
    5: (0.006, 0.008),
    "bench": (0.003, 0.005),
}


class LowLightParameters(SensorParameters):
    """The sensor at a low exposure."""

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        read_noise = float(rng.uniform(2.5, 4.0))
        return cls(
            exposure=draw(_EXPOSURE, severity, rng),
            white_electrons=float(rng.uniform(6000, 9000)),
            read_noise_electrons=read_noise,
            row_noise_electrons=read_noise / 6,
        )


@light_degradation(
    Stress.LOW_LIGHT,
    summary="a dark scene: little light, shot noise, read noise, banding",
    stage=FormationStage.SENSOR,
    parameters=LowLightParameters,
)
def low_light(light: SceneLight, parameters: LowLightParameters, rng: np.random.Generator) -> LightEffect:
    """Exposes the sensor to ``parameters.exposure`` of the light."""
    return LightEffect(expose(light.image_linear, parameters, rng))
