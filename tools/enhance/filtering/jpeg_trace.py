"""What JPEG leaves in decoded pixels: an 8x8 grid, and cosine coefficients at multiples of the encoder's steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .patch_dct import PATCH, dct_basis

__all__ = ["YCBCR_FROM_RGB", "JpegTrace", "chroma_steps", "find_jpeg", "luma_steps"]

# ITU-T T.81 (JPEG), annex K, tables K.1 and K.2.
_LUMA_50 = np.array(
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
_CHROMA_50 = np.full((8, 8), 99)
_CHROMA_50[:4, :4] = [[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]]

# JFIF (ITU-T T.871), Y'CbCr from R'G'B' in [0, 1], colour centred on 0.
YCBCR_FROM_RGB = np.array(
    [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], dtype=np.float32
)

# Low AC frequencies (vertical, horizontal), the ones that survive strong quantisation.
_PROBED = ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (1, 2), (2, 1), (0, 3), (3, 0), (2, 2))
_BLOCKS_AT_MOST = 6000
_FEWEST_COEFFICIENTS = 40
# Coefficients this near to zero are rounding of the decoded pixels, in units of 1/255.
_ROUNDING = 1.5
_NEAR_ZERO = 0.3
# Mean cosine of the phase of the coefficients on the lattice of steps: 1 on it, about 0 off it.
_ON_LATTICE = 0.5


@dataclass(frozen=True)
class JpegTrace:
    """A JPEG encoding that pixels still show.

    Args:
        quality: the IJG (libjpeg) quality whose steps fit, 1 to 95.
        offset: (x, y) of the first grid corner inside the picture, 0 to 7 each; not (0, 0) after a crop.
        fit: 0 to 1, how exactly the coefficients are multiples of the steps.
        full_size_colour: colour was stored at full size (4:4:4), not at half (4:2:0, the usual case).
    """

    quality: int
    offset: tuple[int, int]
    fit: float
    full_size_colour: bool


def luma_steps(quality: float) -> NDArray[np.float32]:
    """(8, 8) quantisation steps of libjpeg for Y at ``quality`` 1 to 100, in units of 1/255."""
    return _scaled(_LUMA_50, quality)


def chroma_steps(quality: float) -> NDArray[np.float32]:
    """(8, 8) quantisation steps of libjpeg for Cb and Cr."""
    return _scaled(_CHROMA_50, quality)


def _scaled(table: NDArray[np.int_], quality: float) -> NDArray[np.float32]:
    """The scaling of libjpeg's ``jpeg_quality_scaling``."""
    percent = 5000 / quality if quality < 50 else 200 - 2 * quality
    return np.clip(np.floor((table * percent + 50) / 100), 1, 255).astype(np.float32)


def find_jpeg(image_srgb: NDArray[np.float32]) -> JpegTrace | None:
    """The trace of the last JPEG encoding, or None.

    Any edit after decoding that moves or scales values (a resize, a tone curve) wipes the trace out, and a quality
    above 95 leaves none that survives rounding to 8 bits.

    Args:
        image_srgb: (H, W, 3) in [0, 1].
    """
    if min(image_srgb.shape[:2]) < 4 * PATCH:
        return None
    grey = image_srgb @ (255 * YCBCR_FROM_RGB[0])
    for offset in dict.fromkeys([(0, 0), _blockiest_offset(grey)]):
        quality, fit = _best_quality(_block_spectra(grey, offset))
        if fit >= _ON_LATTICE:
            colour = image_srgb @ (255 * YCBCR_FROM_RGB[2])
            colour_fit = _lattice_fit(_probed(_block_spectra(colour, offset)), chroma_steps(quality))
            return JpegTrace(quality, offset, fit, colour_fit >= _ON_LATTICE)
    return None


def _blockiest_offset(values: NDArray[np.float32]) -> tuple[int, int]:
    def phase(image: NDArray[np.float32]) -> int:
        steps = np.abs(np.diff(image, axis=1))
        # A block edge is a step that exceeds both of its neighbours.
        excess = np.clip(steps[:, 1:-1] - (steps[:, :-2] + steps[:, 2:]) / 2, -4, 4).mean(axis=0)
        phases = [float(excess[start::PATCH].mean()) for start in range(PATCH)]
        # Step i of ``excess`` lies between pixels i + 1 and i + 2.
        return (int(np.argmax(phases)) + 2) % PATCH

    return phase(values), phase(values.T)


def _block_spectra(values: NDArray[np.float32], offset: tuple[int, int]) -> NDArray[np.float32]:
    x, y = offset
    aligned = values[y:, x:]
    rows, columns = aligned.shape[0] // PATCH, aligned.shape[1] // PATCH
    blocks = aligned[: rows * PATCH, : columns * PATCH].reshape(rows, PATCH, columns, PATCH).swapaxes(1, 2)
    flat = blocks.reshape(-1, PATCH * PATCH)
    step = -(-len(flat) // _BLOCKS_AT_MOST)
    spectra: NDArray[np.float32] = flat[::step] @ dct_basis().T
    return spectra


def _best_quality(spectra: NDArray[np.float32]) -> tuple[int, float]:
    """The lowest quality whose lattice fits nearly as well as the best: divisors of the true steps fit too."""
    columns = _probed(spectra)
    qualities = np.arange(1, 96)
    fits = np.array([_lattice_fit(columns, luma_steps(float(quality))) for quality in qualities])
    best = int(np.argmax(fits >= 0.9 * fits.max()))
    return int(qualities[best]), float(fits[best])


def _probed(spectra: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    return [spectra[:, PATCH * v + u] for v, u in _PROBED]


def _lattice_fit(columns: list[NDArray[np.float32]], steps: NDArray[np.float32]) -> float:
    """Mean cosine of the phases; coefficients well inside the first step are small by nature and do not count."""
    total, count = 0.0, 0
    for column, (v, u) in zip(columns, _PROBED, strict=True):
        step = float(steps[v, u])
        counted = column[np.abs(column) > max(_ROUNDING, _NEAR_ZERO * step)]
        total += float(np.cos(counted * np.float32(2 * np.pi / step)).sum())
        count += len(counted)
    return total / count if count >= _FEWEST_COEFFICIENTS else 0.0
