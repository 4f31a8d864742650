"""Paints and dyes: display-encoded colours under the word that they are called by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...images import linear_from_srgb
from .surfels import Array

__all__ = ["PAINTS", "WOODS", "linear", "paint", "pick"]

PAINTS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "black": ((22, 22, 24), (28, 27, 27)),
    "grey": ((118, 120, 122), (134, 133, 131), (104, 107, 110)),
    "white": ((238, 238, 236), (232, 233, 235)),
    "red": ((184, 28, 34), (170, 22, 30), (196, 36, 40)),
    "orange": ((236, 120, 24), (228, 112, 30)),
    "yellow": ((240, 196, 30), (232, 188, 44)),
    "green": ((40, 120, 60), (62, 128, 58), (30, 100, 66)),
    "turquoise": ((30, 150, 152), (40, 164, 168)),
    "blue": ((30, 76, 168), (40, 92, 180), (28, 62, 140)),
    "purple": ((112, 52, 140), (124, 66, 150)),
    "pink": ((236, 130, 164), (230, 120, 160)),
    "brown": ((106, 66, 36), (94, 58, 34)),
    "beige": ((222, 202, 164), (214, 192, 150)),
}

WOODS: dict[str, tuple[int, int, int]] = {
    "oak": (176, 128, 76),
    "beech": (206, 164, 112),
    "walnut": (98, 64, 38),
    "teak": (138, 84, 44),
    "birch": (222, 194, 150),
    "wenge": (58, 42, 32),
}


def linear(colour_u8: ArrayLike) -> Array:
    """Linear light (3,) of an 8-bit display-encoded colour."""
    return linear_from_srgb(np.asarray(colour_u8, dtype=np.float32) / np.float32(255)).astype(np.float64)


def paint(word: str, rng: np.random.Generator) -> Array:
    """Linear albedo (3,) of one of the paints that go by that word."""
    choices = PAINTS[word]
    return linear(choices[int(rng.integers(len(choices)))])


def pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    """One of some words."""
    return choices[int(rng.integers(len(choices)))]
