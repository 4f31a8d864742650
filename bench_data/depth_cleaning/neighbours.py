"""Neighbouring pixels as whole arrays, with NaN beyond the border."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["padded", "ratio", "shifted"]


def padded(values: NDArray[np.float64], margin: int) -> NDArray[np.float64]:
    """(H, W) with a border of NaN."""
    return np.pad(values, margin, constant_values=np.nan)


def shifted(with_border: NDArray[np.float64], margin: int, down: int, right: int) -> NDArray[np.float64]:
    """(H, W) of each pixel the value so many rows below and columns right of it, from a padded array."""
    rows, columns = (size - 2 * margin for size in with_border.shape)
    return with_border[margin + down : margin + down + rows, margin + right : margin + right + columns]


def ratio(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """``|a - b| / min(a, b)`` of depths, NaN where either is unknown."""
    return np.asarray(np.abs(one - other) / np.minimum(one, other))
