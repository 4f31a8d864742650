"""Pictures without edges: whether what little they show is more than a plain surface and its rounding."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .views import PictureViews

__all__ = ["measure_faint_share"]

_DEGREE: Final = 4
"""Of the polynomial that a smooth surface under smooth light is held to be."""
_SMOOTHING_PX: Final = 1.5
_ROUNDING: Final = 0.6
"""Grey levels: a smooth surface, rounded, is nowhere off by more than half a level and the error of the fit."""
_NOISE_LEFT: Final = 1 / (2 * np.sqrt(np.pi) * _SMOOTHING_PX)
"""Standard deviation of white noise after the smoothing, for one of 1 before."""
_NOISE_STDS: Final = 4.0


def measure_faint_share(views: PictureViews, noise_std: float) -> float:
    """Share of the pixels that neither a smooth surface nor rounding nor noise explains, from 0 to 1.

    The thickest haze leaves things a grey level or two, and no edge that could be measured; still these are not where a
    ramp or the fall-off of a lens would put them.

    Args:
        noise_std: of luma, in grey levels.
    """
    import cv2

    luma, marked = views.edge_luma, views.edge_marked
    free = np.ones(luma.shape, dtype=bool) if marked is None else ~marked
    if not free.any():
        return 0.0
    residual = np.where(free, luma - _smooth_surface(luma, free), 0).astype(np.float32)
    smooth = np.abs(cv2.GaussianBlur(residual, (0, 0), _SMOOTHING_PX))
    explained = _ROUNDING + _NOISE_STDS * _NOISE_LEFT * noise_std / views.edge_scale
    return float((smooth[free] > explained).mean())


def _smooth_surface(luma: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The polynomial in both coordinates that fits the pixels that count best, in least squares."""
    height, width = luma.shape
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    terms = [across**i * down**j for i in range(_DEGREE + 1) for j in range(_DEGREE + 1 - i)]
    basis = np.stack([term.ravel() for term in terms], axis=1)
    counted = free.ravel()
    weights, *_ = np.linalg.lstsq(basis[counted], luma.ravel()[counted].astype(np.float64), rcond=None)
    return np.asarray((basis @ weights).reshape(luma.shape), dtype=np.float64)
