"""Display-encoded and linear light, float and 8-bit (IEC 61966-2-1)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["linear_from_srgb", "linear_from_u8", "srgb_from_linear", "srgb_from_u8", "u8_from_srgb"]

# IEC 61966-2-1: the curve is linear below these values and a shifted power of 2.4 above.
_ENCODED_KNEE = 0.04045
_LINEAR_KNEE = 0.0031308


def linear_from_srgb(image_srgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """Light, proportional to photons, from display-encoded values in [0, 1] (any shape, float32)."""
    encoded = np.asarray(image_srgb, dtype=np.float32)
    toe = encoded / np.float32(12.92)
    power = ((np.maximum(encoded, 0) + np.float32(0.055)) / np.float32(1.055)) ** np.float32(2.4)
    return np.where(encoded <= _ENCODED_KNEE, toe, power).astype(np.float32)


def linear_from_u8(image_srgb_u8: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Light from 8-bit values (any shape): what `linear_from_srgb` gives, ten times as fast, by a table of 256."""
    return np.take(_linear_of_u8(), image_srgb_u8)


@cache
def _linear_of_u8() -> NDArray[np.float32]:
    table = linear_from_srgb(srgb_from_u8(np.arange(256, dtype=np.uint8)))
    table.setflags(write=False)
    return table


def srgb_from_linear(image_linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Display-encoded values in [0, 1] from linear light; light outside [0, 1] is clipped, as a display does."""
    light = np.clip(np.asarray(image_linear, dtype=np.float32), 0, 1)
    # In place, as whole pictures are slow to allocate.
    power = light ** np.float32(1 / 2.4)
    power *= np.float32(1.055)
    power -= np.float32(0.055)
    return np.where(light <= _LINEAR_KNEE, light * np.float32(12.92), power)


def srgb_from_u8(image_srgb_u8: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Float32 in [0, 1] from 8-bit values."""
    return np.asarray(image_srgb_u8, dtype=np.float32) / np.float32(255)


def u8_from_srgb(image_srgb: NDArray[np.float32]) -> NDArray[np.uint8]:
    """8-bit values from floats in [0, 1], rounded to nearest (0.5 goes up), clipped outside.

    >>> u8_from_srgb(np.array([-1.0, 0.0, 0.5, 1.0, 2.0], dtype=np.float32)).tolist()
    [0, 0, 128, 255, 255]
    """
    scaled = np.clip(np.asarray(image_srgb, dtype=np.float32), 0, 1)
    scaled *= np.float32(255)
    scaled += np.float32(0.5)
    # Cutting off the fraction is rounding down, as nothing is below zero.
    rounded: NDArray[np.uint8] = scaled.astype(np.uint8)
    return rounded
