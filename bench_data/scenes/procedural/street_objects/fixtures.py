"""Street furniture and plants."""

from __future__ import annotations

import math

import numpy as np

from ..assembling import Product, product
from ..furniture.decoration import foliage
from ..materials import Material, glowing, metal, plain, steel, wood
from ..noise import fractal_noise
from ..palette import linear, paint, pick
from ..shapes import Assembly, turn
from ..surfels import Array

__all__ = [
    "bench",
    "bollard",
    "bush",
    "hydrant",
    "litter_bin",
    "post_box",
    "road_sign",
    "street_lamp",
    "traffic_cone",
    "traffic_light",
    "tree",
]


def street_lamp(a: Assembly, colour: str) -> Product:
    """A tall post whose arm (+x) reaches over the road."""
    height, post = float(a.rng.uniform(5.5, 7.5)), metal(a.rng, pick(a.rng, ("grey", "black", "green")))
    a.cylinder((0, 0, 0), 0.1, 0.9, post)
    a.cylinder((0, 0, 0.9), 0.065, height - 0.9, post, top_radius_m=0.045)
    a.tube((0, 0, height), (1.3, 0, height + 0.25), 0.04, post)
    a.box((1.1, -0.13, height + 0.17), (1.75, 0.13, height + 0.3), post, radius_m=0.05)
    a.panel((1.15, 0.1, height + 0.165), (0.5, 0, 0), (0, -0.2, 0), glowing((255, 246, 224), 0.6))
    return product("street lamp", a, has_front=True, colour=post.colour)


_SIGNAL_COLOURS = (
    ((60, 230, 110), (16, 56, 30)),
    ((255, 190, 40), (66, 50, 16)),
    ((255, 60, 50), (70, 18, 18)),
)
"""Green, amber and red, lit and not; the lowest first."""


def traffic_light(a: Assembly, colour: str) -> Product:
    """Three lamps on a post, one of them lit, facing +x."""
    rng, post, case = a.rng, metal(a.rng, "grey"), metal(a.rng, "black")
    a.cylinder((0, 0, 0), 0.06, 2.4, post)
    a.box((-0.12, -0.17, 2.35), (0.12, 0.17, 3.3), case, radius_m=0.04)
    lit = int(rng.integers(3))
    for k, (on, off) in enumerate(_SIGNAL_COLOURS):
        lens = a.placed((0.12, 0, 2.52 + 0.3 * k), turn("y", math.pi / 2))
        lens.lathe(
            [(0.1, 0.005), (0.05, 0.03), (0, 0.035)], glowing(on, 0.9) if lit == k else plain("glass", linear(off))
        )
        lens.lathe([(0.115, 0), (0.115, 0.1)], case)
    return product("traffic light", a, has_front=True, colour="black", lit=("green", "amber", "red")[lit])


def road_sign(a: Assembly, colour: str) -> Product:
    """A round, square or three-cornered plate on a post, facing +x."""
    rng, post, shape = a.rng, steel(a.rng, 140), pick(a.rng, ("round", "square", "triangular"))
    height = float(rng.uniform(2.1, 2.4))
    a.cylinder((-0.04, 0, 0), 0.032, height + 0.6, post)
    word = pick(rng, ("red", "blue", "white", "yellow"))
    face, white = plain("metal", paint(word, rng)), plain("metal", linear((240, 240, 238)))
    plate = a.placed((0.02, 0, height + 0.32))
    if shape == "round":
        disc = plate.placed((0, 0, 0), turn("y", math.pi / 2))
        disc.lathe([(0.33, 0.0), (0.33, 0.012), (0.26, 0.0125)], face)
        disc.lathe([(0.26, 0.0125), (0, 0.0126)], white if word == "red" else face)
        plate.decal((0.02, -0.17, -0.05), (0, 0.34, 0), (0, 0, 0.1), face if word == "red" else white)
    elif shape == "square":
        mark = plain("metal", paint("black", rng)) if word == "white" else face
        plate.box((-0.01, -0.3, -0.3), (0.012, 0.3, 0.3), face)
        plate.decal((0.014, -0.2, -0.2), (0, 0.4, 0), (0, 0, 0.4), white)
        plate.decal((0.016, -0.06, -0.16), (0, 0.12, 0), (0, 0, 0.32), mark)
    else:
        for size, x, material in ((0.38, 0.0, face), (0.25, 0.014, white)):
            corners = [(x, -size, -size * 0.6), (x, size, -size * 0.6), (x, 0.01, size * 1.1), (x, -0.01, size * 1.1)]
            plate.quad(corners, material)
    return product("road sign", a, has_front=True, shape=shape)


