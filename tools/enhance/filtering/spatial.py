"""Blurs and resampling on float32 pictures of one or three channels; OpenCV does the work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "box_mean",
    "closing",
    "gaussian_blur",
    "gradient_magnitude",
    "local_maximum",
    "local_minimum",
    "resize_cubic",
    "resize_linear",
    "shrink_area",
    "shrink_to_pixels",
]

Image = NDArray[np.float32]


def gaussian_blur(image: Image, sigma_px: float) -> Image:
    """Gaussian smoothing; the border repeats its last pixel."""
    import cv2

    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px, borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def box_mean(image: Image, radius_px: int) -> Image:
    """The mean over squares of side ``2 * radius_px + 1``; the border repeats its last pixel."""
    import cv2

    side = 2 * radius_px + 1
    averaged = cv2.boxFilter(image, -1, (side, side), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(averaged, dtype=np.float32)


def shrink_area(image: Image, size: tuple[int, int]) -> Image:
    """A smaller picture of ``size`` (width, height): each pixel is the mean of the area that it covers."""
    import cv2

    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def shrink_to_pixels(image: Image, most_pixels: int) -> Image:
    """A copy with at most about ``most_pixels`` pixels and the same shape of frame; never larger than ``image``."""
    height, width = image.shape[:2]
    scale = (most_pixels / (height * width)) ** 0.5
    if scale >= 1:
        return image
    return shrink_area(image, (max(1, round(width * scale)), max(1, round(height * scale))))


def resize_linear(image: Image, size: tuple[int, int]) -> Image:
    """``image`` at ``size`` (width, height), linearly between pixel centres."""
    import cv2

    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def resize_cubic(image: Image, size: tuple[int, int]) -> Image:
    """``image`` at ``size`` (width, height) by bicubic convolution, which may overshoot."""
    import cv2

    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def local_minimum(plane: Image, radius_px: int) -> Image:
    """The least value in squares of side ``2 * radius_px + 1`` (erosion)."""
    import cv2

    return np.asarray(cv2.erode(plane, _square(radius_px), borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def local_maximum(plane: Image, radius_px: int) -> Image:
    """The greatest value in squares of side ``2 * radius_px + 1`` (dilation)."""
    import cv2

    return np.asarray(cv2.dilate(plane, _square(radius_px), borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def closing(plane: Image, across_px: int, down_px: int) -> Image:
    """Fills dips less than ``2 * across_px + 1`` wide or ``2 * down_px + 1`` high (dilation, then erosion)."""
    import cv2

    box = np.ones((2 * down_px + 1, 2 * across_px + 1), dtype=np.uint8)
    grown = cv2.dilate(plane, box, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.erode(grown, box, borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def gradient_magnitude(plane: Image) -> Image:
    """Length of the gradient per pixel, by Scharr's 3x3 derivatives."""
    import cv2

    across = np.asarray(cv2.Scharr(plane, -1, 1, 0), dtype=np.float32)
    down = np.asarray(cv2.Scharr(plane, -1, 0, 1), dtype=np.float32)
    # Scharr's weights sum to 16 on each side, two pixels apart.
    return np.asarray(np.hypot(across, down) / np.float32(32), dtype=np.float32)


def _square(radius_px: int) -> NDArray[np.uint8]:
    return np.ones((2 * radius_px + 1, 2 * radius_px + 1), dtype=np.uint8)
