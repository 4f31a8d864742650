"""One model of an image sensor, shared by noise, low light and over-exposure.

Light becomes electrons (shot noise is Poisson in their number), electrons are read with Gaussian noise per pixel and
per row, and the converter rounds to its steps and clips:

    n ~ Poisson(e * I_linear * N) + Gaussian(0, read) + Gaussian(0, row)  [electrons],    I' = clip(round(n / N), 0, 1)

which is equation 9 of SpaceDG (arXiv 2605.22536) with its system gain k = 1 / N, where N is the number of electrons
that make display white. The paper prints neither k nor the read noise; ours are parameters, with their reason where
they are chosen. Row noise and conversion steps are as in Wei et al., "Physics-based noise modeling for extreme
low-light photography" (TPAMI 44(11), 2021). Noise is white over pixels: no mosaic, no denoising by the camera.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from .registry import DegradationParameters

__all__ = ["SensorParameters", "expose"]


class SensorParameters(DegradationParameters):
    """A sensor and its exposure.

    Args:
        exposure: factor on the light; 1 leaves the brightness as it is.
        white_electrons: electrons at display white; fewer means higher ISO and more noise.
        read_noise_electrons: standard deviation per pixel.
        row_noise_electrons: standard deviation of an offset that a whole row shares (banding).
        converter_bits: the analogue-to-digital converter has 2**bits steps up to white.
    """

    exposure: float = Field(gt=0, le=1000)
    white_electrons: float = Field(gt=0, le=1e6)
    read_noise_electrons: float = Field(ge=0, le=1e4)
    row_noise_electrons: float = Field(ge=0, le=1e4)
    converter_bits: int = Field(default=12, ge=6, le=16)


def expose(
    image_linear: NDArray[np.float32], sensor: SensorParameters, rng: np.random.Generator
) -> NDArray[np.float32]:
    """The sensor's picture, (H, W, 3) float32 in [0, 1], from light (H, W, 3)."""
    # Charge beyond a few times white is clipped anyway; the bound keeps the Poisson draw in range.
    light = np.clip(image_linear.astype(np.float64) * sensor.exposure, 0, 64)
    electrons = rng.poisson(light * sensor.white_electrons).astype(np.float64)
    electrons += rng.normal(0, sensor.read_noise_electrons, size=light.shape)
    electrons += rng.normal(0, sensor.row_noise_electrons, size=(light.shape[0], 1, 1))
    steps = 2**sensor.converter_bits - 1
    counts = np.clip(np.rint(electrons / sensor.white_electrons * steps), 0, steps)
    return np.asarray(counts / steps, dtype=np.float32)
