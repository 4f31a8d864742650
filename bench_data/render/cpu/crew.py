"""Threads that run kernels together."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from ...errors import BenchDataError

__all__ = ["Crew", "available_threads"]


def available_threads() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Crew:
    """A few threads for the length of a ``with`` block; the calling thread is one of them.

    Waiting threads sleep. There is no state between blocks, so any number of crews may work at once, also after a fork.

    Args:
        size: number of threads, at least 1.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise BenchDataError(f"threads must be at least 1, got {size}")
        self.size = size
        self._helpers: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.size > 1:
            self._helpers = ThreadPoolExecutor(self.size - 1, thread_name_prefix="seeworthy-render")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._helpers:
            self._helpers.shutdown()

    def each(self, task: Callable[[int], object]) -> None:
        """Runs ``task(0)`` to ``task(size - 1)`` at the same time and returns when all are done."""
        helpers = [self._helpers.submit(task, part) for part in range(1, self.size)] if self._helpers else []
        try:
            task(0)
        finally:
            for helper in helpers:
                helper.result()
