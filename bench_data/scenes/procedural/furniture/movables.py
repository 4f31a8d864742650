"""Things that stand about: boxes, bags, bins and toys."""

from __future__ import annotations

import math

import numpy as np

from ..assembling import Product, Surface, product
from ..materials import Material, cardboard, fabric, metal, plain, plastic, steel, wicker
from ..palette import linear, paint
from ..shapes import Assembly, turn
from ..surfels import Array

__all__ = ["backpack", "basket", "cardboard_box", "suitcase", "toy_ball", "waste_bin"]


def cardboard_box(a: Assembly, colour: str) -> Product:
    """Closed, with tape, a small one or a large one."""
    rng, large = a.rng, bool(a.rng.random() < 0.5)
    low, high = ((0.2, 0.24, 0.32), (0.26, 0.32, 0.44)) if large else ((0.12, 0.15, 0.18), (0.16, 0.2, 0.26))
    x, y, height = (float(v) for v in rng.uniform(low, high))
    board, tape = cardboard(rng), plain("tape", linear((206, 178, 130)), roughness=0.02)
    a.box((-x, -y, 0), (x, y, height), board)
    a.decal((-0.025, -y, height + 0.0015), (0.05, 0, 0), (0, 2 * y, 0), tape)
    for side in (-1, 1):
        corner = (side * 0.025, side * (y + 0.0015), height * 0.72)
        a.decal(corner, (-side * 0.05, 0, 0), (0, 0, height * 0.28), tape)
    a.decal(
        (x + 0.0015, -y * 0.3, height * 0.35),
        (0, y * 0.6, 0),
        (0, 0, height * 0.3),
        plain("paper", linear((236, 236, 232))),
    )
    return product(
        "cardboard box",
        a,
        surfaces=(Surface(height + 0.0015, (-x + 0.03, -y + 0.03, x - 0.03, y - 0.03)),),
        material="cardboard",
        size="large" if large else "small",
    )


def suitcase(a: Assembly, colour: str) -> Product:
    """Hard shell with ribs on four wheels, its handle drawn out or not."""
    rng, large = a.rng, bool(a.rng.random() < 0.5)
    half_d, half_w, height = (0.15, 0.25, 0.68) if large else (0.11, 0.185, 0.5)
    shell, dark = plastic(rng, colour), plastic(rng, "black")
    a.box((-half_d, -half_w, 0.05), (half_d, half_w, height), shell, radius_m=0.05)
    for k in range(5):
        y = -half_w * 0.66 + k * half_w * 0.33
        a.box((half_d - 0.01, y - 0.011, 0.11), (half_d + 0.008, y + 0.011, height - 0.06), shell, radius_m=0.007)
    for x in (-half_d + 0.04, half_d - 0.04):
        for y in (-half_w + 0.05, half_w - 0.05):
            a.ball((x, y, 0.026), (0.026, 0.018, 0.026), dark)
    up = float(rng.choice([0.04, 0.3]))
    for y in (-0.07, 0.07):
        a.tube((-half_d + 0.03, y, height - 0.02), (-half_d + 0.03, y, height + up), 0.007, steel(rng))
    a.box(
        (-half_d + 0.015, -0.085, height + up - 0.005),
        (-half_d + 0.045, 0.085, height + up + 0.02),
        dark,
        radius_m=0.01,
    )
    return product("suitcase", a, has_front=True, colour=colour, size="large" if large else "small")


def backpack(a: Assembly, colour: str) -> Product:
    """Standing, with a front pocket and straps at its back."""
    rng = a.rng
    cloth, dark = fabric(rng, colour), fabric(rng, "black")
    height = float(rng.uniform(0.42, 0.48))
    a.box((-0.09, -0.15, 0), (0.08, 0.15, height), cloth, radius_m=0.06, bulge_m=0.012)
    a.box((0.06, -0.12, 0.03), (0.135, 0.12, height * 0.5), cloth, radius_m=0.035, bulge_m=0.01)
    a.box((0.07, -0.125, height * 0.5 + 0.02), (0.098, 0.125, height * 0.5 + 0.032), dark)
    for y in (-0.07, 0.07):
        a.box((-0.118, y - 0.022, 0.06), (-0.098, y + 0.022, height - 0.06), dark, radius_m=0.008)
    a.placed((-0.03, 0, height)).ring((0, 0, 0.0), "x", 0.03, 0.007, dark)
    return product("backpack", a, has_front=True, colour=colour, material="fabric")


def waste_bin(a: Assembly, colour: str) -> Product:
    """Round and open."""
    rng = a.rng
    body = wicker(rng) if rng.random() < 0.2 else metal(rng, colour) if rng.random() < 0.4 else plastic(rng, colour)
    low, high, height = float(rng.uniform(0.1, 0.12)), float(rng.uniform(0.13, 0.155)), float(rng.uniform(0.28, 0.38))
    a.lathe([(0, 0), (low, 0), (high, height), (high - 0.006, height), (low - 0.006, 0.012), (0, 0.01)], body)
    a.ring((0, 0, height), "z", high - 0.003, 0.006, body)
    return product("waste bin", a, colour=body.colour, material=body.word)


def basket(a: Assembly, colour: str) -> Product:
    """A woven laundry basket with cloth in it."""
    rng = a.rng
    cane, radius, height = wicker(rng), float(rng.uniform(0.19, 0.24)), float(rng.uniform(0.32, 0.5))
    a.lathe(
        [(0, 0), (radius * 0.85, 0), (radius, height), (radius - 0.012, height), (radius * 0.93, height - 0.08)], cane
    )
    a.ring((0, 0, height), "z", radius - 0.006, 0.012, cane)
    a.ball((0, 0, height - 0.1), (radius * 0.93, radius * 0.93, 0.09), fabric(rng, "white"))
    return product("basket", a, material="wicker")


def toy_ball(a: Assembly, colour: str) -> Product:
    """Plain, or with panels of white."""
    rng, radius = a.rng, float(a.rng.uniform(0.1, 0.15))
    base, white, panels = paint(colour, rng), linear((238, 238, 234)), bool(a.rng.random() < 0.4)
    tilt = turn("x", float(rng.uniform(0.3, 0.9)))

    def texture(u: Array, v: Array) -> Array:
        stripe = (np.floor(u / radius / (math.pi / 3)) % 3 == 0) & panels
        return np.asarray(np.where(stripe[:, None], white, base))

    ball = a.placed((0, 0, radius), tilt)
    ball.ball((0, 0, 0), radius, Material("plastic", texture, colour=colour))
    return product("toy ball", a, colour=colour, pattern="striped" if panels else "")
