"""Small pictures for degradation tests: photographs that packages ship, made small, and plain fields."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.photographs import package_photographs


@cache
def photographs() -> tuple[Picture, ...]:
    """Four whole photographs, 240 pixels wide."""
    wholes = [entry.picture for entry in package_photographs("all") if entry.crop_of is None]
    return tuple(shrunk(picture) for picture in wholes[:1] + wholes[2:5])


def shrunk(picture: Picture, width: int = 240) -> Picture:
    height = round(picture.height * width / picture.width)
    small = cv2.resize(picture.image_srgb_u8, (width, height), interpolation=cv2.INTER_AREA)
    return Picture(np.asarray(small, dtype=np.uint8))


def flat(level: int, height: int = 64, width: int = 96) -> Picture:
    return Picture(np.full((height, width, 3), level, dtype=np.uint8))


def texture(seed: int, height: int = 48, width: int = 64) -> Picture:
    rng = np.random.default_rng(seed)
    return Picture(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


def psnr_db(one: Picture, other: Picture) -> float:
    error = one.image_srgb_u8.astype(np.float64) - other.image_srgb_u8
    return float(10 * np.log10(255**2 / max(float((error**2).mean()), 1e-9)))


def linear_reference(encoded: np.ndarray) -> np.ndarray:
    """sRGB decoding written out again in double precision, independent of the package."""
    value = np.asarray(encoded, dtype=np.float64) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoded_reference(light: np.ndarray) -> np.ndarray:
    value = np.clip(np.asarray(light, dtype=np.float64), 0, 1)
    return 255 * np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)
