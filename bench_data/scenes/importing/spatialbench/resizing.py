"""Brings a frame to SpatialBench's resolution: crop about the principal point, resize, crop to size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame", "resized"]

_LEAST_SHARE = 5
"""A crop about the principal point must leave more than 2/5 of either side."""

_EPSILON = 1e-8


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """A picture and what is known of it, all of one size; ``K`` (3, 3) counts pixel centres as whole numbers."""

    image_srgb_u8: NDArray[np.uint8]
    depth_m: NDArray[np.float32]
    sky: NDArray[np.bool_] | None
    K: NDArray[np.float64]

    def cropped(self, x0: int, y0: int, width: int, height: int) -> Frame:
        """The part whose top left pixel is (x0, y0)."""
        rows, columns = slice(y0, y0 + height), slice(x0, x0 + width)
        K = self.K.copy()
        K[:2, 2] -= (x0, y0)
        return Frame(
            image_srgb_u8=self.image_srgb_u8[rows, columns],
            depth_m=self.depth_m[rows, columns],
            sky=None if self.sky is None else self.sky[rows, columns],
            K=K,
        )


def resized(frame: Frame, width: int, height: int) -> Frame:
    """A frame of that size; pictures by Lanczos when they shrink and bicubic when they grow, depth and sky by nearest.

    The steps and the rounding are the published loader's, the sky's excepted: that loader resizes it without the crops,
    so that it lies beside the picture.
    """
    import cv2
    from PIL import Image

    frame = _about_principal_point(frame)
    high, wide = frame.depth_m.shape
    factor = max(width / wide, height / high) + _EPSILON
    new_wide, new_high = max(int(wide * factor), width), max(int(high * factor), height)
    method = Image.Resampling.LANCZOS if factor < 1 else Image.Resampling.BICUBIC
    image = Image.fromarray(np.ascontiguousarray(frame.image_srgb_u8)).resize((new_wide, new_high), method)

    def nearest(values: NDArray[np.float32] | NDArray[np.uint8]) -> NDArray[np.generic]:
        return np.asarray(cv2.resize(values, (new_wide, new_high), interpolation=cv2.INTER_NEAREST))

    K = frame.K.copy()
    K[:2, 2] += 0.5
    K[:2] *= factor
    K[:2, 2] -= [(wide * factor - new_wide) / 2, (high * factor - new_high) / 2]
    K[:2, 2] -= 0.5
    large = Frame(
        image_srgb_u8=np.asarray(image, dtype=np.uint8),
        depth_m=nearest(frame.depth_m).astype(np.float32),
        sky=None if frame.sky is None else nearest(frame.sky.astype(np.uint8)).astype(np.bool_),
        K=K,
    )
    return large.cropped(round((new_wide - width) / 2), round((new_high - height) / 2), width, height)


def _about_principal_point(frame: Frame) -> Frame:
    """The largest part with the principal point in its middle, unless that is too small a part."""
    height, width = frame.depth_m.shape
    cx, cy = round(float(frame.K[0, 2])), round(float(frame.K[1, 2]))
    half_wide, half_high = min(cx, width - cx), min(cy, height - cy)
    if half_wide <= width / _LEAST_SHARE or half_high <= height / _LEAST_SHARE:
        return replace(frame, K=frame.K.copy())
    return frame.cropped(cx - half_wide, cy - half_high, 2 * half_wide, 2 * half_high)
