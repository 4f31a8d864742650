"""Points in the image: whether one falls on the object, given as a mask."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import DiagnosticsError

__all__ = ["point_chance_level", "point_in_mask", "robostress_point_in_mask"]

Mask = NDArray[np.uint8] | NDArray[np.bool_]

MASK_THRESHOLD = 127
"""Grey values above it belong to the object. JPEG rings around edges: on a small rectangle "> 0" adds 20 % of area."""


def point_in_mask(
    point_px: Sequence[float] | None, mask: Mask, *, image_size: tuple[int, int], threshold: int = MASK_THRESHOLD
) -> bool:
    """Whether a point falls on a pixel of the mask.

    Range: False or True; True is better (a mean over items lies in [0, 1], higher is better).

    Args:
        point_px: ``(x, y)`` in continuous pixels of the image (pixel centres at +0.5), so (0, 0) is the outer corner
            of the first pixel. None, a non-finite point and one outside the image all miss.
        mask: (H, W) uint8 grey values, or bool.
        image_size: (width, height) of the image that the mask belongs to; a mask of another size is refused.
        threshold: grey values above it are inside. Not used for a bool mask.

    >>> mask = np.zeros((2, 4), np.uint8)
    >>> mask[1, 3] = 255
    >>> point_in_mask((3.2, 1.9), mask, image_size=(4, 2)), point_in_mask((2.9, 1.9), mask, image_size=(4, 2))
    (True, False)

    ``robostress_point_in_mask`` scores as the published RoboStressBench scorer does.

    Raises:
        DiagnosticsError: the mask has the wrong size or type, or no pixel inside, so that nobody could hit it.
    """
    inside = _inside(mask, threshold)
    height, width = inside.shape
    if (width, height) != tuple(image_size):
        raise DiagnosticsError(
            f"point_in_mask: the mask is {width}x{height} but its image is {image_size[0]}x{image_size[1]}; "
            "masks are never resized silently, so correct the data"
        )
    if point_px is None or len(point_px) != 2 or not all(math.isfinite(value) for value in point_px):
        return False
    column, row = math.floor(point_px[0]), math.floor(point_px[1])
    return 0 <= column < width and 0 <= row < height and bool(inside[row, column])


def point_chance_level(mask: Mask, *, threshold: int = MASK_THRESHOLD) -> float:
    """Chance that a point drawn evenly over the image hits the mask: its share of the area.

    Range: (0, 1]; no direction, it is a property of the question.

    >>> point_chance_level(np.array([[255, 0, 0, 0]], np.uint8))
    0.25

    Raises:
        DiagnosticsError: the mask has the wrong type, or no pixel inside.
    """
    return float(_inside(mask, threshold).mean())


def robostress_point_in_mask(point_permille: Sequence[float] | None, mask: NDArray[np.uint8]) -> bool:
    """The published RoboStressBench rule: clamp to [0, 1000], round to a pixel, inside when the grey value is above 0.

    Range: False or True; True is better.

    Kept for comparison: a JPEG mask grows by its ringing, and the mask's size is not compared with the image's.

    >>> robostress_point_in_mask((1000, 0), np.array([[0, 3]], np.uint8))
    True
    """
    if point_permille is None:
        return False
    height, width = mask.shape
    x, y = (min(max(float(value), 0.0), 1000.0) / 1000.0 for value in point_permille)
    return bool(mask[round(y * (height - 1)), round(x * (width - 1))] > 0)


def _inside(mask: Mask, threshold: int) -> NDArray[np.bool_]:
    if mask.ndim != 2 or mask.dtype not in (np.dtype(np.uint8), np.dtype(np.bool_)):
        raise DiagnosticsError(f"a mask is (H, W) of uint8 or bool, got {mask.shape} of {mask.dtype}; convert it first")
    inside = mask if mask.dtype == np.bool_ else mask > threshold
    if not inside.any():
        peak = int(mask.max()) if mask.size else 0
        raise DiagnosticsError(
            f"no pixel of the mask lies above {threshold} (its maximum is {peak}), so no point could hit it; "
            "pass a 0/1 mask as bool"
        )
    return np.asarray(inside, dtype=np.bool_)
