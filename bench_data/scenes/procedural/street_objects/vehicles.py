"""Cars, vans, buses and trucks; they face along x."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..assembling import Product, product
from ..materials import glass, glowing, plain, plastic, steel
from ..palette import linear, paint
from ..shapes import Assembly, turn
from ..surfels import Array, graded_cells

__all__ = ["bus", "car", "truck", "van"]

_RUBBER = linear((26, 26, 28))


@dataclass(frozen=True)
class _Body:
    """Side view of a car: knots (x as a share of the length from the rear, height in metres) of its upper line."""

    length_m: float
    width_m: float
    line: tuple[tuple[float, float], ...]
    belt_m: float
    roof: tuple[float, float]
    pillars: tuple[float, ...]


_SALOON = _Body(
    4.5,
    1.8,
    (
        (0, 0.72),
        (0.03, 0.95),
        (0.17, 1.0),
        (0.32, 1.42),
        (0.42, 1.46),
        (0.56, 1.42),
        (0.72, 0.99),
        (0.95, 0.86),
        (1.0, 0.62),
    ),
    0.92,
    (0.33, 0.55),
    (0.46,),
)
_HATCH = _Body(
    4.05,
    1.76,
    (
        (0, 0.75),
        (0.02, 1.0),
        (0.1, 1.38),
        (0.2, 1.5),
        (0.4, 1.53),
        (0.55, 1.47),
        (0.73, 1.03),
        (0.95, 0.88),
        (1.0, 0.62),
    ),
    0.95,
    (0.13, 0.54),
    (0.3, 0.46),
)
_JEEP = _Body(
    4.5,
    1.86,
    (
        (0, 0.85),
        (0.02, 1.1),
        (0.06, 1.6),
        (0.14, 1.72),
        (0.45, 1.74),
        (0.57, 1.68),
        (0.7, 1.2),
        (0.95, 1.08),
        (1.0, 0.7),
    ),
    1.08,
    (0.09, 0.56),
    (0.27, 0.46),
)


def car(a: Assembly, colour: str) -> Product:
    """Saloon, hatchback or off-roader."""
    shapes = (("saloon", _SALOON), ("hatchback", _HATCH), ("off-road", _JEEP))
    name, body = shapes[int(a.rng.integers(3))]
    _shell(a, body, paint(colour, a.rng))
    half, wheel = body.width_m / 2, 0.36 if body is _JEEP else 0.31
    for share in (0.19, 0.81):
        for side in (-1, 1):
            _wheel(a, ((share - 0.5) * body.length_m, side * (half - 0.1), wheel), wheel, side)
    front, rear = body.length_m / 2, -body.length_m / 2
    a.box((rear + 0.1, -half + 0.12, 0.22), (front - 0.1, half - 0.12, 0.34), plastic(a.rng, "black"))
    for side in (-1, 1):
        y0, y1 = sorted((side * (half - 0.46), side * (half - 0.12)))
        a.box((front - 0.2, y0, 0.62), (front - 0.01, y1, 0.74), glowing((240, 244, 248), 0.5), radius_m=0.04)
        a.box((rear + 0.0, y0, 0.72), (rear + 0.12, y1, 0.86), glowing((190, 24, 28), 0.25), radius_m=0.03)
        y0, y1 = sorted((side * (half - 0.02), side * (half + 0.13)))
        a.box(
            (0.13 * body.length_m, y0, body.belt_m),
            (0.13 * body.length_m + 0.1, y1, body.belt_m + 0.13),
            plain("metal", paint(colour, a.rng)),
            radius_m=0.04,
        )
    white = plain("metal", linear((236, 236, 228)))
    a.box((front - 0.05, -0.26, 0.4), (front + 0.015, 0.26, 0.51), white)
    a.box((rear - 0.015, -0.26, 0.56), (rear + 0.05, 0.26, 0.67), white)
    a.box((front - 0.1, -half + 0.35, 0.54), (front + 0.005, half - 0.35, 0.62), plastic(a.rng, "black"))
    return product(
        "car",
        a,
        has_front=True,
        solid=_inner(front, rear, half, 0.75),
        colour=colour,
        shape=name,
    )


def _shell(a: Assembly, body: _Body, albedo: Array) -> None:
    """Body and windows as one sheet: stations along x, and around each of them from sill over roof to sill."""
    knots = np.array(body.line)
    u = graded_cells(body.length_m, a.spacing_m)
    share = u / body.length_m
    top = np.interp(share, knots[:, 0], knots[:, 1])
    kernel = np.array([1, 2, 3, 2, 1]) / 9
    top = np.convolve(np.pad(top, 2, mode="edge"), kernel, mode="valid")
    ends = 1 - 0.14 * np.maximum(np.abs(share - 0.5) * 2 - 0.72, 0) / 0.28
    half = body.width_m / 2 * ends
    belt = np.minimum(body.belt_m, top - 0.03)
    upper = np.clip((top - body.belt_m) / 0.5, 0, 1)
    roof_half = half * (1 - 0.16 * upper)
    sill = 0.26 + 0.1 * np.maximum(np.abs(share - 0.5) * 2 - 0.9, 0) / 0.1
    arc = np.linspace(0, math.pi / 2, 4)
    soft = 0.07
    side_y = [half * 0.97, half, half * 1.0, half * 0.985, half * (0.985 - 0.05 * upper), roof_half]
    side_z = [sill, sill + 0.22, (sill + belt) / 2 + 0.08, belt, belt + 0.5 * (top - belt), top - soft]
    for angle in arc[1:]:
        side_y.append(roof_half - soft + soft * math.cos(angle))
        side_z.append(top - soft + soft * math.sin(angle))
    for k in (0.6, 0.2):
        side_y.append((roof_half - soft) * k)
        side_z.append(top + 0.02 * upper * (1 - k))
    y, z = np.stack(side_y, axis=1), np.stack(side_z, axis=1)
    y, z = _denser(y, z, a.spacing_m)
    y, z = np.concatenate([-y, y[:, ::-1]], axis=1), np.concatenate([z, z[:, ::-1]], axis=1)
    points = np.empty((*y.shape, 3))
    points[..., 0], points[..., 1], points[..., 2] = (u - body.length_m / 2)[:, None], -y, z
    a.painted(points[:, ::-1], _car_colours(body, share, points[:, ::-1], top, albedo))
    for index, facing in ((0, -1), (-1, 1)):  # nose and tail
        ring = points[index]
        middle = np.array([ring[0, 0] + facing * 0.02, 0, (ring[:, 2].min() + ring[:, 2].max()) / 2])
        shares = 1 - graded_cells(1.0, 0.2, edge_m=0.02)
        fan = shares[:, None, None] * (ring - middle) + middle
        colours = np.broadcast_to(albedo, (len(fan) - 1, len(ring) - 1, 3))
        a.painted(fan if facing > 0 else fan[::-1], colours)


def _denser(y: Array, z: Array, spacing_m: float) -> tuple[Array, Array]:
    """The same cross-sections with more points where they lie far apart."""
    gap = np.hypot(np.diff(y, axis=1), np.diff(z, axis=1)).max(axis=0)
    places = [np.zeros(1)]
    for k, distance in enumerate(gap):
        places.append(k + np.linspace(0, 1, max(1, math.ceil(distance / spacing_m)) + 1)[1:])
    at = np.concatenate(places)
    low = np.minimum(at.astype(int), y.shape[1] - 2)
    t = at - low
    return (1 - t) * y[:, low] + t * y[:, low + 1], (1 - t) * z[:, low] + t * z[:, low + 1]


def _car_colours(body: _Body, share: Array, points: Array, top: Array, albedo: Array) -> Array:
    """Paint below, glass between belt and roof, dark seams of doors."""
    middle = (points[1:, 1:] + points[:-1, :-1]) / 2
    x = ((share[1:] + share[:-1]) / 2)[:, None]
    height, roof = middle[..., 2], ((top[1:] + top[:-1]) / 2)[:, None]
    colours = np.broadcast_to(albedo, middle.shape).copy()
    on_side = np.abs(middle[..., 1]) > 0.8 * body.width_m / 2 * 0.8
    inside = (x > body.roof[0] - 0.06) & (x < body.roof[1] + 0.08)
    pane = on_side & inside & (height > body.belt_m + 0.05) & (height < roof - 0.075)
    slope = np.abs(np.gradient(top, share * body.length_m))
    steep = ((slope[1:] + slope[:-1]) / 2)[:, None] > 0.33
    screen = ~on_side & steep & (height > body.belt_m + 0.06) & (roof < max(k[1] for k in body.line) - 0.05)
    for pillar in body.pillars:
        pane &= np.abs(x - pillar) > 0.011
    sky = np.clip((height - body.belt_m) / 0.5, 0, 1)[..., None]
    glass_colour = linear((32, 40, 48)) * (1 - sky) + linear((92, 112, 128)) * sky
    colours = np.where((pane | screen)[..., None], glass_colour, colours)
    seam = on_side & (height < body.belt_m) & (height > 0.34)
    for place in (*body.pillars, body.roof[1] + 0.09):
        seam_here = seam & (np.abs(x - place) < 0.006)
        colours = np.where(seam_here[..., None], albedo * 0.35, colours)
    return np.where((height < 0.33)[..., None], linear((40, 40, 42)), colours)


def _wheel(a: Assembly, centre: tuple[float, float, float], radius_m: float, side: int) -> None:
    """Tyre, rim, and the dark of the wheel arch."""
    fine = a.placed(centre, turn("x", -side * math.pi / 2), spacing_m=min(a.spacing_m, radius_m / 5))
    wide = 0.1 if radius_m < 0.4 else 0.14
    fine.lathe(
        [
            (radius_m * 0.5, -wide),
            (radius_m * 0.96, -wide),
            (radius_m, -wide * 0.6),
            (radius_m, wide * 0.6),
            (radius_m * 0.96, wide),
            (radius_m * 0.62, wide * 1.02),
        ],
        plain("rubber", _RUBBER),
    )
    rim = steel(a.rng, 150)
    fine.lathe([(radius_m * 0.64, wide), (radius_m * 0.55, wide * 0.8), (radius_m * 0.2, wide * 0.85), (0, wide)], rim)


def _windows(a: Assembly, length: tuple[float, float], half: float, low: float, high: float, count: int) -> None:
    """A row of panes on both sides."""
    pane, step = glass(a.rng, (70, 88, 100)), (length[1] - length[0]) / count
    for k in range(count):
        x0, x1 = length[0] + k * step + 0.05, length[0] + (k + 1) * step - 0.05
        a.decal((x1, half + 0.004, low), (x0 - x1, 0, 0), (0, 0, high - low), pane)
        a.decal((x0, -half - 0.004, low), (x1 - x0, 0, 0), (0, 0, high - low), pane)


def _lamps(a: Assembly, front: float, rear: float, half: float, height: float) -> None:
    white, red = glowing((240, 244, 248), 0.5), glowing((190, 24, 28), 0.25)
    for side in (-1, 1):
        y0, y1 = sorted((side * (half - 0.4), side * (half - 0.1)))
        a.box((front - 0.05, y0, height), (front + 0.02, y1, height + 0.16), white, radius_m=0.02)
        a.box((rear - 0.02, y0, height), (rear + 0.05, y1, height + 0.2), red, radius_m=0.02)


def _inner(front: float, rear: float, half: float, top: float) -> tuple[Array, Array]:
    """What light never gets into: the vehicle well inside its skin, from its floor up."""
    return np.array([rear + 0.3, -half + 0.25, 0.3]), np.array([front - 0.3, half - 0.25, top])


def van(a: Assembly, colour: str) -> Product:
    """A delivery van with a short bonnet."""
    body = plain("metal", paint(colour, a.rng), colour=colour)
    length, half, height = float(a.rng.uniform(4.8, 5.6)), 0.97, float(a.rng.uniform(1.95, 2.4))
    rear, front = -length / 2, length / 2
    a.box((rear, -half, 0.32), (front - 0.95, half, height), body, radius_m=0.12)
    a.box((front - 1.1, -half + 0.01, 0.32), (front, half - 0.01, 1.12), body, radius_m=0.12)
    top_x, low_x = front - 0.96, front - 0.3
    pane, y = glass(a.rng, (70, 88, 100)), half - 0.06
    a.quad([(low_x, -y, 1.1), (low_x, y, 1.1), (top_x, y - 0.08, height - 0.1), (top_x, -y + 0.08, height - 0.1)], pane)
    for side in (-1, 1):
        lower, upper = (low_x, side * y, 1.1), (top_x, side * (y - 0.08), height - 0.1)
        back = (top_x - 0.05, side * (half - 0.005), 1.1)
        a.quad([back, lower, upper, upper] if side < 0 else [lower, back, upper, upper], pane)
    for side in (-1, 1):
        corner = (top_x - 0.05 if side > 0 else top_x - 0.95, side * (half + 0.004), 1.2)
        a.decal(corner, (-side * 0.9, 0, 0), (0, 0, min(0.55, height - 1.45)), pane)
    a.decal((rear - 0.004, half - 0.15, 1.15), (0, -2 * half + 0.3, 0), (0, 0, 0.5), pane)
    a.box((rear + 0.2, -half + 0.15, 0.22), (front - 0.2, half - 0.15, 0.36), plastic(a.rng, "black"))
    for x in (rear + 1.0, front - 0.85):
        for side in (-1, 1):
            _wheel(a, (x, side * (half - 0.08), 0.34), 0.34, side)
    _lamps(a, front, rear, half, 0.72)
    return product(
        "van",
        a,
        has_front=True,
        solid=_inner(front, rear, half, 0.9),
        colour=colour,
        size="tall" if height > 2.2 else "",
    )


def bus(a: Assembly, colour: str) -> Product:
    """A town bus with a long row of windows."""
    body = plain("metal", paint(colour, a.rng), colour=colour)
    length, half, height = float(a.rng.uniform(10.0, 12.0)), 1.25, 3.1
    rear, front = -length / 2, length / 2
    a.box((rear, -half, 0.35), (front, half, height), body, radius_m=0.16)
    _windows(a, (rear + 0.5, front - 0.6), half, 1.25, 2.45, 7)
    pane, dark = glass(a.rng, (70, 88, 100)), plastic(a.rng, "black")
    a.decal((front + 0.004, -half + 0.14, 1.1), (0, 2 * half - 0.28, 0), (0, 0, 1.35), pane)
    a.decal((rear - 0.004, half - 0.2, 1.6), (0, -2 * half + 0.4, 0), (0, 0, 0.85), pane)
    a.decal((front + 0.005, -0.8, 2.55), (0, 1.6, 0), (0, 0, 0.3), glowing((255, 190, 70), 0.4))
    for x in (front - 1.6, 0.2):
        a.decal((x - 1.1, -half - 0.005, 0.45), (1.1, 0, 0), (0, 0, 2.0), pane)
    a.box((rear + 0.3, -half + 0.12, 0.24), (front - 0.3, half - 0.12, 0.4), dark)
    for x in (rear + 2.6, front - 2.7):
        for side in (-1, 1):
            _wheel(a, (x, side * (half - 0.1), 0.48), 0.48, side)
    _lamps(a, front, rear, half, 0.6)
    return product("bus", a, has_front=True, solid=_inner(front, rear, half, 2.6), colour=colour)


def truck(a: Assembly, colour: str) -> Product:
    """A cab before a box body."""
    rng, half = a.rng, 1.2
    body = plain("metal", paint(colour, rng), colour=colour)
    box_word = "white" if rng.random() < 0.6 else colour
    load = plain("metal", paint(box_word, rng))
    length, height = float(rng.uniform(6.6, 8.0)), float(rng.uniform(3.0, 3.4))
    rear, front = -length / 2, length / 2
    a.box((rear, -half, 0.95), (front - 1.95, half, height), load, radius_m=0.03)
    a.box((front - 1.8, -half + 0.05, 0.5), (front, half - 0.05, 2.6), body, radius_m=0.14)
    pane = glass(rng, (70, 88, 100))
    a.decal((front + 0.004, -half + 0.2, 1.5), (0, 2 * half - 0.4, 0), (0, 0, 0.85), pane)
    for side in (-1, 1):
        corner = (front - 0.35 if side > 0 else front - 1.35, side * (half - 0.046), 1.5)
        a.decal(corner, (-side * 1.0, 0, 0), (0, 0, 0.75), pane)
    a.decal((front + 0.005, -0.7, 0.8), (0, 1.4, 0), (0, 0, 0.45), plastic(rng, "black"))
    a.box((rear + 0.1, -half + 0.3, 0.6), (front - 0.4, half - 0.3, 0.96), plain("metal", linear((44, 44, 48))))
    for x in (rear + 1.3, front - 1.1):
        for side in (-1, 1):
            _wheel(a, (x, side * (half - 0.16), 0.48), 0.48, side)
    _lamps(a, front, rear + 0.02, half - 0.1, 0.62)
    return product(
        "truck", a, has_front=True, solid=_inner(front, rear, half, 2.1), colour=colour if box_word == colour else ""
    )
