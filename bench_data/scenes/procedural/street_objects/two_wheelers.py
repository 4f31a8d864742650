"""Bicycles, motorcycles and people."""

from __future__ import annotations

import math

import numpy as np

from ..assembling import Product, product
from ..materials import Material, fabric, glowing, metal, plain, plastic, steel
from ..palette import linear, paint, pick
from ..shapes import Assembly, turn
from ..surfels import Array

__all__ = ["bicycle", "motorcycle", "person"]

Point = tuple[float, float, float]


def _spoked_wheel(a: Assembly, x: float, radius: float, tyre: float, rubber: Material, rim: Material) -> None:
    a.ring((x, 0, radius), "y", radius - tyre, tyre, rubber)
    a.ring((x, 0, radius), "y", radius - 2.3 * tyre, tyre * 0.45, rim)
    for k in range(8):
        angle = math.pi * k / 8
        dx, dz = math.cos(angle) * (radius - 2 * tyre), math.sin(angle) * (radius - 2 * tyre)
        a.tube((x - dx, 0, radius - dz), (x + dx, 0, radius + dz), 0.0025, rim)
    a.placed((x, -0.035, radius), turn("x", -math.pi / 2)).cylinder((0, 0, 0), 0.025, 0.07, rim)


def bicycle(a: Assembly, colour: str) -> Product:
    """Diamond frame, standing."""
    frame, rubber, bright = metal(a.rng, colour), plain("rubber", linear((26, 26, 28))), steel(a.rng, 170)
    r, rear, front = 0.34, (-0.52, 0.34), (0.53, 0.34)
    _spoked_wheel(a, rear[0], r, 0.02, rubber, bright)
    _spoked_wheel(a, front[0], r, 0.02, rubber, bright)
    crank, seat, head, bars = (-0.08, 0.29), (-0.2, 0.78), (0.36, 0.84), (0.34, 1.0)
    for (x0, z0), (x1, z1), thick in (
        (crank, seat, 0.016),
        (crank, (0.39, 0.74), 0.018),
        (seat, head, 0.016),
        (rear, seat, 0.01),
        (rear, crank, 0.01),
        (head, front, 0.014),
        (head, bars, 0.014),
        (seat, (-0.23, 0.92), 0.012),
    ):
        a.tube((x0, 0, z0), (x1, 0, z1), thick, frame)
    a.box((-0.36, -0.07, 0.91), (-0.1, 0.07, 0.96), plastic(a.rng, "black"), radius_m=0.022)
    a.tube((0.34, -0.29, 1.0), (0.34, 0.29, 1.0), 0.011, bright)
    for side in (-1, 1):
        a.tube((0.34, side * 0.29, 1.0), (0.22, side * 0.3, 1.01), 0.014, plastic(a.rng, "black"))
    a.placed((crank[0], 0.03, crank[1]), turn("x", -math.pi / 2)).cylinder((0, 0, 0), 0.09, 0.012, bright)
    return product("bicycle", a, has_front=True)


def motorcycle(a: Assembly, colour: str) -> Product:
    """Tank, seat, engine, fork."""
    rng = a.rng
    body, rubber, dark = metal(rng, colour), plain("rubber", linear((26, 26, 28))), plastic(rng, "black")
    bright = steel(rng, 150)
    for x in (-0.7, 0.72):
        a.ring((x, 0, 0.31), "y", 0.25, 0.06, rubber)
        a.placed((x, -0.03, 0.31), turn("x", -math.pi / 2)).cylinder((0, 0, 0), 0.18, 0.06, bright)
    a.box((-0.28, -0.16, 0.3), (0.3, 0.16, 0.62), bright, radius_m=0.06)
    a.ball((0.16, 0, 0.8), (0.33, 0.17, 0.15), body)
    a.box((-0.72, -0.14, 0.72), (-0.06, 0.14, 0.84), dark, radius_m=0.05)
    a.box((-0.95, -0.1, 0.66), (-0.55, 0.1, 0.8), body, radius_m=0.05)
    for side in (-1, 1):
        a.tube((0.72, side * 0.09, 0.31), (0.46, side * 0.09, 0.98), 0.026, bright)
        a.tube((-0.2, side * 0.08, 0.42), (-0.7, side * 0.09, 0.31), 0.03, dark)
        a.tube((0.44, side * 0.04, 1.02), (0.32, side * 0.36, 1.05), 0.016, dark)
    a.ball((0.6, 0, 0.9), (0.1, 0.11, 0.11), glowing((240, 240, 232), 0.3))
    a.tube((-0.1, -0.17, 0.32), (-0.85, -0.19, 0.42), 0.045, bright)
    a.box((0.4, -0.08, 0.6), (0.98, 0.08, 0.64), body, radius_m=0.018)
    return product("motorcycle", a, has_front=True, colour=colour)


