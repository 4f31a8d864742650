"""The equidistant fisheye polynomial and its exact inverse.

A ray at the angle theta from the optical axis is imaged at ``f theta_d`` from the principal point, with
``theta_d = theta (1 + k1 theta^2 + k2 theta^4 + k3 theta^6 + k4 theta^8)``: Kannala and Brandt 2006, as in OpenCV's
``fisheye``, COLMAP's ``OPENCV_FISHEYE``, and the distortion of SpaceDG (eq. 5).

The polynomial need not grow for ever. From the first angle at which its slope is zero the picture folds back over
itself, so nothing beyond that angle is imaged.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["distorted_angle", "distorted_angle_slope", "monotone_limit_rad", "undistorted_angle"]

Coefficients = tuple[float, float, float, float]


def distorted_angle(theta_rad: ArrayLike, coefficients: Coefficients) -> NDArray[np.float64]:
    """theta_d (...,) of theta (...,)."""
    theta = np.asarray(theta_rad, dtype=np.float64)
    k1, k2, k3, k4 = coefficients
    u = theta * theta
    return np.asarray(theta * (1 + u * (k1 + u * (k2 + u * (k3 + u * k4)))))


def distorted_angle_slope(theta_rad: ArrayLike, coefficients: Coefficients) -> NDArray[np.float64]:
    """d theta_d / d theta (...,) at theta (...,)."""
    theta = np.asarray(theta_rad, dtype=np.float64)
    k1, k2, k3, k4 = coefficients
    u = theta * theta
    return np.asarray(1 + u * (3 * k1 + u * (5 * k2 + u * (7 * k3 + u * 9 * k4))))


def monotone_limit_rad(coefficients: Coefficients) -> float:
    """theta*, the smallest positive root of the slope; infinite when there is none.

    >>> round(monotone_limit_rad((-0.235, 0.0, 0.0, 0.0)), 4)
    1.191
    """
    k1, k2, k3, k4 = coefficients
    # In 1 / theta^2, of which the largest root is wanted: the leading coefficient is 1, however small the k are.
    roots = np.roots([1.0, 3 * k1, 5 * k2, 7 * k3, 9 * k4])
    # A root where the slope only touches zero comes out as a pair with a tiny imaginary part.
    positive = [root.real for root in roots if root.real > 0 and abs(root.imag) <= 1e-7 * abs(root)]
    return 1 / math.sqrt(max(positive)) if positive else math.inf


def undistorted_angle(theta_d: ArrayLike, coefficients: Coefficients, *, limit_rad: float) -> NDArray[np.float64]:
    """theta (...,) of theta_d (...,) >= 0: Newton's method, kept inside a bracket that halves when a step leaves it.

    Args:
        theta_d: (...,) distorted angles.
        coefficients: k1 to k4.
        limit_rad: the largest theta that is imaged, at most `monotone_limit_rad`.

    Returns:
        theta in [0, limit_rad]; NaN where theta_d is negative, not finite, or beyond the image of ``limit_rad``.
    """
    target = np.asarray(theta_d, dtype=np.float64)
    largest = float(distorted_angle(limit_rad, coefficients))
    inside = (target >= 0) & (target <= largest)
    wanted = np.where(inside, target, 0.0)
    low, high = np.zeros_like(wanted), np.full_like(wanted, limit_rad)
    theta = np.minimum(wanted, limit_rad)
    for _ in range(100):  # halving alone needs 53
        error = distorted_angle(theta, coefficients) - wanted
        low, high = np.where(error <= 0, theta, low), np.where(error >= 0, theta, high)
        slope = distorted_angle_slope(theta, coefficients)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = theta - error / slope
        trusted = (step > low) & (step < high)
        following = np.where(error == 0, theta, np.where(trusted, step, (low + high) / 2))
        if (np.abs(following - theta) <= 1e-16 * np.abs(theta)).all():
            break
        theta = following
    return np.where(inside, theta, np.nan)
