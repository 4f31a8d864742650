"""Colours that changed in one place only, and hues that turned everywhere.

White balance, exposure, haze removal and saturation change colours too, but by one rule for the whole picture. That
rule is fitted first (opponent colours of the edit as an affine function of the original's opponent colours and luma);
a place whose hue disagrees with it was recoloured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .inputs import luma
from .structure import blur

__all__ = ["Recolouring", "measure_recolouring"]

_SIGMA_PX = 2.5
# Opponent colour below this strength has no dependable hue.
_LEAST_CHROMA = 0.06
# The same relative to brightness, for the original, and the brightness that keeps black from counting as coloured.
_LEAST_SATURATION, _DARK_LUMA = 0.12, 0.03
_FIT_ROUNDS = 3
# Hue differences that count as none and as full recolouring.
_HUE_TOLERANCE_DEG, _HUE_CHANGED_DEG = 45.0, 90.0
# Share of the picture that must show colour before hues are compared.
_LEAST_COLOURED = 0.02


@dataclass(frozen=True)
class Recolouring:
    """Map (h, w) float32: 0 = as the rule says, 1 = another hue; and the turn of all hues in degrees."""

    map: NDArray[np.float32]
    hue_rotation_deg: float


def measure_recolouring(
    first: NDArray[np.float32], second: NDArray[np.float32], judged: NDArray[np.bool_]
) -> Recolouring:
    """Compares the colours of two pictures (h, w, 3) of one size whose pixels correspond."""
    before, after = _opponent(first), _opponent(second)
    brightness = blur(luma(first), _SIGMA_PX)
    strength_before, strength_after = np.linalg.norm(before, axis=2), np.linalg.norm(after, axis=2)
    coloured = judged & (np.maximum(strength_before, strength_after) > _LEAST_CHROMA)
    if coloured.mean() < _LEAST_COLOURED:
        return Recolouring(np.zeros(first.shape[:2], dtype=np.float32), 0.0)
    known = np.stack([before[..., 0], before[..., 1], brightness, np.ones_like(brightness)], axis=-1)
    rule = _fitted_rule(known[judged], after[judged])
    expected = np.asarray(known @ rule, dtype=np.float32)
    strength_expected = np.linalg.norm(expected, axis=2)
    # A thing that showed no hue of its own, in haze or in glare, cannot be said to have changed it.
    own = _presence(strength_before / (brightness + np.float32(_DARK_LUMA)), _LEAST_SATURATION)
    known_hues = _presence(strength_expected, _LEAST_CHROMA) * _presence(strength_after, _LEAST_CHROMA)
    sure = own * known_hues * judged
    cosine = (expected * after).sum(axis=2) / np.maximum(strength_expected * strength_after, 1e-6)
    difference_deg = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    turned = np.clip((difference_deg - _HUE_TOLERANCE_DEG) / (_HUE_CHANGED_DEG - _HUE_TOLERANCE_DEG), 0, 1)
    return Recolouring(np.asarray(turned * sure, dtype=np.float32), _rotation_deg(before[judged], after[judged]))


def _opponent(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Two opponent colours (h, w, 2), smoothed: the plane in which grey is 0 and hue is an angle."""
    red, green, blue = np.moveaxis(blur(image, _SIGMA_PX), 2, 0)
    return np.stack([red - (green + blue) / 2, np.float32(np.sqrt(3) / 2) * (green - blue)], axis=-1)


def _fitted_rule(known: NDArray[np.float32], wanted: NDArray[np.float32]) -> NDArray[np.float64]:
    """(4, 2) coefficients, least squares with weights that fall with the error (Cauchy), so that a part may differ."""
    # A few thousand pixels determine eight numbers well enough.
    step = max(len(known) // 6000, 1)
    rows, targets = known[::step].astype(np.float64), wanted[::step].astype(np.float64)
    weights = np.ones(len(rows))
    rule: NDArray[np.float64] = np.zeros((4, 2))
    for _ in range(_FIT_ROUNDS):
        weighted = rows * weights[:, None]
        # A faint ridge keeps grey pictures, whose colours determine nothing, solvable.
        normal = weighted.T @ rows + 1e-6 * len(rows) * np.eye(4)
        rule = np.linalg.solve(normal, weighted.T @ targets).astype(np.float64)
        error = np.linalg.norm(rows @ rule - targets, axis=1)
        scale = max(1.5 * float(np.median(error)), 0.01)
        weights = 1 / (1 + (error / scale) ** 2)
    return rule


def _rotation_deg(before: NDArray[np.float32], after: NDArray[np.float32]) -> float:
    """The turn that takes one set of opponent colours best onto the other, both about their own mean.

    About the mean, because a colour cast moves all colours alike without turning them. 0 when the sets are unlike.
    """
    z = (before[:, 0] + 1j * before[:, 1]).astype(np.complex128)
    w = (after[:, 0] + 1j * after[:, 1]).astype(np.complex128)
    z, w = z - z.mean(), w - w.mean()
    common = np.vdot(z, w)
    if abs(common) < 0.3 * np.sqrt(np.vdot(z, z).real * np.vdot(w, w).real) or abs(common) == 0:
        return 0.0
    return float(np.degrees(np.angle(common)))


def _presence(strength: NDArray[np.float32], least: float) -> NDArray[np.float32]:
    """0 up to ``least``, 1 from twice of it."""
    sure: NDArray[np.float32] = np.clip(strength / np.float32(least) - 1, 0, 1)
    return sure