_SKIN = ((236, 196, 166), (198, 142, 104), (140, 92, 62), (92, 60, 42))
_HAIR = ((40, 28, 22), (92, 62, 38), (24, 22, 22), (176, 140, 84), (150, 148, 146))


def person(a: Assembly, colour: str) -> Product:
    """Someone standing or walking in a coat or shirt of that colour."""
    rng, tall = a.rng, float(a.rng.uniform(1.56, 1.88))
    s = tall / 1.75
    skin = plain("skin", linear(_SKIN[int(rng.integers(len(_SKIN)))]))
    hair = plain("hair", linear(_HAIR[int(rng.integers(len(_HAIR)))]))
    top = fabric(rng, colour)
    trousers, shoe = fabric(rng, pick(rng, ("blue", "black", "grey", "brown"))), plain("leather", paint("black", rng))
    stride = float(rng.choice([0.04, 0.22])) * s
    for side, swing in ((-1, stride), (1, -stride)):
        y = side * 0.095 * s
        hip, knee, foot = (0, y, 0.88 * s), (swing * 0.6, y, 0.48 * s), (swing, y, 0.08 * s)
        _limb(a, hip, knee, 0.085 * s, 0.062 * s, trousers)
        _limb(a, knee, foot, 0.062 * s, 0.05 * s, trousers)
        heel, toe = (swing - 0.08 * s, y - 0.045 * s, 0), (swing + 0.18 * s, y + 0.045 * s, 0.085 * s)
        a.box(heel, toe, shoe, radius_m=0.035 * s)
        shoulder, elbow = (0, side * 0.2 * s, 1.4 * s), (-swing * 0.4, side * 0.25 * s, 1.14 * s)
        hand = (-swing * 0.6 + 0.06 * s, side * 0.25 * s, 0.9 * s)
        _limb(a, shoulder, elbow, 0.058 * s, 0.046 * s, top)
        _limb(a, elbow, hand, 0.046 * s, 0.036 * s, top)
        a.ball((hand[0], hand[1], hand[2] - 0.05 * s), (0.035 * s, 0.03 * s, 0.06 * s), skin)
    t = np.linspace(0, 1, 10)
    width = np.array([0.0, 0.15, 0.165, 0.155, 0.16, 0.18, 0.2, 0.2, 0.15, 0.05])
    a.placed((0, 0, 0.0)).sheet(*_torso(width * s, 0.8 * s + t * 0.68 * s, a.spacing_m), top)
    a.cylinder((0, 0, 1.44 * s), 0.052 * s, 0.1 * s, skin)
    a.ball((0.012 * s, 0, 1.62 * s), (0.095 * s, 0.078 * s, 0.115 * s), skin)
    a.ball((-0.018 * s, 0, 1.65 * s), (0.096 * s, 0.086 * s, 0.1 * s), hair)
    return product("person", a, has_front=True, wearing=colour)


def _limb(a: Assembly, start_m: Point, end_m: Point, radius0: float, radius1: float, material: Material) -> None:
    """A rounded bar that tapers."""
    start, end = np.asarray(start_m, dtype=np.float64), np.asarray(end_m, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    z = (end - start) / length
    x = np.cross(z, [0.0, 1.0, 0.0])
    x /= np.linalg.norm(x)
    limb = a.placed(start, np.stack([x, np.cross(z, x), z], axis=1))
    limb.cylinder((0, 0, 0), radius0, length, material, top_radius_m=radius1, open_ends=True)
    a.ball(start, radius0, material)
    a.ball(end, radius1, material)


def _torso(half_width: Array, height: Array, spacing_m: float) -> tuple[Array, Array, Array]:
    """A grid of elliptical rings, with its places along and up."""
    angles = np.linspace(0, 2 * math.pi, max(14, int(1.0 / spacing_m)) + 1)
    points = np.empty((len(angles), len(height), 3))
    points[..., 0] = np.multiply.outer(np.cos(angles), half_width * 0.62)
    points[..., 1] = np.multiply.outer(np.sin(angles), half_width)
    points[..., 2] = height
    return points, angles * 0.18, height
