"""What makes a room somebody's: plants, pictures, vases, rugs."""

from __future__ import annotations

import math

import numpy as np

from ..assembling import Cover, Product, product
from ..materials import Material, carpet, ceramic, glass, metal, plain, plastic, wicker, wood
from ..noise import fractal_noise
from ..palette import PAINTS, linear, paint, pick
from ..shapes import Assembly, turn
from ..surfels import Array

__all__ = ["book_stack", "bottle", "clock", "mirror", "mug", "picture", "potted_plant", "rug", "vase"]


def foliage(a: Assembly) -> Material:
    """Leaf greens of changing tone."""
    base, seed = linear((52 + int(a.rng.integers(20)), 112 + int(a.rng.integers(24)), 44)), int(a.rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        tone = fractal_noise(u * 7, v * 7, seed)
        return np.asarray(base * (1 + 0.45 * tone)[:, None] * (1 + np.outer(tone, [0.25, 0.0, -0.1])))

    return Material("leafy", texture, colour="green")


def potted_plant(a: Assembly, colour: str) -> Product:
    """Bushy, or long leaves that bend outwards, in a pot."""
    rng, green, tall = a.rng, foliage(a), bool(a.rng.random() < 0.5)
    radius = float(rng.uniform(0.15, 0.19) if tall else rng.uniform(0.1, 0.13))
    pot_h = radius * float(rng.uniform(1.5, 2.0))
    pot = wicker(rng) if rng.random() < 0.25 else ceramic(rng, colour)
    a.lathe([(0, 0), (radius * 0.75, 0), (radius, pot_h), (radius - 0.012, pot_h), (radius * 0.9, pot_h - 0.03)], pot)
    a.lathe([(radius * 0.93, pot_h - 0.03), (0, pot_h - 0.025)], plain("earth", linear((62, 46, 34)), roughness=0.3))
    if rng.random() < 0.5:
        _bent_leaves(a, pot_h, radius, 0.9 if tall else 0.42, green)
    else:
        stem, crown = (0.35, 0.3) if tall else (0.1, 0.17)
        a.cylinder((0, 0, pot_h - 0.03), 0.014, stem + crown * 0.8, wood(rng, "walnut"))
        size = (0.1, 0.055) if tall else (0.06, 0.035)
        a.leaves((0, 0, pot_h + stem + crown), (crown, crown, crown * 1.15), 760 if tall else 420, size, green)
        a.leaves((0, 0, pot_h + stem + crown), np.array([0.55, 0.55, 0.6]) * crown, 220, size, green)
    return product("potted plant", a, colour="green", size="tall" if tall else "small")


def _bent_leaves(a: Assembly, base_m: float, radius_m: float, length_m: float, green: Material) -> None:
    rng, count = a.rng, int(a.rng.integers(16, 24))
    for k in range(count):
        angle, lift = 2.4 * k + float(rng.uniform(-0.3, 0.3)), float(rng.uniform(0.55, 1.25))
        reach = length_m * float(rng.uniform(0.7, 1.0))
        t = np.linspace(0, 1, max(6, int(reach / 0.035)))
        out = 0.25 * radius_m + reach * math.cos(lift) * t
        up = base_m - 0.02 + reach * (math.sin(lift) * t - 0.42 * t**3)
        width = 0.055 * reach / 0.6 * np.sin(np.pi * (0.12 + 0.86 * t)) + 0.004
        points = np.empty((len(t), 4, 3))
        for j, side in enumerate((-1.0, -0.33, 0.33, 1.0)):
            points[:, j, 0] = out * math.cos(angle) + side * width * math.sin(angle)
            points[:, j, 1] = out * math.sin(angle) - side * width * math.cos(angle)
            points[:, j, 2] = up + 0.25 * abs(side) * width
        points[..., 2] = np.maximum(points[..., 2], 0.02)
        shade = np.full((len(t) - 1, 3), float(rng.uniform(0.75, 1.2)))
        shade[:, 1] *= 1.2
        a.sheet(points[:, ::-1], t * reach, np.linspace(0, 0.1, 4), green, shade=shade)


def vase(a: Assembly, colour: str) -> Product:
    """A belly and a neck, plain or banded."""
    rng, height, tall = a.rng, float(a.rng.uniform(0.2, 0.26)), bool(a.rng.random() < 0.5)
    height = height * 1.5 if tall else height
    belly = float(rng.uniform(0.06, 0.085))
    glaze = ceramic(rng, colour, "striped" if rng.random() < 0.3 else "")
    neck, t = belly * float(rng.uniform(0.3, 0.5)), np.linspace(0, 1, 12)
    radius = neck + (belly - neck) * np.exp(-(((t - 0.38) / 0.27) ** 2))
    outside = [(0.0, 0.0), *((float(r), float(z * height)) for r, z in zip(radius, t, strict=True))]
    a.lathe(
        [*outside, (neck * 1.15, height), (neck * 0.9, height), (neck * 0.85, height * 0.8), (0, height * 0.78)], glaze
    )
    return product(
        "vase", a, colour=colour, material="ceramic", pattern=glaze.pattern, size="tall" if tall else "short"
    )


def mug(a: Assembly, colour: str) -> Product:
    """With a handle."""
    glaze = ceramic(a.rng, colour)
    a.lathe([(0, 0), (0.036, 0), (0.041, 0.006), (0.042, 0.095), (0.038, 0.095), (0.036, 0.012), (0, 0.01)], glaze)
    a.placed((0.045, 0, 0.05)).ring((0, 0, 0), "y", 0.026, 0.006, glaze)
    return product("mug", a, colour=colour, material="ceramic")


def bottle(a: Assembly, colour: str) -> Product:
    """Coloured glass or plastic with a label and a cap."""
    rng, height = a.rng, float(a.rng.uniform(0.24, 0.31))
    body, r = plain("plastic", paint(colour, rng), colour=colour), float(rng.uniform(0.034, 0.042))
    a.lathe(
        [(0, 0), (r, 0), (r, height * 0.55), (r * 0.9, height * 0.65), (0.014, height * 0.8), (0.013, height * 0.94)],
        body,
    )
    a.lathe([(r + 0.001, height * 0.18), (r + 0.001, height * 0.42)], plain("paper", linear((232, 228, 214))))
    a.cylinder((0, 0, height * 0.93), 0.015, height * 0.07, plastic(rng, "white"))
    return product("bottle", a, colour=colour)


def book_stack(a: Assembly, colour: str) -> Product:
    """A few books on each other, not quite straight."""
    rng, z = a.rng, 0.0
    for k in range(int(rng.integers(3, 6))):
        word = colour if k % 2 == 0 else pick(rng, tuple(PAINTS))
        deep, wide, thick = (
            float(rng.uniform(0.15, 0.19)),
            float(rng.uniform(0.21, 0.26)),
            float(rng.uniform(0.02, 0.04)),
        )
        book = a.placed((0, 0, z), turn("z", float(rng.uniform(-0.25, 0.25))))
        cover, pages = plain("paper", paint(word, rng)), plain("paper", linear((230, 222, 200)))
        book.box((-deep / 2, -wide / 2, 0), (deep / 2, wide / 2, 0.003), cover)
        book.box(
            (-deep / 2 + 0.005, -wide / 2 + 0.005, 0.003), (deep / 2 - 0.003, wide / 2 - 0.005, thick - 0.003), pages
        )
        book.box((-deep / 2, -wide / 2, thick - 0.003), (deep / 2, wide / 2, thick), cover)
        book.box((-deep / 2, -wide / 2, 0.0), (-deep / 2 + 0.004, wide / 2, thick), cover)
        z += thick
    return product("stack of books", a)


def rug(a: Assembly, colour: str) -> Product:
    """A thin carpet with a border; long along y."""
    rng, pattern = a.rng, pick(a.rng, ("", "striped", "checked"))
    half, thick = (float(rng.uniform(0.65, 0.85)), float(rng.uniform(0.95, 1.25))), 0.01
    pile, hem = carpet(rng, colour, pattern), carpet(rng, "beige" if colour != "beige" else "brown")
    rim = 0.07
    a.box(
        (-half[0] + rim, -half[1] + rim, 0.001),
        (half[0] - rim, half[1] - rim, thick),
        pile,
        without=("-z", "-x", "+x", "-y", "+y"),
    )
    for low, high in (
        ((-half[0], -half[1]), (half[0], -half[1] + rim)),
        ((-half[0], half[1] - rim), (half[0], half[1])),
        ((-half[0], -half[1] + rim), (-half[0] + rim, half[1] - rim)),
        ((half[0] - rim, -half[1] + rim), (half[0], half[1] - rim)),
    ):
        a.box((*low, 0.0), (*high, thick), hem, without=("-z",))
    return product(
        "rug", a, cover=Cover.flat(-half[0], -half[1], half[0], half[1], thick), colour=pile.colour, pattern=pattern
    )


def _artwork(a: Assembly, width_m: float, height_m: float) -> Material:
    """An abstract: bands of hills under a disc, or blocks."""
    rng, seed = a.rng, int(a.rng.integers(2**31))
    colours = np.array([linear(PAINTS[pick(rng, tuple(PAINTS))][0]) for _ in range(5)])
    blocks, disc = bool(rng.random() < 0.45), rng.uniform([0.25, 0.6], [0.75, 0.85])
    cuts = np.sort(rng.uniform(0.15, 0.85, 2))

    def texture(u: Array, v: Array) -> Array:
        x, y = u / width_m, v / height_m
        if blocks:
            index = (x > cuts[0]).astype(int) + 2 * (y > cuts[1]).astype(int)
        else:
            wave = y + 0.09 * fractal_noise(x * 3, y * 0.5, seed)
            index = np.clip((wave * 5).astype(int), 0, 3)
            index = np.where(np.hypot((x - disc[0]) * width_m / height_m, y - disc[1]) < 0.13, 4, index)
        return np.asarray(colours[index] * (1 + 0.12 * fractal_noise(x * 14, y * 14, seed + 1))[:, None])

    return Material("canvas", texture, stretch=(0.55, 0.55))


def picture(a: Assembly, colour: str) -> Product:
    """Framed, flat on a wall: its back is at -x."""
    rng, large = a.rng, bool(a.rng.random() < 0.5)
    width, height = (float(v) for v in (rng.uniform(0.65, 0.95, 2) if large else rng.uniform(0.32, 0.48, 2)))
    frame, rim = wood(rng) if rng.random() < 0.4 else metal(rng, colour), 0.03
    y, z = width / 2, height
    a.box((-0.01, -y, 0), (0.002, y, z), frame, without=("-x",))
    for low, high in (
        ((-y, 0), (y, rim)),
        ((-y, z - rim), (y, z)),
        ((-y, rim), (-y + rim, z - rim)),
        ((y - rim, rim), (y, z - rim)),
    ):
        a.box((0.0, *low), (0.018, *high), frame)
    mat = 0.05 if rng.random() < 0.5 else 0.0
    paper = plain("paper", linear((238, 236, 228)))
    if mat:
        a.decal((0.0035, -y + rim, rim), (0, width - 2 * rim, 0), (0, 0, height - 2 * rim), paper)
    inner = rim + mat
    art = _artwork(a, width - 2 * inner, height - 2 * inner)
    a.decal((0.006, -y + inner, inner), (0, width - 2 * inner, 0), (0, 0, height - 2 * inner), art)
    return product(
        "picture", a, cover=Cover.upright(-y, 0.0, y, height, 0.002), has_front=True, size="large" if large else "small"
    )


def mirror(a: Assembly, colour: str) -> Product:
    """Round or tall, on a wall; a pale reflection is painted on."""
    rng = a.rng
    frame = wood(rng) if rng.random() < 0.5 else metal(rng, pick(rng, ("black", "white")))
    silver = glass(rng, (196, 208, 214))
    if rng.random() < 0.5:
        radius = float(rng.uniform(0.28, 0.38))
        face = a.placed((0, 0, radius + 0.02), turn("y", math.pi / 2))
        face.lathe([(radius, 0.008), (0, 0.0081)], silver)
        face.ring((0, 0, 0.008), "z", radius, 0.018, frame)
        inner, shape = radius * 0.7, "round"
        cover = Cover.upright(-inner, radius + 0.02 - inner, inner, radius + 0.02 + inner, 0.008)
    else:
        y, z, shape = float(rng.uniform(0.22, 0.3)), float(rng.uniform(0.9, 1.2)), "rectangular"
        cover = Cover.upright(-y, 0.0, y, z, 0.008)
        a.box((-0.01, -y, 0), (0.008, y, z), frame, without=("-x",))
        a.decal((0.0095, -y + 0.025, 0.025), (0, 2 * y - 0.05, 0), (0, 0, z - 0.05), silver)
    return product("mirror", a, cover=cover, has_front=True, shape=shape)


def clock(a: Assembly, colour: str) -> Product:
    """A round wall clock."""
    rng, radius = a.rng, float(a.rng.uniform(0.13, 0.18))
    rim, face, hand = metal(rng, colour), plain("paper", linear((240, 240, 236))), plastic(rng, "black")
    inner, middle = radius * 0.7, radius + 0.014
    dial = a.placed((0, 0, middle), turn("y", math.pi / 2))
    dial.lathe([(radius, 0.0), (radius, 0.008), (0, 0.0085)], face)
    dial.ring((0, 0, 0.01), "z", radius, 0.014, rim)
    for k in range(12):
        spot = dial.placed((0, 0, 0.011), turn("z", math.pi * k / 6))
        spot.box((radius * 0.78, -0.004, 0), (radius * 0.92, 0.004, 0.002), hand)
    for angle, length in ((float(rng.uniform(0, 6.28)), 0.5), (float(rng.uniform(0, 6.28)), 0.75)):
        dial.placed((0, 0, 0.013), turn("z", angle)).box((-0.02, -0.005, 0), (radius * length, 0.005, 0.002), hand)
    return product(
        "clock",
        a,
        cover=Cover.upright(-inner, middle - inner, inner, middle + inner, 0.008),
        has_front=True,
        colour=colour if colour == "white" else "",
    )
