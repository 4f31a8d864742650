"""How much two images differ: PSNR and SSIM, without surprises for identical and constant images."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import DiagnosticsError

__all__ = ["mean_psnr_db", "psnr_db", "ssim"]

Image = NDArray[np.uint8] | NDArray[np.floating]

# Wang et al. 2004: an 11-tap Gaussian of sigma 1.5 px and the two stabilising constants.
_WINDOW_RADIUS_PX = 5
_WINDOW_SIGMA_PX = 1.5
_K1, _K2 = 0.01, 0.03


def psnr_db(image: Image, reference: Image, *, data_range: float | None = None) -> float:
    """Peak signal-to-noise ratio: ``10 log10(data_range² / MSE)``.

    Range: (-∞, ∞] dB; higher is better. Identical images give infinity; average with ``mean_psnr_db``.

    Args:
        image, reference: arrays of one shape and type.
        data_range: distance between black and white. uint8 images have 255; float images must say.

    >>> psnr_db(np.zeros((4, 4)), np.full((4, 4), 0.1), data_range=1.0)
    20.0

    Raises:
        DiagnosticsError: shapes or types differ, a value is not finite, or a float image comes without its range.
    """
    left, right, peak = _checked_pair(image, reference, data_range, metric="psnr_db")
    mse = float(np.mean((left - right) ** 2))
    return math.inf if mse == 0 else 10 * math.log10(peak**2 / mse)


def mean_psnr_db(values_db: Sequence[float]) -> float:
    """PSNR of the mean squared error of several pairs, so that one perfect pair does not make the mean infinite.

    Range: (-∞, ∞] dB; higher is better; infinite only when every pair is identical.

    Args:
        values_db: PSNR of each pair, infinity included, all with images of one size and range.

    >>> round(mean_psnr_db([math.inf, 20.0]), 3)
    23.01

    Raises:
        DiagnosticsError: there is no value, or one is NaN.
    """
    if not values_db or any(math.isnan(value) for value in values_db):
        raise DiagnosticsError(
            "mean_psnr_db needs at least one value and no NaN; leave out failed pairs and count them"
        )
    relative_mse = math.fsum(10 ** (-value / 10) for value in values_db) / len(values_db)
    return math.inf if relative_mse == 0 else -10 * math.log10(relative_mse)


def ssim(image: Image, reference: Image, *, data_range: float | None = None) -> float:
    """Mean structural similarity over all full windows, averaged over the channels.

    Range: [-1, 1]; higher is better; 1 for identical images, constant ones included.

    Source: Wang et al. 2004, equation 13, with an 11x11 Gaussian window (sigma 1.5 px) and population moments.

    Args:
        image, reference: (H, W) or (H, W, C) of one shape and type, at least 11x11 pixels.
        data_range: distance between black and white. uint8 images have 255; float images must say.

    >>> ssim(np.full((16, 16), 0.5), np.full((16, 16), 0.5), data_range=1.0)
    1.0

    Raises:
        DiagnosticsError: shapes or types differ, a value is not finite, a float image comes without its range, or the
            image is smaller than the window.
    """
    left, right, peak = _checked_pair(image, reference, data_range, metric="ssim")
    side = 2 * _WINDOW_RADIUS_PX + 1
    if left.ndim not in (2, 3) or min(left.shape[:2]) < side:
        raise DiagnosticsError(f"ssim needs (H, W) or (H, W, C) of at least {side}x{side} pixels, got {left.shape}")
    mean_left, mean_right = _windowed(left), _windowed(right)
    variance_left = _windowed(left**2) - mean_left**2
    variance_right = _windowed(right**2) - mean_right**2
    covariance = _windowed(left * right) - mean_left * mean_right
    c1, c2 = (_K1 * peak) ** 2, (_K2 * peak) ** 2
    luminance = (2 * mean_left * mean_right + c1) / (mean_left**2 + mean_right**2 + c1)
    structure = (2 * covariance + c2) / (variance_left + variance_right + c2)
    return float((luminance * structure).mean())


def _windowed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian mean around every pixel whose whole window lies inside the image."""
    from scipy.ndimage import correlate1d

    offsets = np.arange(-_WINDOW_RADIUS_PX, _WINDOW_RADIUS_PX + 1)
    weights = np.exp(-0.5 * (offsets / _WINDOW_SIGMA_PX) ** 2)
    weights /= weights.sum()
    rows: NDArray[np.float64] = correlate1d(values, weights, axis=0)
    smooth: NDArray[np.float64] = correlate1d(rows, weights, axis=1)
    inner = slice(_WINDOW_RADIUS_PX, -_WINDOW_RADIUS_PX)
    return smooth[inner, inner]


def _checked_pair(
    image: Image, reference: Image, data_range: float | None, *, metric: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    if image.shape != reference.shape or image.dtype != reference.dtype:
        raise DiagnosticsError(
            f"{metric}: the images differ in shape or type: {image.shape} of {image.dtype} against "
            f"{reference.shape} of {reference.dtype}; bring them to one size and type first"
        )
    if image.size == 0:
        raise DiagnosticsError(f"{metric}: the images are empty")
    if data_range is None:
        if image.dtype != np.uint8:
            raise DiagnosticsError(
                f"{metric}: a {image.dtype} image has no natural range; pass data_range, such as 1.0"
            )
        data_range = 255.0
    if not 0 < data_range < math.inf:
        raise DiagnosticsError(f"{metric}: data_range must be positive, got {data_range}")
    left, right = image.astype(np.float64), reference.astype(np.float64)
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise DiagnosticsError(f"{metric}: an image holds NaN or infinity")
    return left, right, float(data_range)
