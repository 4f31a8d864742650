"""Pictures in which colours were rounded to few steps, as where a repair brought up what had nearly faded away."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb, srgb_from_linear
from ...tools.enhance.filtering.spatial import gaussian_blur, resize_cubic

__all__ = ["faded_and_restored"]

_FIELD: Final = (3, 4)
"""Rows and columns of the random field of what is left: no finer than depth in a room."""
_TYPICAL, _LEAST = (0.02, 0.4), 0.006
"""Of the light that is left; with the least of it nothing is to be seen."""
_MOST_AMPLIFIED: Final = 0.03
"""Where less is left, not all contrast is given back: it would be that of the rounding."""
_SPREAD: Final = 0.7
"""Of the logarithm of what is left, over the picture; from the lower to the upper border it falls by twice as much."""
_WHITE, _TINT = (0.65, 0.95), 0.02
"""The light towards which colours fade, linear, and how much its channels differ."""
_WHITE_ERROR, _SHARE_ERROR = 0.004, 0.2
"""Standard deviations of what a repair takes for that light, and, of the logarithm, for what is left."""
_SMOOTHED_FROM, _SMOOTHED_AT = 0.3, 0.06
"""Repairs smooth the steps that they bring up: begun where so much is left, whole where no more than that is."""
_SMOOTHING_PX: Final = (0.6, 2.0)


def faded_and_restored(
    image_u8: NDArray[np.uint8], kept: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """(H, W, 3) the picture after its contrast was taken, rounded to 8 bits, and given back with small errors.

    A posterisation (as in AutoAugment, Cubuk et al., arXiv 1805.09501) with steps that differ from place to place, and
    a tint. Where next to nothing was left, there is a blank: a model that learned what it cannot see is not sure of it.

    Args:
        image_u8: (H, W, 3) display-encoded.
        kept: (H, W) what stays as it is: numbers are drawn on top of whatever happened to a picture.
        rng: draws how much fades where, and the errors.
    """
    height, width = image_u8.shape[:2]
    field = resize_cubic(rng.standard_normal(_FIELD).astype(np.float32), (width, height))
    field += np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    typical = np.exp(rng.uniform(*np.log(_TYPICAL)))
    left = np.clip(typical * np.exp(_SPREAD * field), _LEAST, 1).astype(np.float32)[..., None]
    white = (rng.uniform(*_WHITE) * (1 + rng.uniform(-_TINT, _TINT, 3))).astype(np.float32)
    light = linear_from_srgb(image_u8.astype(np.float32) / np.float32(255)) * left + white * (1 - left)
    rounded = np.rint(srgb_from_linear(light) * 255).astype(np.float32) / np.float32(255)
    white += rng.normal(0, _WHITE_ERROR, 3).astype(np.float32)
    taken = np.clip(left * np.exp(np.float32(rng.normal(0, _SHARE_ERROR))), _MOST_AMPLIFIED, 1)
    restored = srgb_from_linear((linear_from_srgb(rounded) - white) / taken + white)
    smooth = gaussian_blur(restored, float(rng.uniform(*_SMOOTHING_PX)))
    share = np.clip((_SMOOTHED_FROM - left) / (_SMOOTHED_FROM - _SMOOTHED_AT), 0, 1)
    made: NDArray[np.uint8] = np.rint((restored + share * (smooth - restored)) * 255).astype(np.uint8)
    made[kept] = image_u8[kept]
    return made
