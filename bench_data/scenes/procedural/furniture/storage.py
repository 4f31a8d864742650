"""Cupboards, shelves and drawers; their fronts are +x."""

from __future__ import annotations

import numpy as np

from ..assembling import Product, Surface, product
from ..materials import Material, lacquer, steel, wood
from ..palette import PAINTS, linear, pick
from ..shapes import Assembly
from ..surfels import Array

__all__ = ["bookshelf", "chest_of_drawers", "nightstand", "tv_stand", "wardrobe"]


def _body(a: Assembly, colour: str) -> Material:
    return wood(a.rng) if a.rng.random() < 0.55 else lacquer(a.rng, colour)


def _top(depth_m: float, width_m: float, height_m: float) -> Surface:
    x, y = depth_m / 2 - 0.03, width_m / 2 - 0.04
    return Surface(height_m, (-x, -y, x, y))


def _drawers(
    a: Assembly, size_m: tuple[float, float, float], rows: int, columns: int, body: Material, *, feet_m: float = 0.06
) -> None:
    """A chest: body, drawer fronts with gaps, and handles, standing on a plinth or feet."""
    x, y, height = size_m[0] / 2, size_m[1] / 2, size_m[2]
    handle = steel(a.rng, int(a.rng.integers(70, 180)))
    a.box((-x, -y, feet_m), (x - 0.018, y, height - 0.02), body)
    a.box((-x, -y, height - 0.02), (x, y, height), body)
    for fx in (-x + 0.03, x - 0.07):
        for fy in (-y + 0.02, y - 0.06):
            a.box((fx, fy, 0), (fx + 0.04, fy + 0.04, feet_m), body)
    cell_y, cell_z = (2 * y - 0.01) / columns, (height - 0.03 - feet_m) / rows
    for row in range(rows):
        for column in range(columns):
            y0, z0 = -y + 0.005 + column * cell_y, feet_m + 0.005 + row * cell_z
            a.box((x - 0.018, y0 + 0.004, z0 + 0.004), (x, y0 + cell_y - 0.004, z0 + cell_z - 0.004), body)
            middle = y0 + cell_y / 2
            a.box((x, middle - 0.06, z0 + cell_z * 0.6), (x + 0.018, middle + 0.06, z0 + cell_z * 0.6 + 0.012), handle)


def chest_of_drawers(a: Assembly, colour: str) -> Product:
    """Three to five rows of drawers."""
    rng, body, rows = a.rng, _body(a, colour), int(a.rng.integers(3, 6))
    width = float(rng.uniform(0.75, 1.1))
    size = (float(rng.uniform(0.42, 0.5)), width, 0.16 + rows * 0.2)
    _drawers(a, size, rows, 2 if width > 0.95 else 1, body)
    return product(
        "chest of drawers",
        a,
        has_front=True,
        surfaces=(_top(*size),),
        colour=body.colour,
        material=body.word,
        size="tall" if rows == 5 else "",
    )


def nightstand(a: Assembly, colour: str) -> Product:
    """A small chest beside a bed."""
    rng, body = a.rng, _body(a, colour)
    size = (float(rng.uniform(0.36, 0.42)), float(rng.uniform(0.4, 0.48)), float(rng.uniform(0.48, 0.56)))
    _drawers(a, size, 2, 1, body, feet_m=0.1)
    return product("nightstand", a, has_front=True, surfaces=(_top(*size),), colour=body.colour, material=body.word)


def tv_stand(a: Assembly, colour: str) -> Product:
    """Long and low, with doors."""
    rng, body = a.rng, _body(a, colour)
    size = (float(rng.uniform(0.38, 0.44)), float(rng.uniform(1.25, 1.7)), float(rng.uniform(0.42, 0.52)))
    _drawers(a, size, 1, 3, body, feet_m=0.09)
    return product("TV stand", a, has_front=True, surfaces=(_top(*size),), colour=body.colour, material=body.word)


