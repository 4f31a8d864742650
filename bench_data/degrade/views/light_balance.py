"""Gives back the light that a defocused rendering loses.

A Gaussian that is spread keeps its light, but where little of it falls on a pixel the renderer leaves it out, and many
faint layers cover less than they add up to: a strongly defocused room is up to 7 % darker. How much a place should be
covered is known from the sharp rendering; the quotient of both coverages, each averaged over the neighbourhood that
defocus mixes, is what each pixel's share of the scene is multiplied by. A common factor then makes the sums of both
equal, so that a lone point, whose neighbourhood is not even, keeps its light too. It is found at the nominal pose and
taken for all instants of an exposure, over which it hardly changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...render.frame import Frame
from .row_bands import RowBand

__all__ = ["LARGEST_GAIN", "balanced", "coverage_gain"]

LARGEST_GAIN = 1.25
_NEIGHBOURHOOD = 1 / 12
_HARDLY_COVERED = 0.02


def coverage_gain(sharp_alpha: NDArray[np.float32], spread_alpha: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) factor of the scene's share of each pixel, from 1 / 1.25 to 1.25.

    Args:
        sharp_alpha, spread_alpha: (H, W) coverage without and with defocus.
    """
    from scipy.ndimage import uniform_filter

    side = 2 * round(_NEIGHBOURHOOD * max(sharp_alpha.shape) / 2) + 1
    wanted, found = (
        uniform_filter(uniform_filter(alpha.astype(np.float64), side, mode="nearest"), side, mode="nearest")
        for alpha in (sharp_alpha, spread_alpha)
    )
    quotient = np.where(found > _HARDLY_COVERED, wanted / np.maximum(found, _HARDLY_COVERED), 1.0)
    gain = np.clip(quotient, 1 / LARGEST_GAIN, LARGEST_GAIN)
    total = float((gain * spread_alpha).sum())
    even = float(sharp_alpha.sum(dtype=np.float64)) / total if total > 0 else 1.0
    return np.clip(gain * even, 1 / LARGEST_GAIN, LARGEST_GAIN).astype(np.float32)


def balanced(
    frame: Frame, rows: RowBand, gain: NDArray[np.float32] | None, background: tuple[float, float, float]
) -> NDArray[np.float32]:
    """(h, W, 3) display-encoded picture of some rows with the scene's share of it multiplied by the gain (H, W)."""
    if gain is None:
        return frame.image_srgb
    here = gain[rows[0] : rows[1]]
    behind = np.asarray(background, np.float32)
    covered = np.minimum(frame.alpha * here, np.float32(1))[..., None]
    of_scene = (frame.image_srgb - (1 - frame.alpha[..., None]) * behind) * here[..., None]
    return np.asarray(np.clip(of_scene + (1 - covered) * behind, 0, 1), dtype=np.float32)
