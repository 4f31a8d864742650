"""The mean of a picture's warps along a path, in about the square root of the number of warps.

A blur along a path of N instants is a short blur of n instants, moved along the path to N / n places and averaged
again: n + N / n warps instead of N. That is exact when warps compose as their times add up. For a turning and moving
camera they do so up to the product of the two motions, below a tenth of a pixel at the strongest blur that is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_along_path"]

_DIRECT_INSTANTS = 16
"""Up to here plain averaging costs about the same, and interpolates only once."""


def mean_along_path(
    image_linear: NDArray[np.float32], nominal_from_moved: Callable[[float], NDArray[np.float64]], instants: int
) -> NDArray[np.float32]:
    """(H, W, C) mean over the path; the border is reflected.

    Args:
        image_linear: (H, W, C) linear light of the nominal camera.
        nominal_from_moved: for an instant in [-0.5, 0.5] the homography (3, 3) that maps a pixel of the moved camera to
            one of the nominal camera, whole numbers being pixel centres; the identity at 0.
        instants: how many to average at least; they lie in the middle of as many equal parts of the path.
    """
    if instants <= _DIRECT_INSTANTS:
        return _mean_of_warps(image_linear, [nominal_from_moved(when) for when in _middles(instants)])
    short = math.isqrt(instants - 1) + 1
    places = -(-instants // short)
    near = _mean_of_warps(image_linear, [nominal_from_moved(when / places) for when in _middles(short)])
    return _mean_of_warps(near, [nominal_from_moved(when) for when in _middles(places)])


def _middles(parts: int) -> list[float]:
    return [float(when) for when in (np.arange(parts) + 0.5) / parts - 0.5]


def _mean_of_warps(image_linear: NDArray[np.float32], homographies: list[NDArray[np.float64]]) -> NDArray[np.float32]:
    import cv2

    height, width = image_linear.shape[:2]
    total = np.zeros_like(image_linear)
    warped = np.empty_like(image_linear)
    for homography in homographies:
        cv2.warpPerspective(
            image_linear,
            homography,
            (width, height),
            dst=warped,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT_101,
        )
        total += warped
    total /= np.float32(len(homographies))
    return total