def wardrobe(a: Assembly, colour: str) -> Product:
    """Two or three tall doors."""
    rng, body, doors = a.rng, _body(a, colour), int(a.rng.integers(2, 4))
    x, y, height = float(rng.uniform(0.28, 0.31)), 0.24 * doors + 0.02, float(rng.uniform(1.9, 2.15))
    handle = steel(rng)
    a.box((-x, -y, 0), (x - 0.03, y, 0.07), body)
    a.box((-x, -y, 0.07), (x - 0.022, y, height - 0.03), body)
    a.box((-x, -y - 0.01, height - 0.03), (x + 0.01, y + 0.01, height), body)
    door = (2 * y - 0.004) / doors
    for k in range(doors):
        y0 = -y + 0.002 + k * door
        a.box((x - 0.022, y0 + 0.003, 0.08), (x, y0 + door - 0.003, height - 0.035), body)
        a.box((x, y0 + 0.07, 0.2), (x + 0.008, y0 + door - 0.07, height - 0.16), body)
        at = y0 + (door - 0.05 if k % 2 == 0 else 0.05)
        a.box((x, at - 0.008, 0.95), (x + 0.03, at + 0.008, 1.15), handle)
    return product(
        "wardrobe", a, has_front=True, colour=body.colour, material=body.word, size="large" if doors == 3 else ""
    )


def bookshelf(a: Assembly, colour: str) -> Product:
    """Open shelves with rows of books."""
    rng, body = a.rng, _body(a, colour)
    x, y, rows = float(rng.uniform(0.14, 0.17)), float(rng.uniform(0.35, 0.5)), int(rng.integers(3, 6))
    board, gap = 0.02, float(rng.uniform(0.33, 0.37))
    height = 0.06 + rows * gap
    for side in (-y, y - board):
        a.box((-x, side, 0), (x, side + board, height), body)
    a.box((-x, -y + board, 0.04), (-x + 0.008, y - board, height), body)
    for row in range(rows + 1):
        z = 0.06 + row * gap
        a.box((-x + 0.008, -y + board, z - board), (x, y - board, z), body)
        if row < rows:
            _books(a, -x + 0.02, x - 0.02, -y + board + 0.004, y - board - 0.004, z, gap - board)
    return product(
        "bookshelf",
        a,
        has_front=True,
        surfaces=(_top(2 * x, 2 * y, 0.06 + rows * gap),),
        colour=body.colour,
        material=body.word,
        size="tall" if rows == 5 else "short" if rows == 3 else "",
    )


def _books(a: Assembly, back_m: float, front_m: float, y0: float, y1: float, z: float, room_m: float) -> None:
    """A row of spines from y0 until the shelf, or the wish to read, ends."""
    rng, at = a.rng, y0
    a = a.placed(spacing_m=2 * a.spacing_m)  # most of a book is hidden by the next
    end = y0 + (y1 - y0) * float(rng.choice([0.55, 0.8, 1.0]))
    words = tuple(PAINTS)
    while at < end - 0.03:
        width, tall = float(rng.uniform(0.02, 0.045)), float(rng.uniform(0.6, 0.88)) * room_m
        width = min(width, y1 - at)
        deep = float(rng.uniform(0.7, 0.95)) * (front_m - back_m)
        base = linear(PAINTS[pick(rng, words)][0]) * float(rng.uniform(0.5, 1.0))
        low, high = (back_m, at, z), (back_m + deep, at + width - 0.002, z + tall)
        a.box(low, high, _spine(base, tall, float(rng.uniform(0.55, 0.75))), without=("-x", "-z"))
        at += width


def _spine(base: Array, tall_m: float, band_at: float) -> Material:
    """A cover with a pale band for the title; u runs up the spine."""
    pale = np.clip(base * 0.3 + 0.5, 0, 0.9)

    def texture(u: Array, v: Array) -> Array:
        band = np.abs(u / tall_m - band_at) < 0.07
        return np.asarray(np.where(band[:, None], pale, base))

    return Material("paper", texture, stretch=(0.5, 1.0))
