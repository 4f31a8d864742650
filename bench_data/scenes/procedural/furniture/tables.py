"""Tables and desks: a top to put things on."""

from __future__ import annotations

import math

from ..assembling import Product, Surface, product
from ..materials import Material, glass, lacquer, marble, metal, steel, wood
from ..palette import pick
from ..shapes import Assembly

__all__ = ["coffee_table", "desk", "dining_table", "side_table"]


def _top_material(a: Assembly, colour: str) -> Material:
    kind = pick(a.rng, ("wood", "wood", "lacquer", "marble"))
    if kind == "wood":
        return wood(a.rng)
    return lacquer(a.rng, colour) if kind == "lacquer" else marble(a.rng)


def _straight_legs(a: Assembly, half: tuple[float, float], height_m: float, leg_m: float, legs: Material) -> None:
    for x in (-half[0], half[0] - leg_m):
        for y in (-half[1], half[1] - leg_m):
            a.box((x, y, 0), (x + leg_m, y + leg_m, height_m), legs)


def _apron(a: Assembly, half: tuple[float, float], low_m: float, high_m: float, material: Material) -> None:
    x, y, t = half[0] - 0.05, half[1] - 0.05, 0.02
    a.box((-x, -y, low_m), (x, -y + t, high_m), material)
    a.box((-x, y - t, low_m), (x, y, high_m), material)
    a.box((-x, -y, low_m), (-x + t, y, high_m), material)
    a.box((x - t, -y, low_m), (x, y, high_m), material)


def _round_table(a: Assembly, radius_m: float, height_m: float, top: Material, legs: Material) -> Surface:
    a.lathe(
        [
            (0, height_m - 0.03),
            (radius_m - 0.012, height_m - 0.03),
            (radius_m, height_m - 0.02),
            (radius_m, height_m - 0.008),
            (radius_m - 0.012, height_m),
            (0, height_m),
        ],
        top,
    )
    a.cylinder((0, 0, 0.02), 0.045, height_m - 0.05, legs)
    a.lathe([(0, 0), (radius_m * 0.55, 0), (radius_m * 0.55, 0.015), (0.06, 0.05), (0, 0.05)], legs)
    inner = radius_m / math.sqrt(2) * 0.95
    return Surface(height_m, (-inner, -inner, inner, inner))


def dining_table(a: Assembly, colour: str) -> Product:
    """Round on a foot, or long on four legs (long along x)."""
    rng, top, height = a.rng, _top_material(a, colour), float(a.rng.uniform(0.73, 0.77))
    legs = top if top.word == "wooden" else steel(rng, 90)
    if rng.random() < 0.3:
        surface, shape = _round_table(a, float(rng.uniform(0.48, 0.62)), height, top, legs), "round"
    else:
        half, shape = (float(rng.uniform(0.65, 0.95)), float(rng.uniform(0.4, 0.48))), "rectangular"
        a.box((-half[0], -half[1], height - 0.035), (half[0], half[1], height), top, radius_m=0.008)
        _straight_legs(a, half, height - 0.03, 0.065, legs)
        _apron(a, half, height - 0.11, height - 0.03, legs)
        surface = Surface(height, (-half[0] + 0.06, -half[1] + 0.06, half[0] - 0.06, half[1] - 0.06))
    return product("dining table", a, surfaces=(surface,), colour=top.colour, material=top.word, shape=shape)


def coffee_table(a: Assembly, colour: str) -> Product:
    """Low: round, or long (along y, as before a sofa), with a shelf or on thin legs."""
    rng, height = a.rng, float(a.rng.uniform(0.36, 0.46))
    top = glass(rng) if rng.random() < 0.2 else _top_material(a, colour)
    legs = top if top.word == "wooden" else metal(rng, pick(rng, ("black", "white")))
    if rng.random() < 0.35:
        surface, shape = _round_table(a, float(rng.uniform(0.35, 0.46)), height, top, legs), "round"
    else:
        half, shape = (float(rng.uniform(0.26, 0.34)), float(rng.uniform(0.45, 0.62))), "rectangular"
        a.box((-half[0], -half[1], height - 0.03), (half[0], half[1], height), top, radius_m=0.007)
        _straight_legs(a, half, height - 0.02, 0.045, legs)
        if rng.random() < 0.5:
            x, y = half[0] - 0.03, half[1] - 0.03
            a.box((-x, -y, 0.12), (x, y, 0.14), top)
        surface = Surface(height, (-half[0] + 0.04, -half[1] + 0.04, half[0] - 0.04, half[1] - 0.04))
    return product("coffee table", a, surfaces=(surface,), colour=top.colour, material=top.word, shape=shape)


def side_table(a: Assembly, colour: str) -> Product:
    """Small, round, on one foot."""
    rng, top = a.rng, _top_material(a, colour)
    legs = top if top.word == "wooden" else metal(rng, "black")
    surface = _round_table(a, float(rng.uniform(0.2, 0.26)), float(rng.uniform(0.48, 0.58)), top, legs)
    return product("side table", a, surfaces=(surface,), colour=top.colour, material=top.word)


def desk(a: Assembly, colour: str) -> Product:
    """A worktop with drawers on one side; its front (+x) is where one sits."""
    rng = a.rng
    top = wood(rng) if rng.random() < 0.7 else lacquer(rng, colour)
    depth, width, height = float(rng.uniform(0.62, 0.72)), float(rng.uniform(1.15, 1.5)), float(rng.uniform(0.72, 0.75))
    x, y, side = depth / 2, width / 2, 1 if rng.random() < 0.5 else -1
    legs = metal(rng, pick(rng, ("black", "white"))) if rng.random() < 0.5 else top
    a.box((-x, -y, height - 0.03), (x, y, height), top, radius_m=0.005)
    for leg_x in (-x + 0.02, x - 0.06):
        leg_y = side * -(y - 0.04)
        a.box((leg_x, leg_y - 0.02, 0), (leg_x + 0.04, leg_y + 0.02, height - 0.03), legs)
    y0, y1 = sorted((side * (y - 0.02), side * (y - 0.42)))
    a.box((-x + 0.02, y0, 0), (x - 0.04, y1, height - 0.03), top)
    for k in range(3):
        z = 0.05 + k * (height - 0.1) / 3
        a.box((x - 0.04, y0 + 0.01, z), (x - 0.02, y1 - 0.01, z + (height - 0.1) / 3 - 0.012), top)
        a.box((x - 0.02, (y0 + y1) / 2 - 0.05, z + 0.11), (x - 0.005, (y0 + y1) / 2 + 0.05, z + 0.123), steel(rng))
    a.box((-x + 0.02, -y + 0.04, height - 0.33), (-x + 0.04, y - 0.04, height - 0.03), top)
    surface = Surface(height, (-x + 0.03, -y + 0.05, x - 0.05, y - 0.05))
    return product("desk", a, has_front=True, surfaces=(surface,), colour=top.colour, material=top.word)
