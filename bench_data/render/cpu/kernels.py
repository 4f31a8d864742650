"""How kernels are compiled, and the few machine operations that numba does not offer by itself.

Kernels are compiled once and release the interpreter's lock. They are never built with numba's ``parallel=True``: its
threading layers spin while they wait (a region then costs milliseconds on a busy machine) or abort the process when two
threads enter at once, and its parallel build of a kernel rounds differently from the serial one. Here Python's threads
share out blocks and tiles of one machine code, so that the bytes of a picture do not depend on how many there are.

numba keeps compiled code beside this file, or in the user's cache folder where that is read-only, or in
``NUMBA_CACHE_DIR`` where that is set.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba import njit, types
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = [
    "KERNELS",
    "SourceAwareCache",
    "bits_from_float",
    "compiled_kernel",
    "float_from_bits",
    "hash_of_sources",
    "inlined",
    "kernel",
    "power_of_two",
    "prefetch",
    "take_next",
    "truncated",
]

F = TypeVar("F", bound=Callable[..., object])

KERNELS: list[Any] = []
"""numba's dispatcher of each kernel, which knows what was compiled and what came from the cache."""

_cgutils: Any = cgutils
_FLOAT, _I32, _I64 = ir.FloatType(), ir.IntType(32), ir.IntType(64)


def hash_of_sources(*more: Path) -> str:
    """Hash of everything that kernels are made from: the files of this folder, and ``more``."""
    sha = hashlib.sha256()
    here = Path(__file__).parent
    for file in [*sorted(here.glob("*.py")), here.parent / "settings.py", *more]:
        sha.update(file.read_bytes())
    return sha.hexdigest()


class SourceAwareCache(FunctionCache):
    """numba's cache on disk, which by itself notices changes of the file that defines a kernel only.

    A constant or an inlined function of another file would go unseen, and two kernels that disagree about the layout of
    a record draw nonsense.
    """

    sources = hash_of_sources()

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        own_file: tuple[Any, ...] = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call, unused-ignore]
        return (*own_file, self.sources)


def kernel(function: F) -> F:
    """A compiled function that Python calls: float maths may be reordered, and nothing is checked."""
    return compiled_kernel(function, SourceAwareCache, KERNELS)


def compiled_kernel(function: F, cache: type[FunctionCache], registry: list[Any]) -> F:
    """As `kernel`, for kernels elsewhere: their cache must know what they are made from; they join their own list."""
    compiled: Any = njit(nogil=True, fastmath=True, error_model="numpy")(function)
    try:
        compiled._cache = cache(function)  # type: ignore[no-untyped-call, unused-ignore]
    except RuntimeError as error:  # numba found no folder that it may write to
        warnings.warn(f"{error}; each process compiles anew, set NUMBA_CACHE_DIR to a folder", stacklevel=3)
    registry.append(compiled)
    return cast(F, compiled)


def inlined(function: F) -> F:
    """A function that becomes part of the kernels that call it."""
    return cast(F, njit(inline="always", fastmath=True, error_model="numpy")(function))


@intrinsic
def _float_from_bits(typing_context: Any, bits: Any) -> Any:
    return types.float32(types.int32), lambda context, builder, sig, args: builder.bitcast(args[0], _FLOAT)


@intrinsic
def _bits_from_float(typing_context: Any, number: Any) -> Any:
    return types.int32(types.float32), lambda context, builder, sig, args: builder.bitcast(args[0], _I32)


@intrinsic
def _truncated(typing_context: Any, number: Any) -> Any:
    return types.int32(types.float32), lambda context, builder, sig, args: builder.fptosi(args[0], _I32)


@intrinsic
def _take_next(typing_context: Any, counter: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = _cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(_I64, 1), "monotonic")

    return types.int64(types.Array(types.int64, 1, "C")), generate


@intrinsic
def _prefetch(typing_context: Any, array: Any, row: Any, column: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> None:
        data = _cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
        item = _cgutils.get_item_pointer(context, builder, sig.args[0], data, [args[1], args[2]], wraparound=False)
        signature = ir.FunctionType(ir.VoidType(), [item.type, _I32, _I32, _I32])
        function = builder.module.declare_intrinsic("llvm.prefetch", (item.type,), signature)
        read, keep_close, data_cache = (ir.Constant(_I32, number) for number in (0, 3, 1))
        builder.call(function, [item, read, keep_close, data_cache])

    return types.void(array, types.int64, types.int64), generate


# numba gives its intrinsics the types of their generators; these names give them those of what they do.

float_from_bits = cast(Callable[[np.int32], np.float32], _float_from_bits)
"""The float32 that has the bits of an int32."""

bits_from_float = cast(Callable[[np.float32], np.int32], _bits_from_float)
"""The bits of a float32."""

truncated = cast(Callable[[np.float32], np.int32], _truncated)
"""A float32 cut to int32; numba's own conversion goes through int64, which does not vectorise."""

take_next = cast(Callable[[NDArray[np.int64]], int], _take_next)
"""Adds one to ``counter[0]`` in one piece and returns what was there: how threads share out work."""

prefetch = cast(Callable[[NDArray[Any], int | np.integer[Any], int], None], _prefetch)
"""Asks for the cache line at (row, column) of a matrix to come. Waiting for random rows costs more than their use."""


@inlined
def power_of_two(x: np.float32) -> np.float32:
    """2^x for x in [-115, 0] to 1e-7: exponent bits and a polynomial, because math.exp does not vectorise."""
    n = truncated(x - np.float32(0.5))
    f = x - np.float32(n)
    p = np.float32(1.535336188319500e-4)
    p = p * f + np.float32(1.339887440266574e-3)
    p = p * f + np.float32(9.618437357674640e-3)
    p = p * f + np.float32(5.550332471162809e-2)
    p = p * f + np.float32(2.402264791363012e-1)
    p = p * f + np.float32(6.931472028550421e-1)
    p = p * f + np.float32(1.0)
    return float_from_bits(bits_from_float(p) + (n << np.int32(23)))
