"""A run's folder on disk: pictures, paid calls and checkpoints, enough to go on after the process was killed."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver

from .errors import SolverError
from .run_lock import hold
from .store import FolderCalls, FolderPictures

__all__ = ["RunFolder"]

_WAIT_S = 120.0
"""For the database while other questions of the same folder write to it; a batch run solves dozens at once."""


class RunFolder:
    """Layout: ``pictures/`` by hash, ``calls/`` by key, ``checkpoints.sqlite``, ``locks/`` by run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.pictures = FolderPictures(path / "pictures")
        self.calls = FolderCalls(path / "calls")

    def locked(self, run: str) -> AbstractContextManager[None]:
        """Keeps everybody else from working on the same run; a second one is refused with the owner's name."""
        return hold(self.path / "locks" / run)

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints.sqlite"

    @asynccontextmanager
    async def checkpointer(self) -> AsyncIterator[BaseCheckpointSaver[str]]:
        """The database of states; it reads back plain values only and refuses anything that needs code to load."""
        import aiosqlite
        from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        strict = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
        try:
            async with aiosqlite.connect(self.checkpoints, timeout=_WAIT_S) as connection:
                yield AsyncSqliteSaver(connection, serde=strict)
        except sqlite3.DatabaseError as error:
            raise SolverError(
                f"{self.checkpoints} is damaged ({error}); delete it to start the question again: "
                f"what was paid is kept in {self.path / 'calls'}"
            ) from error
