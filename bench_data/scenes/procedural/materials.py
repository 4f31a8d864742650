"""Materials: what a surface is made of, as light coming back from each of its points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..colour_words import colour_word
from .noise import fractal_noise, lattice_random, value_noise
from .palette import WOODS, linear, paint, pick
from .surfels import Array

__all__ = [
    "PATTERNS",
    "Material",
    "Texture",
    "brick",
    "cardboard",
    "carpet",
    "ceramic",
    "fabric",
    "glass",
    "glowing",
    "lacquer",
    "leather",
    "marble",
    "metal",
    "plain",
    "plaster",
    "plastic",
    "steel",
    "wicker",
    "wood",
]

Texture = Callable[[Array, Array], Array]
"""Linear albedo (N, 3) at places u, v (N,) in metres along the surface."""

PATTERNS = ("striped", "checked", "spotted")


@dataclass(frozen=True, eq=False)
class Material:
    """Args:
    word: the adjective that people use ("wooden").
    texture: albedo along the surface.
    stretch: length and width of surfels against the usual; long ones follow a grain.
    glow: linear light of its own per albedo.
    colour: word for its colour, "" where it has several.
    pattern: word for its pattern, "" where it is plain.
    """

    word: str
    texture: Texture
    stretch: tuple[float, float] = (1.0, 1.0)
    glow: float = 0.0
    colour: str = ""
    pattern: str = ""

    def glows(self, glow: float) -> Material:
        """The same with light of its own."""
        return replace(self, glow=glow)


def plain(word: str, albedo: Array, *, roughness: float = 0.04, seed: int = 0, colour: str = "") -> Material:
    """One colour with slight unevenness."""

    def texture(u: Array, v: Array) -> Array:
        shade = 1 + roughness * fractal_noise(u * 9, v * 9, seed, octaves=2)
        return np.asarray(albedo * shade[:, None])

    return Material(word, texture, colour=colour)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def wood(rng: np.random.Generator, kind: str | None = None) -> Material:
    """Wood with its grain along u, of one of `WOODS`."""
    colour_u8 = WOODS[kind or pick(rng, tuple(WOODS))]
    base, word = linear(colour_u8), colour_word(np.asarray(colour_u8) / 255)
    seed, wave = _seed(rng), float(rng.uniform(0.6, 1.2))

    def texture(u: Array, v: Array) -> Array:
        bend = value_noise(u * 0.9, v * 2.0, seed) * wave
        rings = np.sin((v * 34 + bend * 5) * 2) * 0.5 + value_noise(u * 2.5, v * 60, seed + 1) * 0.7
        tone = value_noise(u * 1.5, v * 3, seed + 2)
        shade = 1 + 0.16 * rings + 0.10 * tone
        return np.asarray(base * shade[:, None] * (1 + np.outer(0.05 * rings, [0.0, -0.5, -1.0])))

    return Material("wooden", texture, stretch=(2.2, 0.7), colour=word or "")


def lacquer(rng: np.random.Generator, word: str) -> Material:
    """Painted board in the colour of that word."""
    return plain("wooden", paint(word, rng), roughness=0.03, seed=_seed(rng), colour=word)


def plastic(rng: np.random.Generator, word: str) -> Material:
    """Plastic in the colour of that word."""
    return plain("plastic", paint(word, rng), roughness=0.02, seed=_seed(rng), colour=word)


def ceramic(rng: np.random.Generator, word: str, pattern: str = "") -> Material:
    """Glazed ceramic, plain or in bands with white."""
    one = plain("ceramic", paint(word, rng), roughness=0.05, seed=_seed(rng), colour=word)
    return _patterned(one, pattern, linear((236, 234, 226)), 0.05, _seed(rng)) if pattern else one


def metal(rng: np.random.Generator, word: str) -> Material:
    """Painted metal in the colour of that word."""
    return plain("metal", paint(word, rng), roughness=0.03, seed=_seed(rng), colour=word)


def steel(rng: np.random.Generator, level: int = 150) -> Material:
    """Bare brushed metal; ``level`` is its 8-bit grey."""
    base, seed = linear((level, level, level + 4)), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        streak = value_noise(u * 2, v * 80, seed) * 0.10 + value_noise(u * 1.2, v * 1.2, seed + 1) * 0.18
        return np.asarray(base * (1 + streak)[:, None])

    return Material("metal", texture, colour="grey")


def leather(rng: np.random.Generator, word: str) -> Material:
    """Leather: soft dark folds over one colour."""
    base, seed = paint(word, rng), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        folds = np.abs(fractal_noise(u * 6, v * 6, seed))
        return np.asarray(base * (1.06 - 0.28 * np.exp(-folds * 9))[:, None])

    return Material("leather", texture, colour=word)


def fabric(rng: np.random.Generator, word: str, pattern: str = "", *, period_m: float = 0.12) -> Material:
    """Woven cloth, plain or in one of `PATTERNS` with a paler shade of its colour."""
    base, seed = paint(word, rng), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        weave = 0.05 * np.sin(u * 260) * np.sin(v * 260) + 0.07 * fractal_noise(u * 30, v * 30, seed, octaves=2)
        return np.asarray(base * (1 + weave + 0.06 * value_noise(u * 3, v * 3, seed + 7))[:, None])

    cloth = Material("fabric", texture, colour=word)
    if not pattern:
        return cloth
    second = linear((238, 232, 220)) if word not in ("white", "beige") else linear((96, 104, 120))
    return _patterned(cloth, pattern, second, period_m, seed)


def carpet(rng: np.random.Generator, word: str, pattern: str = "") -> Material:
    """Deep pile: speckled, plain or patterned."""
    base, seed = paint(word, rng), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        speck = lattice_random(np.floor(u * 90).astype(np.int64), np.floor(v * 90).astype(np.int64), seed)
        return np.asarray(base * (0.86 + 0.28 * speck + 0.08 * value_noise(u * 5, v * 5, seed))[:, None])

    pile = Material("fabric", texture, colour=word)
    return _patterned(pile, pattern, linear((226, 216, 196)), 0.24, seed) if pattern else pile


def _patterned(ground: Material, pattern: str, second: Array, period_m: float, seed: int) -> Material:
    def texture(u: Array, v: Array) -> Array:
        colours = ground.texture(u, v)
        share = _pattern_share(pattern, u / period_m, v / period_m)[:, None]
        rough = 1 + 0.05 * value_noise(u * 40, v * 40, seed + 3)
        return np.asarray(colours * (1 - share) + second * rough[:, None] * share)

    return replace(ground, texture=texture, pattern=pattern)


def _pattern_share(pattern: str, u: Array, v: Array) -> Array:
    """(N,) in [0, 1]: how much of the second colour shows; about a third of the surface in each pattern."""
    if pattern == "striped":
        return np.asarray(np.clip((np.abs(u % 1 - 0.5) - 0.31) * 12, 0, 1))
    if pattern == "checked":
        return np.asarray(0.45 * ((u % 1 < 0.5).astype(float) + (v % 1 < 0.5)))
    row = np.floor(v)
    du, dv = (u + 0.5 * (row % 2)) % 1 - 0.5, v - row - 0.5
    return np.asarray(np.clip((0.3 - np.hypot(du, dv)) * 14, 0, 1))


def glass(rng: np.random.Generator, tint: tuple[int, int, int] = (150, 176, 184)) -> Material:
    """Glass as a pale surface with a bright slanting reflection: surfels are opaque."""
    base, seed = linear(tint), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        sheen = np.clip(value_noise((u + v) * 2.2, (u - v) * 0.6, seed) * 1.6, 0, 1)
        return np.asarray(base * (0.75 + 0.7 * sheen)[:, None])

    return Material("glass", texture)


def marble(rng: np.random.Generator) -> Material:
    """Pale stone with grey veins."""
    base, vein, seed = linear((228, 226, 222)), linear((120, 122, 128)), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        warped = u * 3 + v * 2 + 1.6 * fractal_noise(u * 3, v * 3, seed)
        line = np.exp(-np.abs(np.sin(warped * 2.2)) * 9)[:, None]
        return np.asarray(base * (1 - 0.6 * line) + vein * 0.6 * line)

    return Material("marble", texture, colour="white")


def cardboard(rng: np.random.Generator) -> Material:
    """Brown paper board."""
    return plain("cardboard", linear((184, 142, 96)), roughness=0.06, seed=_seed(rng))


def wicker(rng: np.random.Generator) -> Material:
    """Woven cane."""
    base, seed = linear((176, 132, 80)), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        over = np.sin(u * 150) * np.sin(v * 150 + np.pi * (np.floor(u * 24) % 2))
        return np.asarray(base * (0.85 + 0.3 * over + 0.12 * value_noise(u * 8, v * 8, seed))[:, None])

    return Material("wicker", texture)


def plaster(rng: np.random.Generator, colour_u8: tuple[int, int, int]) -> Material:
    """A painted wall."""
    base, seed = linear(colour_u8), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        return np.asarray(base * (1 + 0.025 * fractal_noise(u * 2.5, v * 2.5, seed))[:, None])

    return Material("plaster", texture)


def brick(
    rng: np.random.Generator, colour_u8: tuple[int, int, int], *, height_m: float = 0.075, joints: bool = True
) -> Material:
    """Bricks of changing tone in running bond, u along the courses; without joints, as they look from afar."""
    base, mortar, seed = linear(colour_u8), linear((188, 182, 172)), _seed(rng)

    def texture(u: Array, v: Array) -> Array:
        if not joints:
            tone = 1 + 0.16 * value_noise(u * 2.1, v * 3.3, seed) + 0.10 * value_noise(u * 0.5, v * 0.5, seed + 1)
            return np.asarray((base * 0.85 + mortar * 0.1) * tone[:, None])
        row = np.floor(v / height_m).astype(np.int64)
        along = u / (3 * height_m) + 0.5 * (row % 2)
        column = np.floor(along).astype(np.int64)
        tone = 0.72 + 0.5 * lattice_random(column, row, seed)
        joint = ((v / height_m - row) < 0.16) | ((along - column) < 0.06)
        rough = 1 + 0.06 * value_noise(u * 30, v * 30, seed + 1)
        return np.asarray(np.where(joint[:, None], mortar * 0.8, base * (tone * rough)[:, None]))

    return Material("brick", texture)


def glowing(colour_u8: tuple[int, int, int], strength: float) -> Material:
    """A surface that shines by itself."""
    return plain("glass", linear(colour_u8), roughness=0.0).glows(strength)