def bench(a: Assembly, colour: str) -> Product:
    """Wooden slats on metal legs."""
    slats, legs = wood(a.rng), metal(a.rng, "black")
    for k in range(4):
        x = -0.2 + 0.11 * k
        a.box((x, -0.85, 0.42), (x + 0.09, 0.85, 0.45), slats)
    back = a.placed((-0.22, 0, 0.5), turn("y", -0.2))
    for k in range(3):
        back.box((-0.015, -0.85, 0.02 + 0.13 * k), (0.015, 0.85, 0.12 + 0.13 * k), slats)
    for y in (-0.7, 0.7):
        a.box((-0.22, y - 0.03, 0.38), (0.22, y + 0.03, 0.42), legs)
        a.box((0.15, y - 0.03, 0), (0.21, y + 0.03, 0.4), legs)
        a.box((-0.22, y - 0.03, 0), (-0.16, y + 0.03, 0.4), legs)
        a.tube((-0.2, y, 0.4), (-0.33, y, 0.92), 0.022, legs)
    return product("bench", a, has_front=True, material="wooden")


def litter_bin(a: Assembly, colour: str) -> Product:
    """A round bin with a lid and a slot."""
    word = pick(a.rng, ("green", "black", "grey", "red", "blue"))
    body = metal(a.rng, word)
    a.lathe([(0, 0), (0.24, 0), (0.25, 0.72), (0.25, 0.78)], body)
    a.lathe([(0.25, 0.92), (0.26, 0.96), (0.2, 1.04), (0, 1.08)], body)
    a.lathe([(0.2, 0.75), (0.2, 0.95)], plain("metal", linear((20, 20, 20))))
    for k in range(4):
        c, s = math.cos(k * math.pi / 2), math.sin(k * math.pi / 2)
        a.tube((0.235 * c, 0.235 * s, 0.76), (0.235 * c, 0.235 * s, 0.95), 0.02, body)
    return product("litter bin", a, colour=word)


def hydrant(a: Assembly, colour: str) -> Product:
    """A fire hydrant."""
    word = pick(a.rng, ("red", "yellow", "red"))
    body = metal(a.rng, word)
    a.lathe(
        [
            (0, 0),
            (0.16, 0),
            (0.16, 0.05),
            (0.11, 0.07),
            (0.11, 0.5),
            (0.15, 0.53),
            (0.15, 0.57),
            (0.12, 0.62),
            (0.07, 0.7),
            (0, 0.73),
        ],
        body,
    )
    for x, y in ((0.0, 0.15), (0.0, -0.15), (0.16, 0.0)):
        a.tube((0, 0, 0.4), (x, y, 0.4), 0.05, body)
    return product("hydrant", a, colour=word)


def bollard(a: Assembly, colour: str) -> Product:
    """A short post with a pale band."""
    word = pick(a.rng, ("black", "grey"))
    post = metal(a.rng, word)
    a.lathe([(0, 0), (0.075, 0), (0.07, 0.72)], post)
    a.lathe([(0.071, 0.72), (0.071, 0.82)], plain("metal", linear((236, 236, 230))))
    a.lathe([(0.07, 0.82), (0.07, 0.9), (0.05, 0.95), (0, 0.97)], post)
    return product("bollard", a, colour=word)


