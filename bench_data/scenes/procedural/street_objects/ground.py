"""The ground of a street, and the sky over it."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ..assembling import Product, product
from ..materials import Material, plain
from ..noise import fractal_noise, lattice_random, value_noise
from ..palette import linear
from ..shapes import Assembly
from ..surfels import Array, graded_cells, uniform_cells

__all__ = ["KERB_M", "RoadWidths", "grass", "pavement", "road", "sky_dome"]

KERB_M = 0.12
"""How far a pavement lies above the road."""


class RoadWidths:
    """Half widths of a street's strips, from its middle line, in metres."""

    LANE = 3.3
    ROAD = 5.5
    """Two lanes, and a strip to park on at either side."""
    PAVEMENT = 8.7


def road(rng: np.random.Generator, half_length_m: float, crossings_m: tuple[float, ...], spacing_m: float) -> Product:
    """Asphalt with a dashed middle line, edge lines, and zebra crossings at places along x."""
    a = Assembly(spacing_m, rng)
    lines = (-RoadWidths.LANE, 0.0, RoadWidths.LANE)
    cuts = sorted({-RoadWidths.ROAD, RoadWidths.ROAD, *(v + s * 0.07 for v in lines for s in (-1, 1))})
    pieces = [p + uniform_cells(q - p, 0.45 * spacing_m)[:-1] for p, q in itertools.pairwise(cuts)]
    v = np.concatenate([*pieces, [RoadWidths.ROAD]])
    near = uniform_cells(2 * half_length_m, spacing_m) - half_length_m
    points = np.zeros((len(near), len(v), 3))
    points[..., 0], points[..., 1] = near[:, None], v[None, :]
    a.sheet(points, near, v, _asphalt(rng, crossings_m))
    return product("road", a, is_structure=True)


def _asphalt(rng: np.random.Generator, crossings_m: tuple[float, ...]) -> Material:
    base, white, seed = linear((92, 93, 96)), linear((222, 222, 216)), int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        shade = 1 + 0.16 * fractal_noise(u * 0.5, v * 0.9, seed) + 0.08 * value_noise(u * 3, v * 3, seed + 1)
        shade -= 0.10 * np.exp(-(((np.abs(v) - 1.65) / 0.8) ** 2)) * (0.6 + value_noise(u * 0.12, v * 0.5, seed + 2))
        paint = (np.abs(v) < 0.07) & (u % 6 < 3)
        paint |= np.abs(np.abs(v) - RoadWidths.LANE) < 0.07
        for at in crossings_m:
            across = np.abs(u - at) < 1.6
            paint = np.where(across, (np.floor(v / 0.5) % 2 == 0) & (np.abs(v) < RoadWidths.ROAD - 0.3), paint)
        worn = 0.8 + 0.2 * value_noise(u * 2, v * 2, seed + 3)
        return np.asarray(np.where(paint[:, None], white * worn[:, None], base * shade[:, None]))

    return Material("asphalt", texture)


def pavement(rng: np.random.Generator, half_length_m: float, side: int, spacing_m: float) -> Product:
    """Slabs behind a kerb, on one side of the road (+1 at +y)."""
    a = Assembly(spacing_m, rng)
    near, far = RoadWidths.ROAD, RoadWidths.PAVEMENT
    slab, joint, kerb = linear((176, 172, 164)), linear((120, 116, 110)), linear((152, 150, 146))
    seed = int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        i, j = np.floor(u / 0.6).astype(np.int64), np.floor(v / 0.6).astype(np.int64)
        tone = 0.9 + 0.2 * lattice_random(i, j, seed) + 0.06 * value_noise(u * 2, v * 2, seed)
        dark = (u / 0.6 - i < 0.08) | (v / 0.6 - j < 0.08)
        colour = np.where(dark[:, None], joint, slab * tone[:, None])
        return np.asarray(np.where((v < 0.18)[:, None], kerb, colour))

    across = np.concatenate([[0.0, 0.05, 0.18], np.arange(0.36, far - near, 0.2), [far - near]])
    along = np.arange(-half_length_m, half_length_m, 0.3)
    points = np.full((len(along), len(across), 3), KERB_M)
    points[..., 0], points[..., 1] = along[:, None], (side * (near + across))[None, :]
    points, v = (points, across) if side > 0 else (points[:, ::-1], across[::-1])
    a.sheet(points, along, v, Material("stone", texture))
    stone = plain("stone", kerb, roughness=0.1, seed=seed)
    long = 2 * half_length_m
    start = (half_length_m, side * near, 0.0) if side > 0 else (-half_length_m, side * near, 0.0)
    a.panel(start, (-side * long, 0, 0), (0, 0, KERB_M), stone)
    return product("pavement", a, is_structure=True)


