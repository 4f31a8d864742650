"""Memory for intermediate results, used again from picture to picture."""

from __future__ import annotations

import math
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scratch"]

S = TypeVar("S", bound=np.generic)

_LINE = 64
"""Bytes of a cache line. A record that begins with one is fetched at once."""


class Scratch:
    """Arrays of one thread that draws.

    Fresh memory comes from the system page by page, which takes a tenth of a picture's time, and more when many threads
    of a process ask at once.
    """

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[np.uint8]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type[S]) -> NDArray[S]:
        """An array with arbitrary contents at the start of a cache line, valid until its name is asked for again."""
        wanted = math.prod(shape) * np.dtype(dtype).itemsize
        kept = self._kept.get(name)
        if kept is None or len(kept) < wanted:
            # Somewhat more, as the next picture of a moving camera may need it.
            block = np.empty(wanted + wanted // 4 + _LINE, np.uint8)
            kept = self._kept[name] = block[-block.ctypes.data % _LINE :]
        return cast("NDArray[S]", kept[:wanted].view(dtype).reshape(shape))
