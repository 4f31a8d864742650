"""What a run folder keeps of each question: its checkpoints while it is solved, and its last state once it is done.

While a question is solved, every stage leaves a checkpoint, so that a killed process goes on with the stage it was in.
Each question has a database of its own: a cancelled one may leave a transaction open until its connection is closed,
and in one database for all, dozens of others would wait for it. Once it is done, only the answer with its whole story
is needed: that is kept as one small file, and the database goes.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from .errors import SolverError
from .state import SolverState
from .store import write_whole

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

__all__ = ["Checkpoints"]

_BESIDE = ("", "-wal", "-shm", "-journal")
"""Endings of the files of a database."""


class Checkpoints:
    """The questions of a run folder; whoever works on one holds its lock.

    Args:
        folder: ``unfinished/`` and ``finished/`` are made in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unfinished, self._finished = folder / "unfinished", folder / "finished"

    def finished(self, run: str) -> SolverState | None:
        """The last state of a question that is done; None for any other.

        Deletes what a process left behind that was killed in the middle of ``finish``.

        Raises:
            SolverError: the file is damaged.
        """
        path = self._finished_file(run)
        try:
            state = json.loads(zlib.decompress(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (zlib.error, ValueError) as error:
            raise self._damaged(path, error) from error
        self._forget(run)
        return cast(SolverState, state)

    def finish(self, run: str, state: SolverState) -> None:
        """Keeps the last state of a question and deletes its checkpoints, which nobody may have open."""
        packed = json.dumps(state, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()
        write_whole(self._finished_file(run), zlib.compress(packed, 9))
        self._forget(run)

    @asynccontextmanager
    async def saver(self, run: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
        """Where the machine leaves its states; it reads back plain values only and refuses what needs code to load.

        Raises:
            SolverError: the database is damaged, or cannot be read or written.
        """
        import aiosqlite
        from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        path = self._database(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        strict = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
        try:
            async with aiosqlite.connect(path) as connection:
                saver = AsyncSqliteSaver(connection, serde=strict)
                await saver.setup()
                try:
                    # SQLite has no checksums: bytes that changed show only when the state is read.
                    await saver.aget_tuple({"configurable": {"thread_id": run}})
                except (ValueError, TypeError, KeyError) as error:
                    raise self._damaged(path, error) from error
                yield saver
        except sqlite3.OperationalError as error:
            # A full disk or a lack of rights, say: the file itself is sound.
            raise SolverError(
                f"cannot work with {path} ({error}); see to its disk and its rights, then the same call goes on"
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(path, error) from error

    def _database(self, run: str) -> Path:
        return self._unfinished / f"{run}.sqlite"

    def _finished_file(self, run: str) -> Path:
        return self._finished / run[:2] / f"{run}.json.zlib"

    def _forget(self, run: str) -> None:
        for ending in _BESIDE:
            Path(f"{self._database(run)}{ending}").unlink(missing_ok=True)

    def _damaged(self, path: Path, error: Exception) -> SolverError:
        return SolverError(
            f"{path} is damaged ({error}); delete it to start the question again: "
            f"what was paid is kept in {self._folder / 'calls'}"
        )
