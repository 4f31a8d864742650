"""Colour words that most people would agree on, from the colour of a picture."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from ..images import linear_from_srgb

__all__ = ["COLOUR_WORDS", "colour_shares", "colour_word", "oklch"]

COLOUR_WORDS = (
    "black",
    "grey",
    "white",
    "red",
    "orange",
    "yellow",
    "green",
    "turquoise",
    "blue",
    "purple",
    "pink",
    "brown",
    "beige",
)

_LEVELS = 15

# OKLab (Ottosson 2020): linear sRGB to cone responses, and their cube roots to lightness and two opponent colours.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklch(colour_srgb: ArrayLike) -> tuple[float, float, float]:
    """Lightness in [0, 1], chroma (0 for grey, about 0.3 at most) and hue in degrees of one display-encoded colour."""
    colour = np.asarray(colour_srgb, dtype=np.float32)
    if colour.shape != (3,) or not np.isfinite(colour).all():
        raise BenchDataError(f"a colour must be three display-encoded numbers in [0, 1], got {colour_srgb!r}")
    lightness, a, b = _LAB @ np.cbrt(_CONES @ linear_from_srgb(np.clip(colour, 0, 1)).astype(np.float64))
    return float(lightness), float(np.hypot(a, b)), float(np.degrees(np.arctan2(b, a)) % 360)


def colour_word(colour_srgb: ArrayLike) -> str | None:
    """One of `COLOUR_WORDS` for a display-encoded colour (3,) in [0, 1]; None where people would not agree.

    >>> colour_word((0.75, 0.1, 0.1)), colour_word((0.1, 0.2, 0.7)), colour_word((0.4, 0.25, 0.12))
    ('red', 'blue', 'brown')
    >>> colour_word((0.33, 0.33, 0.33)) is None  # black to some and grey to others
    False
    """
    lightness, chroma, hue = oklch(colour_srgb)
    if chroma < 0.026 or lightness < 0.2:
        return _neutral_word(lightness)
    if chroma < 0.034:
        return None
    return _hue_word(lightness, chroma, hue)


def colour_shares(colours_srgb: ArrayLike, weights: ArrayLike) -> dict[str, float]:
    """How much of a surface has each colour word, as shares of what has one; empty when nothing has.

    Args:
        colours_srgb: (N, 3) display-encoded, in [0, 1]; told apart in steps of 1/15.
        weights: (N,) areas.

    >>> colour_shares([[0.75, 0.1, 0.1], [0.75, 0.1, 0.1], [0.1, 0.1, 0.1]], [1, 2, 1])
    {'black': 0.25, 'red': 0.75}
    """
    levels = np.rint(np.clip(np.asarray(colours_srgb, dtype=np.float64), 0, 1) * _LEVELS).astype(np.intp)
    bins = (levels[:, 0] * (_LEVELS + 1) + levels[:, 1]) * (_LEVELS + 1) + levels[:, 2]
    totals = np.bincount(_word_of_bin()[bins], weights=np.asarray(weights), minlength=len(COLOUR_WORDS) + 1)
    known = float(totals[:-1].sum())
    if known <= 0:
        return {}
    return {word: float(total) / known for word, total in zip(COLOUR_WORDS, totals, strict=False) if total > 0}


@lru_cache(maxsize=1)
def _word_of_bin() -> NDArray[np.intp]:
    """For each of 4096 colours the number of its word, and one past the last for none."""
    steps = np.arange(_LEVELS + 1) / _LEVELS
    words = [colour_word((r, g, b)) for r in steps for g in steps for b in steps]
    return np.array([len(COLOUR_WORDS) if word is None else COLOUR_WORDS.index(word) for word in words], dtype=np.intp)


def _neutral_word(lightness: float) -> str | None:
    if lightness < 0.33:
        return "black"
    if 0.38 < lightness < 0.74:
        return "grey"
    return "white" if lightness > 0.8 else None


def _hue_word(lightness: float, chroma: float, hue: float) -> str | None:
    """The bounds are the project's own reading of colour charts; the gaps between them are nobody's colour."""
    if hue >= 345 or hue < 46:
        return _reddish_word(lightness, chroma, hue)
    if hue < 105:
        return _yellowish_word(lightness, chroma, hue)
    if 112 <= hue < 172:
        return "green" if chroma > 0.04 else None
    if 178 <= hue < 222:
        return "turquoise" if chroma > 0.04 else None
    if 232 <= hue < 285:
        return "blue" if chroma > 0.04 else None
    if 292 <= hue < 335:
        return "purple"
    return None


def _reddish_word(lightness: float, chroma: float, hue: float) -> str | None:
    if lightness > 0.66 and chroma > 0.05 and hue < 40:
        return "pink" if chroma < 0.075 or hue >= 345 or hue < 22 else None
    if 12 < hue < 38 and chroma > 0.11 and lightness < 0.62:
        return "red"
    if hue < 46 and hue > 30 and chroma < 0.09 and lightness < 0.6:
        return "brown"
    return "pink" if (hue >= 345 or hue < 10) and lightness > 0.55 and chroma > 0.08 else None


def _yellowish_word(lightness: float, chroma: float, hue: float) -> str | None:
    if chroma > 0.115 and lightness > 0.58:
        if hue < 72:
            return "orange"
        return "yellow" if hue > 80 and lightness > 0.62 else None
    if lightness > 0.7:
        return "beige" if chroma < 0.095 else None
    if lightness < 0.66 and hue < 95:
        return "brown" if chroma > 0.036 else None
    return None
