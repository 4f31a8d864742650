"""Real spherical harmonics to degree 3: evaluation, and exact rotation.

The basis, its order and its signs are those of the 3D Gaussian Splatting code and of gsplat (Sloan 2008, "Stupid
Spherical Harmonics Tricks"). A colour is ``max(0, 0.5 + sum_k basis_k(direction) coefficient_k)``, where the direction
points from the camera's centre to the Gaussian's mean.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from ..rotations import nearest_rotation

__all__ = ["MAX_DEGREE", "SH_C0", "degree_of", "rotated_sh", "sh_basis", "sh_colours"]

SH_C0 = 0.28209479177387814
"""The constant basis function, 1 / (2 sqrt(pi))."""

MAX_DEGREE = 3

_C1 = 0.4886025119029199
_C2 = (1.0925484305920792, 0.31539156525252005, 0.5462742152960396)
_C3 = (0.5900435899266435, 2.890611442640554, 0.4570457994644658, 0.3731763325901154, 1.445305721320277)


def degree_of(coefficients: int) -> int:
    """The degree that has so many coefficients a channel.

    Raises:
        BenchDataError: not 1, 4, 9 or 16.
    """
    for degree in range(MAX_DEGREE + 1):
        if coefficients == (degree + 1) ** 2:
            return degree
    raise BenchDataError(f"spherical harmonics of degree 0 to 3 have 1, 4, 9 or 16 coefficients, not {coefficients}")


def sh_basis(directions: ArrayLike, degree: int) -> NDArray[np.float64]:
    """The basis functions (..., (degree + 1)^2) float64 at unit directions (..., 3)."""
    if degree not in range(MAX_DEGREE + 1):
        raise BenchDataError(f"the degree must be 0, 1, 2 or 3, got {degree!r}")
    x, y, z = np.moveaxis(np.asarray(directions, dtype=np.float64), -1, 0)
    basis = np.empty((*x.shape, (degree + 1) ** 2))
    basis[..., 0] = SH_C0
    if degree >= 1:
        basis[..., 1], basis[..., 2], basis[..., 3] = -_C1 * y, _C1 * z, -_C1 * x
    if degree >= 2:
        basis[..., 4] = _C2[0] * x * y
        basis[..., 5] = -_C2[0] * y * z
        basis[..., 6] = _C2[1] * (2 * z * z - x * x - y * y)
        basis[..., 7] = -_C2[0] * x * z
        basis[..., 8] = _C2[2] * (x * x - y * y)
    if degree >= 3:
        basis[..., 9] = -_C3[0] * y * (3 * x * x - y * y)
        basis[..., 10] = _C3[1] * x * y * z
        basis[..., 11] = -_C3[2] * y * (4 * z * z - x * x - y * y)
        basis[..., 12] = _C3[3] * z * (2 * z * z - 3 * x * x - 3 * y * y)
        basis[..., 13] = -_C3[2] * x * (4 * z * z - x * x - y * y)
        basis[..., 14] = _C3[4] * z * (x * x - y * y)
        basis[..., 15] = -_C3[0] * x * (x * x - 3 * y * y)
    return basis


def sh_colours(sh: ArrayLike, directions: ArrayLike) -> NDArray[np.float64]:
    """Display-encoded colours (N, 3) >= 0 of coefficients (N, K, 3) seen along unit directions (N, 3)."""
    coefficients = np.asarray(sh, dtype=np.float64)
    basis = sh_basis(directions, degree_of(coefficients.shape[1]))
    return np.asarray(np.maximum(0.0, 0.5 + np.einsum("nk,nkc->nc", basis, coefficients)))


def rotated_sh(sh: NDArray[np.float32], rotation: ArrayLike) -> NDArray[np.float32]:
    """Coefficients (N, K, 3) of the same functions after the world was turned by ``rotation`` (3, 3).

    The turned function has in the direction R d the value that the old one had in d. A band of the basis is closed
    under rotation, so in each band that is one matrix, exact to rounding (`band_rotation`).
    """
    R = nearest_rotation(rotation)
    result = np.array(sh, dtype=np.float32)
    for band in range(1, degree_of(result.shape[1]) + 1):
        columns = slice(band * band, (band + 1) ** 2)
        matrix = band_rotation(R, band).astype(np.float32)
        result[:, columns] = np.einsum("jk,nkc->njc", matrix, result[:, columns], optimize=True)
    return result


def band_rotation(rotation: NDArray[np.float64], band: int) -> NDArray[np.float64]:
    """The (2 band + 1)^2 matrix D that turns the coefficients of one band (the real Wigner matrix).

    ``basis(R d) D = basis(d)`` for all d, so D follows from a few directions by least squares, without residual.
    """
    directions, basis_inverse = _probe(band)
    columns = slice(band * band, (band + 1) ** 2)
    # With c' = D c and basis(d) c' = basis(R^-1 d) c for every c: D = pinv(basis(d)) basis(R^-1 d).
    return np.asarray(basis_inverse @ sh_basis(directions @ rotation, band)[:, columns])


@lru_cache(maxsize=MAX_DEGREE)
def _probe(band: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Directions (32, 3) spread over the sphere (Fibonacci), and the pseudo-inverse of the band's basis at them."""
    i = np.arange(32) + 0.5
    z, turn = 1 - 2 * i / 32, np.pi * (1 + 5**0.5) * i
    radius = np.sqrt(1 - z * z)
    directions = np.stack([radius * np.cos(turn), radius * np.sin(turn), z], axis=1)
    return directions, np.asarray(np.linalg.pinv(sh_basis(directions, band)[:, band * band :]), dtype=np.float64)
