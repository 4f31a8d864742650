"""The room itself: floor, walls with openings, ceiling, windows and a door."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .assembling import Cover, Placed, Product, product
from .light import WindowLight
from .materials import Material, brick, carpet, fabric, lacquer, plaster, steel, wood
from .noise import fractal_noise, lattice_random, value_noise
from .palette import WOODS, linear, pick
from .shapes import Assembly
from .surfels import Array, graded_cells, uniform_cells

__all__ = ["Opening", "Walls", "floor_kinds", "room_shell", "wall_frames"]

SHELL_SPACING_M = 0.06
_EDGE_M = 0.012
_REVEAL_M = 0.14

_WALL_TINTS = (
    (238, 236, 230),
    (232, 226, 212),
    (214, 218, 220),
    (206, 218, 226),
    (208, 220, 206),
    (232, 214, 206),
    (226, 214, 178),
)
_FLOORS = ("planks", "planks", "parquet", "tiles", "carpet")


@dataclass(frozen=True)
class Opening:
    """A hole in a wall: from ``left_m`` to ``right_m`` along it, ``low_m`` to ``high_m`` up."""

    kind: str
    wall: int
    left_m: float
    right_m: float
    low_m: float
    high_m: float


@dataclass(frozen=True, eq=False)
class Walls:
    """Size of a room (width along x, depth along y, height) and the openings in its walls."""

    size_m: tuple[float, float, float]
    openings: tuple[Opening, ...]

    def length_m(self, wall: int) -> float:
        """Of a wall: 0 and 2 lie along x, 1 and 3 along y."""
        return self.size_m[wall % 2]


def wall_frames(size_m: tuple[float, float, float]) -> list[tuple[Array, Array, Array]]:
    """For each of four walls: its left lower corner seen from inside, the direction to the right, and inward.

    Wall 0 is at y = 0, 1 at x = width, 2 at y = depth, 3 at x = 0.
    """
    w, d, _ = size_m
    return [
        (np.array([w, 0.0, 0.0]), np.array([-1.0, 0, 0]), np.array([0, 1.0, 0])),
        (np.array([w, d, 0.0]), np.array([0, -1.0, 0]), np.array([-1.0, 0, 0])),
        (np.array([0.0, d, 0.0]), np.array([1.0, 0, 0]), np.array([0, -1.0, 0])),
        (np.array([0.0, 0.0, 0.0]), np.array([0, 1.0, 0]), np.array([1.0, 0, 0])),
    ]


def room_shell(
    walls: Walls, rng: np.random.Generator, *, floor: str | None = None, density: float = 1.0
) -> tuple[list[Placed], tuple[WindowLight, ...]]:
    """All of the room but its furniture, and where light comes in. The origin is a corner of the floor."""
    spacing = SHELL_SPACING_M / density**0.5
    here = np.zeros(3)
    parts = [_floor(walls, rng, floor or pick(rng, _FLOORS), spacing), _ceiling(walls, rng, spacing)]
    paint = plaster(rng, _WALL_TINTS[int(rng.integers(len(_WALL_TINTS)))])
    feature = int(rng.integers(4)) if rng.random() < 0.35 else -1
    special = brick(rng, (168, 96, 74)) if rng.random() < 0.4 else plaster(rng, _feature_tint(rng))
    skirting = lacquer(rng, "white") if rng.random() < 0.7 else wood(rng)
    for wall, frame in enumerate(wall_frames(walls.size_m)):
        material = special if wall == feature else paint
        parts.append(_wall(walls, wall, frame, material, skirting, rng, spacing))
    lights = []
    for opening in walls.openings:
        frame = wall_frames(walls.size_m)[opening.wall]
        if opening.kind == "window":
            parts.append(_window(opening, frame, rng, spacing, walls.size_m[2]))
            lights.append(_light_of(opening, frame))
        else:
            parts.append(_door(opening, frame, rng, spacing))
    return [Placed(part, here) for part in parts], tuple(lights)


def floor_kinds() -> tuple[str, ...]:
    """What a floor may be."""
    return tuple(dict.fromkeys(_FLOORS))


def _feature_tint(rng: np.random.Generator) -> tuple[int, int, int]:
    tints = ((96, 118, 122), (134, 94, 80), (92, 108, 84), (70, 84, 110))
    return tints[int(rng.integers(len(tints)))]


def _floor(walls: Walls, rng: np.random.Generator, kind: str, spacing_m: float) -> Product:
    a = Assembly(spacing_m, rng)
    w, d, _ = walls.size_m
    if kind == "carpet":
        u, v = graded_cells(w, spacing_m * 0.8, edge_m=_EDGE_M), graded_cells(d, spacing_m * 0.8, edge_m=_EDGE_M)
        material = carpet(rng, pick(rng, ("grey", "beige", "brown", "blue")))
    elif kind == "tiles":
        size, joint = float(rng.choice([0.3, 0.45])), 0.008
        u, v = (_jointed(length, size, joint, spacing_m) for length in (w, d))
        material = _tiles(rng, size, joint)
    else:
        width, joint = (0.16, 0.005) if kind == "planks" else (0.085, 0.004)
        u, v = graded_cells(w, spacing_m, edge_m=_EDGE_M), _jointed(d, width, joint, spacing_m * 0.8)
        material = _boards(rng, width, joint, 1.6 if kind == "planks" else 0.5)
    points = np.zeros((len(u), len(v), 3))
    points[..., 0], points[..., 1] = u[:, None], v[None, :]
    a.sheet(points, u, v, material)
    return product("floor", a, is_structure=True, material=material.word, colour=material.colour)


def _jointed(length_m: float, unit_m: float, joint_m: float, spacing_m: float) -> Array:
    """Boundaries of cells that follow joints: each unit begins with a narrow one."""
    count = math.ceil(length_m / unit_m)
    inner = uniform_cells(unit_m - joint_m, spacing_m, at_least=2)[:-1] + joint_m
    one = np.concatenate([[0.0], inner])
    cells = (np.arange(count)[:, None] * unit_m + one[None, :]).ravel()
    kept = cells[cells < length_m - 0.01]
    return np.concatenate([kept, [length_m]])


def _boards(rng: np.random.Generator, width_m: float, joint_m: float, length_m: float) -> Material:
    base = linear(WOODS[pick(rng, ("oak", "beech", "teak", "walnut", "oak"))])
    seed = int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        row = np.floor(v / width_m).astype(np.int64)
        along = u / length_m + lattice_random(row, row * 0, seed)
        board = np.floor(along).astype(np.int64)
        tone = 0.8 + 0.4 * lattice_random(row, board, seed + 1)
        grain = value_noise(u * 3 + board * 7.3, v * 45, seed + 2) * 0.12
        joint = (v - row * width_m < joint_m) | ((along - board) * length_m < 0.03)
        shade = np.where(joint, 0.4, 1.0) * (tone + grain)
        return np.asarray(base * shade[:, None])

    return Material("wooden", texture)


def _tiles(rng: np.random.Generator, size_m: float, joint_m: float) -> Material:
    pairs = (((214, 208, 196), (150, 144, 134)), ((176, 178, 180), (120, 122, 124)), ((196, 140, 104), (150, 120, 100)))
    tile, grout = (linear(c) for c in pairs[int(rng.integers(len(pairs)))])
    chequered, seed = bool(rng.random() < 0.3), int(rng.integers(2**31))

    def texture(u: Array, v: Array) -> Array:
        i, j = np.floor(u / size_m).astype(np.int64), np.floor(v / size_m).astype(np.int64)
        tone = 0.93 + 0.14 * lattice_random(i, j, seed) + 0.05 * fractal_noise(u * 6, v * 6, seed)
        tone = np.where(((i + j) % 2 == 0) & chequered, tone * 0.32, tone)
        joint = (u - i * size_m < joint_m) | (v - j * size_m < joint_m)
        return np.asarray(np.where(joint[:, None], grout, tile * tone[:, None]))

    return Material("tiled", texture)


def _ceiling(walls: Walls, rng: np.random.Generator, spacing_m: float) -> Product:
    a = Assembly(spacing_m, rng)
    w, d, height = walls.size_m
    u, v = (graded_cells(length, spacing_m * 1.8, edge_m=2 * _EDGE_M) for length in (d, w))
    points = np.full((len(u), len(v), 3), height)
    points[..., 1], points[..., 0] = u[:, None], v[None, :]
    a.sheet(points, u, v, plaster(rng, (240, 240, 238)))
    return product("ceiling", a, is_structure=True)


def _wall(
    walls: Walls,
    wall: int,
    frame: tuple[Array, Array, Array],
    material: Material,
    skirting: Material,
    rng: np.random.Generator,
    spacing_m: float,
) -> Product:
    """A wall with its holes and its skirting board."""
    a = Assembly(spacing_m, rng)
    corner, right, inward = frame
    length, height = walls.length_m(wall), walls.size_m[2]
    holes = [o for o in walls.openings if o.wall == wall]
    u = _cut_cells(length, [x for o in holes for x in (o.left_m, o.right_m)], spacing_m)
    v = _cut_cells(height, [z for o in holes for z in (o.low_m, o.high_m) if z > 0.01], spacing_m)
    points = corner + np.multiply.outer(u, right)[:, None] + np.multiply.outer(v, [0.0, 0.0, 1.0])[None, :]
    mid_u, mid_v = np.meshgrid((u[1:] + u[:-1]) / 2, (v[1:] + v[:-1]) / 2, indexing="ij")
    keep = np.ones(mid_u.shape, dtype=np.bool_)
    for o in holes:
        keep &= ~((mid_u > o.left_m) & (mid_u < o.right_m) & (mid_v > o.low_m) & (mid_v < o.high_m))
    a.sheet(points, u, v, material, keep=keep)
    for start, end in _runs(length, [o for o in holes if o.low_m < 0.1]):
        _skirting_board(a, corner + right * start, right * (end - start), inward, skirting)
    return product("wall", a, is_structure=True, colour=material.colour)


def _skirting_board(a: Assembly, start: Array, along: Array, inward: Array, material: Material) -> None:
    tall, thick, up = 0.08, 0.014, np.array([0.0, 0.0, 1.0])
    a.decal(start + inward * thick, along, up * tall, material)
    a.panel(start + inward * thick + up * tall, along, -inward * thick, material)


def _runs(length_m: float, doors: Sequence[Opening]) -> list[tuple[float, float]]:
    runs, at = [], 0.0
    for door in sorted(doors, key=lambda o: o.left_m):
        runs.append((at, door.left_m - 0.06))
        at = door.right_m + 0.06
    return [(a, b) for a, b in [*runs, (at, length_m)] if b - a > 0.05]


def _cut_cells(length_m: float, cuts_m: Sequence[float], spacing_m: float) -> Array:
    """Cells that are narrow at the ends and at each cut."""
    stops = [0.0, *sorted(set(cuts_m)), length_m]
    pieces = [
        start + graded_cells(end - start, spacing_m, edge_m=_EDGE_M)[:-1] for start, end in itertools.pairwise(stops)
    ]
    return np.concatenate([*pieces, [length_m]])


def _framed(a: Assembly, frame: tuple[Array, Array, Array]) -> Assembly:
    """Axes of a wall: x inward, y to the right seen from inside, z up, from its left lower corner."""
    corner, right, inward = frame
    return a.placed(corner, np.stack([inward, right, [0.0, 0.0, 1.0]], axis=1))


def _window(
    o: Opening, frame: tuple[Array, Array, Array], rng: np.random.Generator, spacing_m: float, height_m: float
) -> Product:
    """Reveal, frame with a middle bar, the day outside, a sill, and often curtains."""
    a = Assembly(spacing_m * 0.6, rng)
    w = _framed(a, frame)
    white, depth = lacquer(rng, "white"), _REVEAL_M
    left, right, low, high = o.left_m, o.right_m, o.low_m, o.high_m
    wide, tall = right - left, high - low
    reveal = plaster(rng, (236, 236, 232))
    w.panel((-depth, left, low), (0, 0, tall), (depth, 0, 0), reveal)
    w.panel((-depth, right, low), (depth, 0, 0), (0, 0, tall), reveal)
    w.panel((-depth, left, high), (0, wide, 0), (depth, 0, 0), reveal)
    w.panel((-depth - 0.01, left, low), (0, wide, 0), (0, 0, tall), _outside(rng, tall))
    bar, front = 0.055, -depth + 0.05
    middle = (left + right) / 2
    for y0, y1, z0, z1 in (
        (left, left + bar, low, high),
        (right - bar, right, low, high),
        (middle - bar * 0.6, middle + bar * 0.6, low, high),
        (left, right, low, low + bar),
        (left, right, high - bar, high),
    ):
        w.box((-depth, y0, z0), (front, y1, z1), white, without=("-x",))
    w.box((-depth, left - 0.05, low - 0.03), (0.06, right + 0.05, low), white, without=("-x",))
    if rng.random() < 0.65:
        _curtains(w, left, right, min(high + 0.14, height_m - 0.05), rng)
    return product("window", a, is_structure=True)


def _outside(rng: np.random.Generator, tall_m: float) -> Material:
    """Bright sky over a line of trees or roofs, out of focus."""
    seed, level = int(rng.integers(2**31)), float(rng.uniform(0.18, 0.4))
    sky, horizon, green = linear((188, 214, 244)), linear((236, 242, 248)), linear((118, 148, 104))

    def texture(u: Array, v: Array) -> Array:
        height = v / tall_m
        ridge = level + 0.09 * fractal_noise(u * 3, u * 0, seed, octaves=4)
        blend = np.clip((height - ridge) * 18, 0, 1)[:, None]
        air = horizon + (sky - horizon) * np.clip(height, 0, 1)[:, None]
        return np.asarray(
            blend * air + (1 - blend) * green * (0.8 + 0.3 * fractal_noise(u * 9, v * 9, seed + 1))[:, None]
        )

    return Material("glass", texture, glow=1.1)


def _curtains(w: Assembly, left: float, right: float, top: float, rng: np.random.Generator) -> None:
    """Two gathered lengths of cloth beside a window, on a rod."""
    word = pick(rng, ("white", "beige", "grey", "blue", "red", "green"))
    cloth = fabric(rng, word, pick(rng, ("", "", "", "checked")), period_m=0.09)
    bottom, rod = 0.06, steel(rng, 110)
    w.tube((0.1, left - 0.32, top), (0.1, right + 0.32, top), 0.011, rod)
    for y0, y1 in ((left - 0.28, left + 0.06), (right - 0.06, right + 0.28)):
        y = np.linspace(y0, y1, 28)
        z = graded_cells(top - bottom, w.spacing_m * 2, edge_m=0.008) + bottom
        points = np.empty((len(y), len(z), 3))
        points[..., 0] = 0.1 + 0.028 * np.sin((y - y0) * 2 * math.pi / 0.085)[:, None]
        points[..., 1], points[..., 2] = y[:, None], z[None, :]
        w.sheet(points, y - y0, z, cloth)


def _door(o: Opening, frame: tuple[Array, Array, Array], rng: np.random.Generator, spacing_m: float) -> Product:
    """A closed door with panels, architrave and handle."""
    a = Assembly(spacing_m * 0.7, rng)
    w = _framed(a, frame)
    leaf = lacquer(rng, "white") if rng.random() < 0.6 else wood(rng)
    left, right, high, trim = o.left_m, o.right_m, o.high_m, 0.07
    for y0, y1, z0, z1 in (
        (left - trim, left, 0.0, high + trim),
        (right, right + trim, 0.0, high + trim),
        (left, right, high, high + trim),
    ):
        w.box((-0.02, y0, z0), (0.022, y1, z1), leaf, without=("-x",))
    w.panel((-0.07, left, 0.002), (0.07, 0, 0), (0, right - left, 0), leaf)  # the threshold
    w.box((-0.06, left, 0.005), (-0.02, right, high), leaf, without=("-x",))
    for z0, z1 in ((0.15, 0.9), (1.05, high - 0.15)):
        w.box((-0.03, left + 0.13, z0), (-0.008, right - 0.13, z1), leaf, radius_m=0.01, without=("-x",))
    w.tube((-0.02, right - 0.07, 1.02), (0.04, right - 0.07, 1.02), 0.01, steel(rng, 150))
    w.tube((0.04, right - 0.06, 1.02), (0.04, right - 0.19, 1.02), 0.009, steel(rng, 150))
    corner, along, inward = frame
    start = corner + along * (o.left_m - trim) + inward * 0.02 + np.array([0.0, 0.0, 0.05])
    cover = Cover(start, along * (o.right_m - o.left_m + 2 * trim), np.array([0.0, 0.0, high + trim - 0.05]))
    return product("door", a, is_structure=True, cover=cover, colour=leaf.colour, material=leaf.word)


def _light_of(o: Opening, frame: tuple[Array, Array, Array]) -> WindowLight:
    corner, right, inward = frame
    middle = corner + right * (o.left_m + o.right_m) / 2 + np.array([0, 0, (o.low_m + o.high_m) / 2])
    half_along, half_up = right * (o.right_m - o.left_m) / 2, np.array([0, 0, (o.high_m - o.low_m) / 2])
    return WindowLight(middle, half_along, half_up, inward)
