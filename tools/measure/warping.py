"""Edits on the grid of their original, and what is shown where an edit does not reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .inputs import checked_image, working_image
from .transforms import cv_matrix, scaling, stretch_and_rotation

__all__ = ["toned_like", "warp_to_original"]

Image = NDArray[np.float32]

_TONE_STEPS = 65


def warp_to_original(
    edited_srgb: NDArray[np.float32],
    original_from_edited: tuple[tuple[float, float, float], ...],
    original_size: tuple[int, int],
) -> tuple[Image, NDArray[np.bool_]]:
    """The edit on the original's grid (bicubic), and the (H, W) mask of pixels that it really covers."""
    import cv2

    edited = checked_image(edited_srgb, "edited_srgb")
    height, width = edited.shape[:2]
    matrix = np.array(original_from_edited, dtype=np.float64)
    if original_size == (width, height) and np.array_equal(matrix, np.eye(3)):
        return edited.copy(), np.ones((height, width), dtype=np.bool_)
    x_scale, y_scale, _ = stretch_and_rotation(matrix)
    # Area averaging first where the edit is much finer than the original: plain interpolation would alias.
    shrunk = (max(round(width * min(x_scale, 1)), 1), max(round(height * min(abs(y_scale), 1)), 1))
    source = working_image(edited, shrunk)
    cv = cv_matrix(matrix @ scaling(width / shrunk[0], height / shrunk[1]))
    warped = cv2.warpPerspective(source, cv, original_size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    inside = np.ones(source.shape[:2], dtype=np.uint8)
    covered = cv2.warpPerspective(inside, cv, original_size, flags=cv2.INTER_NEAREST) > 0
    return np.clip(warped, 0, 1).astype(np.float32, copy=False), covered


def toned_like(image: Image, fill: Image, covered: NDArray[np.bool_]) -> Image:
    """The fill with the tones of the image, matched by the quantiles of each channel where both are known."""
    steps = np.linspace(0, 100, _TONE_STEPS)
    planes = []
    for channel in range(3):
        known = fill[..., channel][covered]
        if known.size == 0:
            return fill
        # np.interp wants increasing places; equal quantiles of flat pictures are spread by less than a rounding step.
        before = np.percentile(known, steps) + np.arange(_TONE_STEPS) * 1e-6
        planes.append(np.interp(fill[..., channel], before, np.percentile(image[..., channel][covered], steps)))
    return np.stack(planes, axis=-1).astype(np.float32)
