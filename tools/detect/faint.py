"""Pictures without edges: whether what little they show is more than a plain surface and its rounding."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .views import PictureViews

__all__ = ["measure_faint_share"]

_SHORTEST_PX: Final = 16
"""Of a side: in smaller pictures edges were not looked for either."""
_DEGREE: Final = 4
"""Of the polynomial that a smooth surface under smooth light is held to be."""
_FITTED_PX: Final = 4_000
_SMOOTHING_PX: Final = 1.5
_ROUNDING: Final = 0.6
"""Grey levels: a smooth surface, rounded, is nowhere off by more than half a level and the error of the fit."""
_MOST: Final = 4.0
"""Grey levels by which one pixel in a hundred may be off. What shows by more and has no edge is blurred, not veiled."""
_JPEG_BLOCK_PX, _MOST_ON_GRID = 8, 0.25
"""Of the steps between neighbouring pixels, one in eight falls on the grid of JPEG by chance."""
_NOISE_LEFT: Final = 1 / (2 * np.sqrt(np.pi) * _SMOOTHING_PX)
"""Standard deviation of white noise after the smoothing, for one of 1 before."""
_NOISE_STDS: Final = 4.0


def measure_faint_share(views: PictureViews, noise_std: float) -> float:
    """Share of the pixels that neither a smooth surface nor rounding nor noise explains, from 0 to 1.

    The thickest haze leaves things a grey level or two, and no edge that could be measured; still these are not where a
    ramp or the fall-off of a lens would put them. 0 where more is to be seen than that, and where a JPEG has turned a
    ramp into blocks.

    Args:
        noise_std: of luma, in grey levels.
    """
    import cv2

    luma, marked = views.edge_luma, views.edge_marked
    free = np.ones(luma.shape, dtype=bool) if marked is None else ~marked
    if min(luma.shape) < _SHORTEST_PX or not free.any():
        return 0.0
    residual = np.where(free, luma - _smooth_surface(luma, free), 0).astype(np.float32)
    off = np.abs(cv2.GaussianBlur(residual, (0, 0), _SMOOTHING_PX))[free]
    if float(np.quantile(off, 0.99)) > _MOST or _share_on_grid(luma) > _MOST_ON_GRID:
        return 0.0
    return float((off > _ROUNDING + _NOISE_STDS * _NOISE_LEFT * noise_std / views.edge_scale).mean())


def _share_on_grid(luma: NDArray[np.float32]) -> float:
    """Of the steps from pixel to pixel, the share that lies between blocks of a JPEG."""
    steps = [np.abs(np.diff(luma, axis=1)).sum(axis=0), np.abs(np.diff(luma, axis=0)).sum(axis=1)]
    on_grid = sum(float(one[_JPEG_BLOCK_PX - 1 :: _JPEG_BLOCK_PX].sum()) for one in steps)
    return on_grid / max(sum(float(one.sum()) for one in steps), 1e-6)


def _smooth_surface(luma: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The polynomial in both coordinates that fits the pixels that count best, in least squares over some of them."""
    across, down = (np.vander(np.linspace(-1, 1, size), _DEGREE + 1, increasing=True) for size in luma.shape[::-1])
    powers = [(i, j) for i in range(_DEGREE + 1) for j in range(_DEGREE + 1 - i)]
    rows, columns = np.nonzero(free)
    step = max(1, len(rows) // _FITTED_PX)
    rows, columns = rows[::step], columns[::step]
    basis = np.stack([across[columns, i] * down[rows, j] for i, j in powers], axis=1)
    fitted, *_ = np.linalg.lstsq(basis, luma[rows, columns].astype(np.float64), rcond=None)
    weights = np.zeros((_DEGREE + 1, _DEGREE + 1))
    weights[tuple(zip(*powers, strict=True))] = fitted
    return np.asarray(down @ weights.T @ across.T, dtype=np.float64)
