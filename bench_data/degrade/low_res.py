"""Low resolution: the picture is made small and brought back to its size, on 8-bit values as software does it.

Published range (SpaceDG, table 9): scale 0.02 to 0.05 of 1752 pixels, so 35 to 87 pixels a row; filters are not given.
Ours: area average down, bicubic up (the default of most viewers). Levels: 1: 0.45-0.55, 2: 0.28-0.34, 3: 0.16-0.20
(small objects are gone), 4: 0.10-0.12, 5: 0.06-0.075.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..stress import Stress
from .registry import DegradationParameters, EncodedEffect, FormationStage, Severity, codec_degradation
from .severity import Range, draw

__all__ = ["LowResParameters", "low_res"]

_SCALE: dict[Severity, Range] = {
    1: (0.45, 0.55),
    2: (0.28, 0.34),
    3: (0.16, 0.20),
    4: (0.10, 0.12),
    5: (0.06, 0.075),
    "bench": (0.02, 0.05),
}


class LowResParameters(DegradationParameters):
    """``scale``: small size over full size, along each side."""

    scale: float = Field(gt=0, le=1)

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        return cls(scale=draw(_SCALE, severity, rng))


@codec_degradation(
    Stress.LOW_RES,
    summary="few pixels, brought back to size",
    stage=FormationStage.RESAMPLING,
    parameters=LowResParameters,
)
def low_res(image_srgb_u8: NDArray[np.uint8], parameters: LowResParameters, rng: np.random.Generator) -> EncodedEffect:
    """Area average down to floor(size * scale), at least one pixel, and bicubic up."""
    import cv2

    height, width = image_srgb_u8.shape[:2]
    small_size = (max(1, int(width * parameters.scale)), max(1, int(height * parameters.scale)))
    small = cv2.resize(image_srgb_u8, small_size, interpolation=cv2.INTER_AREA)
    full = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return EncodedEffect(np.asarray(full, dtype=np.uint8))
