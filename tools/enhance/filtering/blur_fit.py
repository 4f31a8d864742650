"""Which blur a picture has, read off its power spectrum: a disc (defocus), a Gaussian, a line (motion), or none.

The power of natural pictures falls with frequency f about as ``f**-a`` (Field, JOSA A 1987). A blur multiplies it by
the squared transfer function of its kernel, whose zeros nothing in nature imitates: rings for a disc, stripes for a
line (Cannon, "Blind deconvolution of spatially invariant image blurs with phase", IEEE TASSP 1976). Rounding and noise
add a floor. So log(power) is fitted by ``c + log(|H|**2 f**-a + floor)``, with the mean absolute deviation as the
misfit. The length of a line is told best by the cepstrum, the spectrum of the log spectrum: evenly spaced stripes make
one sharp dip at the length (Cannon 1976; Rom, IEEE Trans. Information Theory 1975).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .hints import ramp
from .power_spectrum import PowerSpectrum, power_spectrum
from .spatial import gaussian_blur, local_maximum
from .spectral_misfit import misfits
from .spectral_samples import HIGHEST_FREQUENCY, LOWEST_FREQUENCY, PlaneSamples

__all__ = ["BlurFit", "fit_blur"]

BlurKind = Literal["none", "disc", "gaussian", "line"]
Frequencies = NDArray[np.float64]

_TILE_PX, _LARGE_TILE_PX = 128, 256
_RADIAL_BINS = 64
_EXPONENTS = (1.2, 1.6, 2.0, 2.4, 2.8, 3.2)
# Noise power over the power at f = 0.3 before the blur.
_FLOORS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
_DISC_RADII_PX = np.geomspace(0.7, 16, 90)
_GAUSSIAN_STDS_PX = np.geomspace(0.45, 6, 45)
_NEAR_ANGLES_RAD = np.deg2rad(np.arange(-5.0, 5.1, 1.0))
# Lags of the cepstrum; its dip for a motion of 3 to 40 px is 0.5 to 0.1 deep, in sharp pictures below 0.05.
_LAGS_PX = np.arange(3.0, 64.1, 0.25)
_DIP_ABSENT, _DIP_PRESENT = 0.06, 0.11
# Only zeros prove a blur: a smooth fall-off may as well come from a denoiser, from JPEG or from enlarging. So a disc
# must be wide enough for its first ring (0.61 / radius) to lie in the band, and fit better than the best Gaussian by a
# lead; a Gaussian, which has no zeros, must be wide and beat the best disc clearly. Measured: discs lead by 0.08 to
# 0.5, what denoising, deblocking and enlarging leave by at most 0.05.
_LEAST_DISC_PX, _LEAST_GAUSSIAN_PX = 1.4, 1.25
_DISC_LEAD_ABSENT, _DISC_LEAD_PRESENT = 0.05, 0.10
_GAUSSIAN_LEAD_ABSENT, _GAUSSIAN_LEAD_PRESENT = 0.17, 0.3
# And it must lower the radial misfit: sharp photographs stay below 0.2, the lightest visible blur gives about 0.6.
_FALL_ABSENT, _FALL_PRESENT = 0.25, 0.45
# A motion of a few pixels must also show in the spread of the sharpest edges along it, at least this share of its own.
_EDGE_SHARE, _EDGE_CHECK_FULL_PX, _EDGE_CHECK_NONE_PX = 0.25, 4.0, 12.0


@dataclass(frozen=True)
class BlurFit:
    """The best description of a picture's blur.

    Args:
        kind: of the kernel.
        size_px: radius of the disc, standard deviation of the Gaussian, or length of the line; 0 for none.
        angle_rad: direction of the line, from x towards y (down), in [0, pi).
        confidence: 0 to 1.
    """

    kind: BlurKind
    size_px: float = 0.0
    angle_rad: float = 0.0
    confidence: float = 0.0


def fit_blur(luminance_linear: NDArray[np.float32]) -> BlurFit:
    """The kind and size that fit best.

    Args:
        luminance_linear: (H, W) linear light, in which a blur is a convolution.
    """
    spectrum = power_spectrum(luminance_linear, tile_px=_TILE_PX)
    if spectrum is None:
        return BlurFit("none")
    line = _fit_line(luminance_linear, PlaneSamples(spectrum))
    return line if line.confidence > 0 else _fit_isotropic(spectrum)


def _radial_mean(spectrum: PowerSpectrum) -> tuple[Frequencies, NDArray[np.float64]]:
    radius = np.hypot(spectrum.across, spectrum.down)
    bins = np.minimum((radius / 0.5 * _RADIAL_BINS).astype(np.int64), _RADIAL_BINS)
    count = np.bincount(bins.ravel(), minlength=_RADIAL_BINS + 1)[:_RADIAL_BINS]
    power = np.bincount(bins.ravel(), spectrum.power.ravel(), minlength=_RADIAL_BINS + 1)[:_RADIAL_BINS]
    centre = (np.arange(_RADIAL_BINS) + 0.5) / _RADIAL_BINS * 0.5
    kept = (count > 0) & (centre > LOWEST_FREQUENCY) & (centre < HIGHEST_FREQUENCY)
    return centre[kept], np.log(power[kept] / count[kept] + 1e-300)


def _disc(radius_px: float, frequency: Frequencies) -> NDArray[np.float64]:
    from scipy.special import j1

    phase = 2 * np.pi * radius_px * frequency
    return np.asarray(2 * j1(phase) / phase)


def _gaussian(std_px: float, frequency: Frequencies) -> NDArray[np.float64]:
    return np.asarray(np.exp(-2 * (np.pi * std_px * frequency) ** 2))


def _fit_isotropic(spectrum: PowerSpectrum) -> BlurFit:
    """A disc or a Gaussian, on the radial mean, where rings are sharpest."""
    frequency, log_power = _radial_mean(spectrum)

    def best_of(
        sizes_px: NDArray[np.float64], transfer: Callable[[float, Frequencies], NDArray[np.float64]]
    ) -> tuple[float, float]:
        transfers = np.stack([transfer(float(size), frequency) for size in sizes_px])
        misfit = misfits(log_power, frequency, transfers, exponents=_EXPONENTS, floors=_FLOORS)
        best = int(np.argmin(misfit))
        return float(misfit[best]), float(sizes_px[best])

    without, _ = best_of(np.zeros(1), lambda size, frequency: np.ones_like(frequency))
    disc_misfit, radius_px = best_of(_DISC_RADII_PX, _disc)
    gaussian_misfit, std_px = best_of(_GAUSSIAN_STDS_PX, _gaussian)
    lead = gaussian_misfit - disc_misfit
    fall = ramp(without - min(disc_misfit, gaussian_misfit), _FALL_ABSENT, _FALL_PRESENT)
    if lead > 0 and radius_px >= _LEAST_DISC_PX:
        return BlurFit("disc", radius_px, confidence=fall * ramp(lead, _DISC_LEAD_ABSENT, _DISC_LEAD_PRESENT))
    if lead < 0 and std_px >= _LEAST_GAUSSIAN_PX:
        confidence = fall * ramp(-lead, _GAUSSIAN_LEAD_ABSENT, _GAUSSIAN_LEAD_PRESENT)
        return BlurFit("gaussian", std_px, confidence=confidence)
    return BlurFit("none")


def _fit_line(luminance_linear: NDArray[np.float32], samples: PlaneSamples) -> BlurFit:
    """The direction roughly from the small tile; then both from the cepstrum of the large one."""
    rough_angle = samples.line_angle_rad()
    spectrum = power_spectrum(luminance_linear, tile_px=_LARGE_TILE_PX)
    finer = samples if spectrum is None else PlaneSamples(spectrum)
    lags_px = _LAGS_PX[: int(np.searchsorted(_LAGS_PX, finer.tile_px / 4))]
    depth, angle, length = finer.deepest_dip(rough_angle + _NEAR_ANGLES_RAD, lags_px)
    # A disc dips in all directions, a line in its own only.
    across = float(finer.cepstrum(angle + np.pi / 2, np.array([length]))[0])
    confidence = ramp(min(-depth, across - depth), _DIP_ABSENT, _DIP_PRESENT)
    needed = _EDGE_SHARE * ramp(length, _EDGE_CHECK_NONE_PX, _EDGE_CHECK_FULL_PX)
    if confidence > 0 and needed > 0 and _edge_share(luminance_linear, angle, length) < needed:
        confidence = 0.0
    return BlurFit("line", length, angle % np.pi, confidence)


def _edge_share(luminance_linear: NDArray[np.float32], angle_rad: float, length_px: float) -> float:
    """Spread of the sharpest edges that lie across the motion, over the spread that the motion alone would give.

    An edge of spread s, blurred again by s0, loses the factor R = sqrt(1 + (s0 / s)**2) of its gradient (Zhuo and Sim,
    "Defocus map estimation from a single image", Pattern Recognition 2011, equation 5).
    """
    spread_px = length_px / np.sqrt(12)
    again_px = max(1.0, spread_px)
    along, across = _gradient_along(luminance_linear, angle_rad)
    blurred, _ = _gradient_along(gaussian_blur(luminance_linear, again_px), angle_rad)
    strength = np.where(along > 1.7 * across, along, np.float32(0))
    ridge = (strength > 0) & (strength >= local_maximum(strength, 1))
    if not ridge.any():
        return 0.0
    ridge &= strength >= np.quantile(strength[ridge], 0.8)
    loss = np.maximum(strength[ridge] / np.maximum(blurred[ridge], 1e-6), 1.0005)
    return float(np.quantile(again_px / np.sqrt(loss**2 - 1), 0.1) / spread_px)


def _gradient_along(plane: NDArray[np.float32], angle_rad: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Size of the derivative along the direction, and across it."""
    down, right = (np.asarray(part, dtype=np.float32) for part in np.gradient(plane))
    cosine, sine = np.float32(np.cos(angle_rad)), np.float32(np.sin(angle_rad))
    return np.abs(right * cosine + down * sine), np.abs(down * cosine - right * sine)
