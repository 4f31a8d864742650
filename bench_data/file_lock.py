"""A lock on a file that names its owner, and that the system frees when the owner dies, however it dies."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["held_alone"]


@contextmanager
def held_alone(path: Path, refused: Callable[[str], Exception]) -> Iterator[None]:
    """Holds the lock at a path; nobody else can, neither in another process nor in this one.

    Args:
        path: of a small file that stays behind, unlocked; its folder must be there.
        refused: makes the error to raise out of the owner's name, such as
            ``"process 4711 on ada since 2026-01-31 12:00:00 UTC"``.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("a+", encoding="utf-8") as file:
        if not _lock(file.fileno()):
            file.seek(0)
            raise refused(file.read().strip() or "a process that has not said its name")
        file.truncate(0)
        since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        file.write(f"process {os.getpid()} on {socket.gethostname()} since {since}")
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
