"""Pictures reduced to their structure: what stays when tone, haze, colour and contrast change.

Two pictures of one scene may differ in every value and still show the same edges. Dividing out the local mean and the
local contrast (as the mean-subtracted, contrast-normalised coefficients of Mittal et al. 2012 do) leaves those edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["blur", "gradient_magnitude", "local_correlation", "noise_std", "normalised_structure"]

# Immerkaer, "Fast noise variance estimation", CVIU 1996: this mask sees neither constant nor linear image content and
# has unit response 6 to white noise of unit variance.
_LAPLACIAN_DIFFERENCE = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32) / 6
# Median of |N(0, 1)|.
_MEDIAN_ABSOLUTE_NORMAL = 0.6745
# Half of an 8-bit step, uniformly distributed: no picture is cleaner than its own rounding.
_ROUNDING_STD = 1 / (255 * 12**0.5)


# From this radius on, a blur of the picture at half or quarter size differs by less than 1 % and is ten times as fast.
_WIDE_SIGMA_PX = 4.0


def blur(image: NDArray[np.float32], sigma_px: float) -> NDArray[np.float32]:
    """Gaussian blur with reflected borders; wide ones are computed on a smaller picture."""
    import cv2

    height, width = image.shape[:2]
    step = 1
    while sigma_px / step >= _WIDE_SIGMA_PX and min(height, width) >= 16 * step:
        step *= 2
    if step == 1:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px, borderType=cv2.BORDER_REFLECT_101))
    small = cv2.resize(image, (-(-width // step), -(-height // step)), interpolation=cv2.INTER_AREA)
    # Averaging over step pixels and interpolating back both blur a little already.
    narrow = float(np.sqrt(max((sigma_px / step) ** 2 - 0.25, 0.25)))
    smooth = cv2.GaussianBlur(small, (0, 0), narrow, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR))


def noise_std(image_luma: NDArray[np.float32]) -> float:
    """Standard deviation of the white noise in a (H, W) picture, in its own units; texture counts little.

    Immerkaer's mask with a median in place of the mean, so that edges, being few, do not count as noise.
    """
    import cv2

    response = cv2.filter2D(image_luma, cv2.CV_32F, _LAPLACIAN_DIFFERENCE)[1:-1, 1:-1]
    if response.size == 0:
        return _ROUNDING_STD
    return max(float(np.median(np.abs(response))) / _MEDIAN_ABSOLUTE_NORMAL, _ROUNDING_STD)


def normalised_structure(
    image_luma: NDArray[np.float32], *, sigma_px: float, floor: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Structure of about unit variance wherever there is any, and its contrast before normalisation.

    Args:
        image_luma: (H, W).
        sigma_px: radius of the neighbourhood whose mean and contrast are divided out.
        floor: contrast (standard deviation) that counts as nothing; keeps noise in flat areas from becoming structure.

    Returns:
        (structure, contrast), both (H, W) float32.
    """
    mean = blur(image_luma, sigma_px)
    centred = image_luma - mean
    contrast: NDArray[np.float32] = np.sqrt(np.maximum(blur(centred * centred, sigma_px), 0))
    return centred / (contrast + np.float32(floor)), contrast


def gradient_magnitude(image_srgb: NDArray[np.float32], sigma_px: float) -> NDArray[np.float32]:
    """Strength of the strongest colour edge at each pixel (H, W): unchanged by inversion, little changed by hue.

    The square root of the structure tensor's trace (Di Zenzo 1986), compressed by another square root so that faint
    edges count beside strong ones.
    """
    import cv2

    smooth = blur(image_srgb, sigma_px)
    horizontal = cv2.Sobel(smooth, cv2.CV_32F, 1, 0)
    vertical = cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    energy = (horizontal * horizontal + vertical * vertical).sum(axis=2)
    return np.asarray(energy**0.25, dtype=np.float32)


def local_correlation(
    first: NDArray[np.float32], second: NDArray[np.float32], *, sigma_px: float, floor: float
) -> NDArray[np.float32]:
    """Correlation of two (H, W) pictures in a Gaussian window around each pixel, in [-1, 1]; 0 where either is flat.

    Args:
        sigma_px: radius of the window.
        floor: standard deviation below which a window counts as flat.
    """
    mean_1, mean_2 = blur(first, sigma_px), blur(second, sigma_px)
    variance_1 = np.maximum(blur(first * first, sigma_px) - mean_1 * mean_1, 0)
    variance_2 = np.maximum(blur(second * second, sigma_px) - mean_2 * mean_2, 0)
    covariance = blur(first * second, sigma_px) - mean_1 * mean_2
    square = np.float32(floor * floor)
    correlation = covariance / np.sqrt((variance_1 + square) * (variance_2 + square))
    return np.clip(correlation, -1, 1).astype(np.float32)
