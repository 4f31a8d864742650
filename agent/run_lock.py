"""One writer a question: a lock file that names its owner and that the system frees when the owner dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import SolverError

__all__ = ["hold"]


@contextmanager
def hold(path: Path) -> Iterator[None]:
    """Holds the lock at ``path``.

    Raises:
        SolverError: another process, or another task of this one, holds it; the message names the process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        if not _lock(file.fileno()):
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise SolverError(f"this question is being solved in {path.parent.parent} by process {owner}; wait for it")
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:
        # Not a POSIX system: there a byte range of the file is locked instead.
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
