"""Whether a picture was enlarged from a smaller one, from which size and how: provable on the pixels.

An enlarged row is a weighted sum of few source pixels, with weights that repeat along the row. Two things follow. The
strength of its second differences is periodic (Gallagher, "Detection of linear and cubic interpolation in JPEG
compressed images", CRV 2005), which proposes sizes; and the row lies in the span of the weights but for rounding, which
proves one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["INTERPOLATIONS", "Enlargement", "enlargement_weights", "find_enlargement", "source_picture"]

Interpolation = Literal["cubic", "pillow_cubic", "linear", "nearest"]
INTERPOLATIONS: tuple[Interpolation, ...] = ("cubic", "pillow_cubic", "linear", "nearest")
"""Bicubic as in OpenCV (a = -0.75) and in Pillow (a = -0.5), bilinear, and pixel repetition."""

_CUBIC_A = {"cubic": -0.75, "pillow_cubic": -0.5}
_ROWS = 48
_PEAKS = 8
_SMALLEST_FACTOR, _GREATEST_FACTOR = 1.3, 60.0
_FEWEST_SOURCE_PIXELS = 5
# The misfit is this quantile of the distances: pixels clipped at black or white are few. Rounding leaves about 0.3 of
# a unit of 1/255, and the lengths next to the true one must fit worse by the ratio.
_MISFIT_QUANTILE = 0.9
_ROUNDING, _NEIGHBOUR_RATIO = 0.6, 1.6
_RIDGE = 1e-6
# Of the rows, one in so many shows that most lengths are wrong.
_GLANCE = 4
# Systems of short rows are kept: pictures of one size ask for the same ones again and again. 640 of them take 10 MB.
_KEPT_SYSTEMS, _KEPT_LENGTH = 640, 320


@dataclass(frozen=True)
class Enlargement:
    """How a picture was enlarged.

    Args:
        source_size: (width, height) of the small picture.
        interpolation: by which its pixels were spread.
        misfit: distance of the pixels from what such a picture can show (90 % are nearer), in units of 1/255.
    """

    source_size: tuple[int, int]
    interpolation: Interpolation
    misfit: float


def enlargement_weights(length: int, source_length: int, interpolation: Interpolation) -> csr_array:
    """(length, source_length), sparse: each row holds the weights of the source pixels in one enlarged pixel.

    Pixel centres correspond as in OpenCV and Pillow, and the border repeats.
    """
    from scipy.sparse import csr_array

    position = (np.arange(length) + 0.5) * source_length / length - 0.5
    if interpolation == "nearest":
        position = np.floor(position + 0.5)
    first = np.floor(position).astype(np.int64) - 1
    taps = first[:, None] + np.arange(4)
    weights = _weight(position[:, None] - taps, interpolation)
    rows = np.repeat(np.arange(length), 4)
    columns = np.clip(taps, 0, source_length - 1).ravel()
    # Equal positions, where the border repeats, are added up.
    return csr_array((weights.ravel(), (rows, columns)), shape=(length, source_length))


def _weight(distance: NDArray[np.float64], interpolation: Interpolation) -> NDArray[np.float64]:
    x = np.abs(distance)
    if interpolation == "nearest":
        return (x < 0.5).astype(np.float64)
    if interpolation == "linear":
        return np.asarray(np.maximum(1 - x, 0))
    # Keys, "Cubic convolution interpolation for digital image processing", IEEE TASSP 1981, equation 4.
    a = _CUBIC_A[interpolation]
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.asarray(np.where(x < 1, near, np.where(x < 2, far, 0.0)))


def find_enlargement(grey: NDArray[np.float32]) -> Enlargement | None:
    """The enlargement that explains (H, W) ``grey`` to within rounding, or None; both axes must agree."""
    best: Enlargement | None = None
    proposed = _proposed_lengths(grey)
    for interpolation in INTERPOLATIONS:
        width = _proven_length(grey, proposed, interpolation)
        if width is None:
            continue
        source_width, misfit = width
        turned = np.ascontiguousarray(grey.T)
        height = _proven_length(turned, _proposed_lengths(turned), interpolation)
        if height is None or abs(height[0] / grey.shape[0] - source_width / grey.shape[1]) > 0.02:
            continue
        if best is None or max(misfit, height[1]) < best.misfit:
            best = Enlargement((source_width, height[0]), interpolation, max(misfit, height[1]))
    return best


def _proven_length(
    grey: NDArray[np.float32], proposed: Sequence[int], interpolation: Interpolation
) -> tuple[int, float] | None:
    """The source length of the rows that fits to within rounding while its neighbours do not, and the misfit."""
    length = grey.shape[1]
    rows = grey[:: max(1, grey.shape[0] // _ROWS)].T.astype(np.float64) * 255

    @cache
    def misfit(source_length: int) -> float:
        return _misfit(rows, source_length, interpolation)

    for source_length in proposed:
        if source_length >= length / _SMALLEST_FACTOR or _hopeless(rows, source_length, interpolation):
            continue
        found = misfit(source_length)
        if found > _ROUNDING:
            continue
        neighbours = [source_length + step for step in (-3, -2, 2, 3) if source_length + step >= 4]
        if all(misfit(n) > _NEIGHBOUR_RATIO * found for n in neighbours):
            return source_length, found
    return None


def _hopeless(rows: NDArray[np.float64], source_length: int, interpolation: Interpolation) -> bool:
    """Whether few of the rows show already that the misfit of all is more than rounding.

    Each row is explained for itself, so what is too far off here is too far off among all; and the quantile of all is
    above a bound as soon as more pixels are than the quantile leaves out.
    """
    few = rows[:, ::_GLANCE]
    weights, source = _least_squares(few, source_length, interpolation)
    too_far = int(np.count_nonzero(np.abs(weights @ source - few) > _ROUNDING))
    return too_far >= rows.size - int(_MISFIT_QUANTILE * (rows.size - 1))


def _proposed_lengths(grey: NDArray[np.float32]) -> list[int]:
    """Lengths near the peaks of the spectrum of the second differences, folded at one cycle per pixel."""
    length = grey.shape[1]
    if length < 4 * _FEWEST_SOURCE_PIXELS:
        return []
    strength = np.abs(np.diff(grey, n=2, axis=1)).mean(axis=0)
    window = np.hanning(len(strength))
    spectrum = np.abs(np.fft.rfft((strength - np.convolve(strength, np.ones(31) / 31, mode="same")) * window))
    peaks = np.flatnonzero((spectrum[1:-1] > spectrum[:-2]) & (spectrum[1:-1] >= spectrum[2:])) + 1
    strongest = peaks[np.argsort(spectrum[peaks])[::-1][:_PEAKS]] / len(strength)
    lowest = max(_FEWEST_SOURCE_PIXELS, length / _GREATEST_FACTOR)
    proposed: set[int] = set()
    for frequency in strongest:
        for cycles in (frequency, 1 - frequency, frequency / 2):
            centre = round(cycles * length)
            proposed.update(n for n in range(centre - 2, centre + 3) if lowest <= n)
    return sorted(proposed)


def source_picture(image: NDArray[np.float32], enlargement: Enlargement) -> NDArray[np.float32]:
    """The small picture that was enlarged to (H, W, C) ``image``, by least squares along both axes; (h, w, C)."""
    height, width, channels = image.shape
    columns = image.transpose(1, 0, 2).reshape(width, -1).astype(np.float64)
    narrow = _least_squares(columns, enlargement.source_size[0], enlargement.interpolation)[1]
    rows = narrow.reshape(-1, height, channels).transpose(1, 0, 2).reshape(height, -1)
    small = _least_squares(rows, enlargement.source_size[1], enlargement.interpolation)[1]
    return small.reshape(enlargement.source_size[1], enlargement.source_size[0], channels).astype(np.float32)


def _misfit(rows: NDArray[np.float64], source_length: int, interpolation: Interpolation) -> float:
    """How far (length, n) ``rows`` lie from the span of the weights."""
    weights, source = _least_squares(rows, source_length, interpolation)
    return float(np.quantile(np.abs(weights @ source - rows), _MISFIT_QUANTILE))


def _least_squares(
    enlarged: NDArray[np.float64], source_length: int, interpolation: Interpolation
) -> tuple[csr_array, NDArray[np.float64]]:
    """The weights, and the (source_length, n) source that explains (length, n) ``enlarged`` best."""
    from scipy.linalg import solveh_banded

    length = len(enlarged)
    system = _kept_system if length <= _KEPT_LENGTH else _system
    weights, bands = system(length, source_length, interpolation)
    return weights, solveh_banded(bands, weights.T @ enlarged)


def _system(length: int, source_length: int, interpolation: Interpolation) -> tuple[csr_array, NDArray[np.float64]]:
    """The weights, and the upper bands of the normal equations, as `solveh_banded` takes them."""
    weights = enlargement_weights(length, source_length, interpolation)
    normal = weights.T @ weights
    # Each row of the weights holds four neighbours, so their products reach three off the diagonal.
    bands = np.zeros((4, source_length))
    for offset in range(min(4, source_length)):
        bands[3 - offset, offset:] = normal.diagonal(offset)
    bands[3] += _RIDGE
    return weights, bands


_kept_system = lru_cache(maxsize=_KEPT_SYSTEMS)(_system)