def grass(rng: np.random.Generator, half_length_m: float, reach_m: float, spacing_m: float) -> Product:
    """Everything beyond the pavements, ever coarser towards the horizon, a little below the road."""
    spacing_m = min(spacing_m, 0.9)  # coarser cells would reach from the horizon into the sky
    a = Assembly(spacing_m, rng)
    base, dry, seed = linear((92, 124, 58)), linear((146, 140, 82)), int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        patch = np.clip(0.5 + 0.7 * fractal_noise(u * 0.09, v * 0.09, seed), 0, 1)[:, None]
        blades = 1 + 0.3 * value_noise(u * 2.3, v * 2.3, seed + 1) + 0.15 * value_noise(u * 6, v * 6, seed + 2)
        return np.asarray((base * (1 - 0.5 * patch) + dry * 0.5 * patch) * blades[:, None])

    material = Material("grass", texture)
    far = reach_m * 0.97
    x = _coarser(half_length_m, far, 1.4 * spacing_m)
    for side in (-1, 1):
        edge = RoadWidths.PAVEMENT
        y = np.concatenate([uniform_cells(10.0, 0.9 * spacing_m) + edge, _steps(edge + 10, far, 1.8 * spacing_m)])
        points = np.full((len(x), len(y), 3), KERB_M - 0.02)
        points[..., 0], points[..., 1] = x[:, None], side * y[None, :]
        points, v = (points, y) if side > 0 else (points[:, ::-1], -y[::-1])
        a.sheet(points, x, v, material, keep=_within(points, far))
    strip = np.linspace(-RoadWidths.PAVEMENT, RoadWidths.PAVEMENT, 12)
    for side in (-1, 1):
        x = _steps(half_length_m - 1.0, far, 1.0)
        x = np.concatenate([[half_length_m - 1.0], x]) * side
        x = x if side > 0 else x[::-1]
        points = np.full((len(x), len(strip), 3), -0.03)
        points[..., 0], points[..., 1] = x[:, None], strip[None, :]
        a.sheet(points, x, strip, material, keep=_within(points, far))
    return product("grass", a, is_structure=True)


def _within(points: Array, reach_m: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    middle = (points[1:, 1:] + points[:-1, :-1]) / 2
    return np.asarray(np.hypot(middle[..., 0], middle[..., 1]) < reach_m)


def _steps(start_m: float, end_m: float, first_m: float) -> Array:
    """Places after ``start_m``, each a sixth further from the last than the one before."""
    steps, at, width = [], start_m, first_m
    while at < end_m:
        at += width
        width *= 1.17
        steps.append(min(at, end_m))
    return np.array(steps)


def _coarser(inner_m: float, far_m: float, spacing_m: float) -> Array:
    """Even cells in the middle, and ever longer ones beyond it."""
    beyond = _steps(inner_m, far_m, spacing_m * 1.3)
    return np.concatenate([-beyond[::-1], np.linspace(-inner_m, inner_m, int(2 * inner_m / spacing_m) + 1), beyond])


def sky_dome(rng: np.random.Generator, radius_m: float, to_sun: Array) -> Product:
    """Half a ball that glows: pale at the horizon, blue above, with clouds and a line of distant trees."""
    a = Assembly(1.0, rng)
    around = np.linspace(0, 2 * math.pi, 161)
    low, above = np.linspace(-0.03, 0.10, 27), graded_cells(math.pi / 2 - 0.10, 0.075, edge_m=0.02)
    lift = np.concatenate([low, above[1:] + 0.10])
    points = np.empty((len(around), len(lift), 3))
    points[..., 0] = np.multiply.outer(np.cos(around), np.cos(lift)) * radius_m
    points[..., 1] = np.multiply.outer(np.sin(around), np.cos(lift)) * radius_m
    points[..., 2] = np.sin(lift)[None, :] * radius_m
    middle = (points[1:, 1:] + points[:-1, :-1]) / 2
    way = middle / np.linalg.norm(middle, axis=2, keepdims=True)
    a.painted(points[::-1], np.zeros((*way.shape[:2], 3)))
    light = _sky_light(way[::-1], to_sun, int(rng.integers(2**31)))
    made = product("sky", a, is_structure=True)
    made.surfels.glow[:] = light.reshape(-1, 3)
    return made


def _sky_light(way: Array, to_sun: Array, seed: int) -> Array:
    """Display-referred linear light (..., 3) of the sky along unit directions."""
    up = np.clip(way[..., 2], 0, 1)[..., None]
    pale, blue = linear((214, 226, 238)), linear((88, 142, 214))
    air = pale + (blue - pale) * np.clip(up * 1.5, 0, 1) ** 0.6
    spread = np.maximum(way[..., 2], 0) + 0.12
    x, y = way[..., 0] / spread, way[..., 1] / spread
    cloud = np.clip(fractal_noise(x * 0.9, y * 0.9, seed, octaves=4) * 1.9 - 0.15, 0, 1)[..., None]
    air = air + (linear((244, 245, 248)) - air) * cloud * np.clip(up * 7, 0, 1)
    glare = np.clip(way @ to_sun, 0, 1)[..., None] ** 24
    air = np.minimum(air * (1 + 0.5 * glare), 1.0)
    angle = np.arctan2(way[..., 1], way[..., 0])
    ridge = 0.018 + 0.018 * fractal_noise(np.cos(angle) * 9, np.sin(angle) * 9, seed + 1, octaves=4)
    far_trees = linear((116, 138, 122)) * (0.85 + 0.25 * value_noise(angle * 60, up[..., 0] * 90, seed + 2))[..., None]
    return np.asarray(np.where((way[..., 2] < ridge)[..., None], far_trees, air))
