"""Drops of water on a pane before the lens: a height field in layers, and the surface normals that follow from it.

Each layer is a grid of cells; some cells hold a drop, at a random place and of a random size. A drop is a cap of a
sphere that meets the glass at a fixed angle. Neighbours flow together: with q the squared distance from a drop's centre
over its squared radius, the union of drops is -log(sum exp(-a q)) / a < 1, a smooth minimum, so two round drops
that touch make one with a waist. Large drops are such unions of a few round ones, which makes them irregular; some have
run down and left a trail of beads. Lengths are shares of the picture's shorter side, counted from its middle, so the
pattern is the same at every size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .seeds import derived_rng

__all__ = ["RIM_SLOPE", "SMALLEST_PX", "DropField", "Drops", "drop_field", "placed_drops"]

Array = NDArray[np.float64]

RIM_SLOPE = 0.86
"""Sine of the angle at which water meets the glass: 59 degrees, as on a pane that is not quite clean."""

SMALLEST_PX = 0.4
"""Radius below which a drop is not seen."""

_LAYER_CELLS = (1.0, 2.2, 5.0, 11.0)
"""Cells of the layers, over those of the first: large drops, middling and small ones, and specks."""

_LAYER_SHARE = (0.8, 1.0, 1.0, 0.8)
_LAYER_PARTS = (3, 2, 1, 0)
"""Further round parts of a drop in each layer."""

_EXTENT = 2.0
"""Drops are placed up to this far from the middle; pictures more than four times as long as wide see them again."""

_SHARPNESS = 4.0
_REACH = 1.9
"""Radii beyond which a drop no longer bends its neighbours."""

_FEW_LARGE = 1.6
"""Power of the uniform number that picks a radius: above 1, small drops are more common than large ones."""

_RUN_SHARE = 0.25
_BEADS = 32
_CLEARANCE = 1.15


@dataclass(frozen=True)
class Drops:
    """Round parts of drops; x and y from the middle, right and down, all as shares of the shorter side."""

    x: Array
    y: Array
    radius: Array


@dataclass(frozen=True)
class DropField:
    """The water on the pane, pixel by pixel.

    Args:
        inside: (H, W) bool, a drop lies here.
        edge: (H, W) float32, 0 at the outline of a drop and outside, rising to 1 within its outermost tenth.
        normal_xy: (H, W, 2) float32, right and down components of the unit normal that points away from the glass,
            zero outside.
        radius_px: (H, W) float32, radius of the drop that lies here; 1 outside.
    """

    inside: NDArray[np.bool_]
    edge: NDArray[np.float32]
    normal_xy: NDArray[np.float32]
    radius_px: NDArray[np.float32]


def placed_drops(
    *,
    cells: float,
    radius: tuple[float, float],
    density: float,
    pattern_seed: int,
    span: tuple[float, float],
    smallest: float = 0.0,
) -> Drops:
    """The drops on the pane that can reach into a picture.

    Args:
        cells: of the coarsest layer, over the picture's shorter side.
        radius: smallest and largest radius of a drop, over half of its cell.
        density: share of cells that hold a drop; with one seed more density adds drops and moves none.
        pattern_seed: of the pattern.
        span: width and height of the picture over its shorter side.
        smallest: layers whose drops are all smaller are left out.
    """
    found: list[Array] = [np.empty((0, 3))]
    bodies = np.empty((0, 3))
    for layer, finer in enumerate(_LAYER_CELLS):
        if radius[1] / (2 * cells * finer) < smallest:
            break
        drops, uniform = _repeated(*_layer(layer, cells * finer, radius, density, pattern_seed), span)
        # Two cells aside is farther than any drop or trail of this layer reaches.
        reaching = np.flatnonzero((np.abs(drops[:, :2]) < np.array(span) / 2 + 2 / (cells * finer)).all(axis=1))
        kept = reaching[_clear_of(drops[reaching], bodies)]
        drops, uniform = drops[kept], uniform[kept]
        found += [drops, _parts(drops, uniform[:, 1 : 1 + 3 * _LAYER_PARTS[layer]])]
        if layer == 0:
            found.append(_trails(drops, uniform[:, 0], uniform[:, -_BEADS:]))
        bodies = np.concatenate([bodies, drops])
    x, y, radii = np.concatenate(found).T
    return Drops(x, y, radii)


def _layer(
    layer: int, cells: float, radius: tuple[float, float], density: float, pattern_seed: int
) -> tuple[Array, Array]:
    """(N, 3) places and radii of one layer's drops, and (N, M) further uniform numbers."""
    rng = derived_rng("water_droplets", pattern_seed, layer)
    across = int(np.ceil(2 * _EXTENT * cells))
    size = 1 / cells
    held = np.flatnonzero(rng.random(across * across) < density * _LAYER_SHARE[layer])
    uniform = rng.random((across * across, 4 + _BEADS * (layer == 0) + 3 * _LAYER_PARTS[layer]))[held]
    row, column = np.divmod(held, across)
    x = (column - across / 2 + 0.5 + 0.9 * (uniform[:, 0] - 0.5)) * size
    y = (row - across / 2 + 0.5 + 0.9 * (uniform[:, 1] - 0.5)) * size
    share = uniform[:, 2] ** _FEW_LARGE
    drops = np.stack([x, y, size / 2 * (radius[0] + (radius[1] - radius[0]) * share)], axis=1)
    return drops, uniform[:, 3:]


