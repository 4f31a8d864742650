"""Whether the two rims of a mark's disc are at a place in a picture, all around, with a number within."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .drawing import rim_radii

__all__ = ["Circle", "clearest_circles"]

_ANGLES: Final = np.arange(32) * (2 * np.pi / 32)
_ROUGH_SHARE, _RIM_SHARE = 0.5, 0.85
"""Share of the angles at which paper on both sides stands out from the rim; at first look, and around the best
circle."""
_STEP: Final = 60.0
"""By so many grey levels."""
_LEAST_INK: Final = 0.05
"""Share of the inner disc that its number covers at least, and leaves free: a letter "o" has rims and no number."""
_RING_REACHES: Final = np.array([0.7, 0.76, 0.82, 0.88])
_MOST_RING_INK: Final = 0.7
"""Share of a circle around the middle, of so many inner radii, that the number covers at most."""

Levels = NDArray[np.float64]


class Circle(NamedTuple):
    """A circle in pixels.

    Attributes:
        x, y: its middle.
        radius: of the outer rim.
        sign: 1 for a light disc, -1 for a dark one.
        step: mean step between rim and paper, grey levels.
    """

    x: float
    y: float
    radius: float
    sign: int
    step: float


def clearest_circles(grey: NDArray[np.float32], candidates: Sequence[Circle]) -> list[Circle]:
    """The best circle near each candidate that is the rim of a mark; candidates that are none are left out.

    Args:
        grey: (H, W) 0 to 255.
        candidates: to a pixel, and to a tenth of the radius.
    """
    rough = _best_near(grey, candidates, shifts=(0.0,), factors=(0.95, 1.0, 1.05))
    likely = [one for one, (clear, _) in zip(candidates, rough, strict=True) if clear >= _ROUGH_SHARE]
    close = _best_near(grey, likely, shifts=(-0.5, 0.0, 0.5), factors=(0.92, 0.96, 1.0, 1.04, 1.08))
    return [circle for clear, circle in close if clear >= _RIM_SHARE and _has_number(grey, circle)]


def _best_near(
    grey: NDArray[np.float32], candidates: Sequence[Circle], *, shifts: tuple[float, ...], factors: tuple[float, ...]
) -> list[tuple[float, Circle]]:
    """For each candidate, the share of angles with a clear rim, and the circle where this is largest."""
    if not candidates:
        return []
    dx, dy, factor = (axis.ravel() for axis in np.meshgrid(shifts, shifts, factors, indexing="ij"))
    start = np.array(candidates)
    xs, ys, radii = start[:, :1] + dx, start[:, 1:2] + dy, start[:, 2:3] * factor
    outer, inner = rim_radii(radii)
    is_dark = (start[:, 3] < 0)[:, None, None, None]

    def ring(low: Levels, high: Levels) -> Levels:
        """(N, circles, 3, angles) levels at three distances; those of dark discs are turned to those of light ones."""
        at = (low[..., None] + (high - low)[..., None] * np.array([0.1, 0.5, 0.9]))[..., None]
        levels = sampled(grey, xs[..., None, None] + at * np.cos(_ANGLES), ys[..., None, None] + at * np.sin(_ANGLES))
        return np.where(is_dark, 255 - levels, levels)

    # Rims are as thin as a pixel, so the middle of one may lie between two: the extreme of three is it.
    rim, within, without = ring(inner, outer).min(axis=2), ring(inner - 1.2, inner).max(axis=2), ring(outer, radii)
    steps = np.minimum(within, without.max(axis=2)) - rim
    clear, step = (steps > _STEP).mean(axis=2), steps.mean(axis=2)
    best = np.argmax(clear + step / 1000, axis=1)
    return [
        (
            float(clear[n, v]),
            Circle(float(xs[n, v]), float(ys[n, v]), float(radii[n, v]), candidates[n].sign, float(step[n, v])),
        )
        for n, v in enumerate(best.tolist())
    ]


def _has_number(grey: NDArray[np.float32], circle: Circle) -> bool:
    """Ink within, but nowhere a whole ring of it, as there is where the white rim of a light disc in the dark is taken
    for the rim of a dark one."""
    inner = float(rim_radii(np.array(circle.radius))[1])

    def is_ink(across: Levels, down: Levels) -> NDArray[np.bool_]:
        levels = sampled(grey, circle.x + across, circle.y + down)
        return levels < 128 if circle.sign > 0 else levels > 128

    at = inner * _RING_REACHES[:, None]
    if is_ink(at * np.cos(_ANGLES), at * np.sin(_ANGLES)).mean(axis=1).max() > _MOST_RING_INK:
        return False
    steps = np.linspace(-0.75 * inner, 0.75 * inner, 13)
    across, down = (axis.ravel() for axis in np.meshgrid(steps, steps))
    inside = np.hypot(across, down) <= 0.75 * inner
    return _LEAST_INK <= float(is_ink(across[inside], down[inside]).mean()) <= 1 - _LEAST_INK


def sampled(grey: NDArray[np.float32], xs: Levels, ys: Levels) -> Levels:
    """Levels between pixels, pixel centres at +0.5; beyond the border, what is at it."""
    from scipy import ndimage

    return np.asarray(ndimage.map_coordinates(grey, (ys - 0.5, xs - 0.5), order=1, mode="nearest", output=np.float64))
