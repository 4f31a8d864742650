"""Colour cast: whether everything, also what must be grey, leans to one hue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .views import PictureViews

__all__ = ["ColourStatistics", "measure_colour"]

_MINKOWSKI_NORM = 6
"""Finlayson and Trezzi, "Shades of gray and colour constancy" (2004), found 6 to work best."""

_NEUTRAL_CHROMA = 7.0
"""CIELAB chroma below which a surface is called grey."""

_MAX_CHROMATICITY_DEG = 55
"""A pure primary is 54.7 degrees from grey."""

_JUDGED_LIGHTNESS = (15.0, 97.0)


@dataclass(frozen=True)
class ColourStatistics:
    """Where the colours lie. Chroma and lightness are CIELAB (D65).

    Attributes:
        chroma_mean: mean chroma.
        chroma_least: 5th percentile of chroma: under a cast nothing is grey.
        neutral_share: share of pixels with chroma below 7.
        hue_concentration: length of the mean (a, b) over the mean chroma, 0 (all hues) to 1 (one hue); after
            Gasparini and Schettini, "Color balancing of digital photos using simple image statistics" (2004).
        bright_chroma: mean chroma of the brightest 5 % that are not clipped: the best guess of a white surface.
        bright_agreement: cosine between their mean (a, b) and that of the whole picture, -1 to 1.
        white_angle_deg: angle in linear RGB between grey and the illuminant by Shades of Gray.
        edge_angle_deg: the same by grey edges (van de Weijer, Gevers and Gijsenij, "Edge-based color constancy", 2007).
        red_over_green, blue_over_green: the illuminant as channel ratios, the mean of both estimates.
        common_tint_deg: how far everything leans at least: the smallest tint, along their mean direction, of
            shadows, middle tones, highlights and edges, as an angle from grey. A cast tints all of them, a coloured
            thing only some.
        mode_angle_deg: angle in linear RGB between grey and the chromaticity that most pixels share.
        mode_share: share of pixels within 4 degrees of it; grey_share: within 4 degrees of grey. A well balanced
            picture has a peak at grey, a cast moves the peak off it.
        judged_share: share of pixels neither too dark nor too bright to have a colour.
    """

    chroma_mean: float
    chroma_least: float
    neutral_share: float
    hue_concentration: float
    bright_chroma: float
    bright_agreement: float
    white_angle_deg: float
    edge_angle_deg: float
    red_over_green: float
    blue_over_green: float
    common_tint_deg: float
    mode_angle_deg: float
    mode_share: float
    grey_share: float
    judged_share: float


def measure_colour(views: PictureViews) -> ColourStatistics:
    """Measures on the 256 px copy; a picture that is all black or white has no cast."""
    import cv2

    lab = cv2.cvtColor(cv2.GaussianBlur(views.tone_srgb, (0, 0), 1.0), cv2.COLOR_RGB2Lab)
    lightness, opponent = lab[..., 0], lab[..., 1:]
    clipped = views.tone_srgb.max(axis=2) >= 0.99
    judged = (lightness > _JUDGED_LIGHTNESS[0]) & (lightness < _JUDGED_LIGHTNESS[1]) & ~clipped
    illuminants = (_shades_of_gray(views.tone_linear), _grey_edge(views.tone_linear))
    mean_illuminant = np.mean(illuminants, axis=0)
    if judged.sum() < 16:
        return ColourStatistics(0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0)
    chosen = opponent[judged]
    chroma = np.hypot(chosen[:, 0], chosen[:, 1])
    mean_ab = chosen.mean(axis=0)
    bright = lightness[judged] >= np.percentile(lightness[judged], 95)
    bright_ab = chosen[bright].mean(axis=0)
    lengths = float(np.hypot(*bright_ab)) * float(np.hypot(*mean_ab))
    mode_angle_deg, mode_share, grey_share = _chromaticity_peak(views.tone_linear[judged])
    return ColourStatistics(
        chroma_mean=float(chroma.mean()),
        chroma_least=float(np.percentile(chroma, 5)),
        neutral_share=float((chroma < _NEUTRAL_CHROMA).mean()),
        hue_concentration=float(np.hypot(*mean_ab) / max(float(chroma.mean()), 1.0)),
        bright_chroma=float(np.hypot(*bright_ab)),
        bright_agreement=float(bright_ab @ mean_ab) / lengths if lengths > 1e-3 else 0.0,
        white_angle_deg=_angle_from_grey_deg(illuminants[0]),
        edge_angle_deg=_angle_from_grey_deg(illuminants[1]),
        red_over_green=float(mean_illuminant[0] / max(float(mean_illuminant[1]), 1e-3)),
        blue_over_green=float(mean_illuminant[2] / max(float(mean_illuminant[1]), 1e-3)),
        common_tint_deg=_common_tint_deg(views.tone_linear[judged], illuminants[1]),
        mode_angle_deg=mode_angle_deg,
        mode_share=mode_share,
        grey_share=grey_share,
        judged_share=float(judged.mean()),
    )


def _common_tint_deg(colours_linear: NDArray[np.float32], edge_illuminant: NDArray[np.float64]) -> float:
    """The least lean of any tone or of the edges along the mean lean, in degrees; 0 when one leans the other way."""
    light = colours_linear.sum(axis=1)
    first, second = np.percentile(light, [33, 67])
    tones = (colours_linear[light <= first], colours_linear[(light > first) & (light <= second)])
    groups = [group for group in (*tones, colours_linear[light > second]) if len(group)]
    directions = [_unit(np.median(group, axis=0).astype(np.float64)) for group in groups]
    leans = np.array([_lean_deg(direction) for direction in (*directions, edge_illuminant)])
    mean = leans.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return max(0.0, float((leans @ (mean / length)).min())) if length > 1e-6 else 0.0


def _lean_deg(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2,) a unit direction of RGB as a point of the plane around grey, true in angle."""
    off = direction - direction.sum() / 3
    across = float(off @ np.array([1, 0, -1])) / np.sqrt(2)
    along = float(off @ np.array([-1, 2, -1])) / np.sqrt(6)
    length = max(float(np.hypot(across, along)), 1e-9)
    return np.array([across, along]) / length * _angle_from_grey_deg(direction)


