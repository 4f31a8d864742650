"""From samples of any depth to 8 bits, and from transparent to opaque."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError

__all__ = ["Background", "composited", "u8_from_float", "u8_from_integers", "u8_from_u16"]

Background = tuple[int, int, int]
"""An opaque 8-bit sRGB colour."""


def u8_from_u16(samples: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """16-bit samples over their full range, 65535 = white, rounded to nearest.

    >>> u8_from_u16(np.array([0, 300, 1000, 65535], dtype=np.uint16)).tolist()
    [0, 1, 4, 255]
    """
    # 65535 = 257 * 255, so dividing by 257 is exact scaling.
    scaled: NDArray[np.uint8] = ((samples.astype(np.uint32) + 128) // 257).astype(np.uint8)
    return scaled


def u8_from_float(
    samples: NDArray[np.floating], value_range: tuple[float, float] | None, source: str
) -> NDArray[np.uint8]:
    """Float samples, display-encoded, over [0, 1] or the range that the caller states.

    Raises:
        BenchDataError: NaN or infinite values, values outside the range, or outside [0, 1] without one.
    """
    bad = int(np.count_nonzero(~np.isfinite(samples)))
    if bad:
        raise BenchDataError(
            f"{source}: {bad} of {samples.size} values are NaN or infinite, so this is no picture; replace them, or "
            "read a depth map with load_depth()"
        )
    return _scaled(samples, value_range, source, default=(0.0, 1.0))


def u8_from_integers(
    samples: NDArray[np.integer], value_range: tuple[float, float] | None, source: str
) -> NDArray[np.uint8]:
    """Integer samples over the range that the caller states, as no default is common for their type.

    Raises:
        BenchDataError: no range, or values outside it.
    """
    return _scaled(samples, value_range, source, default=None)


def _scaled(
    samples: NDArray[np.generic],
    value_range: tuple[float, float] | None,
    source: str,
    *,
    default: tuple[float, float] | None,
) -> NDArray[np.uint8]:
    low, high = float(samples.min()), float(samples.max())
    stated = value_range or default
    if stated is None or (value_range is None and (low < stated[0] or high > stated[1])):
        raise BenchDataError(
            f"{source}: {samples.dtype} values from {low:g} to {high:g}, and it is not known what black and white are; "
            "pass value_range=(black, white), for instance (0, 255), or read a depth map with load_depth()"
        )
    black, white = float(stated[0]), float(stated[1])
    if not (np.isfinite(black) and np.isfinite(white) and black < white):
        raise BenchDataError(f"{source}: value_range {stated} must be two finite numbers, black below white")
    if low < black or high > white:
        raise BenchDataError(
            f"{source}: values from {low:g} to {high:g} lie outside value_range {stated}; clip them first if that is "
            "meant"
        )
    unit = (samples.astype(np.float64) - black) / (white - black)
    return np.floor(unit * 255 + 0.5).astype(np.uint8)


def composited(
    image_srgb_u8: NDArray[np.uint8], alpha_u8: NDArray[np.uint8], background: Background
) -> NDArray[np.uint8]:
    """(H, W, 3) opaque picture from colours, (H, W) coverage and a background.

    Mixed on display-encoded values, as viewers do.
    """
    alpha = alpha_u8[..., None].astype(np.uint16)
    behind = np.array(background, dtype=np.uint16)
    mixed = image_srgb_u8.astype(np.uint16) * alpha + behind * (255 - alpha)
    # At most 255 * 255, so the rounded sum still fits 16 bits.
    return ((mixed + 127) // 255).astype(np.uint8)
