"""Blur by a disc, the shape of a point that is out of focus behind a round aperture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["disc_blurred", "disc_blurred_dots", "disc_kernel"]

_SUBSAMPLES = 8
_NO_BLUR_PX = 0.3

_DENSE = 1 / 8
"""Products a pixel from which on a filter, which does not look for dots, takes less time than stamping dot by dot."""


def disc_kernel(radius_px: float) -> NDArray[np.float32]:
    """(K, K) float32 kernel that sums to 1; border pixels count by the share of them that lies inside the disc."""
    half = max(1, int(np.ceil(radius_px)))
    offsets = (np.arange(_SUBSAMPLES) + 0.5) / _SUBSAMPLES - 0.5
    positions = (np.arange(-half, half + 1)[:, None] + offsets[None, :]).ravel()
    inside = positions[:, None] ** 2 + positions[None, :] ** 2 <= radius_px**2
    side = 2 * half + 1
    share = inside.reshape(side, _SUBSAMPLES, side, _SUBSAMPLES).mean(axis=(1, 3))
    return np.asarray(share / share.sum(), dtype=np.float32)


def disc_blurred(image_linear: NDArray[np.float32], radius_px: float) -> NDArray[np.float32]:
    """(H, W, C) light after a disc blur; a radius below 0.3 px changes nothing. The border is reflected."""
    import cv2

    if radius_px < _NO_BLUR_PX:
        return image_linear
    blurred = cv2.filter2D(image_linear, cv2.CV_32F, disc_kernel(radius_px), borderType=cv2.BORDER_REFLECT_101)
    # The transform used for large kernels can undershoot zero by rounding.
    return np.maximum(np.asarray(blurred, dtype=np.float32).reshape(image_linear.shape), 0)


def disc_blurred_dots(dots: NDArray[np.float32], radius_px: float, margin_px: int) -> NDArray[np.float32]:
    """(H, W) a picture of scattered dots after a disc blur.

    Args:
        dots: (H + 2 margin, W + 2 margin), mostly zero: the picture, and what lies just outside it.
        radius_px: at most one less than the margin, so that nothing from farther outside is missed.
    """
    import cv2

    from .kernels import add_stamps

    kernel = disc_kernel(radius_px)
    inner = (slice(margin_px, dots.shape[0] - margin_px), slice(margin_px, dots.shape[1] - margin_px))
    held = np.flatnonzero(dots > 0)
    if len(held) * kernel.size > _DENSE * dots.size:
        filtered = cv2.filter2D(dots, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
        # The transform used for large kernels can undershoot zero by rounding.
        return np.maximum(np.asarray(filtered, dtype=np.float32)[inner], 0)
    blurred = np.zeros_like(dots[inner], order="C")
    add_stamps(blurred, dots, held, kernel)
    return blurred
