"""Splitting a picture into brightness and colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["contiguous_planes", "luma", "luminance", "opponent_from_rgb", "rgb_from_opponent"]

# Orthonormal, so that white noise stays white and as strong: grey, red-blue, green-magenta.
_OPPONENT = np.array(
    [[1 / 3**0.5] * 3, [1 / 2**0.5, 0, -1 / 2**0.5], [1 / 6**0.5, -2 / 6**0.5, 1 / 6**0.5]], dtype=np.float32
)
# Rec. 709 luminance of linear light.
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
# Rec. 601 luma of encoded values; JPEG's Y.
_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)


def opponent_from_rgb(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W, 3) grey, red-blue, green-magenta; grey is sqrt(3) times the mean."""
    rotated: NDArray[np.float32] = image @ _OPPONENT.T
    return rotated


def rgb_from_opponent(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """The inverse of :func:`opponent_from_rgb`."""
    rotated: NDArray[np.float32] = planes @ _OPPONENT
    return rotated


def luminance(image_linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) light as the eye weighs it."""
    light: NDArray[np.float32] = image_linear @ _LUMINANCE
    return light


def luma(image_srgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) brightness of display-encoded values."""
    brightness: NDArray[np.float32] = image_srgb @ _LUMA
    return brightness


def contiguous_planes(image: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """The channels of (H, W, C) as separate contiguous (H, W) arrays."""
    return [np.ascontiguousarray(image[..., channel]) for channel in range(image.shape[2])]
