"""Follows the line that leads from the disc of a mark to its object."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .drawing import line_width_px
from .finding import FoundDisc
from .rims import sampled

__all__ = ["line_end"]

_STEP: Final = 45.0
"""Grey levels between the ink of a line and the paper on both sides."""
_CLEAR: Final = 0.75
"""Share of a line that shows this step."""
_LONGEST: Final = 16.0
_SHORTEST: Final = 0.45
"""In radii, from the rim; marks stand so close that a line is never shorter than 0.6 and never longer than 14."""
_ALONG_PX: Final = 0.5
_WINDOW: Final = 9
"""Samples along the line over which gaps are forgiven: what is seen through smooth edges, or another line across."""


def line_end(grey: NDArray[np.float32], disc: FoundDisc) -> tuple[float, float] | None:
    """(x, y) where the line of a disc ends; None for a disc without one.

    Args:
        grey: (H, W) 0 to 255.
        disc: to half a pixel.
    """
    radius = disc.radius_px
    first = radius + 0.5 + _ALONG_PX * np.arange(math.ceil(max(4.0, _SHORTEST * radius) / _ALONG_PX))
    around = np.arange(0, 2 * np.pi, 0.5 / (1.5 * radius))
    clear = (_steps(grey, disc, around, first) > _STEP).mean(axis=1)
    begins = np.flatnonzero((clear >= _CLEAR) & (clear >= np.roll(clear, 1)) & (clear >= np.roll(clear, -1)))
    longest, end = 0.0, None
    for index in begins[np.argsort(-clear[begins], kind="stable")][:4].tolist():
        near = around[index] + np.linspace(-0.5, 0.5, 21) / 1.5 / radius
        at = radius + 0.5 + _ALONG_PX * np.arange(math.ceil(_LONGEST * radius / _ALONG_PX))
        lengths = _lengths(_steps(grey, disc, near, at) > _STEP)
        best = int(np.argmax(lengths))
        if lengths[best] > longest:
            longest, reach = float(lengths[best]), radius + float(lengths[best])
            end = (
                disc.centre_px[0] + reach * math.cos(near[best]),
                disc.centre_px[1] + reach * math.sin(near[best]),
            )
    return end if longest >= _SHORTEST * radius else None


def _lengths(is_line: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(N,) pixels from the rim as far as every stretch of each ray is mostly line."""
    share = np.cumsum(np.pad(is_line.astype(np.float64), ((0, 0), (1, _WINDOW - 1)), mode="edge"), axis=1)
    gap = (share[:, _WINDOW:] - share[:, :-_WINDOW]) / _WINDOW < 0.5
    return np.asarray(np.where(gap.any(axis=1), np.argmax(gap, axis=1), gap.shape[1]) * _ALONG_PX, np.float64)


def _steps(
    grey: NDArray[np.float32], disc: FoundDisc, angles: NDArray[np.floating], along: NDArray[np.floating]
) -> NDArray[np.float64]:
    """(angles, along) how much a line in the disc's colours would stand out there, grey levels."""
    across = line_width_px(disc.radius_px) * np.array([-1.2, -0.9, -0.6, -0.2, 0.0, 0.2, 0.6, 0.9, 1.2])
    cosine, sine = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    at = along[:, None]
    levels = sampled(
        grey,
        disc.centre_px[0] + at * cosine - across * sine,
        disc.centre_px[1] + at * sine + across * cosine,
    )
    turned = levels if disc.disc == "light" else 255 - levels
    paper = np.minimum(turned[..., :3].max(axis=-1), turned[..., 6:].max(axis=-1))
    return np.asarray(paper - turned[..., 3:6].min(axis=-1))
