"""Houses: a front with windows and a door (+x), sides, back, and a roof that a drone would see."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..assembling import Product, product
from ..materials import Material, brick, lacquer, metal, plain, plaster
from ..noise import lattice_random, value_noise
from ..palette import linear, pick
from ..shapes import Assembly
from ..surfels import Array, graded_cells, uniform_cells

__all__ = ["building"]

_FLOOR_M = 3.0
_RENDERS = {
    "white": (232, 230, 224),
    "beige": (222, 204, 168),
    "yellow": (232, 196, 96),
    "pink": (226, 158, 158),
    "grey": (150, 152, 154),
    "green": (126, 158, 128),
    "blue": (104, 138, 178),
}
_BRICKS = {"brown": (146, 92, 66), "red": (162, 60, 44), "beige": (206, 178, 138)}


@dataclass(frozen=True)
class _Hole:
    """A window or a door in a wall, from its left lower corner."""

    left_m: float
    right_m: float
    low_m: float
    high_m: float
    is_door: bool = False


def building(a: Assembly, width_m: float, depth_m: float, floors: int) -> Product:
    """A house of so many floors; its front wall is at +x, its bounds are those of its walls, roof and sills."""
    rng = a.rng
    is_brick = bool(rng.random() < 0.45)
    word = pick(rng, tuple(_BRICKS if is_brick else _RENDERS))
    wall = brick(rng, _BRICKS[word], joints=False) if is_brick else plaster(rng, _RENDERS[word])
    trim = plaster(rng, (228, 224, 214))
    height, x, y = floors * _FLOOR_M + 0.5, depth_m / 2, width_m / 2
    shop = bool(rng.random() < 0.35)
    pitched = bool(floors <= 3 and rng.random() < 0.7)
    top = height - 0.12 if pitched else height  # what is just under a slope would stick out of it
    _wall(a, (x, -y, 0), (0, 1, 0), width_m, top, _front_holes(rng, width_m, floors, shop=shop), wall, trim)
    back = a.placed(spacing_m=1.4 * a.spacing_m)
    _wall(back, (-x, y, 0), (0, -1, 0), width_m, top, _rows(width_m, floors, 0.25), wall, trim)
    for side in (-1, 1):
        corner, along = ((x, y, 0), (-1, 0, 0)) if side > 0 else ((-x, -y, 0), (1, 0, 0))
        _wall(back, corner, along, depth_m, top, _rows(depth_m, floors, 0.0), wall, trim)
    if pitched:
        _pitched_roof(a, x, y, height, wall)
    else:
        _flat_roof(a, x, y, height, trim)
    solid = np.array([-x + 0.2, -y + 0.2, 0.0]), np.array([x - 0.2, y - 0.2, height - 0.3])
    return product(
        "building",
        a,
        has_front=True,
        solid=solid,
        colour=word,
        material="brick" if is_brick else "",
        size="tall" if floors >= 5 else "low" if floors <= 2 else "",
        shape="gabled" if pitched else "flat-roofed",
    )


def _rows(length_m: float, floors: int, share: float) -> list[_Hole]:
    """Evenly spaced windows on every floor."""
    count = max(1, int(length_m / 2.6 * (0.5 + share)))
    step = length_m / count
    holes = []
    for floor in range(floors):
        low = floor * _FLOOR_M + 1.0
        for k in range(count):
            middle = (k + 0.5) * step
            holes.append(_Hole(middle - 0.55, middle + 0.55, low, low + 1.45))
    return holes


def _front_holes(rng: np.random.Generator, width_m: float, floors: int, *, shop: bool) -> list[_Hole]:
    """A door among the windows of the ground floor, or a shop's large panes."""
    count = max(2, int(width_m / 2.4))
    step, door = width_m / count, int(rng.integers(count))
    wide = min(0.62 if rng.random() < 0.5 else 0.75, step / 2 - 0.3)
    holes = []
    for floor in range(floors):
        for k in range(count):
            middle, base = (k + 0.5) * step, floor * _FLOOR_M
            if floor == 0 and k == door:
                holes.append(_Hole(middle - 0.5, middle + 0.5, 0.02, 2.3, is_door=True))
            elif floor == 0 and shop:
                holes.append(_Hole(middle - step / 2 + 0.2, middle + step / 2 - 0.2, 0.5, 2.6))
            else:
                holes.append(_Hole(middle - wide, middle + wide, base + 0.95, base + 2.5))
    return holes


