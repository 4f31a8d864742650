"""A run's folder on disk: pictures, paid calls and checkpoints, enough to go on after the process was killed."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from .checkpoints import Checkpoints
from .run_lock import hold
from .store import FolderCalls, FolderPictures

__all__ = ["RunFolder"]


class RunFolder:
    """Layout: ``pictures/`` by hash, ``calls/`` by key, ``unfinished/``, ``finished/`` and ``locks/`` by run.

    Args:
        path: made when it is not there.
        apart: a name under which this solver's model calls are kept, in ``replies/``, apart from those of other solvers
            in the folder. Pictures and tool runs are shared all the same. "" shares model calls, too.
    """

    def __init__(self, path: Path, *, apart: str = "") -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.pictures = FolderPictures(path / "pictures")
        self.calls = FolderCalls(path / "calls")
        self.checkpoints = Checkpoints(path)
        self.replies = FolderCalls(path / "replies" / apart) if apart else self.calls

    def locked(self, run: str) -> AbstractContextManager[None]:
        """Keeps everybody else from working on the same run; a second one is refused with the owner's name."""
        return hold(self.path / "locks" / run)
