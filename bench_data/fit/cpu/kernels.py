"""How the kernels of this folder are compiled and kept: as those of `render.cpu`, in a list of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ...render.cpu.kernels import SourceAwareCache, compiled_kernel, hash_of_sources

__all__ = ["KERNELS", "kernel"]

F = TypeVar("F", bound=Callable[..., object])

KERNELS: list[Any] = []
"""numba's dispatcher of each kernel, which knows what was compiled and what came from the cache."""


class _FitKernelCache(SourceAwareCache):
    sources = hash_of_sources(*sorted(Path(__file__).parent.glob("*.py")))


def kernel(function: F) -> F:
    """A compiled function that Python calls; see `render.cpu.kernels.kernel`."""
    return compiled_kernel(function, _FitKernelCache, KERNELS)