def _wall(
    a: Assembly,
    corner_m: Sequence[float],
    along: Sequence[float],
    length_m: float,
    height_m: float,
    holes: Sequence[_Hole],
    material: Material,
    trim: Material,
) -> None:
    """A wall with panes set back in its holes; ``along`` runs to the right seen from outside."""
    corner, right, up = np.asarray(corner_m, float), np.asarray(along, float), np.array([0.0, 0.0, 1.0])
    out = np.cross(right, up)
    u = _cut(length_m, {x for h in holes for x in (h.left_m, h.right_m)}, a.spacing_m)
    v = _cut(height_m, {z for h in holes for z in (h.low_m, h.high_m)}, a.spacing_m)
    points = corner + np.multiply.outer(u, right)[:, None] + np.multiply.outer(v, up)[None, :]
    mid_u, mid_v = np.meshgrid((u[1:] + u[:-1]) / 2, (v[1:] + v[:-1]) / 2, indexing="ij")
    keep = np.ones(mid_u.shape, dtype=np.bool_)
    for h in holes:
        keep &= ~((mid_u > h.left_m) & (mid_u < h.right_m) & (mid_v > h.low_m) & (mid_v < h.high_m))
    a.sheet(points, u, v, material, keep=keep)
    door = lacquer(a.rng, pick(a.rng, ("green", "blue", "red", "brown", "black")))
    for h in holes:
        _opening(a, corner + right * h.left_m + up * h.low_m, right, out, h, door, trim)


def _opening(a: Assembly, low: Array, right: Array, out: Array, h: _Hole, door: Material, trim: Material) -> None:
    """Pane or door, the sides of the hole, and a sill: few cells, as there are many windows."""
    wide, tall, deep = h.right_m - h.left_m, h.high_m - h.low_m, 0.12
    up = np.array([0.0, 0.0, 1.0])
    u, v = (_framed_cells(length, a.spacing_m * 1.2) for length in (wide, tall))
    pane = door if h.is_door else _pane(a.rng, wide, tall)
    a.sheet(_plane(low - out * deep, right, up, u, v), u, v, pane)
    across = uniform_cells(deep, deep)
    along, aside = (graded_cells(length, 2 * a.spacing_m, edge_m=0.07) for length in (wide, tall))
    a.sheet(_plane(low, -out, right, across, along), across, along, trim)
    a.sheet(_plane(low, up, -out, aside, across), aside, across, trim)
    a.sheet(_plane(low + right * wide, -out, up, across, aside), across, aside, trim)
    if not h.is_door and wide < 2:
        sill, ledge = low - right * 0.08 - up * 0.09 + out * 0.07, wide + 0.16
        along, rim, top = (
            graded_cells(ledge, 2 * a.spacing_m, edge_m=0.07),
            np.array([0.0, 0.09]),
            np.array([0.0, 0.07]),
        )
        a.sheet(_plane(sill, right, up, along, rim), along, rim, trim)
        a.sheet(_plane(sill + up * 0.09, right, -out, along, top), along, top, trim)


def _plane(corner: Array, along_u: Array, along_v: Array, u: Array, v: Array) -> Array:
    return np.asarray(corner + np.multiply.outer(u, along_u)[:, None] + np.multiply.outer(v, along_v)[None, :])


def _framed_cells(length_m: float, spacing_m: float) -> Array:
    """Cells of a pane: narrow ones for its frame and its middle bar, and beside them."""
    rim, bar, beside = 0.05, 0.025, 0.09
    inner = length_m / 2 - bar - rim
    middle = uniform_cells(inner - 2 * beside, spacing_m)[:-1] + beside if inner > 3 * beside else np.zeros(0)
    first = np.concatenate([[0.0], middle, [inner - beside, inner]]) + rim
    return np.concatenate([[0.0], first, length_m - first[::-1], [length_m]])


def _cut(length_m: float, cuts_m: set[float], spacing_m: float) -> Array:
    stops = [0.0, *sorted(cuts_m), length_m]
    edge = 0.3 * spacing_m
    cells = [graded_cells(end - start, spacing_m, edge_m=edge)[:-1] for start, end in itertools.pairwise(stops)]
    pieces = [start + part for start, part in zip(stops, cells, strict=False)]
    return np.concatenate([*pieces, [length_m]])


