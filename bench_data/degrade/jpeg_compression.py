"""JPEG compression by the real codec (libjpeg through Pillow), with quality and chroma subsampling.

Published range (SpaceDG, table 9): quality 2 to 5; the subsampling is not given, ours is 4:2:0, the usual default of
cameras and messengers. Levels: 1: 30-40 (faint ringing), 2: 18-24, 3: 10-13 (blocks and colour patches), 4: 8-9,
5: 6-7.
"""

from __future__ import annotations

import io
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..stress import Stress
from .registry import DegradationParameters, EncodedEffect, FormationStage, Severity, codec_degradation
from .severity import Range, level_range

__all__ = ["JpegParameters", "jpeg_compression"]

_QUALITY: dict[Severity, Range] = {1: (30, 40), 2: (18, 24), 3: (10, 13), 4: (8, 9), 5: (6, 7), "bench": (2, 5)}


class JpegParameters(DegradationParameters):
    """Settings of the encoder: libjpeg quality (1 to 100) and the chroma subsampling."""

    quality: int = Field(ge=1, le=100)
    subsampling: Literal["4:4:4", "4:2:2", "4:2:0"] = "4:2:0"

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        low, high = level_range(_QUALITY, severity)
        return cls(quality=int(rng.integers(int(low), int(high), endpoint=True)))


@codec_degradation(
    Stress.JPEG_COMPRESSION,
    summary="strong JPEG compression: blocks, ringing, smeared colour",
    stage=FormationStage.CODEC,
    parameters=JpegParameters,
)
def jpeg_compression(
    image_srgb_u8: NDArray[np.uint8], parameters: JpegParameters, rng: np.random.Generator
) -> EncodedEffect:
    """Encodes and decodes the picture."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image_srgb_u8).save(
        buffer, format="JPEG", quality=parameters.quality, subsampling=parameters.subsampling
    )
    with Image.open(io.BytesIO(buffer.getvalue())) as decoded:
        return EncodedEffect(np.array(decoded.convert("RGB")))
