"""Full-reference measures: how far a picture is from the truth that a benchmark knows.

The agent never has the truth, so it never uses these; demos and benchmarks do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..errors import ToolError

__all__ = ["SSIM_WINDOW_PX", "mean_psnr_db", "psnr_db", "ssim"]

Image = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.uint8]
Values = NDArray[np.float64]

# Wang et al., "Image quality assessment: from error visibility to structural similarity", IEEE TIP 2004, section III.B.
SSIM_WINDOW_PX = 11
_SSIM_SIGMA_PX = 1.5
_K1, _K2 = 0.01, 0.03


def psnr_db(reference: Image, image: Image, *, data_range: float | None = None) -> float:
    """Peak signal-to-noise ratio.

    Range: (-inf, inf] dB; higher is better; infinite for identical pictures.

    Args:
        reference, image: equal shapes, (H, W) or (H, W, C).
        data_range: the distance between black and white: 1.0 for floats in [0, 1]. Required for floats; 255 for uint8.

    Raises:
        ToolError: shapes differ, values are not finite, or the data range of floats is not given.

    >>> psnr_db(np.zeros((4, 4)), np.full((4, 4), 0.1), data_range=1.0)
    20.0
    """
    first, second, peak = _checked_pair(reference, image, data_range)
    return _psnr_of_mse(float(np.mean((first - second) ** 2)), peak)


def mean_psnr_db(pairs: Iterable[tuple[Image, Image]], *, data_range: float | None = None) -> float:
    """PSNR of the mean of the pictures' mean squared errors, each picture counting once.

    Range: (-inf, inf] dB; higher is better; infinite only when every pair is identical.

    Averaging decibels would let one identical pair (infinite) decide the table; averaging the errors first does not.

    Args:
        pairs: (reference, image); all of one data range.
        data_range: as for :func:`psnr_db`.

    Raises:
        ToolError: no pair at all, or as for :func:`psnr_db`.

    >>> zeros = np.zeros((4, 4))
    >>> round(mean_psnr_db([(zeros, zeros), (zeros, zeros + 0.1)], data_range=1.0), 2)
    23.01
    """
    errors: list[float] = []
    peak = None
    for reference, image in pairs:
        first, second, this_peak = _checked_pair(reference, image, data_range)
        if peak is not None and this_peak != peak:
            raise ToolError(f"pictures of data range {peak:g} and {this_peak:g} cannot share one mean PSNR")
        peak = this_peak
        errors.append(float(np.mean((first - second) ** 2)))
    if peak is None:
        raise ToolError("mean_psnr_db needs at least one pair of pictures")
    return _psnr_of_mse(math.fsum(errors) / len(errors), peak)


def ssim(reference: Image, image: Image, *, data_range: float | None = None) -> float:
    """Structural similarity (Wang et al. 2004), mean over channels and valid windows.

    Range: [-1, 1]; higher is better; 1 for identical pictures.

    Gaussian windows of 11 pixels and standard deviation 1.5, K1 = 0.01, K2 = 0.03, population covariance, windows that
    lie wholly inside the picture.

    Args:
        reference, image: equal shapes, (H, W) or (H, W, C), both sides at least 11 pixels.
        data_range: as for :func:`psnr_db`.

    Raises:
        ToolError: as for :func:`psnr_db`, or the picture is smaller than the window.

    >>> ssim(np.full((16, 16), 0.5), np.full((16, 16), 0.5), data_range=1.0)
    1.0
    """
    first, second, peak = _checked_pair(reference, image, data_range)
    height, width = first.shape[:2]
    if min(height, width) < SSIM_WINDOW_PX:
        raise ToolError(
            f"ssim needs pictures of at least {SSIM_WINDOW_PX}x{SSIM_WINDOW_PX} pixels, got {width}x{height}; "
            "use psnr_db for smaller ones"
        )
    mean_1, mean_2 = _window_mean(first), _window_mean(second)
    # Rounding may turn the variance of a constant window slightly negative.
    variance_1 = np.maximum(_window_mean(first * first) - mean_1 * mean_1, 0)
    variance_2 = np.maximum(_window_mean(second * second) - mean_2 * mean_2, 0)
    covariance = _window_mean(first * second) - mean_1 * mean_2
    c1, c2 = (_K1 * peak) ** 2, (_K2 * peak) ** 2
    numerator = (2 * mean_1 * mean_2 + c1) * (2 * covariance + c2)
    denominator = (mean_1 * mean_1 + mean_2 * mean_2 + c1) * (variance_1 + variance_2 + c2)
    return float(np.mean(numerator / denominator))


def _window_mean(values: Values) -> Values:
    import cv2

    blurred = cv2.GaussianBlur(values, (SSIM_WINDOW_PX, SSIM_WINDOW_PX), _SSIM_SIGMA_PX)
    margin = SSIM_WINDOW_PX // 2
    return np.asarray(blurred[margin:-margin, margin:-margin], dtype=np.float64)


def _psnr_of_mse(mse: float, peak: float) -> float:
    return math.inf if mse == 0 else 10 * math.log10(peak * peak / mse)


def _checked_pair(
    reference: Image, image: Image, data_range: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    if reference.shape != image.shape or reference.ndim not in (2, 3) or reference.size == 0:
        raise ToolError(
            f"the pictures must be (H, W) or (H, W, C) of equal shape, got {reference.shape} and {image.shape}"
        )
    if data_range is None:
        if reference.dtype != np.uint8 or image.dtype != np.uint8:
            raise ToolError(
                f"pictures of {reference.dtype} and {image.dtype} need data_range=, such as 1.0 for floats in [0, 1]"
            )
        data_range = 255.0
    if not (math.isfinite(data_range) and data_range > 0):
        raise ToolError(f"data_range must be positive and finite, got {data_range}")
    first: NDArray[np.float64] = np.asarray(reference, dtype=np.float64)
    second: NDArray[np.float64] = np.asarray(image, dtype=np.float64)
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ToolError("the pictures hold NaN or infinite values; mask or drop them first")
    return first, second, float(data_range)
