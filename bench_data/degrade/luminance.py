"""How bright linear light looks (the Y of sRGB's primaries, IEC 61966-2-1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["luminance", "mean_luminance"]


def luminance(image_linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) luminance of light (H, W, 3)."""
    # Written out: a matrix product may round differently with another number of threads.
    red, green, blue = (image_linear[..., channel] for channel in range(3))
    weighed = np.float32(0.2126) * red + np.float32(0.7152) * green + np.float32(0.0722) * blue
    return np.asarray(weighed, dtype=np.float32)


def mean_luminance(image_linear: NDArray[np.float32]) -> float:
    """The mean luminance of a picture."""
    return float(luminance(image_linear).mean(dtype=np.float64))
