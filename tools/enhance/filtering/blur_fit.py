"""Which blur a picture has, read off its power spectrum: a disc (defocus), a Gaussian, a line (motion), or none.

The power of natural pictures falls with frequency f about as ``f**-a`` (Field, JOSA A 1987). A blur multiplies it by
the squared transfer function of its kernel, whose zeros nothing in nature imitates: rings for a disc, stripes for a
line (Cannon, "Blind deconvolution of spatially invariant image blurs with phase", IEEE TASSP 1976). Rounding and noise
add a floor. So log(power) is fitted by ``c + log(|H|**2 f**-a + floor)``, with the mean absolute deviation as the
misfit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .power_spectrum import PowerSpectrum, power_spectrum

__all__ = ["BlurFit", "fit_blur"]

BlurKind = Literal["none", "disc", "gaussian", "line"]
Frequencies = NDArray[np.float64]

_TILE_PX, _LARGE_TILE_PX = 128, 256
# Below the first the spectrum is the scene's own; above the second, demosaicing has a say.
_LOWEST, _HIGHEST = 0.04, 0.45
_RADIAL_BINS = 64
_SAMPLES_AT_MOST = 6000
_EXPONENTS = (1.2, 1.6, 2.0, 2.4, 2.8, 3.2)
# Noise power over the power at f = 0.3 before the blur.
_FLOORS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
_COARSE_EXPONENTS, _COARSE_FLOORS = (1.6, 2.2, 2.8), (1e-4, 1e-3, 1e-2)
_FLOOR_FREQUENCY = 0.3
_DISC_RADII_PX = np.geomspace(0.7, 16, 90)
_GAUSSIAN_STDS_PX = np.geomspace(0.45, 6, 45)
_LINE_LENGTHS_PX = np.geomspace(2.5, 60, 20)
_FINE_LINE_LENGTHS_PX = np.geomspace(2.5, 60, 44)
_LINE_ANGLES_RAD = np.deg2rad(np.arange(0, 180, 7.5))
# Half the steps, absolute in angle and relative in length, by which the best line is refined.
_REFINEMENTS = ((np.deg2rad(1.2), 0.03), (np.deg2rad(0.5), 0.012))
# A line must explain the plane better than a disc or Gaussian by this, and either of those better than no blur.
_LINE_LEAD, _LEAST_GAIN = 0.05, 0.02


@dataclass(frozen=True)
class BlurFit:
    """The best description of a picture's blur.

    Args:
        kind: of the kernel.
        size_px: radius of the disc, standard deviation of the Gaussian, or length of the line; 0 for none.
        angle_rad: direction of the line, from x towards y (down), in [0, pi).
        evidence: how much lower the misfit is than without blur, in log power (nepers).
        misfit: what remains, in the same unit.
    """

    kind: BlurKind
    size_px: float = 0.0
    angle_rad: float = 0.0
    evidence: float = 0.0
    misfit: float = 0.0


def fit_blur(luminance_linear: NDArray[np.float32]) -> BlurFit:
    """Fits all kinds and keeps the best.

    Discs and Gaussians are sized and judged on the radial mean of the spectrum, where their rings are sharpest. A line
    wins when it explains the whole plane better; and what explains the plane no better than nothing is no blur.

    Args:
        luminance_linear: (H, W) linear light, in which a blur is a convolution.
    """
    spectrum = power_spectrum(luminance_linear, tile_px=_TILE_PX)
    if spectrum is None:
        return BlurFit("none")
    samples = _PlaneSamples(spectrum)
    without = samples.misfit(np.ones_like(samples.radius))
    isotropic, isotropic_misfit = _fit_isotropic(spectrum, samples)
    line = _fit_line(luminance_linear, samples)
    if line.misfit < isotropic_misfit - _LINE_LEAD:
        return replace(line, evidence=without - line.misfit)
    return isotropic if isotropic_misfit < without - _LEAST_GAIN else BlurFit("none", misfit=without)


def _misfit(
    log_power: NDArray[np.float64],
    frequency: Frequencies,
    transfer2: NDArray[np.float64],
    *,
    exponents: Iterable[float] = _EXPONENTS,
    floors: Iterable[float] = _FLOORS,
) -> float:
    best = np.inf
    for exponent in exponents:
        blurred = transfer2 * frequency**-exponent
        unit = _FLOOR_FREQUENCY**-exponent
        for floor in floors:
            difference = log_power - np.log(blurred + floor * unit)
            best = min(best, float(np.abs(difference - np.median(difference)).mean()))
    return best


def _radial_mean(spectrum: PowerSpectrum) -> tuple[Frequencies, NDArray[np.float64]]:
    radius = np.hypot(spectrum.across, spectrum.down)
    bins = np.minimum((radius / 0.5 * _RADIAL_BINS).astype(np.int64), _RADIAL_BINS)
    count = np.bincount(bins.ravel(), minlength=_RADIAL_BINS + 1)[:_RADIAL_BINS]
    power = np.bincount(bins.ravel(), spectrum.power.ravel(), minlength=_RADIAL_BINS + 1)[:_RADIAL_BINS]
    centre = (np.arange(_RADIAL_BINS) + 0.5) / _RADIAL_BINS * 0.5
    kept = (count > 0) & (centre > _LOWEST) & (centre < _HIGHEST)
    return centre[kept], np.log(power[kept] / count[kept] + 1e-300)


class _PlaneSamples:
    """Log power at the frequencies that count, off the axes, where borders of tiles and horizons leave their cross."""

    def __init__(self, spectrum: PowerSpectrum) -> None:
        import cv2

        radius = np.hypot(spectrum.across, spectrum.down)
        step = 0.5 / spectrum.tile_px
        kept = (radius > _LOWEST) & (radius < _HIGHEST) & (spectrum.across > step) & (np.abs(spectrum.down) > step)
        centred = np.fft.fftshift(spectrum.power, axes=0)
        smooth = np.fft.ifftshift(np.asarray(cv2.GaussianBlur(centred, (0, 0), 0.7)), axes=0)
        thinned = slice(None, None, max(1, int(kept.sum()) // _SAMPLES_AT_MOST))
        self.log_power = np.log(smooth[kept] + 1e-300)[thinned]
        self.across, self.down = spectrum.across[kept][thinned], spectrum.down[kept][thinned]
        self.radius = radius[kept][thinned]

    def misfit(self, transfer: NDArray[np.float64]) -> float:
        return _misfit(self.log_power, self.radius, transfer**2)

    def quick_misfit(self, transfer: NDArray[np.float64]) -> float:
        """On a coarser grid of exponents and floors, for the search."""
        return _misfit(self.log_power, self.radius, transfer**2, exponents=_COARSE_EXPONENTS, floors=_COARSE_FLOORS)


def _disc(radius_px: float, frequency: Frequencies) -> NDArray[np.float64]:
    from scipy.special import j1

    phase = 2 * np.pi * radius_px * frequency
    return np.asarray(2 * j1(phase) / phase)


def _gaussian(std_px: float, frequency: Frequencies) -> NDArray[np.float64]:
    return np.asarray(np.exp(-2 * (np.pi * std_px * frequency) ** 2))


def _line(length_px: float, angle_rad: float, samples: _PlaneSamples) -> NDArray[np.float64]:
    along = samples.across * np.cos(angle_rad) + samples.down * np.sin(angle_rad)
    return np.asarray(np.sinc(length_px * along))


def _fit_isotropic(spectrum: PowerSpectrum, samples: _PlaneSamples) -> tuple[BlurFit, float]:
    """The best disc or Gaussian, and its misfit over the plane."""
    frequency, log_power = _radial_mean(spectrum)
    shapes: list[tuple[BlurKind, NDArray[np.float64], Callable[[float, Frequencies], NDArray[np.float64]]]] = [
        ("disc", _DISC_RADII_PX, _disc),
        ("gaussian", _GAUSSIAN_STDS_PX, _gaussian),
    ]
    without = _misfit(log_power, frequency, np.ones_like(frequency))
    fits = []
    for kind, sizes_px, transfer in shapes:
        misfits = [_misfit(log_power, frequency, transfer(float(size), frequency) ** 2) for size in sizes_px]
        at = int(np.argmin(misfits))
        size_px = float(sizes_px[at])
        fit = BlurFit(kind, size_px, evidence=without - misfits[at], misfit=misfits[at])
        fits.append((fit, samples.misfit(transfer(size_px, samples.radius))))
    return min(fits, key=lambda pair: pair[0].misfit)


def _fit_line(luminance_linear: NDArray[np.float32], samples: _PlaneSamples) -> BlurFit:
    """The direction from the small tile; the length from the large one, which tells close stripes apart."""

    def best_of(
        chosen: _PlaneSamples, angles_rad: NDArray[np.float64], lengths_px: NDArray[np.float64]
    ) -> tuple[float, float, float]:
        return min(
            (chosen.quick_misfit(_line(float(length), float(angle), chosen)), float(angle), float(length))
            for angle in angles_rad
            for length in lengths_px
        )

    _, angle, _ = best_of(samples, _LINE_ANGLES_RAD, _LINE_LENGTHS_PX)
    spectrum = power_spectrum(luminance_linear, tile_px=_LARGE_TILE_PX)
    finer = samples if spectrum is None else _PlaneSamples(spectrum)
    _, angle, length = best_of(finer, angle + np.deg2rad([-2.5, 0, 2.5]), _FINE_LINE_LENGTHS_PX)
    for angle_step, length_step in _REFINEMENTS:
        near = np.arange(-3, 4)
        _, angle, length = best_of(finer, angle + angle_step * near, length * np.exp(length_step * near))
    return BlurFit("line", length, angle % np.pi, misfit=samples.misfit(_line(length, angle, samples)))
