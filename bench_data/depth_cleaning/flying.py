"""Flying points: depths that hang in the air between a near surface and a far one, or stand alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .neighbours import padded, ratio, shifted

__all__ = ["flying_points", "local_slopes"]

_AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
_AROUND = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)
_RADIUS = 2
_LEAST_NEIGHBOURS = 3
_BLOCK = 1 << 16


def flying_points(depth_m: NDArray[np.float64], *, least_ratio: float, slopes: float) -> NDArray[np.bool_]:
    """(H, W) pixels that are torn off from what surrounds them.

    A neighbour is torn off when the ratio of depths exceeds ``max(least_ratio, slopes * local slope)``. A pixel flies
    when, on one of the four axes through it, both neighbours are torn off and it lies between them; or when at least 7
    of 10 of its neighbours are torn off, of at least 3. A straight edge (3 of 8) and a right corner (5 of 8) stay.

    Args:
        depth_m: (H, W) with NaN for unknown.
        least_ratio, slopes: see above.
    """
    around = padded(depth_m, 1)
    neighbours = {offset: shifted(around, 1, *offset) for offset in _AROUND}
    ratios = {offset: ratio(depth_m, neighbours[offset]) for offset in _AROUND}
    flying = _flies(depth_m, neighbours, ratios, np.full_like(depth_m, least_ratio))
    # A higher threshold tears off fewer, so only these few need their local slope.
    rows, columns = np.nonzero(flying)
    thresholds = np.maximum(least_ratio, slopes * local_slopes(depth_m, rows, columns))
    flying[rows, columns] = _flies(
        depth_m[rows, columns],
        {offset: values[rows, columns] for offset, values in neighbours.items()},
        {offset: values[rows, columns] for offset, values in ratios.items()},
        thresholds,
    )
    return flying


def local_slopes(
    depth_m: NDArray[np.float64], rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """(N,) median ratio over all horizontal and vertical steps within 5x5 pixels around each pixel; 0 without any."""
    around = padded(depth_m, _RADIUS)
    across = ratio(around[:, :-1], around[:, 1:])
    downwards = ratio(around[:-1], around[1:])
    side = 2 * _RADIUS + 1
    result = np.zeros(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        at_rows, at_columns = rows[block, None, None], columns[block, None, None]
        long, short = np.arange(side), np.arange(side - 1)
        steps = np.concatenate(
            [
                across[at_rows + long[:, None], at_columns + short].reshape(-1, side * (side - 1)),
                downwards[at_rows + short[:, None], at_columns + long].reshape(-1, side * (side - 1)),
            ],
            axis=1,
        )
        result[block] = _medians(steps)
    return result


def _flies(
    depth_m: NDArray[np.float64],
    neighbours: dict[tuple[int, int], NDArray[np.float64]],
    ratios: dict[tuple[int, int], NDArray[np.float64]],
    thresholds: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Which pixels fly; comparisons with NaN are false, so unknown neighbours are never torn off."""
    torn = {offset: ratios[offset] > thresholds for offset in _AROUND}
    between = np.zeros(depth_m.shape, np.bool_)
    for down, right in _AXES:
        one, other = neighbours[down, right], neighbours[-down, -right]
        inside = (np.minimum(one, other) < depth_m) & (depth_m < np.maximum(one, other))
        between |= torn[down, right] & torn[-down, -right] & inside
    torn_count = np.sum([torn[offset] for offset in _AROUND], axis=0)
    known_count = np.sum([~np.isnan(ratios[offset]) for offset in _AROUND], axis=0)
    alone = (known_count >= _LEAST_NEIGHBOURS) & (10 * torn_count >= 7 * known_count)
    return np.asarray(between | alone)


def _medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,) medians of the rows of (N, M) without NaN; 0 for a row of nothing else."""
    ordered = np.sort(values, axis=1)  # NaN goes last
    counts = np.count_nonzero(~np.isnan(values), axis=1)
    rows = np.arange(len(values))
    lower, upper = np.maximum(counts - 1, 0) // 2, counts // 2
    middle = (ordered[rows, lower] + ordered[rows, upper]) / 2
    return np.where(counts > 0, middle, 0.0)
