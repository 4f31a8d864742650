"""Value noise on a lattice: the roughness of wood, plaster and grass, the same in every process."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .surfels import Array

__all__ = ["fractal_noise", "lattice_random", "value_noise"]

# Odd constants with well-mixed bits, and the finaliser of MurmurHash3.
_X, _Y, _SEED = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77), np.uint32(0xC2B2AE3D)
_MIX_A, _MIX_B = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


def lattice_random(ix: NDArray[np.int64], iy: NDArray[np.int64], seed: int) -> Array:
    """A number in [0, 1) for each lattice point, drawn anew for each seed."""
    with np.errstate(over="ignore"):
        h = ix.astype(np.uint32) * _X ^ iy.astype(np.uint32) * _Y ^ np.uint32(seed & 0xFFFFFFFF) * _SEED
        h ^= h >> np.uint32(16)
        h *= _MIX_A
        h ^= h >> np.uint32(13)
        h *= _MIX_B
        h ^= h >> np.uint32(16)
    return np.asarray(h / 2.0**32)


def value_noise(x: Array, y: Array, seed: int) -> Array:
    """Smooth noise in [-1, 1] with features of size one, by interpolation of `lattice_random`."""
    floor_x, floor_y = np.floor(x), np.floor(y)
    ix, iy = floor_x.astype(np.int64), floor_y.astype(np.int64)
    fx, fy = x - floor_x, y - floor_y
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    corners_x = np.stack([ix, ix + 1, ix, ix + 1])  # one draw for all four: most surfaces are small
    corners_y = np.stack([iy, iy, iy + 1, iy + 1])
    a, b, c, d = lattice_random(corners_x, corners_y, seed)
    low, high = (1 - fx) * a + fx * b, (1 - fx) * c + fx * d
    return np.asarray(2 * ((1 - fy) * low + fy * high) - 1)


def fractal_noise(x: Array, y: Array, seed: int, *, octaves: int = 3) -> Array:
    """Noise about [-1, 1] with ever finer and weaker features."""
    total = np.zeros(np.broadcast(x, y).shape)
    for k in range(octaves):
        total += value_noise(x * 2**k, y * 2**k, seed + 101 * k) * 0.55**k
    return total / sum(0.55**k for k in range(octaves))
