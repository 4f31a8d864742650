"""Loops that numba compiles and that keep to the written order of float operations.

So their results do not depend on how many threads there are, nor on how wide the processor's registers are. (The
renderer's kernels, which may be reordered, have rules of their own.) Modules of such loops are imported where they are
called: numba takes half a second to load. The first call compiles; numba keeps the code beside the file, or in the
user's cache folder, or in ``NUMBA_CACHE_DIR`` where that is set.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """A compiled function that releases the interpreter's lock; it checks no bounds, and 1 / 0 is infinite."""
    try:
        fast: Any = njit(nogil=True, cache=True, error_model="numpy")(function)
    except RuntimeError as error:  # numba found no folder that it may write to
        warnings.warn(f"{error}; each process compiles anew, set NUMBA_CACHE_DIR to a folder", stacklevel=2)
        fast = njit(nogil=True, error_model="numpy")(function)
    return cast(F, fast)
