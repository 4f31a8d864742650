"""Overcomplete DCT shrinkage: each 8x8 patch is cleaned in its cosine spectrum, and overlapping patches are averaged.

The scheme is that of Yu and Sapiro, "DCT image denoising: a simple and effective image denoising algorithm" (IPOL 2011,
section 2), with the second, empirical Wiener step of Dabov et al. (BM3D, IEEE TIP 2007, equation 11) and with the
coarse-to-fine fusion of Pierazzo and Facciolo (multi-scale DCT denoising, IPOL 2017) for noise that is broader than a
patch. The noise may differ from pixel to pixel and from frequency to frequency, so the same engine cleans sensor noise
and JPEG quantisation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .spatial import resize_linear, shrink_area

__all__ = ["PATCH", "dct_basis", "iter_patches", "shrink_plane"]

PATCH = 8
# Yu and Sapiro threshold at 3 sigma; 2.7 is BM3D's choice for its hard step and leaves the Wiener step more texture.
_HARD_THRESHOLD = 2.7
# Bounds the working memory: 2**16 patches of 64 float32 values are 16 MiB.
_PATCHES_AT_ONCE = 2**16

Plane = NDArray[np.float32]
Coefficients = NDArray[np.float32]


class PatchBlock(NamedTuple):
    """Patches of some consecutive patch rows.

    ``row`` and ``shape`` say where they lie: patch (i, j) has its corner at ``((row + i) * stride, j * stride)``.
    """

    row: int
    shape: tuple[int, int]
    values: NDArray[np.float32]
    """(rows * columns, 64)"""


@functools.cache
def dct_basis() -> NDArray[np.float32]:
    """(64, 64): rows are the orthonormal 8x8 cosines, vertical frequency first, so ``patch.ravel() @ basis.T``."""
    n = np.arange(PATCH)
    cosines = np.cos(np.pi * (n[None, :] + 0.5) * n[:, None] / PATCH) * np.sqrt(2 / PATCH)
    cosines[0] /= np.sqrt(2)
    basis: NDArray[np.float32] = np.kron(cosines, cosines).astype(np.float32)
    basis.setflags(write=False)
    return basis


def iter_patches(plane: Plane, *, stride: int) -> Iterator[PatchBlock]:
    """All 8x8 patches whose corners lie on a grid of ``stride``, in blocks of bounded size.

    Args:
        plane: (H, W) float32, at least 8x8.
    """
    windows = np.lib.stride_tricks.sliding_window_view(plane, (PATCH, PATCH))[::stride, ::stride]
    rows, columns = windows.shape[:2]
    step = max(1, _PATCHES_AT_ONCE // columns)
    for row in range(0, rows, step):
        block = windows[row : row + step]
        yield PatchBlock(row, (block.shape[0], columns), block.reshape(-1, PATCH * PATCH))


def shrink_plane(
    plane: Plane,
    noise_std: float | Plane,
    *,
    spectrum: NDArray[np.float32] | None = None,
    stride: int = 2,
    scales: int = 1,
) -> Plane:
    """Removes noise of known strength from one plane.

    Args:
        plane: (H, W) float32, any size and range.
        noise_std: standard deviation of the noise, in the unit of the plane; a number or (H, W).
        spectrum: (8, 8) factors on ``noise_std`` for each frequency of the DCT; white noise when None.
        stride: distance between patches in pixels; 1 is best and slowest.
        scales: how many octaves are cleaned; 2 or 3 for strong noise.

    Returns:
        (H, W) float32.
    """
    plane = np.asarray(plane, dtype=np.float32)
    std = noise_std.astype(np.float32) if isinstance(noise_std, np.ndarray) else float(noise_std)
    return _shrink_octaves(plane, std, _factors(spectrum), stride, scales)


def _factors(spectrum: NDArray[np.float32] | None) -> NDArray[np.float32]:
    if spectrum is None:
        return np.ones((1, PATCH * PATCH), dtype=np.float32)
    return np.asarray(spectrum, dtype=np.float32).reshape(1, PATCH * PATCH)


def _shrink_octaves(
    plane: Plane, noise_std: float | Plane, factors: NDArray[np.float32], stride: int, scales: int
) -> Plane:
    """Fine result, with its low frequencies replaced by those of the cleaned half-size picture."""
    fine = _two_steps(plane, noise_std, factors, stride)
    height, width = plane.shape
    if scales <= 1 or min(height, width) < 4 * PATCH:
        return fine
    half = (width // 2, height // 2)
    # The mean of four independent samples has half their standard deviation.
    coarse_std = noise_std / 2 if isinstance(noise_std, float) else shrink_area(noise_std, half) / np.float32(2)
    coarse = _shrink_octaves(shrink_area(plane, half), coarse_std, factors, stride, scales - 1)
    return fine + resize_linear(coarse - shrink_area(fine, half), (width, height))


def _two_steps(plane: Plane, noise_std: float | Plane, factors: NDArray[np.float32], stride: int) -> Plane:
    # Enough border that each pixel lies in equally many patches, and that the grid of patches ends on it.
    pad = [(PATCH, PATCH + -size % stride) for size in plane.shape]
    padded = np.pad(plane, pad, mode="symmetric")
    std = np.pad(noise_std, pad, mode="symmetric") if isinstance(noise_std, np.ndarray) else noise_std

    def hard(spectra: Coefficients, _: Coefficients, std: Coefficients) -> tuple[Coefficients, Coefficients]:
        kept = np.abs(spectra) > _HARD_THRESHOLD * std
        kept[:, 0] = True
        return np.where(kept, spectra, np.float32(0)), kept.sum(axis=1).astype(np.float32)

    def wiener(spectra: Coefficients, pilot: Coefficients, std: Coefficients) -> tuple[Coefficients, Coefficients]:
        power = pilot * pilot
        gain = power / (power + std * std + np.float32(1e-12))
        gain[:, 0] = 1
        return (spectra * gain).astype(np.float32), np.einsum("ij,ij->i", gain, gain)

    pilot = _sweep(padded, padded, std, factors, stride, hard)
    cleaned = _sweep(padded, pilot, std, factors, stride, wiener)
    return np.ascontiguousarray(cleaned[PATCH : PATCH + plane.shape[0], PATCH : PATCH + plane.shape[1]])


Shrinkage = Callable[[Coefficients, Coefficients, Coefficients], tuple[Coefficients, Coefficients]]


def _sweep(
    plane: Plane,
    pilot: Plane,
    noise_std: float | Plane,
    factors: NDArray[np.float32],
    stride: int,
    shrinkage: Shrinkage,
) -> Plane:
    """Shrinks each patch and averages; a patch that needed few cosines is trusted more (BM3D, equation 10)."""
    basis = dct_basis()
    total = np.zeros_like(plane)
    weight_total = np.zeros_like(plane)
    stds = iter_patches(noise_std, stride=stride) if isinstance(noise_std, np.ndarray) else None
    pilots = iter_patches(pilot, stride=stride) if pilot is not plane else None
    for block in iter_patches(plane, stride=stride):
        spectra = block.values @ basis.T
        pilot_spectra = spectra if pilots is None else next(pilots).values @ basis.T
        if stds is None:
            patch_std = np.full((len(spectra), 1), noise_std, dtype=np.float32)
        else:
            patch_std = next(stds).values.mean(axis=1, keepdims=True)
        shrunk, complexity = shrinkage(spectra, pilot_spectra, patch_std * factors)
        weight = 1 / (np.maximum(complexity, 1) * np.maximum(patch_std[:, 0], 1e-6) ** 2)
        _add_patches(total, weight_total, block, shrunk @ basis, weight.astype(np.float32), stride)
    return (total / np.maximum(weight_total, np.float32(1e-20))).astype(np.float32)


def _add_patches(
    total: Plane,
    weight_total: Plane,
    block: PatchBlock,
    values: NDArray[np.float32],
    weight: NDArray[np.float32],
    stride: int,
) -> None:
    rows, columns = block.shape
    weighted = (values * weight[:, None]).reshape(rows, columns, PATCH, PATCH)
    weights = weight.reshape(rows, columns)
    top = block.row * stride
    for dy in range(PATCH):
        vertical = slice(top + dy, top + dy + (rows - 1) * stride + 1, stride)
        for dx in range(PATCH):
            horizontal = slice(dx, dx + (columns - 1) * stride + 1, stride)
            total[vertical, horizontal] += weighted[:, :, dy, dx]
            weight_total[vertical, horizontal] += weights