def _pane(rng: np.random.Generator, wide_m: float, tall_m: float) -> Material:
    """Dark glass in a pale frame, the sky in its upper part, sometimes a curtain behind it."""
    dark, sky, frame = linear((44, 54, 62)), linear((132, 156, 178)), linear((226, 226, 220))
    curtain, drawn = linear((214, 206, 190)), float(rng.choice([0.0, 0.0, 0.25, 0.4]))
    seed = int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        x, z = u / wide_m, v / tall_m
        mix = np.clip(0.35 * z + 0.35 * value_noise(u * 1.3, v * 0.8, seed), 0, 1)[:, None]
        colour = dark * (1 - mix) + sky * mix
        colour = np.where((np.abs(x - 0.5) > 0.5 - drawn / 2)[:, None], curtain * 0.6, colour)
        beside, under = np.minimum(u, wide_m - u), np.minimum(v, tall_m - v)
        bars = (np.abs(u - wide_m / 2) < 0.025) | (beside < 0.05) | (under < 0.05)
        return np.asarray(np.where(bars[:, None], frame, colour))

    return Material("glass", texture)


def _tiles(rng: np.random.Generator) -> Material:
    bases = ((150, 72, 52), (92, 72, 64), (86, 90, 98))
    base, seed = linear(bases[int(rng.integers(len(bases)))]), int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        row, column = np.floor(v / 0.35).astype(np.int64), np.floor(u / 0.3).astype(np.int64)
        tone = 0.8 + 0.4 * lattice_random(column, row, seed)
        return np.asarray(base * np.where(v / 0.35 - row < 0.2, 0.65 * tone, tone)[:, None])

    return Material("tiled", texture)


def _pitched_roof(a: Assembly, x: float, y: float, height_m: float, wall: Material) -> None:
    """Two slopes along the street with overhangs, gables in the material of the wall, a chimney."""
    tiles, rise, over = _tiles(a.rng), float(a.rng.uniform(0.45, 0.7)) * x, 0.35
    eaves, ridge = height_m - over * rise / x, height_m + rise
    far = y + over
    a.quad([(x + over, -far, eaves), (x + over, far, eaves), (0, far, ridge), (0, -far, ridge)], tiles)
    a.quad([(-x - over, far, eaves), (-x - over, -far, eaves), (0, -far, ridge), (0, far, ridge)], tiles)
    for side in (-1, 1):
        gable = [(x, side * y, height_m - 0.12), (-x, side * y, height_m - 0.12)]
        peak = [(-0.01 * side, side * y, ridge - 0.12), (0.01 * side, side * y, ridge - 0.12)]
        a.quad([*(gable if side > 0 else gable[::-1]), *peak], wall)
    at = float(a.rng.uniform(-0.5, 0.5)) * y
    a.box((-0.7, at - 0.35, ridge - 0.9), (-0.1, at + 0.35, ridge + 0.6), brick(a.rng, (146, 84, 66)), without=("-z",))


def _flat_roof(a: Assembly, x: float, y: float, height_m: float, trim: Material) -> None:
    """Gravel behind a parapet, with boxes of machinery."""
    gravel = plain("gravel", linear((150, 148, 142)), roughness=0.12, seed=int(a.rng.integers(2**31)))
    wide = a.placed(spacing_m=2 * a.spacing_m)
    wide.panel((-x, -y, height_m), (2 * x, 0, 0), (0, 2 * y, 0), gravel)
    for low, high in (
        ((-x - 0.05, -y - 0.05), (x + 0.05, -y + 0.2)),
        ((-x - 0.05, y - 0.2), (x + 0.05, y + 0.05)),
        ((-x - 0.05, -y + 0.2), (-x + 0.2, y - 0.2)),
        ((x - 0.2, -y + 0.2), (x + 0.05, y - 0.2)),
    ):
        wide.box((*low, height_m - 0.25), (*high, height_m + 0.35), trim)
    for _ in range(int(a.rng.integers(1, 4))):
        cx, cy = a.rng.uniform([-0.6 * x, -0.6 * y], [0.6 * x, 0.6 * y])
        size = a.rng.uniform([0.5, 0.6, 0.7], [0.9, 1.2, 1.3])
        a.box(
            (cx - size[0], cy - size[1], height_m),
            (cx + size[0], cy + size[1], height_m + size[2]),
            metal(a.rng, pick(a.rng, ("grey", "white"))),
            without=("-z",),
        )
