"""Log power at the frequencies that tell of a motion: the straight motion that fits best, and the cepstrum's dips."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from .power_spectrum import PowerSpectrum
from .spectral_misfit import misfits, promising, screening_part

__all__ = ["HIGHEST_FREQUENCY", "LOWEST_FREQUENCY", "PlaneSamples"]

LOWEST_FREQUENCY, HIGHEST_FREQUENCY = 0.04, 0.45
"""Cycles per pixel. Below the first the spectrum is the scene's own; above the second, demosaicing has a say."""

_SAMPLES_AT_MOST = 6000
_EXPONENTS, _FLOORS = (1.6, 2.2, 2.8), (1e-4, 1e-3, 1e-2)
_LINE_LENGTHS_PX = np.geomspace(2.5, 60, 20)
_LINE_ANGLES_RAD = np.deg2rad(np.arange(0, 180, 7.5))
_LINES = np.array([(length, angle) for angle in _LINE_ANGLES_RAD for length in _LINE_LENGTHS_PX])
# Of all lines, those whose misfit is worth looking at in full; measured: the best is among the first five.
_PROMISING_LINES = 16
_CEPSTRUM_WIDTH = 0.35
_FINE_LAGS = 8


class PlaneSamples:
    """Log power at the frequencies that count, off the axes, where borders of tiles and horizons leave their cross."""

    def __init__(self, spectrum: PowerSpectrum) -> None:
        import cv2

        radius = np.hypot(spectrum.across, spectrum.down)
        step = 0.5 / spectrum.tile_px
        within = (radius > LOWEST_FREQUENCY) & (radius < HIGHEST_FREQUENCY)
        kept = within & (spectrum.across > step) & (np.abs(spectrum.down) > step)
        centred = np.fft.fftshift(spectrum.power, axes=0)
        smooth = np.fft.ifftshift(np.asarray(cv2.GaussianBlur(centred, (0, 0), 0.7)), axes=0)
        thinned = slice(None, None, max(1, int(kept.sum()) // _SAMPLES_AT_MOST))
        self.log_power = np.log(smooth[kept] + 1e-300)[thinned]
        self.across, self.down = spectrum.across[kept][thinned], spectrum.down[kept][thinned]
        self.radius = radius[kept][thinned]
        self.tile_px = spectrum.tile_px

    def line_angle_rad(self) -> float:
        """The direction of the straight motion that explains the power best, on a coarse grid.

        Lines without hope are told on a part of the samples.
        """
        part = screening_part(len(self.radius))
        rough = np.sinc(_LINES[:, :1].astype(np.float32) * self._along(_LINES[:, 1:], part).astype(np.float32))
        near = promising(
            self.log_power, self.radius, rough, exponents=_EXPONENTS, floors=_FLOORS, kept=_PROMISING_LINES
        )
        lines = _LINES[near]
        transfers = np.sinc(lines[:, :1] * self._along(lines[:, 1:]))
        misfit = misfits(self.log_power, self.radius, transfers, exponents=_EXPONENTS, floors=_FLOORS)
        return float(lines[int(np.argmin(misfit)), 1])

    def deepest_dip(self, angles_rad: NDArray[np.float64], lags_px: NDArray[np.float64]) -> tuple[float, float, float]:
        """The deepest dip of the cepstrum: its value, angle and lag; the lags are evenly spaced."""
        rough = np.array([self._rough_cepstrum(float(angle), lags_px).min() for angle in angles_rad])
        dips = []
        for angle in angles_rad[np.argpartition(rough, 1)[:2]]:
            cepstrum = self.cepstrum(float(angle), lags_px)
            dips.append((float(cepstrum.min()), float(angle), float(lags_px[int(np.argmin(cepstrum))])))
        return min(dips)

    def cepstrum(self, angle_rad: float, lags_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the log power's deviation from a smooth fall-off, times a cosine of each lag along the angle."""
        along = self._along(np.array([angle_rad]))
        return np.asarray(np.cos(2 * np.pi * np.outer(lags_px, along)) @ self._deviation)

    def _rough_cepstrum(self, angle_rad: float, lags_px: NDArray[np.float64]) -> NDArray[np.float32]:
        """`cepstrum` in single precision. With ``exp(i(a + b)) = exp(ia) exp(ib)`` a table of few coarse lags and one
        of few fine ones give all, which saves most of the trigonometry."""
        along = 2 * np.pi * self._along(np.array([angle_rad]))
        coarse = _turned(np.outer(lags_px[::_FINE_LAGS], along))
        fine = _turned(np.outer(lags_px[:_FINE_LAGS] - lags_px[0], along))
        table = (coarse * self._deviation.astype(np.float32)) @ fine.T
        return np.asarray(table.real.ravel()[: len(lags_px)])

    def _along(self, angles_rad: NDArray[np.float64], part: slice = slice(None)) -> NDArray[np.float64]:
        """Frequency along each direction of (K, 1) or (1,) angles; (K, N) or (N,)."""
        return np.asarray(self.across[part] * np.cos(angles_rad) + self.down[part] * np.sin(angles_rad))

    @functools.cached_property
    def _deviation(self) -> NDArray[np.float64]:
        terms = np.stack([np.ones_like(self.radius), np.log(self.radius), self.radius], axis=1)
        smooth = terms @ np.linalg.lstsq(terms, self.log_power, rcond=None)[0]
        # High frequencies are the first to drown in noise.
        weight = np.exp(-((self.radius / _CEPSTRUM_WIDTH) ** 2))
        return np.asarray((self.log_power - smooth) * weight / weight.sum())


def _turned(phase: NDArray[np.float64]) -> NDArray[np.complex64]:
    """``exp(i phase)``"""
    single = phase.astype(np.float32)
    turned = np.empty(phase.shape, dtype=np.complex64)
    turned.real, turned.imag = np.cos(single), np.sin(single)
    return turned
