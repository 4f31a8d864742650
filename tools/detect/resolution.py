"""Effective resolution: where the spectrum ends, and the periodic trace that enlarging leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .views import NativeTile, PictureViews

__all__ = ["ResolutionStatistics", "measure_resolution"]

_WINDOW_PX = 64
_MAX_WINDOWS = 80
_RINGS = 32
_ROUNDING_VARIANCE = 1 / 12
_CUTOFF_ABOVE_FLOOR = 4.0
_PROFILE_BINS = 512
_MIN_PROFILE_PX = 48
_LOWEST_SCALE = 0.02
_TREND_BINS = 31
_JPEG_HALF_WIDTH = 0.006
_FREE_SHARE = 0.02
"""A window with less than this of a mark is as good as one without."""


@dataclass(frozen=True)
class ResolutionStatistics:
    """How much detail the pixels hold. Frequencies are in cycles a pixel, 0.5 at most.

    Attributes:
        high_ratio: log10 of mean power in 0.3 to 0.5 over that in 0.03 to 0.08.
        middle_ratio: the same for 0.12 to 0.25.
        slope: exponent of the power law between 0.04 and 0.25; natural pictures have about -2 in two dimensions (Field,
            "Relations between the statistics of natural images and the response properties of cortical cells", 1987).
        cutoff: highest frequency at which the power stands above four times the floor of the top third.
        steepest: largest fall of log10 power between one frequency and 1.5 times it, a cliff in an enlarged picture.
        resampling: height of the highest peak in the spectrum of the mean second difference, over the background, worse
            of the two axes: interpolation makes it periodic (Gallagher, "Detection of linear and cubic interpolation in
            JPEG compressed images", 2005). 1 to 3 by chance.
        scale: small size over full size by the frequency of that peak, 0 to 0.5; only meaningful when the peak is high.
    """

    high_ratio: float
    middle_ratio: float
    slope: float
    cutoff: float
    steepest: float
    resampling: float
    scale: float


def measure_resolution(views: PictureViews, *, jpeg_grid: bool) -> ResolutionStatistics:
    """Measures on native tiles.

    Args:
        jpeg_grid: leave the multiples of 1/8 out of the search, where coding blocks have their own peaks.
    """
    frequency, power = _radial_power(views)
    floor = max(_ROUNDING_VARIANCE, float(power[frequency > 0.33].min()))
    above = frequency[power > _CUTOFF_ABOVE_FLOOR * floor]
    log_power = np.log10(power + _ROUNDING_VARIANCE)
    middle = (frequency > 0.04) & (frequency < 0.25)
    resampling, scale = _resampling_peak(views, jpeg_grid)
    low = _band(log_power, frequency, 0.03, 0.08)
    return ResolutionStatistics(
        high_ratio=_band(log_power, frequency, 0.3, 0.5) - low,
        middle_ratio=_band(log_power, frequency, 0.12, 0.25) - low,
        slope=float(np.polyfit(np.log10(frequency[middle]), log_power[middle], 1)[0]),
        cutoff=float(above.max()) if len(above) else 0.0,
        steepest=_steepest_fall(frequency, log_power),
        resampling=resampling,
        scale=scale,
    )


def _band(log_power: NDArray[np.float64], frequency: NDArray[np.float64], low: float, high: float) -> float:
    return float(log_power[(frequency >= low) & (frequency <= high)].mean())


def _radial_power(views: PictureViews) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(32,) ring frequencies and power of luma, where white noise of variance v has power v at every frequency."""
    window = np.hanning(_WINDOW_PX + 2)[1:-1]
    taper = np.outer(window, window).astype(np.float32)
    rings, members = _ring_index()
    frequency = (np.arange(_RINGS) + 0.5) / _RINGS * 0.5
    pieces = _least_marked([piece for tile in views.tiles for piece in _windows(tile.luma)], views)
    pieces = pieces[:: max(1, -(-len(pieces) // _MAX_WINDOWS))]
    total = np.zeros(_RINGS)
    for piece in pieces:
        spectrum = np.abs(np.fft.rfft2((piece - piece.mean()) * taper)) ** 2
        total += np.bincount(rings, weights=spectrum.ravel(), minlength=_RINGS + 1)[:_RINGS] / members
    return frequency, total / (max(1, len(pieces)) * float((taper**2).sum()))


def _least_marked(pieces: list[NDArray[np.float32]], views: PictureViews) -> list[NDArray[np.float32]]:
    """Of a picture with marks, the third of the windows that shows least of them."""
    if views.marked is None:
        return pieces
    marked = [
        piece for tile in views.tiles if tile.marked is not None for piece in _windows(tile.marked.astype(np.float32))
    ]
    shares = np.array([piece.mean() for piece in marked])
    most = max(_FREE_SHARE, float(np.quantile(shares, 1 / 3)))
    return [piece for piece, share in zip(pieces, shares, strict=True) if share <= most]


def _windows(luma: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Windows of 64x64 px at half overlap; a smaller picture is reflected up to one window."""
    height, width = luma.shape
    if height < _WINDOW_PX or width < _WINDOW_PX:
        grown = np.pad(luma, ((0, max(0, _WINDOW_PX - height)), (0, max(0, _WINDOW_PX - width))), mode="symmetric")
        return [np.asarray(grown[:_WINDOW_PX, :_WINDOW_PX])]
    step = _WINDOW_PX // 2
    return [
        luma[y : y + _WINDOW_PX, x : x + _WINDOW_PX]
        for y in range(0, height - _WINDOW_PX + 1, step)
        for x in range(0, width - _WINDOW_PX + 1, step)
    ]


def _ring_index() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ring of each bin of the half spectrum (the last index collects the corners), and the bins a ring."""
    vertical = np.fft.fftfreq(_WINDOW_PX)[:, None]
    horizontal = np.fft.rfftfreq(_WINDOW_PX)[None, :]
    radius = np.hypot(vertical, horizontal)
    rings = np.minimum((radius / 0.5 * _RINGS).astype(np.int64), _RINGS).ravel()
    return rings, np.maximum(np.bincount(rings, minlength=_RINGS + 1)[:_RINGS], 1).astype(np.float64)


def _steepest_fall(frequency: NDArray[np.float64], log_power: NDArray[np.float64]) -> float:
    usable = frequency[(frequency >= 0.03) & (frequency <= 0.33)]
    falls = np.interp(usable, frequency, log_power) - np.interp(1.5 * usable, frequency, log_power)
    return float(falls.max())


def _resampling_peak(views: PictureViews, jpeg_grid: bool) -> tuple[float, float]:
    """Height over the background and frequency of the best peak that both axes share."""
    spectra = []
    for transpose in (False, True):
        profiles = [_second_difference(tile, transpose=transpose) for tile in views.tiles]
        profiles = [profile for profile in profiles if len(profile) >= _MIN_PROFILE_PX]
        if not profiles:
            return 0.0, 0.0
        spectra.append(np.mean([_profile_spectrum(profile) for profile in profiles], axis=0))
    # The two sides of a picture round to slightly different scales, so each peak may be a bin off.
    across, down = (np.maximum(np.maximum(s, np.roll(s, 1)), np.roll(s, -1)) for s in spectra)
    common = np.minimum(across, down)
    frequency = np.arange(len(common)) / (2 * (len(common) - 1))
    common[frequency < _LOWEST_SCALE] = 0
    if jpeg_grid:
        common[np.abs(frequency * 8 - np.round(frequency * 8)) < 8 * _JPEG_HALF_WIDTH] = 0
    best = int(np.argmax(common))
    return float(common[best]), float(frequency[_fundamental(common, best)])


def _fundamental(common: NDArray[np.float64], best: int) -> int:
    """The lowest bin of which the best peak is a multiple and that is a clear peak itself."""
    for divisor in (4, 3, 2):
        bin_index = round(best / divisor)
        near = common[max(0, bin_index - 2) : bin_index + 3]
        if len(near) and near.max() > max(4.0, 0.35 * common[best]):
            return max(0, bin_index - 2) + int(np.argmax(near))
    return best


def _second_difference(tile: NativeTile, *, transpose: bool) -> NDArray[np.float32]:
    """(W-2,) mean over the rows of the absolute second difference along them; strong edges count little."""
    luma = tile.luma.T if transpose else tile.luma
    if luma.shape[1] < 3:
        return np.zeros(0, np.float32)
    second = np.minimum(np.abs(luma[:, 2:] - 2 * luma[:, 1:-1] + luma[:, :-2]), 24)
    if tile.marked is None:
        return np.asarray(second.mean(axis=0), dtype=np.float32)
    marked = tile.marked.T if transpose else tile.marked
    free = ~(marked[:, 2:] | marked[:, 1:-1] | marked[:, :-2])
    counts = free.sum(axis=0)
    return np.asarray(
        np.where(counts > 0, (second * free).sum(axis=0) / np.maximum(counts, 1), second.mean(axis=0)), np.float32
    )


def _profile_spectrum(profile: NDArray[np.float32]) -> NDArray[np.float64]:
    """(513,) magnitude over its own running median, from a log profile without its slow trend."""
    import cv2

    values = np.log(profile.astype(np.float64) + 0.05)
    values -= cv2.blur(values[None, :], (15, 1), borderType=cv2.BORDER_REFLECT)[0]
    magnitude = np.abs(np.fft.rfft(values * np.hanning(len(values)), 2 * _PROFILE_BINS))
    padded = np.pad(magnitude, _TREND_BINS, mode="reflect")
    background = np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * _TREND_BINS + 1), axis=1)
    return np.asarray(magnitude / (background + 0.05 * float(np.median(magnitude)) + 1e-3))
