"""Screens and household machines; their fronts are +x."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..assembling import Cover, Product, Surface, product
from ..materials import Material, glass, plastic, steel
from ..noise import fractal_noise
from ..palette import linear, pick
from ..shapes import Assembly, turn
from ..surfels import Array

__all__ = ["fridge", "laptop", "microwave", "monitor", "television", "washing_machine"]


def _screen(a: Assembly, width_m: float, height_m: float) -> Material:
    """A lit screen with a landscape or with windows of text on it; u to the left, v up."""
    seed = int(a.rng.integers(2**31))
    paint = _landscape(seed, width_m, height_m) if a.rng.random() < 0.5 else _windows(seed, width_m, height_m)
    return Material("glass", paint, glow=0.9, stretch=(0.7, 0.7))


def _landscape(seed: int, width_m: float, height_m: float) -> Callable[[Array, Array], Array]:
    sky, far, near = linear((120, 176, 226)), linear((60, 96, 120)), linear((40, 92, 48))

    def paint(u: Array, v: Array) -> Array:
        x, y = u / width_m, v / height_m
        ridge = 0.5 + 0.18 * fractal_noise(x * 4, np.zeros_like(x), seed)
        meadow = 0.28 + 0.06 * fractal_noise(x * 3, np.ones_like(x), seed)
        colour = np.where((y < ridge)[:, None], far, sky * (0.7 + 0.4 * y[:, None]))
        return np.asarray(np.where((y < meadow)[:, None], near, colour))

    return paint


def _windows(seed: int, width_m: float, height_m: float) -> Callable[[Array, Array], Array]:
    desk, page, ink, bar = (linear(c) for c in ((36, 60, 96), (232, 234, 236), (90, 96, 108), (60, 120, 190)))

    def paint(u: Array, v: Array) -> Array:
        x, y = u / width_m, v / height_m
        on_page = (np.abs(x - 0.5) < 0.36) & (np.abs(y - 0.55) < 0.36)
        line = (
            (np.floor(y * 22) % 2 == 0)
            & (np.abs(x - 0.5) < 0.3)
            & (fractal_noise(x * 9, np.floor(y * 22), seed) > -0.4)
        )
        colour = np.where(on_page[:, None], page, desk)
        colour = np.where((on_page & line)[:, None], ink, colour)
        return np.asarray(np.where((on_page & (y > 0.85))[:, None], bar, colour))

    return paint


def television(a: Assembly, colour: str) -> Product:
    """A flat screen on two feet."""
    width = float(a.rng.uniform(0.95, 1.3))
    height, frame, lit = width * 0.5625 + 0.02, plastic(a.rng, "black"), bool(a.rng.random() < 0.55)
    foot, half = 0.055, width / 2
    a.box((-0.02, -half, foot), (0.02, half, foot + height), frame, radius_m=0.006)
    screen = _screen(a, width - 0.03, height - 0.04) if lit else plastic(a.rng, "black")
    a.decal((0.0215, -half + 0.015, foot + 0.02), (0, width - 0.03, 0), (0, 0, height - 0.04), screen)
    for y in (-half * 0.6, half * 0.6):
        a.box((-0.1, y - 0.015, 0), (0.1, y + 0.015, 0.012), frame)
        a.box((-0.012, y - 0.012, 0.01), (0.012, y + 0.012, foot + 0.01), frame)
    return product("television", a, has_front=True, colour="black", size="large" if width > 1.15 else "small")


def monitor(a: Assembly, colour: str) -> Product:
    """A screen on a stand."""
    rng, width = a.rng, float(a.rng.uniform(0.52, 0.62))
    body = plastic(rng, pick(rng, ("black", "black", "white")))
    height, low, half = width * 0.58, 0.11, width / 2
    a.box((-0.015, -half, low), (0.015, half, low + height), body, radius_m=0.005)
    a.decal(
        (0.0165, -half + 0.012, low + 0.018), (0, width - 0.024, 0), (0, 0, height - 0.03), _screen(a, width, height)
    )
    a.box((-0.1, -0.11, 0), (0.08, 0.11, 0.012), body)
    a.box((-0.05, -0.03, 0.01), (-0.015, 0.03, low + height * 0.5), body)
    return product("monitor", a, has_front=True, colour=body.colour)


def laptop(a: Assembly, colour: str) -> Product:
    """Open, with a dark keyboard."""
    rng = a.rng
    body, keys = steel(rng, int(rng.choice([70, 150, 190]))), plastic(rng, "black")
    width, depth = float(rng.uniform(0.31, 0.36)), float(rng.uniform(0.22, 0.25))
    x, y = depth / 2, width / 2
    a.box((-x, -y, 0), (x, y, 0.016), body, radius_m=0.005)
    for row in range(5):
        at = -x + 0.03 + row * 0.021
        a.decal((at, -y + 0.02, 0.0168), (0.017, 0, 0), (0, width - 0.04, 0), keys)
    lid = a.placed((-x + 0.005, 0, 0.014), turn("y", -math.radians(18)))
    lid.box((-0.006, -y, 0), (0.003, y, depth), body, radius_m=0.003)
    lid.decal((0.0045, -y + 0.01, 0.012), (0, width - 0.02, 0), (0, 0, depth - 0.024), _screen(a, width, depth))
    return product("laptop", a, cover=Cover.flat(-x, -y, x, y, 0.01), has_front=True, colour="grey", material="metal")


def fridge(a: Assembly, colour: str) -> Product:
    """Fridge over a freezer, with handles."""
    rng = a.rng
    body = steel(rng, 176) if rng.random() < 0.4 else plastic(rng, pick(rng, ("white", "white", colour)))
    handle = steel(rng, 120)
    x, y, height = float(rng.uniform(0.3, 0.33)), float(rng.uniform(0.28, 0.32)), float(rng.uniform(1.6, 1.85))
    split = height * 0.36
    a.box((-x, -y, 0.03), (x - 0.06, y, height), body, radius_m=0.01)
    a.box((-x + 0.03, -y + 0.03, 0), (x - 0.08, y - 0.03, 0.04), plastic(rng, "black"))
    for low, high in ((0.05, split - 0.006), (split + 0.006, height - 0.004)):
        a.box((x - 0.058, -y, low), (x, y, high), body, radius_m=0.018)
    for z0, z1 in ((split - 0.42, split - 0.08), (split + 0.08, split + 0.5)):
        a.box((x + 0.02, y - 0.08, z0), (x + 0.04, y - 0.06, z1), handle, radius_m=0.006)
        for z in (z0 + 0.02, z1 - 0.04):
            a.box((x, y - 0.077, z), (x + 0.025, y - 0.063, z + 0.02), handle)
    return product("fridge", a, has_front=True, colour=body.colour, material="metal" if body.word == "metal" else "")


def washing_machine(a: Assembly, colour: str) -> Product:
    """A white box with a round door."""
    rng, body, dark = a.rng, plastic(a.rng, "white"), plastic(a.rng, "black")
    x, y, height = 0.29, 0.3, 0.85
    a.box((-x, -y, 0.02), (x, y, height), body, radius_m=0.012)
    a.box((-x + 0.03, -y + 0.03, 0), (x - 0.03, y - 0.03, 0.03), dark)
    door = a.placed((x, 0, 0.43), turn("y", math.pi / 2))
    door.lathe([(0.21, 0), (0.2, 0.03), (0.155, 0.035), (0.15, 0.02)], steel(rng, 168))
    door.lathe([(0.15, 0.012), (0.1, 0.03), (0.05, 0.038), (0, 0.04)], glass(rng, (58, 74, 86)))
    a.decal((x + 0.002, -y + 0.2, height - 0.12), (0, 2 * y - 0.24, 0), (0, 0, 0.09), plastic(rng, "grey"))
    a.placed((x, y - 0.13, height - 0.075), turn("y", math.pi / 2)).cylinder((0, 0, 0), 0.032, 0.02, steel(rng, 190))
    a.decal((x + 0.003, -y + 0.03, height - 0.12), (0, 0.15, 0), (0, 0, 0.085), body)
    return product(
        "washing machine",
        a,
        has_front=True,
        surfaces=(Surface(height, (-0.24, -0.25, 0.22, 0.25)),),
        colour="white",
        material="metal",
    )


def microwave(a: Assembly, colour: str) -> Product:
    """A small oven with a dark window."""
    rng = a.rng
    body = steel(rng, 170) if rng.random() < 0.4 else plastic(rng, pick(rng, ("white", "black", "red")))
    x, y, height = 0.18, 0.24, 0.28
    a.box((-x, -y, 0.01), (x - 0.02, y, height), body, radius_m=0.006)
    a.box((x - 0.018, -y, 0.012), (x, y, height - 0.002), body, radius_m=0.005)
    a.box((-x + 0.02, -y + 0.02, 0), (x - 0.04, y - 0.02, 0.012), plastic(rng, "black"))
    a.decal((x + 0.002, -y + 0.14, 0.05), (0, 2 * y - 0.18, 0), (0, 0, height - 0.1), glass(rng, (40, 46, 52)))
    a.box((x, -y + 0.11, 0.05), (x + 0.025, -y + 0.125, height - 0.05), steel(rng))
    for row in range(4):
        words = pick(rng, ("grey", "black")) if body.colour != "black" else "grey"
        a.decal((x + 0.002, -y + 0.03, 0.05 + row * 0.05), (0, 0.06, 0), (0, 0, 0.03), plastic(rng, words))
    return product("microwave", a, has_front=True, colour=body.colour)
