"""The camera behind a photograph, where it has to be assumed, and pictures taken along a pixel map."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from .pixel_map import PixelMap

__all__ = ["ASSUMED_CAMERA", "ASSUMED_DEPTH_M", "Beyond", "assumed_pinhole", "depth_along", "picture_along"]

ASSUMED_VIEW_RAD = math.radians(60.0)
ASSUMED_CAMERA = "the lens was taken to see 60 degrees along the longer side"
ASSUMED_DEPTH_M = 3.0

Beyond = Literal["black", "reflected"]
"""What a picture shows where its source ends."""


def assumed_pinhole(width: int, height: int) -> Camera:
    """A pinhole in the middle of the picture that sees 60 degrees along the longer side."""
    focal_px = max(width, height) / 2 / math.tan(ASSUMED_VIEW_RAD / 2)
    return Camera(
        width=width,
        height=height,
        fx=focal_px,
        fy=focal_px,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=np.eye(4),
    )


def picture_along(image_linear: NDArray[np.float32], pixel_map: PixelMap, *, beyond: Beyond) -> NDArray[np.float32]:
    """Light (H, W, C) of the nominal picture where the map puts it, by cubic interpolation.

    Light stays light: what the interpolation would take below zero is zero.
    """
    import cv2

    height, width = image_linear.shape[:2]
    source = pixel_map.nominal_of_pixels
    columns, rows = source[..., 0] - 0.5, source[..., 1] - 0.5  # OpenCV counts whole numbers as pixel centres
    shown = (columns >= -0.5) & (columns <= width - 0.5) & (rows >= -0.5) & (rows <= height - 0.5)
    if beyond == "reflected":
        columns, rows = _reflected(columns, width), _reflected(rows, height)
    columns = np.clip(np.nan_to_num(columns, copy=False), -1, width).astype(np.float32)
    rows = np.clip(np.nan_to_num(rows, copy=False), -1, height).astype(np.float32)
    cubic = cv2.remap(image_linear, columns, rows, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    taken = np.asarray(cubic, dtype=np.float32).reshape(image_linear.shape)
    np.maximum(taken, 0, out=taken)
    if beyond == "black":
        taken[~shown] = 0
    return taken


def _reflected(at: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Coordinates folded back into [0, count - 1] about the outermost pixel centres."""
    if count == 1:
        return np.zeros_like(at)
    folded = at.copy()
    outside = ~((at >= 0) & (at <= count - 1))  # few; and the remainder is slow
    folded[outside] = (count - 1) - np.abs(at[outside] % (2 * (count - 1)) - (count - 1))
    return folded


def depth_along(depth_m: NDArray[np.float32] | None, pixel_map: PixelMap) -> NDArray[np.float32] | None:
    """Depth (H, W) where the map puts it, each pixel from the nearest; NaN where the source ends."""
    if depth_m is None:
        return None
    return np.asarray(pixel_map.mask_to_degraded(depth_m, outside=float("nan")), dtype=np.float32)
