"""Noise: its standard deviation, told from texture in three independent ways."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .views import NativeTile, PictureViews

__all__ = ["NoiseStatistics", "measure_noise"]

_BLOCK_PX = 16
_FLAT_PERCENTILE = 15.0
_MEAN_ABSOLUTE_OF_NORMAL = 0.7978846
_CLIP_LOW, _CLIP_HIGH = 2.5, 252.5
_MAX_CLIPPED_SHARE = 0.05
_MAX_CLIPPED_SHARE_AT_NEED = 0.6
_MIN_BLOCKS = 12
_PATCH_PX = 7
_MAX_PATCHES = 6000
_LUMA_BINS = 6
_MIN_BLOCKS_PER_BIN = 6


@dataclass(frozen=True)
class NoiseStatistics:
    """Noise in grey levels of 8-bit sRGB.

    A diagonal difference (the HH band of a Haar wavelet; Donoho and Johnstone, 1994) removes every plane and every
    horizontal or vertical edge; its mean absolute value in 16x16 blocks is scaled to a standard deviation. Blocks that
    touch black or white are left out, since clipping eats noise; where hardly any is left, blocks that are clipped by
    half are taken too, and the estimate is low.

    Attributes:
        channel_std: per colour channel in flat blocks (15th percentile over blocks): the estimate to use.
        luma_flat_std, luma_median_std: of luma, 15th and 50th percentile over blocks. Texture raises the second only.
        chroma_flat_std, chroma_median_std: of (R - G) / sqrt 2. Sensor noise differs between channels, texture
            hardly does.
        patch_std: of luma by the eigenvalues of 7x7 patches (Chen, Zhu and Heng, "An efficient statistical method for
            image noise level estimation", ICCV 2015), which also works where no block is flat.
        shot_electrons: electrons at white by a fit of variance against light in the flat blocks, the model of Foi et
            al., "Practical Poissonian-Gaussian noise modeling" (2008); 0 when the tones do not allow a fit.
        judged_share: share of blocks that could be used.
    """

    channel_std: float
    luma_flat_std: float
    luma_median_std: float
    chroma_flat_std: float
    chroma_median_std: float
    patch_std: float
    shot_electrons: float
    judged_share: float


@dataclass(frozen=True)
class _Blocks:
    """One row a block: share of clipped pixels, mean level, and standard deviations by kind."""

    clipped: NDArray[np.float32]
    level: NDArray[np.float32]
    channel_std: NDArray[np.float32]
    luma_std: NDArray[np.float32]
    chroma_std: NDArray[np.float32]

    def where(self, chosen: NDArray[np.bool_]) -> _Blocks:
        return _Blocks(
            self.clipped[chosen],
            self.level[chosen],
            self.channel_std[chosen],
            self.luma_std[chosen],
            self.chroma_std[chosen],
        )


def measure_noise(views: PictureViews) -> NoiseStatistics:
    """Measures on native tiles; a picture without one usable block (too small, all clipped) gives zeros."""
    every = _joined([_tile_blocks(tile) for tile in views.tiles])
    patch_std = _patch_std(views)
    blocks = every.where(every.clipped <= _MAX_CLIPPED_SHARE)
    judged_share = len(blocks.level) / max(1, len(every.level))
    if len(blocks.level) < _MIN_BLOCKS:
        blocks = every.where(every.clipped <= _MAX_CLIPPED_SHARE_AT_NEED)
    if len(blocks.level) == 0:
        return NoiseStatistics(0, 0, 0, 0, 0, patch_std, 0, 0)
    return NoiseStatistics(
        channel_std=float(np.percentile(blocks.channel_std, _FLAT_PERCENTILE)),
        luma_flat_std=float(np.percentile(blocks.luma_std, _FLAT_PERCENTILE)),
        luma_median_std=float(np.median(blocks.luma_std)),
        chroma_flat_std=float(np.percentile(blocks.chroma_std, _FLAT_PERCENTILE)),
        chroma_median_std=float(np.median(blocks.chroma_std)),
        patch_std=patch_std,
        shot_electrons=_shot_electrons(blocks),
        judged_share=judged_share,
    )


def _tile_blocks(tile: NativeTile) -> _Blocks:
    rows, columns = (tile.luma.shape[0] - 1) // _BLOCK_PX, (tile.luma.shape[1] - 1) // _BLOCK_PX
    if rows == 0 or columns == 0:
        empty = np.zeros(0, np.float32)
        return _Blocks(empty, empty, empty, empty, empty)
    height, width = rows * _BLOCK_PX, columns * _BLOCK_PX
    rgb, luma = tile.rgb[: height + 1, : width + 1], tile.luma[: height + 1, : width + 1]
    red, green, blue = (_diagonal(np.ascontiguousarray(rgb[..., channel])) for channel in range(3))
    channel_variance = (_block_std(red) ** 2 + _block_std(green) ** 2 + _block_std(blue) ** 2) / 3
    clipped = (rgb.min(axis=2) < _CLIP_LOW) | (rgb.max(axis=2) > _CLIP_HIGH)
    return _Blocks(
        clipped=_block_mean(clipped[:height, :width].astype(np.float32)).ravel(),
        level=_block_mean(luma[:height, :width]).ravel(),
        channel_std=np.sqrt(channel_variance).ravel(),
        luma_std=_block_std(_diagonal(luma)).ravel(),
        chroma_std=_block_std((red - green) * np.float32(np.sqrt(0.5))).ravel(),
    )


def _joined(parts: list[_Blocks]) -> _Blocks:
    return _Blocks(
        np.concatenate([part.clipped for part in parts]),
        np.concatenate([part.level for part in parts]),
        np.concatenate([part.channel_std for part in parts]),
        np.concatenate([part.luma_std for part in parts]),
        np.concatenate([part.chroma_std for part in parts]),
    )


def _diagonal(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H-1, W-1): half the diagonal second difference, whose variance is that of the noise."""
    return np.asarray((image[:-1, :-1] - image[1:, :-1] - image[:-1, 1:] + image[1:, 1:]) * np.float32(0.5))


def _block_mean(image: NDArray[np.float32]) -> NDArray[np.float32]:
    import cv2

    height, width = image.shape
    small = cv2.resize(image, (width // _BLOCK_PX, height // _BLOCK_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32).reshape(height // _BLOCK_PX, width // _BLOCK_PX)


def _block_std(details: NDArray[np.float32]) -> NDArray[np.float32]:
    return _block_mean(np.abs(details)) / np.float32(_MEAN_ABSOLUTE_OF_NORMAL)


def _patch_std(views: PictureViews) -> float:
    patches = [_patches(tile.luma) for tile in views.tiles]
    rows = np.concatenate(patches)
    level = rows.mean(axis=1)
    rows = rows[(level > 8) & (level < 247)]
    if len(rows) < 4 * _PATCH_PX**2:
        return 0.0
    step = max(1, len(rows) // _MAX_PATCHES)
    centred = rows[::step] - rows[::step].mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(centred.T @ centred / len(centred))[::-1]
    # Noise alone makes eigenvalues symmetric about their mean; the signal's large ones are dropped until they are.
    for index in range(len(eigenvalues) - 1):
        rest = eigenvalues[index:]
        if float(rest.mean()) <= float(np.median(rest)) * 1.001:
            break
    return float(np.sqrt(max(float(rest.mean()), 0.0)))


def _patches(luma: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, 49) patches of 7x7, every fourth pixel along both sides."""
    if min(luma.shape) < _PATCH_PX:
        return np.zeros((0, _PATCH_PX**2), np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(luma, (_PATCH_PX, _PATCH_PX))[::4, ::4]
    return np.asarray(windows.reshape(-1, _PATCH_PX**2), dtype=np.float32)


def _shot_electrons(blocks: _Blocks) -> float:
    """Electrons at white from the slope of linear-light variance over linear light, in the flattest blocks of each
    tone."""
    edges = np.linspace(16, 240, _LUMA_BINS + 1)
    light, variance = [], []
    for low, high in itertools.pairwise(edges):
        inside = (blocks.level >= low) & (blocks.level < high)
        if int(inside.sum()) < _MIN_BLOCKS_PER_BIN:
            continue
        level = float(blocks.level[inside].mean()) / 255
        std = float(np.percentile(blocks.channel_std[inside], _FLAT_PERCENTILE)) / 255
        slope = 2.4 / 1.055 * ((level + 0.055) / 1.055) ** 1.4
        light.append(((level + 0.055) / 1.055) ** 2.4)
        variance.append((std * slope) ** 2)
    if len(light) < 3:
        return 0.0
    gain = float(np.polyfit(light, variance, 1)[0])
    return float(np.clip(1 / gain, 0, 1e6)) if gain > 1e-6 else 0.0
