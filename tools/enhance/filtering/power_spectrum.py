"""The mean power spectrum of a picture, from overlapping windowed tiles (Welch's method)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["PowerSpectrum", "power_spectrum"]

_TILES_AT_MOST = 150
_SMALLEST_TILE = 64


@dataclass(frozen=True)
class PowerSpectrum:
    """Power over the half plane of frequencies that a real picture has.

    Args:
        power: (T, T // 2 + 1) mean power; each tile counts alike, whatever its contrast.
        across, down: (T, T // 2 + 1) frequency along x and y in cycles per pixel.
    """

    power: NDArray[np.float64]
    across: NDArray[np.float64]
    down: NDArray[np.float64]

    @property
    def tile_px(self) -> int:
        return int(self.power.shape[0])


def power_spectrum(plane: NDArray[np.float32], *, tile_px: int) -> PowerSpectrum | None:
    """The spectrum of (H, W) ``plane``; smaller tiles are used for small pictures, None below 64 pixels a side."""
    while tile_px > min(plane.shape) and tile_px > _SMALLEST_TILE:
        tile_px //= 2
    if tile_px > min(plane.shape):
        return None
    window = np.outer(np.hanning(tile_px), np.hanning(tile_px))
    total = np.zeros((tile_px, tile_px // 2 + 1))
    for top, left in _corners(plane.shape, tile_px):
        tile = plane[top : top + tile_px, left : left + tile_px].astype(np.float64)
        power = np.abs(np.fft.rfft2((tile - tile.mean()) * window)) ** 2
        strength = float(power.mean())
        # A flat tile holds rounding only.
        if strength > 1e-9:
            total += power / strength
    if not total.any():
        return None
    across, down = np.meshgrid(np.fft.rfftfreq(tile_px), np.fft.fftfreq(tile_px))
    return PowerSpectrum(total, across, down)


def _corners(shape: tuple[int, ...], tile_px: int) -> list[tuple[int, int]]:
    """Corners of half-overlapping tiles, evenly thinned out when there are very many."""
    rows = range(0, shape[0] - tile_px + 1, tile_px // 2)
    columns = range(0, shape[1] - tile_px + 1, tile_px // 2)
    corners = [(row, column) for row in rows for column in columns]
    return corners[:: -(-len(corners) // _TILES_AT_MOST)]
