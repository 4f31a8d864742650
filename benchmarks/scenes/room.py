"""A furnished room of flat Gaussians, for tests and benchmarks: what a captured room is like to a renderer.

8 x 6 x 2.8 m, walls, floor and ceiling, boxes and balls with textures; sizes follow a log-normal law about the spacing
of the Gaussians, opacities are mostly high and sometimes low. Everything is drawn from one seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gaussians", "fluff", "room"]

Array = NDArray[np.float64]
SIZE_M = np.array([8.0, 6.0, 2.8])
SH_C0 = 0.28209479177387814


@dataclass(frozen=True)
class Gaussians:
    """Plain arrays, as `GaussianCloud` takes them."""

    means: NDArray[np.float32]
    quats_wxyz: NDArray[np.float32]
    scales: NDArray[np.float32]
    opacities: NDArray[np.float32]
    sh: NDArray[np.float32]
    instance_ids: NDArray[np.int32]


def room(count: int, seed: int = 0, *, sh_degree: int = 3, boxes: int = 30, balls: int = 12) -> Gaussians:
    """``count`` Gaussians on the surfaces of a room; instance 0 is the shell, then boxes, then balls."""
    rng = np.random.default_rng(seed)
    corners, edges_u, edges_v, owners = [], [], [], []
    for low, high, owner in _solids(rng, boxes):
        for axis in range(3):
            u, v = np.zeros(3), np.zeros(3)
            u[(axis + 1) % 3], v[(axis + 2) % 3] = (high - low)[(axis + 1) % 3], (high - low)[(axis + 2) % 3]
            for side in (low, low + np.eye(3)[axis] * (high - low)[axis]):
                corners.append(side), edges_u.append(u), edges_v.append(v), owners.append(owner)
    centres = rng.uniform([0.5, 0.5, 0.3], SIZE_M - [0.5, 0.5, 0.5], (balls, 3))
    radii = rng.uniform(0.1, 0.35, balls)
    areas = np.concatenate([np.linalg.norm(np.cross(edges_u, edges_v), axis=1), 4 * np.pi * radii**2])
    surface = np.sort(rng.choice(len(areas), count, p=areas / areas.sum()))
    flat = surface < len(corners)
    face, ball = surface[flat], surface[~flat] - len(corners)

    means, normals = np.empty((count, 3)), np.empty((count, 3))
    st = rng.random((len(face), 2))
    means[flat] = np.array(corners)[face] + st[:, :1] * np.array(edges_u)[face] + st[:, 1:] * np.array(edges_v)[face]
    normals[flat] = np.cross(np.array(edges_u)[face], np.array(edges_v)[face])
    normals[~flat] = rng.normal(size=(len(ball), 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    means[~flat] = centres[ball] + radii[ball, None] * normals[~flat]
    owner = np.concatenate([np.array(owners)[face], 1 + boxes + ball])

    spacing = np.sqrt(areas.sum() / count)
    scales = spacing * rng.lognormal(0.0, 0.55, (count, 3))
    scales[:, 2] *= 0.12
    solid = rng.random(count) < 0.7
    opacities = np.where(solid, rng.beta(8, 1.2, count), rng.beta(1.2, 4, count))
    return _packed(
        rng, means, _turned_to(normals, rng), scales, opacities, _colours(rng, means, owner), owner, sh_degree
    )


def fluff(gaussians: Gaussians, share: float, seed: int = 1) -> Gaussians:
    """The same with a share of the Gaussians turned into big faint blobs that float in the room, as captures have."""
    rng = np.random.default_rng(seed)
    count = len(gaussians.means)
    chosen = rng.random(count) < share
    means, scales, opacities = gaussians.means.copy(), gaussians.scales.copy(), gaussians.opacities.copy()
    means[chosen] = rng.uniform(0, SIZE_M, (chosen.sum(), 3))
    scales[chosen] = rng.lognormal(np.log(0.05), 0.5, (chosen.sum(), 3))
    opacities[chosen] = rng.uniform(0.005, 0.05, chosen.sum())
    return Gaussians(means, gaussians.quats_wxyz, scales, opacities, gaussians.sh, gaussians.instance_ids)


def _solids(rng: np.random.Generator, boxes: int) -> list[tuple[Array, Array, int]]:
    solids = [(np.zeros(3), SIZE_M, 0)]
    for number in range(boxes):
        size = rng.uniform([0.2, 0.2, 0.2], [1.2, 0.9, 1.4])
        low = rng.uniform([0.1, 0.1, 0], [7.9 - size[0], 5.9 - size[1], 0.01 + 0.4 * (number % 3 == 0)])
        solids.append((low, low + size, 1 + number))
    return solids


def _turned_to(normals: Array, rng: np.random.Generator) -> Array:
    """Quaternions (wxyz) whose third axis is the normal, after a random turn about it."""
    x, y, z = normals.T
    opposite = z < -1 + 1e-9
    align = np.stack([1 + z, -y, x, np.zeros_like(z)], axis=1)  # half way from the third axis to the normal
    align[opposite] = (0, 1, 0, 0)
    align /= np.linalg.norm(align, axis=1, keepdims=True)
    half = rng.uniform(0, np.pi, len(normals))
    c, s = np.cos(half), np.sin(half)
    a, b, d, _ = align.T
    return np.stack([a * c, b * c + d * s, d * c - b * s, a * s], axis=1)


def _colours(rng: np.random.Generator, means: Array, owner: NDArray[np.int64]) -> Array:
    base = rng.uniform(0.15, 0.9, (owner.max() + 1, 3))[owner]
    tiles = (np.floor(means / 0.25).sum(axis=1).astype(int) % 2)[:, None]
    stripes = 0.5 + 0.5 * np.sin(20 * means[:, :1] + 7 * means[:, 1:2])
    return np.clip(base * (0.65 + 0.2 * tiles + 0.15 * stripes) + rng.normal(0, 0.03, means.shape), 0, 1)


def _packed(
    rng: np.random.Generator,
    means: Array,
    quats: Array,
    scales: Array,
    opacities: Array,
    colours: Array,
    owner: NDArray[np.int64],
    sh_degree: int,
) -> Gaussians:
    sh = np.zeros((len(means), (sh_degree + 1) ** 2, 3), dtype=np.float32)
    sh[:, 0] = (colours - 0.5) / SH_C0
    sh[:, 1:] = rng.normal(0, 0.03, sh[:, 1:].shape)
    return Gaussians(
        means.astype(np.float32),
        quats.astype(np.float32),
        scales.astype(np.float32),
        opacities.astype(np.float32),
        sh,
        owner.astype(np.int32),
    )
