"""Keeps Ray's own words off the terminal: what matters of them becomes one line of ours."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from typing import TextIO, cast

__all__ = ["quiet_ray"]

_THREADS = frozenset({"ray_listen_error_messages", "ray_print_logs"})
"""Ray prints the death of workers from such a thread, to stdout, whatever its options say (ray 2.60)."""


@contextmanager
def quiet_ray() -> Iterator[None]:
    """For the length of the block, nothing that Ray's threads print is shown; its log files have it all."""
    logger = logging.getLogger("ray")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with redirect_stdout(_without_ray(sys.stdout)), redirect_stderr(_without_ray(sys.stderr)):
            yield
    finally:
        logger.setLevel(before)


def _without_ray(stream: TextIO) -> TextIO:
    return cast("TextIO", _WithoutRay(stream))


class _WithoutRay(TextIOBase):
    """A stream that passes everything on but what Ray's threads write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if threading.current_thread().name in _THREADS:
            return len(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors
