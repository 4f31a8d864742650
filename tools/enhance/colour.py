"""Colour cast: the colour of the light, estimated three ways, and taken off as far as the three agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb, srgb_from_linear
from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, ramp, strength_of

__all__ = ["estimate_illuminants", "white_balance"]

_NORM = 6
"""Minkowski norm of shades-of-grey and grey-edge: the best of Finlayson and Trezzi (2004) and van de Weijer (2007)."""
_USUAL_CAST_DEG, _STRONG_CAST_DEG = 4.0, 9.0
"""Angle of the light from white: what ordinary scenes show, and what nobody takes for daylight."""
_AGREEMENT_DEG, _DISAGREEMENT_DEG = 8.0, 18.0
"""Spread of the estimates: within the first it is the light, beyond the second it is the scene that has a colour."""
_MOST_GAIN = 3.0
_CLIPPED, _DARK = 0.98, 0.02


@rectifier(
    "white_balance",
    summary="Takes off a colour cast of the light, as far as three estimates of it agree",
    treats=(Stress.COLOUR_CAST,),
    stage=Stage.EXPOSURE,
    cost=Cost.TENTHS,
    options={STRENGTH: STRENGTH_HELP},
)
def white_balance(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """Von Kries scaling in linear light, by the mean of grey-world, shades-of-grey and grey-edge.

    A forest is green without any cast: there the estimates disagree, and little is done. The luminance of the picture
    stays what it was (Buchsbaum 1980; Finlayson and Trezzi 2004; van de Weijer, Gevers and Gijsenij 2007).
    """
    light = linear_from_srgb(image_srgb)
    estimates = estimate_illuminants(light)
    if not len(estimates):
        return Rectified(image_srgb.copy(), parameters={STRENGTH: 0.0}, note="too little light to tell its colour")
    mean = estimates.mean(axis=0)
    mean /= np.linalg.norm(mean)
    cast_deg = _angle_deg(mean, np.ones(3) / np.sqrt(3))
    spread_deg = max(_angle_deg(estimate, mean) for estimate in estimates)
    agreement = ramp(spread_deg, _DISAGREEMENT_DEG, _AGREEMENT_DEG)
    strength = agreement * strength_of(hint, ramp(cast_deg, _USUAL_CAST_DEG, _STRONG_CAST_DEG))
    parameters = {"cast_deg": cast_deg, "spread_deg": spread_deg, STRENGTH: strength}
    if strength == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="the light looks neutral; left as it is")
    gains = np.clip(mean.mean() / np.maximum(mean, 1e-6), 1 / _MOST_GAIN, _MOST_GAIN)
    # Rec. 709 weights: what the eye calls brightness must not change.
    luminance = np.array([0.2126, 0.7152, 0.0722])
    gains *= (luminance @ mean) / (luminance @ (mean * gains))
    balanced = srgb_from_linear((light * gains.astype(np.float32)).astype(np.float32))
    parameters |= {"gain_red": float(gains[0]), "gain_green": float(gains[1]), "gain_blue": float(gains[2])}
    note = f"took off a cast of {cast_deg:.0f} degrees"
    return Rectified(blend(image_srgb, balanced, strength), parameters=parameters, note=note)


def estimate_illuminants(image_linear: NDArray[np.float32]) -> NDArray[np.float64]:
    """Unit vectors (k, 3): the colour of the light by grey-world, shades-of-grey and grey-edge.

    Clipped and dark pixels say nothing about it and are left out; with too few others there is no row.
    """
    import cv2

    height, width = image_linear.shape[:2]
    scale = min(1.0, 256 / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(image_linear, size, interpolation=cv2.INTER_AREA).reshape(size[1], size[0], 3)
    usable = (small.max(axis=2) < _CLIPPED) & (small.mean(axis=2) > _DARK)
    if usable.sum() < max(16, 0.02 * usable.size):
        return np.empty((0, 3))
    pixels = small[usable].astype(np.float64)
    smooth = cv2.GaussianBlur(small, (0, 0), 1.0).reshape(small.shape).astype(np.float64)
    edges = np.zeros_like(smooth)
    if min(size) > 1:
        edges = np.hypot(np.gradient(smooth, axis=0), np.gradient(smooth, axis=1))
    found = [pixels.mean(axis=0), _minkowski(pixels), _minkowski(edges[usable])]
    kept = [estimate / np.linalg.norm(estimate) for estimate in found if np.linalg.norm(estimate) > 1e-9]
    return np.array(kept).reshape(-1, 3)


def _minkowski(values: NDArray[np.float64]) -> NDArray[np.float64]:
    peak = float(values.max(initial=0.0))
    if peak <= 0:
        return np.zeros(3)
    mean: NDArray[np.float64] = peak * np.mean((values / peak) ** _NORM, axis=0) ** (1 / _NORM)
    return mean


def _angle_deg(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.degrees(np.arccos(np.clip(a @ b, -1, 1))))
