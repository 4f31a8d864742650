"""JPEG traces: the 8x8 grid at any offset, the quantised coefficients on it, and the quality they were made with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .views import NativeTile, PictureViews

__all__ = ["BlockStatistics", "measure_blocks"]

_BLOCK = 8
_MAX_JUMP = 30.0
"""Grey levels; larger jumps are edges of the scene."""

_MIN_BLOCKS = 24
_MAX_BLOCKS = 1600
_QUALITIES = (*range(2, 30), *range(30, 60, 2), *range(60, 96, 5))
_MIN_STEP = 3.0
"""Finer quantisation is lost in the rounding of the pixels."""

_MIN_COEFFICIENTS = 60
_ZERO = 1.0
_LOW_FREQUENCIES = (
    (0, 0),
    (0, 1),
    (1, 0),
    (1, 1),
    (0, 2),
    (2, 0),
    (1, 2),
    (2, 1),
    (0, 3),
    (3, 0),
    (2, 2),
    (1, 3),
    (3, 1),
)


@dataclass(frozen=True)
class BlockStatistics:
    """Traces of block coding in luma.

    Attributes:
        jump: mean step across the grid lines beyond that between other pixels, in grey levels (Wang, Bovik and Evans,
            "Blind measurement of blocking artifacts in images", 2000).
        jump_ratio: that over the mean step between other pixels.
        phase_score: how far the strongest grid phase stands out of the other seven, in their standard deviations; the
            worse of the two axes. Chance alone gives 1 to 3.
        offset_x, offset_y: the column and row modulo 8 where a block starts.
        zero_excess: share of AC coefficients that are zero on the grid minus off the grid, 0 to 1: quantisation
            zeroes them.
        quality: libjpeg quality whose quantisation table fits best, 0 when none does.
        quality_fit: mean cosine of the coefficients' phase in units of that table's steps, 0 (none) to 1 (all
            multiples).
        step: mean luma quantisation step of that table over the low frequencies, 0 when none fits.
    """

    jump: float
    jump_ratio: float
    phase_score: float
    offset_x: int
    offset_y: int
    zero_excess: float
    quality: float
    quality_fit: float
    step: float


@dataclass(frozen=True)
class _AxisPhase:
    jump: float
    ratio: float
    score: float
    offset: int


def measure_blocks(views: PictureViews) -> BlockStatistics:
    """Measures on native tiles; pictures of fewer than 24 whole blocks give zeros."""
    along_x = _axis_phase([tile.luma for tile in views.tiles])
    along_y = _axis_phase([tile.luma.T for tile in views.tiles])
    on_grid = _coefficients(views.tiles, along_x.offset, along_y.offset)
    if len(on_grid) < _MIN_BLOCKS:
        return BlockStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0)
    off_grid = _coefficients(views.tiles, (along_x.offset + 4) % _BLOCK, (along_y.offset + 4) % _BLOCK)
    quality, fit = _best_quality(on_grid)
    return BlockStatistics(
        jump=min(along_x.jump, along_y.jump),
        jump_ratio=min(along_x.ratio, along_y.ratio),
        phase_score=min(along_x.score, along_y.score),
        offset_x=along_x.offset,
        offset_y=along_y.offset,
        zero_excess=_zero_share(on_grid) - _zero_share(off_grid),
        quality=float(quality),
        quality_fit=fit,
        step=float(np.mean(_steps(quality))) if quality else 0.0,
    )


def _axis_phase(lumas: list[NDArray[np.float32]]) -> _AxisPhase:
    """The phase of the columns at which neighbours differ most, over all tiles."""
    sums, counts = np.zeros(_BLOCK), np.zeros(_BLOCK)
    for luma in lumas:
        if luma.shape[1] < 2 * _BLOCK:
            continue
        steps = np.minimum(np.abs(np.diff(luma, axis=1)), _MAX_JUMP).mean(axis=0)
        # A step stands out against its two neighbours, so that slow changes along the row cancel.
        beyond = steps[1:-1] - (steps[:-2] + steps[2:]) / 2
        phases = (np.arange(len(beyond)) + 2) % _BLOCK
        sums += np.bincount(phases, weights=beyond, minlength=_BLOCK)
        counts += np.bincount(phases, minlength=_BLOCK)
    if counts.min() == 0:
        return _AxisPhase(0.0, 0.0, 0.0, 0)
    profile = sums / counts
    strongest = int(np.argmax(profile))
    # The neighbours of a strong phase are pulled down by it and would widen the spread.
    others = np.delete(profile, [(strongest - 1) % _BLOCK, strongest, (strongest + 1) % _BLOCK])
    jump = float(profile[strongest] - np.median(others))
    typical = float(np.mean([np.minimum(np.abs(np.diff(luma, axis=1)), _MAX_JUMP).mean() for luma in lumas]))
    return _AxisPhase(jump, jump / (typical + 0.05), jump / (float(np.ptp(others)) + 0.02), strongest)


def _coefficients(tiles: tuple[NativeTile, ...], offset_x: int, offset_y: int) -> NDArray[np.float32]:
    """(N, 8, 8) DCT of luma - 128 in blocks that start at that offset; evenly thinned to at most 1600."""
    found = []
    for tile in tiles:
        luma = tile.luma[offset_y:, offset_x:]
        rows, columns = luma.shape[0] // _BLOCK, luma.shape[1] // _BLOCK
        if rows and columns:
            cut = luma[: rows * _BLOCK, : columns * _BLOCK] - np.float32(128)
            found.append(cut.reshape(rows, _BLOCK, columns, _BLOCK).swapaxes(1, 2).reshape(-1, _BLOCK, _BLOCK))
    if not found:
        return np.zeros((0, _BLOCK, _BLOCK), np.float32)
    blocks = np.concatenate(found)
    blocks = blocks[:: max(1, -(-len(blocks) // _MAX_BLOCKS))]
    transform = _dct_matrix()
    return np.asarray(transform @ blocks @ transform.T, dtype=np.float32)


@cache
def _dct_matrix() -> NDArray[np.float32]:
    """(8, 8) orthonormal DCT-II."""
    frequency, position = np.meshgrid(np.arange(_BLOCK), np.arange(_BLOCK), indexing="ij")
    matrix = np.cos((2 * position + 1) * frequency * np.pi / (2 * _BLOCK)) / 2
    matrix[0] /= np.sqrt(2)
    return matrix.astype(np.float32)


def _zero_share(coefficients: NDArray[np.float32]) -> float:
    """Share of AC coefficients that are zero, up to rounding, in blocks that are not flat altogether."""
    ac = np.abs(coefficients.reshape(len(coefficients), -1)[:, 1:])
    textured = ac.max(axis=1) > 2 * _ZERO
    return float((ac[textured] < _ZERO).mean()) if textured.any() else 0.0


def _best_quality(coefficients: NDArray[np.float32]) -> tuple[int, float]:
    """The quality whose table makes the coefficients whole multiples; (0, best fit) when none convinces."""
    values = np.stack([coefficients[:, row, column] for row, column in _LOW_FREQUENCIES], axis=1)
    best_quality, best_fit = 0, 0.0
    for quality in _QUALITIES:
        steps = _steps(quality)
        scaled = values / steps
        telling = (np.abs(scaled) > 0.5) & (steps >= _MIN_STEP)
        count = int(telling.sum())
        if count < _MIN_COEFFICIENTS:
            continue
        fit = float(np.cos(2 * np.pi * scaled[telling]).mean())
        # Steps of a low quality may be multiples of those of a high one, never the reverse; so the coarser wins a tie.
        if fit > best_fit + 0.02:
            best_quality, best_fit = quality, fit
    return (best_quality, best_fit) if best_fit >= 0.3 else (0, best_fit)


@cache
def _steps(quality: int) -> NDArray[np.float32]:
    """Luma quantisation steps of libjpeg at the low frequencies: annex K of T.81, scaled as ``jpeg_set_quality``
    does."""
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    table = np.clip((_LUMA_TABLE * scale + 50) // 100, 1, 255)
    return np.array([table[row, column] for row, column in _LOW_FREQUENCIES], dtype=np.float32)


_LUMA_TABLE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)