def _chromaticity_peak(colours_linear: NDArray[np.float32]) -> tuple[float, float, float]:
    """Angle from grey (degrees) of the densest chromaticity, the share of pixels near it, the share near grey.

    Directions in RGB are laid out in a plane around grey, true in angle, and counted in cells of 1 degree; pixels weigh
    with the square root of their light, so that dark ones, whose hue is rounding, count less.
    """
    import cv2

    lengths = np.linalg.norm(colours_linear, axis=1)
    units = colours_linear / np.maximum(lengths, 1e-6)[:, None]
    angle = np.rad2deg(np.arccos(np.clip(units.sum(axis=1) / np.sqrt(3), -1, 1)))
    across = units @ np.array([1, 0, -1], dtype=np.float32) / np.float32(np.sqrt(2))
    along = units @ np.array([-1, 2, -1], dtype=np.float32) / np.float32(np.sqrt(6))
    away = np.maximum(np.hypot(across, along), 1e-6)
    cells = _MAX_CHROMATICITY_DEG
    column = np.clip(np.floor(across / away * angle).astype(np.int64) + cells, 0, 2 * cells - 1)
    row = np.clip(np.floor(along / away * angle).astype(np.int64) + cells, 0, 2 * cells - 1)
    weights = np.sqrt(lengths)
    histogram = np.bincount(row * 2 * cells + column, weights=weights, minlength=4 * cells * cells)
    histogram = (histogram / max(float(weights.sum()), 1e-9)).reshape(2 * cells, 2 * cells).astype(np.float32)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9)).astype(np.float32)
    near = cv2.filter2D(histogram, cv2.CV_32F, disc, borderType=cv2.BORDER_CONSTANT)
    # A disc counts a single colour alike all around it; the peak of a bell is at the colour itself.
    bell = cv2.GaussianBlur(histogram, (0, 0), 2.0, borderType=cv2.BORDER_CONSTANT)
    top, left = np.unravel_index(int(np.argmax(bell)), bell.shape)
    mode = np.hypot(top + 0.5 - cells, left + 0.5 - cells)
    return float(mode), float(near.max()), float(near[cells - 1 : cells + 1, cells - 1 : cells + 1].mean())


def _shades_of_gray(image_linear: NDArray[np.float32]) -> NDArray[np.float64]:
    """(3,) unit illuminant: the Minkowski mean of each channel."""
    power = (image_linear.astype(np.float64).reshape(-1, 3) ** _MINKOWSKI_NORM).mean(axis=0)
    return _unit(power ** (1 / _MINKOWSKI_NORM))


def _grey_edge(image_linear: NDArray[np.float32]) -> NDArray[np.float64]:
    """(3,) unit illuminant: the Minkowski mean of the gradient of each channel."""
    import cv2

    smooth = cv2.GaussianBlur(image_linear, (0, 0), 1.0)
    down, right = np.diff(smooth, axis=0)[:, :-1], np.diff(smooth, axis=1)[:-1]
    if down.size == 0:
        return _unit(np.zeros(3))
    size = np.hypot(down, right).astype(np.float64).reshape(-1, 3)
    return _unit((size**_MINKOWSKI_NORM).mean(axis=0) ** (1 / _MINKOWSKI_NORM))


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else np.full(3, 3**-0.5)


def _angle_from_grey_deg(illuminant: NDArray[np.float64]) -> float:
    return float(np.rad2deg(np.arccos(np.clip(illuminant.sum() / np.sqrt(3), -1, 1))))
