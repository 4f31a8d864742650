"""How noisy a picture is, as a function of brightness, measured on the picture itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....bench_data.images import linear_from_srgb
from .patch_dct import PATCH, dct_basis

__all__ = ["NoiseLevel", "encoded_slope", "measure_noise"]

# Frequencies u + v of the 8x8 DCT: below, the picture's own structure decides whether a patch is flat; above, a flat
# patch holds hardly anything but noise.
_STRUCTURE_BELOW = 6
_NOISE_FROM = 9
_PATCHES_AT_MOST = 40_000
_BINS = 12
_FLAT_SHARE = 0.08
_PATCHES_PER_BIN = 24
# Values this near to black or white may have been clipped, and clipped noise looks weaker than it is.
_CLIPPED_BELOW, _CLIPPED_ABOVE = 2 / 255, 253 / 255
# The median of a chi-squared variable of 21 degrees of freedom (the high frequencies), over its mean (Wilson-Hilferty).
_MEDIAN_OF_MEAN_SQUARE = (1 - 2 / (9 * 21)) ** 3
# A bin may stand this much above the fitted noise curve before it is taken for texture.
_TEXTURE_FACTOR = 1.25


@dataclass(frozen=True)
class NoiseLevel:
    """Standard deviation of the noise at a few brightness levels; between them it is interpolated.

    Args:
        level: (K,) ascending brightness, in the unit of the plane that was measured.
        std: (K,) standard deviation in the same unit.
    """

    level: NDArray[np.float32]
    std: NDArray[np.float32]

    def std_at(self, plane: NDArray[np.float32]) -> NDArray[np.float32]:
        """The standard deviation for each pixel of ``plane`` (any shape), which should be smooth."""
        return np.interp(plane, self.level, self.std).astype(np.float32)

    @property
    def typical_std(self) -> float:
        """The median over the brightness levels."""
        return float(np.median(self.std))


def measure_noise(plane: NDArray[np.float32], *, brightness: NDArray[np.float32] | None = None) -> NoiseLevel:
    """Measures the noise of one plane.

    Patches are sorted by the energy of their low frequencies within each brightness bin; the high frequencies of the
    flattest ones give the variance (Ponomarenko et al., "An automatic approach to lossy compression of AVIRIS images",
    IGARSS 2007, section 3). Sorting by one set of coefficients and measuring on another keeps the estimate free of
    selection bias. Texture can only raise a bin, so bins far above the fitted curve of a sensor are lowered to it.

    Args:
        plane: (H, W) float32, in sRGB units or a rotation of them (an opponent colour).
        brightness: (H, W) sRGB values in [0, 1] by which the noise is told apart; the plane itself when None.

    Returns:
        Zero noise for pictures smaller than a patch or without any unclipped patch.
    """
    if min(plane.shape) < PATCH:
        return _SILENT
    mean, structure, variance = _patch_statistics(plane, plane if brightness is None else brightness)
    usable = (mean > _CLIPPED_BELOW) & (mean < _CLIPPED_ABOVE)
    if not usable.any():
        return _SILENT
    mean, structure, variance = mean[usable], structure[usable], variance[usable]
    level, measured = [], []
    for members in np.array_split(np.argsort(mean, kind="stable"), _bins(len(mean))):
        flattest = members[np.argsort(structure[members], kind="stable")]
        chosen = flattest[: max(min(_PATCHES_PER_BIN, len(members)), int(_FLAT_SHARE * len(members)))]
        level.append(float(mean[members].mean()))
        measured.append(float(np.median(variance[chosen]) / _MEDIAN_OF_MEAN_SQUARE))
    levels, variances = np.array(level), np.array(measured)
    envelope = _sensor_curve(levels, variances)
    std = np.sqrt(np.minimum(variances, _TEXTURE_FACTOR**2 * envelope))
    return NoiseLevel(levels.astype(np.float32), std.astype(np.float32))


_SILENT = NoiseLevel(np.array([0.5], dtype=np.float32), np.zeros(1, dtype=np.float32))


def _bins(patches: int) -> int:
    return max(1, min(_BINS, patches // (4 * _PATCHES_PER_BIN)))


def _sensor_curve(level: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance that a sensor could show at each level, fitted so that bins raised by texture do not count.

    Noise is ``a + b * light`` in linear light (photons and read-out; Foi et al., IEEE TIP 2008, equation 3), seen
    through the slope of the sRGB curve, plus a constant that arises after it. The residuals are relative: a bin that
    the curve overshoots twofold costs as much as one that it undershoots without end; the fit is a lower envelope.
    """
    from scipy.optimize import nnls

    light = linear_from_srgb(level.astype(np.float32)).astype(np.float64)
    slope = encoded_slope(level.astype(np.float32)).astype(np.float64)
    terms = np.stack([np.ones_like(level), slope**2, slope**2 * light], axis=1)
    floor = np.maximum(variance, 1e-9)
    kept = np.ones(len(level), dtype=bool)
    fitted = floor
    for _ in range(4):
        weights, _residual = nnls(terms[kept] / floor[kept, None], np.ones(int(kept.sum())))
        fitted = terms @ weights
        still = floor <= (2 * _TEXTURE_FACTOR) ** 2 * fitted
        if not still.any() or (still == kept).all():
            break
        kept = still
    return fitted


def encoded_slope(image_srgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """How many units of sRGB value a unit of linear light makes, at given sRGB values (any shape)."""
    light = np.maximum(linear_from_srgb(image_srgb), np.float32(1e-4))
    power = np.float32(1.055 / 2.4) * light ** np.float32(1 / 2.4 - 1)
    return np.where(image_srgb <= np.float32(0.04045), np.float32(12.92), power)


def _patch_statistics(plane: NDArray[np.float32], brightness: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    """Mean brightness, low-frequency energy and high-frequency mean square of patches spread over the plane."""
    patches = _spread_patches(plane)
    spectra = patches @ dct_basis().T
    mean = spectra[:, 0] / PATCH if brightness is plane else _spread_patches(brightness).mean(axis=1)
    u = np.arange(PATCH)
    order = (u[:, None] + u[None, :]).ravel()
    low = (order > 0) & (order < _STRUCTURE_BELOW)
    high = order >= _NOISE_FROM
    squares = spectra * spectra
    structure, noise = squares[:, low].sum(axis=1), squares[:, high].mean(axis=1)
    return mean.astype(np.float32), structure.astype(np.float32), noise.astype(np.float32)


def _spread_patches(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    windows = np.lib.stride_tricks.sliding_window_view(plane, (PATCH, PATCH))
    stride = max(3, int(np.ceil(np.sqrt(windows.shape[0] * windows.shape[1] / _PATCHES_AT_MOST))))
    patches: NDArray[np.float32] = windows[::stride, ::stride].reshape(-1, PATCH * PATCH)
    return patches
