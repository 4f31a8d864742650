"""A stable radix sort of depth keys, in parts that threads share, and the order of the records after it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .kernels import kernel

__all__ = ["DIGITS", "SHIFTS", "count_digits", "offsets_of_digits", "scatter_by_digit"]

SHIFTS = (0, 11, 22)
DIGITS = 2048
"""Three passes of eleven bits each cover a float32's bits; the sign is never set."""


@kernel
def count_digits(keys: NDArray[np.uint32], begin: int, end: int, shift: int, counts: NDArray[np.int64]) -> None:
    """Counts (2048,) how often each digit occurs in one part of the keys."""
    counts[:] = 0
    for k in range(begin, end):
        counts[(keys[k] >> np.uint32(shift)) & np.uint32(DIGITS - 1)] += 1


@kernel
def offsets_of_digits(counts: NDArray[np.int64]) -> None:
    """Turns the counts (parts, 2048) into where each part writes its first key of each digit."""
    before = 0
    for digit in range(DIGITS):
        for part in range(counts.shape[0]):
            count = counts[part, digit]
            counts[part, digit] = before
            before += count


@kernel
def scatter_by_digit(
    keys: NDArray[np.uint32],
    order: NDArray[np.int32],
    begin: int,
    end: int,
    shift: int,
    offsets: NDArray[np.int64],
    sorted_keys: NDArray[np.uint32],
    sorted_order: NDArray[np.int32],
) -> None:
    """Moves one part of the keys, and the row numbers that go with them, to their places after this pass."""
    for k in range(begin, end):
        digit = (keys[k] >> np.uint32(shift)) & np.uint32(DIGITS - 1)
        place = offsets[digit]
        offsets[digit] = place + 1
        sorted_keys[place] = keys[k]
        sorted_order[place] = np.int32(k) if shift == 0 else order[k]
