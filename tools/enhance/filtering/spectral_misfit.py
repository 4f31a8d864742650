"""How far a blurred fall-off lies from a power spectrum, for many candidate kernels at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["misfits", "promising", "screening_part"]

_FLOOR_FREQUENCY = 0.3
_SCREENING_SAMPLES = 500


def misfits(
    log_power: NDArray[np.floating],
    frequency: NDArray[np.floating],
    transfers: NDArray[np.floating],
    *,
    exponents: Sequence[float],
    floors: Sequence[float],
) -> NDArray[np.floating]:
    """Mean absolute deviation of ``log_power`` from ``c + log(|H|**2 f**-a + floor)``, the least over ``a`` and floor.

    Args:
        log_power, frequency: (N,) samples of the spectrum, and where in cycles per pixel.
        transfers: (K, N) H of each candidate at those frequencies.
        exponents: of the fall-off.
        floors: noise power over the power at f = 0.3 before the blur.

    Returns:
        (K,) misfits, in the precision of the arguments.
    """
    power = transfers**2
    least = np.full(len(transfers), np.inf, dtype=log_power.dtype)
    for exponent in exponents:
        blurred = power * frequency**-exponent
        unit = _FLOOR_FREQUENCY**-exponent
        for floor in floors:
            difference = log_power - np.log(blurred + floor * unit)
            deviation = np.abs(difference - _row_medians(difference))
            np.minimum(least, deviation.mean(axis=1), out=least)
    return least


def _row_medians(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """(K, 1) medians of (K, N) rows, as `numpy.median` has them: six times as fast, for it asks for one place only."""
    half = rows.shape[1] // 2
    parted = np.partition(rows, half, axis=1)
    upper = parted[:, half : half + 1]
    if rows.shape[1] % 2:
        return np.asarray(upper)
    return np.asarray((parted[:, :half].max(axis=1, keepdims=True) + upper) / rows.dtype.type(2))


def promising(
    log_power: NDArray[np.float64],
    frequency: NDArray[np.float64],
    transfers: NDArray[np.float32],
    *,
    exponents: Sequence[float],
    floors: Sequence[float],
    kept: int,
) -> NDArray[np.intp]:
    """The candidates that fit best on a part of the samples, in ascending order; the best of all is among them
    unless dozens fit all but equally well.

    Args:
        log_power, frequency: (N,) as for `misfits`.
        transfers: (K, n) at the samples of `screening_part` only.
        kept: how many.
    """
    part = screening_part(len(log_power))
    rough = misfits(
        log_power[part].astype(np.float32),
        frequency[part].astype(np.float32),
        transfers,
        exponents=exponents,
        floors=floors,
    )
    return np.sort(np.argpartition(rough, kept)[:kept])


def screening_part(samples: int) -> slice:
    """Evenly spaced samples, some hundreds of them, which are enough to tell hopeless candidates."""
    return slice(None, None, max(1, samples // _SCREENING_SAMPLES))
