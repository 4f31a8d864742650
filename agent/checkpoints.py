"""The database of a run folder: states of questions that are being solved, and the last state of those that are done.

While a question is solved, every stage leaves a checkpoint, so that a killed process goes on with the stage it was in.
Once it is done only its last state is needed: the answer with its whole story. That is kept, compressed, and the
checkpoints are deleted in the same transaction; their pages are used again by the next question.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from .errors import SolverError
from .state import SolverState

if TYPE_CHECKING:
    import aiosqlite
    from langgraph.checkpoint.base import BaseCheckpointSaver

__all__ = ["Checkpoints", "open_checkpoints"]

_WAIT_S = 120.0
"""For the database while other questions of the same folder write to it; a batch run solves dozens at once."""
_CREATE = "CREATE TABLE IF NOT EXISTS finished (thread_id TEXT PRIMARY KEY, state BLOB NOT NULL)"


@dataclass(frozen=True)
class Checkpoints:
    """The open database.

    Args:
        saver: where the machine leaves its states.
    """

    saver: BaseCheckpointSaver[str]
    _connection: aiosqlite.Connection

    async def finished(self, thread: str) -> SolverState | None:
        """The last state of a question that is done; None for any other.

        Raises:
            sqlite3.DataError: what is kept of it cannot be read; `open_checkpoints` makes that a `SolverError`.
        """
        async with self._connection.execute("SELECT state FROM finished WHERE thread_id = ?", (thread,)) as found:
            row = await found.fetchone()
        if row is None:
            return None
        try:
            state = json.loads(zlib.decompress(row[0]))
        except (zlib.error, ValueError, TypeError) as error:
            raise sqlite3.DataError(f"question {thread} cannot be read: {error}") from error
        return cast(SolverState, state)

    async def finish(self, thread: str, state: SolverState) -> None:
        """Keeps the last state of a question and deletes its checkpoints."""
        packed = zlib.compress(json.dumps(state, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode(), 9)
        await self._connection.execute("INSERT OR REPLACE INTO finished VALUES (?, ?)", (thread, packed))
        for table in ("checkpoints", "writes"):
            await self._connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))  # noqa: S608
        await self._connection.commit()


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[Checkpoints]:
    """Opens or makes a database; it reads back plain values only and refuses anything that needs code to load.

    Raises:
        SolverError: the file is damaged.
    """
    import aiosqlite
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    strict = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
    try:
        async with aiosqlite.connect(path, timeout=_WAIT_S) as connection:
            saver = AsyncSqliteSaver(connection, serde=strict)
            await saver.setup()
            await connection.execute(_CREATE)
            await connection.commit()
            yield Checkpoints(saver, connection)
    except sqlite3.DatabaseError as error:
        raise SolverError(
            f"{path} is damaged ({error}); delete it to start the question again: "
            f"what was paid is kept in {path.parent / 'calls'}"
        ) from error
