"""Light: how bright the picture is, how much of it is clipped, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..findings import Region
from .views import PictureViews

__all__ = ["ExposureStatistics", "LocalPatch", "measure_exposure"]

_DARKEST = 1e-4
"""Luminance below which 8 bits hold nothing (code 1 of 255 is 3e-4 of white)."""

_CLIPPED_HIGH = 252.5 / 255
_CLIPPED_LOW = 2.5 / 255
_NEARLY_WHITE = 0.86
"""Three quarters of a stop below white."""

_SHADOW_SRGB = 0.12
"""Luma of deep shadow: 1.3 % of white; a print shows nothing there."""


@dataclass(frozen=True)
class LocalPatch:
    """The largest connected part of the picture that is too bright or too dark.

    Args:
        share: of the picture's area, 0 to 1.
        region: its bounding box in pixels of the picture; None when there is no such part.
    """

    share: float
    region: Region | None


@dataclass(frozen=True)
class ExposureStatistics:
    """Where the light lies between black and white.

    Attributes:
        white_linear: 99.5th percentile of luminance, 0 to 1. Exposure scales it directly, which the mean does not tell:
            a night street has a low mean and a high white point.
        median_linear, mean_linear: of luminance, 0 to 1.
        key_linear: log-average luminance, the "key" of Reinhard et al., "Photographic tone reproduction" (2002), eq. 1.
        black_srgb, white_srgb: 1st and 99th percentile of luma, 0 to 1.
        peak_srgb: 99.9th percentile of the brightest channel on the copy of 640 px, where thin print and small lamps
            are still there.
        shadow_srgb: 10th percentile of luma. A long exposure lifts it; white paper around black print does not.
        all_clipped, any_clipped: share of pixels at white in all channels, in at least one.
        nearly_clipped: share of pixels just below white (luma 0.85 to 0.99): the ramp into a blown highlight.
        partly_clipped: any_clipped less all_clipped: colours that lost a channel, as bright paint and skin do first.
        top_stop: share of pixels in the last stop below white (brightest channel 0.5 to 0.97 of linear light).
        soft_clipped: share of pixels in clipped areas, each area weighted by how softly it begins: a blown highlight
            fades in, so the pixels around it are nearly white; around white paper they are anything.
        hard_clipped: the rest of the clipped areas.
        black_clipped: share of pixels at black.
        tile_spread_stops: 90th minus 10th percentile of log2 mean luminance over 8x8 tiles.
        dark_detail: mean log2 contrast inside the dark patch: shade shows structure, a black backdrop does not.
        bright_patch, dark_patch: the largest connected clipped part, the largest part in deep shadow.
    """

    white_linear: float
    median_linear: float
    mean_linear: float
    key_linear: float
    black_srgb: float
    white_srgb: float
    peak_srgb: float
    shadow_srgb: float
    all_clipped: float
    any_clipped: float
    nearly_clipped: float
    partly_clipped: float
    top_stop: float
    soft_clipped: float
    hard_clipped: float
    black_clipped: float
    tile_spread_stops: float
    dark_detail: float
    bright_patch: LocalPatch
    dark_patch: LocalPatch


def measure_exposure(views: PictureViews) -> ExposureStatistics:
    """Measures light on the 256 px copy, so that grain is averaged away; how clipped areas begin on one of 640 px."""
    import cv2

    luminance, luma, colour = views.tone_luminance, views.tone_luma, views.tone_srgb
    smooth_luma = cv2.GaussianBlur(luma, (0, 0), 1.5)
    clipped = colour.min(axis=2) >= _CLIPPED_HIGH
    shadow = smooth_luma <= _SHADOW_SRGB
    dark_patch, dark_mask = _largest_patch(shadow, views)
    bright_patch, _ = _largest_patch(clipped, views)
    brightest, light = colour.max(axis=2), views.tone_linear.max(axis=2)
    soft = _soft_clipped_share(views.fine_brightest)
    black, shadow_level, white = np.percentile(luma, [1, 10, 99])
    return ExposureStatistics(
        white_linear=float(np.percentile(luminance, 99.5)),
        median_linear=float(np.median(luminance)),
        mean_linear=float(luminance.mean()),
        key_linear=float(np.exp(np.log(luminance + _DARKEST).mean()) - _DARKEST),
        black_srgb=float(black),
        white_srgb=float(white),
        peak_srgb=float(np.percentile(views.fine_brightest, 99.9)) / 255,
        shadow_srgb=float(shadow_level),
        all_clipped=float(clipped.mean()),
        any_clipped=float((brightest >= _CLIPPED_HIGH).mean()),
        nearly_clipped=float(((luma > 0.85) & (luma < 0.99)).mean()),
        partly_clipped=float((brightest >= _CLIPPED_HIGH).mean() - clipped.mean()),
        top_stop=float(((light > 0.5) & (light < 0.97)).mean()),
        soft_clipped=soft,
        hard_clipped=max(0.0, float((views.fine_brightest >= _CLIPPED_HIGH * 255).mean()) - soft),
        black_clipped=float((brightest <= _CLIPPED_LOW).mean()),
        tile_spread_stops=_tile_spread_stops(luminance),
        dark_detail=_log_contrast(luminance, dark_mask),
        bright_patch=bright_patch,
        dark_patch=dark_patch,
    )


def _largest_patch(mask: NDArray[np.bool_], views: PictureViews) -> tuple[LocalPatch, NDArray[np.bool_]]:
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    if count < 2:
        return LocalPatch(0.0, None), np.zeros_like(mask)
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    left, top, width, height, area = (int(value) for value in stats[largest])
    scale_x, scale_y = views.picture.width / mask.shape[1], views.picture.height / mask.shape[0]
    region = Region(x0=left * scale_x, y0=top * scale_y, x1=(left + width) * scale_x, y1=(top + height) * scale_y)
    return LocalPatch(area / mask.size, region), labels == largest


def _soft_clipped_share(brightest: NDArray[np.uint8]) -> float:
    """Sum over the connected clipped areas of their share of the picture times the share of their rim that is near
    white.

    The rim is the ring two pixels outside; nearer pixels are mixtures of the two sides.
    """
    import cv2

    clipped = (brightest >= _CLIPPED_HIGH * 255).astype(np.uint8)
    count, labels = cv2.connectedComponents(clipped, connectivity=8)
    if count < 2:
        return 0.0
    numbered = labels.astype(np.float32)
    near = cv2.dilate(clipped, np.ones((3, 3), np.uint8)) > 0
    far = cv2.dilate(numbered, np.ones((5, 5), np.uint8))
    ring = (far > 0) & ~near
    owner = far[ring].astype(np.int64)
    length = np.bincount(owner, minlength=count)
    bright = np.bincount(owner, weights=brightest[ring] > _NEARLY_WHITE * 255, minlength=count)
    area = np.bincount(labels.ravel(), minlength=count).astype(np.float64)
    # An area without a rim of its own fills the picture; nothing is known of how it begins.
    softness = np.divide(bright, length, out=np.full(count, 0.5), where=length > 0)
    return float((area * softness)[1:].sum() / labels.size)


def _tile_spread_stops(luminance: NDArray[np.float32]) -> float:
    import cv2

    tiles = cv2.resize(luminance, (8, 8), interpolation=cv2.INTER_AREA)
    low, high = np.percentile(np.log2(tiles + _DARKEST), [10, 90])
    return float(high - low)


def _log_contrast(luminance: NDArray[np.float32], mask: NDArray[np.bool_]) -> float:
    """Standard deviation of log2 luminance against its surroundings of 9 px, inside the mask."""
    import cv2

    if not mask.any():
        return 0.0
    stops = np.log2(luminance + 4 * _DARKEST)
    around = cv2.GaussianBlur(stops, (0, 0), 4)
    return float(np.sqrt(np.mean((stops - around)[mask] ** 2)))
