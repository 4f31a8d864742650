"""What every measurement accepts, and the small working pictures that they all start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import srgb_from_u8
from ..errors import ToolError

__all__ = ["MIN_SIDE_PX", "checked_image", "luma", "working_image"]

MIN_SIDE_PX = 8
"""Pictures with a shorter side hold too little to be measured."""

# Rounding in float32 arithmetic may leave [0, 1] by this much; anything beyond is another range.
_RANGE_TOLERANCE = 1e-3

# Rec. 601 weights on display-encoded values, which is what "luma" means.
_LUMA_WEIGHTS = np.array([0.299, 0.587, 0.114], dtype=np.float32)


def checked_image(image_srgb: NDArray[np.float32] | NDArray[np.uint8], name: str) -> NDArray[np.float32]:
    """The picture as contiguous (H, W, 3) float32 in [0, 1].

    Args:
        image_srgb: (H, W, 3), display-encoded: float in [0, 1], or uint8, which is divided by 255.
        name: what the caller calls it, for the message.

    Raises:
        ToolError: wrong type, shape or range, NaN or infinity, or no pixels.
    """
    if not isinstance(image_srgb, np.ndarray) or image_srgb.ndim != 3 or image_srgb.shape[2] != 3:
        found = getattr(image_srgb, "shape", type(image_srgb).__name__)
        raise ToolError(f"{name} must be an array of shape (H, W, 3), got {found}")
    if image_srgb.size == 0:
        raise ToolError(f"{name} is empty, shape {image_srgb.shape}")
    if image_srgb.dtype == np.uint8:
        return srgb_from_u8(np.ascontiguousarray(image_srgb, dtype=np.uint8))
    if not np.issubdtype(image_srgb.dtype, np.floating):
        raise ToolError(f"{name} must be float in [0, 1] or uint8, got {image_srgb.dtype}")
    image = np.ascontiguousarray(image_srgb, dtype=np.float32)
    low, high = float(image.min()), float(image.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ToolError(f"{name} holds NaN or infinite values")
    if low < -_RANGE_TOLERANCE or high > 1 + _RANGE_TOLERANCE:
        raise ToolError(f"{name} lies in [{low:.3f}, {high:.3f}]; scale it to [0, 1]")
    return image


def luma(image_srgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rec. 601 luma (H, W) float32 of a display-encoded picture (H, W, 3)."""
    weighted: NDArray[np.float32] = (image_srgb @ _LUMA_WEIGHTS).astype(np.float32)
    return weighted


def working_image(image: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """The picture resized to ``size`` = (width, height): area averages when it shrinks, bicubic when it grows.

    Continuous coordinates (pixel centres at +0.5) scale by exactly the ratio of the sizes.
    """
    import cv2

    height, width = image.shape[:2]
    if (width, height) == size:
        return image
    shrinks = size[0] <= width and size[1] <= height
    resized = cv2.resize(image, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.clip(resized, 0, 1).astype(np.float32, copy=False)