def post_box(a: Assembly, colour: str) -> Product:
    """A letter box with a slot facing +x."""
    word = pick(a.rng, ("red", "yellow", "blue"))
    body = metal(a.rng, word)
    a.box((-0.2, -0.24, 0.12), (0.2, 0.24, 1.25), body, radius_m=0.06)
    a.box((-0.16, -0.2, 0), (0.16, 0.2, 0.14), metal(a.rng, "black"))
    a.decal((0.203, -0.15, 1.0), (0, 0.3, 0), (0, 0, 0.05), plain("metal", linear((14, 14, 14))))
    a.decal((0.203, -0.12, 0.6), (0, 0.24, 0), (0, 0, 0.2), plain("paper", linear((236, 232, 220))))
    return product("post box", a, has_front=True, colour=word)


def traffic_cone(a: Assembly, colour: str) -> Product:
    """Orange with a white band."""
    orange, white = plain("plastic", linear((236, 96, 24))), plain("plastic", linear((240, 240, 236)))
    a.box((-0.18, -0.18, 0), (0.18, 0.18, 0.035), orange)
    for z0, z1, material in ((0.035, 0.22, orange), (0.22, 0.38, white), (0.38, 0.5, orange)):
        r0, r1 = 0.13 - 0.21 * z0, 0.13 - 0.21 * z1
        a.lathe([(r0, z0), (r1, z1)], material)
    a.lathe([(0.025, 0.5), (0, 0.501)], orange)
    return product("traffic cone", a)


def _bark(a: Assembly) -> Material:
    base, seed = linear((104, 84, 64)), int(a.rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        return np.asarray(base * (1 + 0.35 * fractal_noise(u * 22, v * 3, seed))[:, None])

    return Material("wooden", texture)


def tree(a: Assembly, colour: str) -> Product:
    """Broad or slender, of several masses of leaves."""
    rng, green, bark = a.rng, foliage(a), _bark(a)
    tall = bool(rng.random() < 0.5)
    height, crown = float(rng.uniform(7.5, 10) if tall else rng.uniform(4.2, 5.5)), float(rng.uniform(1.5, 2.2))
    crown *= 1.2 if tall else 0.85
    trunk, thick = height - 2.1 * crown, 0.022 * height
    a.lathe([(thick * 1.5, 0), (thick * 1.05, 0.3), (thick, trunk), (thick * 0.6, trunk + crown)], bark)
    middle = np.array([0, 0, height - 1.1 * crown])
    masses = [(middle, np.array([0.8, 0.8, 1.0]) * crown)]
    for k in range(6):
        angle = k * 2.4 + float(rng.uniform(-0.4, 0.4))
        out = np.array([math.cos(angle), math.sin(angle), float(rng.uniform(-0.5, 0.6))]) * crown * 0.62
        masses.append((middle + out, np.full(3, float(rng.uniform(0.45, 0.62))) * crown))
        a.tube((0, 0, trunk - 0.1), (middle + out * 0.6).tolist(), thick * 0.35, bark)
    leaf = 0.3 if tall else 0.22
    for centre, radii in masses:
        count = int(13.0 * float(radii.max()) ** 2 / leaf**2 * (0.12 / a.spacing_m))
        a.leaves(centre, radii, count, (leaf, leaf * 0.7), green)
    return product("tree", a, colour="green", size="tall" if tall else "short")


def bush(a: Assembly, colour: str) -> Product:
    """A round shrub."""
    green, radius = foliage(a), float(a.rng.uniform(0.45, 0.8))
    leaf = 0.13
    count = int(60 * radius**2 / leaf**2 * (0.12 / a.spacing_m) ** 0.5)
    a.leaves((0, 0, radius * 0.75), (radius, radius, radius * 0.75), count, (leaf, leaf * 0.7), green)
    a.leaves(
        (0, 0, radius * 0.6), (radius * 0.6, radius * 0.6, radius * 0.55), count // 3, (leaf * 1.6, leaf * 1.2), green
    )
    return product("bush", a, colour="green")
