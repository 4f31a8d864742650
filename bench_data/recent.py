"""What was found in a picture is kept for the next time that the very same pixels come."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Recent"]

ResultT = TypeVar("ResultT")
Pixels = NDArray[np.uint8]


class Recent(Generic[ResultT]):
    """Results by the content of their picture; of pictures only hashes are kept. Threads may share it.

    Args:
        find: what is to be known of an array of any shape; it must depend on the pixels alone, and not be changed by
            who gets it.
        most: results that are kept; the one that was not asked for longest goes first.
    """

    def __init__(self, find: Callable[[Pixels], ResultT], *, most: int) -> None:
        self._find = find
        self._most = most
        self._results: OrderedDict[tuple[tuple[int, ...], str, bytes], ResultT] = OrderedDict()
        self._lock = Lock()

    def of(self, pixels: Pixels) -> ResultT:
        """The result for these pixels.

        Raises:
            Exception: whatever finding it raised; that is not kept.
        """
        key = (pixels.shape, str(pixels.dtype), hashlib.sha256(pixels.tobytes()).digest())
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = self._find(pixels)
        with self._lock:
            self._results[key] = result
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return result
