"""Blur: how wide edges are, at their sharpest and by direction.

The width comes from the gradient at two scales (Zhuo and Sim, "Defocus map estimation from a single image", Pattern
Recognition 44(9), 2011): a step blurred with sigma and seen through a derivative of a Gaussian of s has a peak
proportional to 1 / sqrt(sigma**2 + s**2), so the ratio R of the peaks at s1 < s2 gives

    sigma**2 = (s2**2 - R**2 s1**2) / (R**2 - 1).

Defocus widens edges of all directions alike. A motion of length L along angle t widens an edge whose normal points
along p by L**2 cos(p - t)**2 / 12 in variance, so a fit of sigma**2 over p separates the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .views import PictureViews

__all__ = ["LEAST_EDGES", "EdgeStatistics", "measure_edges"]

_FINE_SCALE_PX = 1.0
_COARSE_SCALE_PX = 2.0
_DIFFERENCE_VARIANCE_PX2 = 1 / 3
"""A central difference is a derivative behind a box of two pixels, whose variance is 2**2 / 12."""

_LEVELS = 4
_LEVEL_RANGE_PX = 2.2
"""Widest blur that one pyramid level measures well; above it the two gradients are too alike."""

_MAX_LEVEL_SIGMA_PX = 5.0
"""What is wider at its level is a ramp, whose width is not that of any blur."""

_DIRECTIONS = 12
LEAST_EDGES = 40
"""With fewer edge points a picture shows nothing that could be blurred or tinted: a flat colour, a smooth ramp."""

_MIN_EDGES_PER_DIRECTION = 12
_EDGE_SHARE = 0.06
_MIN_GRADIENT = 1.0
"""Grey levels per pixel of a pyramid level: weaker ones are rounding."""

_MIN_NATIVE_GRADIENT = 0.8
"""Grey levels per pixel of the finest level: what is weaker is a ramp, not an edge, at any level."""


@dataclass(frozen=True)
class EdgeStatistics:
    """Widths of the strongest edges, as the standard deviation of the blur in pixels of the picture.

    Attributes:
        found: number of edge points measured; below 40 the widths are 0 and say nothing.
        sharpest_px, typical_px, widest_px: 10th, 50th and 90th percentile of the width. A photograph with a blurred
            background still has sharp edges on its subject.
        narrow_direction_px, wide_direction_px: width across the direction that is least, most blurred, by the fit.
        anisotropy: (wide**2 - narrow**2) / (wide**2 + narrow**2), 0 (a disc) to 1 (a line).
        motion_angle_deg: direction of most blur, 0 = along x, 90 = along y (down), in [0, 180).
        gradient_kurtosis: of horizontal and vertical differences; blur takes the heavy tail away (Levin, "Blind motion
            deblurring using image statistics", 2006).
        reblur: the perceptual blur metric of Crete et al. (2007), 0 sharp to 1 blurred.
        relative_px_per_1000: sharpest_px, less the pixel's own width, per 1000 px of the longer side.
    """

    found: int
    sharpest_px: float
    typical_px: float
    widest_px: float
    narrow_direction_px: float
    wide_direction_px: float
    anisotropy: float
    motion_angle_deg: float
    gradient_kurtosis: float
    reblur: float
    relative_px_per_1000: float


@dataclass(frozen=True)
class _EdgePoints:
    """Width in pixels of the finest level, and angle of the normal in radians, of each edge point."""

    sigma_px: NDArray[np.float32]
    normal_rad: NDArray[np.float32]


def measure_edges(views: PictureViews, noise_std: float) -> EdgeStatistics:
    """Measures widths on a copy of at most 960 px.

    Args:
        noise_std: of luma, in grey levels; edges must stand above it.
    """
    luma = views.edge_luma
    kurtosis, reblur = _gradient_kurtosis(luma), _reblur(luma)
    points = _edge_points(luma, views.edge_marked, noise_std / views.edge_scale)
    if len(points.sigma_px) < LEAST_EDGES:
        return EdgeStatistics(len(points.sigma_px), 0, 0, 0, 0, 0, 0, 0, kurtosis, reblur, 0)
    scale = views.edge_scale
    sharpest, typical, widest = np.percentile(points.sigma_px, [10, 50, 90])
    narrow, wide, angle_rad = _by_direction(points)
    excess_px = np.sqrt(max(float(sharpest) ** 2 - 0.5**2, 0.0))
    return EdgeStatistics(
        found=len(points.sigma_px),
        sharpest_px=float(sharpest) * scale,
        typical_px=float(typical) * scale,
        widest_px=float(widest) * scale,
        narrow_direction_px=narrow * scale,
        wide_direction_px=wide * scale,
        anisotropy=(wide**2 - narrow**2) / (wide**2 + narrow**2 + 0.25),
        motion_angle_deg=float(np.rad2deg(angle_rad)) % 180.0,
        gradient_kurtosis=kurtosis,
        reblur=reblur,
        relative_px_per_1000=float(excess_px) / max(luma.shape) * 1000,
    )


def _edge_points(luma: NDArray[np.float32], marked: NDArray[np.bool_] | None, noise_std: float) -> _EdgePoints:
    """Edge points with their widths, from the finest pyramid level that can measure most of them."""
    import cv2

    level_luma, free = luma, None if marked is None else (~marked).astype(np.float32)
    points = _EdgePoints(np.zeros(0, np.float32), np.zeros(0, np.float32))
    for level in range(_LEVELS):
        # White noise of std n gives a derivative of std 0.2 n at scale 1; edges stand five of these above it.
        if min(level_luma.shape) < 16:
            break
        least_gradient = max(noise_std / 2**level, _MIN_NATIVE_GRADIENT * 2**level)
        found = _level_points(level_luma, free, least_gradient)
        if len(found.sigma_px) >= LEAST_EDGES or level == 0:
            edges = found.sigma_px <= _MAX_LEVEL_SIGMA_PX
            points = _EdgePoints(found.sigma_px[edges] * np.float32(2**level), found.normal_rad[edges])
            if len(found.sigma_px) and np.median(found.sigma_px) <= _LEVEL_RANGE_PX:
                break
        height, width = level_luma.shape
        halved = cv2.resize(level_luma, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        level_luma = np.asarray(halved, dtype=np.float32)
        if free is not None:
            free = np.asarray(cv2.resize(free, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.float32)
    return points


def _level_points(luma: NDArray[np.float32], free: NDArray[np.float32] | None, least_gradient: float) -> _EdgePoints:
    """Args: free: share of each pixel that is no part of a mark; edges on marks say nothing of the picture."""
    fine_x, fine_y = _gaussian_gradient(luma, _FINE_SCALE_PX)
    fine = np.asarray(np.hypot(fine_x, fine_y), dtype=np.float32)
    ridge = _ridge(fine, fine_x, fine_y)
    if free is not None:
        ridge &= free == 1
    floor = max(_MIN_GRADIENT, least_gradient)
    candidates = fine[ridge]
    candidates = candidates[candidates > floor]
    if len(candidates) == 0:
        return _EdgePoints(np.zeros(0, np.float32), np.zeros(0, np.float32))
    wanted = max(LEAST_EDGES, int(_EDGE_SHARE * luma.size * 0.25))
    threshold = np.partition(candidates, max(0, len(candidates) - wanted))[max(0, len(candidates) - wanted)]
    rows, columns = np.nonzero(ridge & (fine >= max(threshold, floor)))
    coarse_x, coarse_y = _gaussian_gradient(luma, _COARSE_SCALE_PX)
    coarse = np.hypot(coarse_x, coarse_y)
    ratio = fine[rows, columns] / np.maximum(coarse[rows, columns], 1e-6)
    fine_variance = _FINE_SCALE_PX**2 + _DIFFERENCE_VARIANCE_PX2
    coarse_variance = _COARSE_SCALE_PX**2 + _DIFFERENCE_VARIANCE_PX2
    square = np.maximum(ratio, 1.02) ** 2
    variance = np.clip((coarse_variance - square * fine_variance) / (square - 1), 0, None)
    angle = np.arctan2(fine_y[rows, columns], fine_x[rows, columns])
    return _EdgePoints(np.sqrt(variance).astype(np.float32), angle.astype(np.float32))


def _gaussian_gradient(luma: NDArray[np.float32], scale_px: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    import cv2

    smooth = cv2.GaussianBlur(luma, (0, 0), scale_px)
    difference = np.array([[-0.5, 0.0, 0.5]], dtype=np.float32)
    along_x = cv2.filter2D(smooth, cv2.CV_32F, difference)
    along_y = cv2.filter2D(smooth, cv2.CV_32F, difference.T)
    return np.asarray(along_x, dtype=np.float32), np.asarray(along_y, dtype=np.float32)


def _ridge(
    magnitude: NDArray[np.float32], gradient_x: NDArray[np.float32], gradient_y: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Where the gradient is largest along its own direction (rounded to 45 degrees); the border is left out."""
    inner = magnitude[3:-3, 3:-3]
    height, width = magnitude.shape

    def shifted(down: int, right: int) -> NDArray[np.float32]:
        return magnitude[3 + down : height - 3 + down, 3 + right : width - 3 + right]

    gx, gy = gradient_x[3:-3, 3:-3], gradient_y[3:-3, 3:-3]
    steep, flat = np.abs(gy) > 2.414 * np.abs(gx), np.abs(gx) > 2.414 * np.abs(gy)
    falling = (gx * gy > 0) & ~steep & ~flat
    rising = ~(steep | flat | falling)
    keep = np.zeros(magnitude.shape, dtype=bool)
    keep[3:-3, 3:-3] = (
        (flat & (inner >= shifted(0, -1)) & (inner > shifted(0, 1)))
        | (steep & (inner >= shifted(-1, 0)) & (inner > shifted(1, 0)))
        | (falling & (inner >= shifted(-1, -1)) & (inner > shifted(1, 1)))
        | (rising & (inner >= shifted(1, -1)) & (inner > shifted(-1, 1)))
    )
    return keep


def _by_direction(points: _EdgePoints) -> tuple[float, float, float]:
    """Narrowest and widest blur (px) over the direction of the edge's normal, and the angle (rad) of the widest.

    In each of 12 directions the 25th percentile of the width is taken; sigma**2 = a + b cos 2p + c sin 2p is fitted.
    """
    angle = points.normal_rad % np.pi
    bins = np.minimum((angle / np.pi * _DIRECTIONS).astype(np.int64), _DIRECTIONS - 1)
    angles, variances, weights = [], [], []
    for index in range(_DIRECTIONS):
        sigma = points.sigma_px[bins == index]
        if len(sigma) >= _MIN_EDGES_PER_DIRECTION:
            angles.append((index + 0.5) * np.pi / _DIRECTIONS)
            variances.append(float(np.percentile(sigma, 25)) ** 2)
            weights.append(np.sqrt(len(sigma)))
    typical = float(np.percentile(points.sigma_px, 25))
    if len(angles) < 4:
        return typical, typical, 0.0
    doubled = 2 * np.array(angles)
    weight = np.array(weights)
    design = np.column_stack([np.ones(len(doubled)), np.cos(doubled), np.sin(doubled)]) * weight[:, None]
    (level, along_x, along_y), *_ = np.linalg.lstsq(design, np.array(variances) * weight, rcond=None)
    swing = float(np.hypot(along_x, along_y))
    narrow, wide = max(float(level) - swing, 0.0), max(float(level) + swing, 0.0)
    return float(np.sqrt(narrow)), float(np.sqrt(wide)), float(np.arctan2(along_y, along_x) / 2)


def _gradient_kurtosis(luma: NDArray[np.float32]) -> float:
    """Kurtosis of neighbour differences, 3 for a Gaussian; 0 for a flat picture."""
    differences = np.concatenate([np.diff(luma, axis=0).ravel(), np.diff(luma, axis=1).ravel()])
    if differences.size == 0:
        return 0.0
    square = differences.astype(np.float64) ** 2
    variance = float(square.mean())
    return float((square**2).mean() / variance**2) if variance > 1e-6 else 0.0


def _reblur(luma: NDArray[np.float32]) -> float:
    """Share of neighbour differences that survives a 9-pixel box; the worse of the two axes (Crete et al., eq. 6)."""
    import cv2

    worst = 0.0
    for axis, kernel in ((0, (1, 9)), (1, (9, 1))):
        sharp = np.abs(np.diff(luma, axis=axis))
        soft = np.abs(np.diff(cv2.blur(luma, kernel), axis=axis))
        total = float(sharp.sum())
        if total > 0:
            worst = max(worst, float((total - np.maximum(sharp - soft, 0).sum()) / total))
    return worst