def drop_field(drops: Drops, height: int, width: int) -> DropField:
    """Height and normals of the water in a picture of a size."""
    from .kernels import add_bells

    shorter_px = min(height, width)
    x, y = drops.x * shorter_px + width / 2, drops.y * shorter_px + height / 2
    radius = drops.radius * shorter_px
    reach = radius * _REACH
    near = (x > -reach) & (x < width + reach) & (y > -reach) & (y < height + reach) & (radius > SMALLEST_PX)
    weight, weighted_radius = np.zeros((2, height, width), dtype=np.float32)
    add_bells(weight, weighted_radius, x[near], y[near], radius[near], _SHARPNESS, _REACH)
    # q: squared distance from the centre over squared radius, of the union; 1 on the outline.
    with np.errstate(divide="ignore"):
        q = np.log(weight) / np.float32(-_SHARPNESS)
    inside = q < 1
    radius_px = np.where(inside, weighted_radius / np.maximum(weight, np.float32(1e-30)), np.float32(1))
    below_top = np.minimum(q, 1, out=q)
    sphere = np.float32(1 / RIM_SLOPE)
    # At the outline and outside both roots are the same number, so the surface is at zero there.
    surface = radius_px * (np.sqrt(sphere**2 - below_top) - np.sqrt(sphere**2 - 1))
    edge = np.minimum((1 - below_top) * np.float32(5), 1)
    edge *= edge * (3 - 2 * edge)
    return DropField(inside, edge, _normals(surface, inside), radius_px)


def _repeated(drops: Array, uniform: Array, span: tuple[float, float]) -> tuple[Array, Array]:
    """The drops, and copies of them beside each other as far as a long picture reaches."""
    for axis in (0, 1):
        copies = max(0, int(np.ceil((span[axis] / 2 - _EXTENT) / (2 * _EXTENT))))
        if copies:
            shifts = np.zeros((2 * copies + 1, 1, 3))
            shifts[:, 0, axis] = 2 * _EXTENT * np.arange(-copies, copies + 1)
            drops = (drops + shifts).reshape(-1, 3)
            uniform = np.tile(uniform, (2 * copies + 1, 1))
    return drops, uniform


def _clear_of(drops: Array, bodies: Array) -> NDArray[np.bool_]:
    """True for drops that do not sit in or against a larger one, which would have drunk them."""
    from scipy.spatial import cKDTree

    clear = np.ones(len(drops), dtype=np.bool_)
    if len(bodies) and len(drops):
        for drunk in cKDTree(drops[:, :2]).query_ball_point(bodies[:, :2], _CLEARANCE * bodies[:, 2]):
            clear[drunk] = False
    return clear


def _parts(drops: Array, uniform: Array) -> Array:
    """Round parts that make a drop irregular: beside its middle, smaller, more of them below."""
    parts = uniform.shape[1] // 3
    angle, way, size = np.moveaxis(uniform.reshape(len(drops), parts, 3), 2, 0)
    radius = drops[:, 2:3]
    offset = radius * (0.45 + 0.45 * way)
    x = drops[:, 0:1] + offset * np.cos(2 * np.pi * angle)
    y = drops[:, 1:2] + offset * (np.sin(2 * np.pi * angle) + 0.25)
    return np.stack([x, y, radius * (0.45 + 0.3 * size)], axis=-1).reshape(-1, 3)


def _trails(drops: Array, uniform_share: Array, uniform: Array) -> Array:
    """Beads that drops left above them as they ran down."""
    runs = np.flatnonzero(uniform_share < _RUN_SHARE)
    beads: list[Array] = []
    for drop, random in zip(drops[runs], uniform[runs], strict=True):
        x, y, radius = drop
        count = 10 + int(random[0] * (_BEADS - 12))
        first, second = random[2 : 2 + count], random[2 : 2 + count][::-1]
        size = radius * (0.07 + 0.2 * first**2) * np.linspace(1.2, 0.6, count)
        # Mostly close together, so that they join, with a wide gap now and then.
        climb = np.cumsum(size * (0.7 + 3.5 * second**4)) + 0.75 * radius
        sway = radius * (0.18 * np.sin(2 * np.pi * (random[1] + climb / (5 * radius))) + 0.12 * (second - 0.5))
        beads.append(np.stack([x + sway, y - climb, size], axis=1))
    return np.concatenate(beads) if beads else np.empty((0, 3))


def _normals(surface_px: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[np.float32]:
    """(H, W, 2) lateral parts of the unit normals of a height field in pixels."""
    down, right = (
        np.gradient(surface_px, axis=axis) if surface_px.shape[axis] > 1 else np.zeros_like(surface_px)
        for axis in (0, 1)
    )
    towards_viewer = inside / np.sqrt(1 + right * right + down * down)
    return np.stack([-right * towards_viewer, -down * towards_viewer], axis=-1)
