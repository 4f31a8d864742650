"""Synthetic pictures whose content is known exactly."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from seeworthy.bench_data.images import Picture


def blocks_of_colour(height: int = 240, width: int = 320, seed: int = 0, count: int = 60) -> NDArray[np.float64]:
    """(H, W, 3) in [0, 1]: overlapping rectangles and discs of random colours with sharp edges in many directions."""
    rng = np.random.default_rng(seed)
    image = np.full((height, width, 3), 0.45)
    y, x = np.mgrid[0:height, 0:width]
    for _ in range(count):
        colour = rng.uniform(0.05, 0.95, 3)
        centre_x, centre_y = rng.uniform(0, width), rng.uniform(0, height)
        size = rng.uniform(8, 40)
        turn = rng.uniform(0, np.pi)
        along = (x - centre_x) * np.cos(turn) + (y - centre_y) * np.sin(turn)
        across = -(x - centre_x) * np.sin(turn) + (y - centre_y) * np.cos(turn)
        inside = np.hypot(along, across) < size if rng.random() < 0.4 else np.maximum(abs(along), abs(across)) < size
        image[inside] = colour
    return image


def supersampled(image: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half the size by 2x2 averages: edges as a sensor sees them."""
    height, width = image.shape[0] // 2 * 2, image.shape[1] // 2 * 2
    pairs = image[:height, :width].reshape(height // 2, 2, width // 2, 2, 3)
    return np.asarray(pairs.mean(axis=(1, 3)))


def picture_of(image: NDArray[np.float64]) -> Picture:
    return Picture(np.round(np.clip(image, 0, 1) * 255).astype(np.uint8))


@cache
def textured(height: int = 240, width: int = 320, seed: int = 0) -> NDArray[np.float64]:
    """(H, W, 3): shapes with a 1/f texture of the same colour, as photographs have."""
    rng = np.random.default_rng(seed)
    shapes = supersampled(blocks_of_colour(2 * height, 2 * width, seed, count=90))
    vertical = np.fft.fftfreq(height)[:, None]
    horizontal = np.fft.rfftfreq(width)[None, :]
    envelope = 1 / np.maximum(np.hypot(vertical, horizontal), 1 / max(height, width)) ** 1.8
    field = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(height, width))) * envelope, s=(height, width))
    texture = 1 + 0.25 * field / field.std()
    image = np.asarray(np.clip(shapes * texture[..., None], 0.0, 0.98))
    image.setflags(write=False)
    return image
