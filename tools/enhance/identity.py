"""The tool that does nothing, so that "leave it alone" can be planned, run and compared like any other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier

__all__ = ["none"]


@rectifier("none", summary="Returns the picture as it is", treats=(), stage=Stage.CODEC, cost=Cost.MILLISECONDS)
def none(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """The same pixels."""
    return Rectified(image_srgb.copy(), note="left as it is")
