"""The store of a run: an append-only file of JSON lines. A record that was acknowledged survives anything.

Records are written by one thread that takes all that wait, writes them in one go, flushes them to the disk (fsync) and
only then tells those who wait. So a hundred calls that end together cost one flush, and none is told too early.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..errors import DiagnosticsError
from .record import CallRecord, record_line, record_of

__all__ = [
    "RecordWriter",
    "StoredLine",
    "mend_end",
    "read_record_at",
    "read_records",
    "records_with_places",
    "stored_lines",
]

_MAX_LINE_BYTES = 64 * 2**20

_Batch = list[tuple[bytes, asyncio.Future[None]]]
"""Lines, each with what is done once it is on the disk."""


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line of the store, parsed but not yet checked.

    Attributes:
        number: from 1.
    """

    number: int
    content: dict[str, object]


@dataclass(frozen=True, slots=True)
class _RawLine:
    """A line as it stands in the file, with its number from 1 and the place in bytes where it begins."""

    number: int
    place: int
    data: bytes

    @property
    def is_last(self) -> bool:
        """Cut, or without its line break: nothing can stand behind it."""
        return not self.data.endswith(b"\n") and len(self.data) <= _MAX_LINE_BYTES


def stored_lines(path: Path) -> Iterator[StoredLine]:
    """The lines of a store, one at a time; none for a file that is not there. A torn last line is left out.

    Raises:
        DiagnosticsError: a line before the last is damaged, or the file cannot be read; the message names the line.
    """
    for line in _raw_lines(path):
        content = _content_of(line, path)
        if content is not None:
            yield StoredLine(line.number, content)


def read_records(path: Path) -> Iterator[CallRecord]:
    """The records of a store, checked, in the order in which they were written.

    Raises:
        DiagnosticsError: as `stored_lines`, or a line is no record of this version.
    """
    for _, record in records_with_places(path):
        yield record


def records_with_places(path: Path) -> Iterator[tuple[int, CallRecord]]:
    """The records of a store, each with the place in bytes where its line begins.

    Raises:
        DiagnosticsError: as `read_records`.
    """
    for line in _raw_lines(path):
        record = _record_in(line, path)
        if record is not None:
            yield line.place, record


def read_record_at(path: Path, place: int) -> CallRecord:
    """The record whose line begins at a place that `records_with_places` gave.

    Raises:
        DiagnosticsError: there is none any more.
    """
    try:
        with path.open("rb") as file:
            file.seek(place)
            line = file.readline(_MAX_LINE_BYTES + 1)
    except OSError as error:
        raise DiagnosticsError(f"cannot read {path}: {error.strerror or error}") from error
    record = _record_in(_RawLine(0, place, line), path)
    if record is None:
        raise DiagnosticsError(f"{path} changed while it was read; give the command again")
    return record


def _raw_lines(path: Path) -> Iterator[_RawLine]:
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            number = place = 0
            while line := file.readline(_MAX_LINE_BYTES + 1):
                number += 1
                yield _RawLine(number, place, line)
                place += len(line)
    except OSError as error:
        raise DiagnosticsError(f"cannot read {path}: {error.strerror or error}") from error


def _record_in(line: _RawLine, path: Path) -> CallRecord | None:
    """None for a torn last line."""
    try:
        return CallRecord.model_validate_json(line.data)
    except ValueError:
        # Half characters, which the quick way refuses, or a line that is damaged: the slow way tells which.
        content = _content_of(line, path)
    if content is None:
        return None
    try:
        return record_of(content)
    except ValueError as error:
        raise DiagnosticsError(
            f"{path}, line {line.number}: no record of a call ({str(error).splitlines()[0]}); remove the line to "
            "make its call again"
        ) from error


def _content_of(line: _RawLine, path: Path) -> dict[str, object] | None:
    """None for a torn last line."""
    content = _object_in(line.data)
    if content is None and not line.is_last:
        raise DiagnosticsError(
            f"{path}, line {line.number}: not a JSON object with a key and a reply; remove the line to make its "
            "call again, or put back the file"
        )
    return content


def mend_end(path: Path) -> bool:
    """Makes the last line whole: a cut one is removed, so that its call is made again. Whether one was cut.

    Raises:
        DiagnosticsError: the file cannot be changed.
    """
    try:
        with path.open("r+b") as file:
            start = _start_of_last_line(file)
            file.seek(start)
            last = file.read()
            if not last:
                return False
            if _object_in(last) is not None:
                file.seek(0, os.SEEK_END)
                file.write(b"\n")
            else:
                file.truncate(start)
            file.flush()
            os.fsync(file.fileno())
            return _object_in(last) is None
    except FileNotFoundError:
        return False
    except OSError as error:
        raise DiagnosticsError(f"cannot mend {path}: {error.strerror or error}") from error


class RecordWriter:
    """Appends records; use it as an asynchronous context manager, with the run's lock held.

    Args:
        path: of the store; a torn last line is removed first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: _Batch = []
        self._batches: queue.SimpleQueue[_Batch | None] = queue.SimpleQueue()
        self._idle = asyncio.Event()
        self._idle.set()
        self._open = False
        self._is_damaged = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._file: BinaryIO | None = None

    async def __aenter__(self) -> RecordWriter:
        mend_end(self._path)
        try:
            self._file = self._path.open("ab", buffering=0)
            _flush_folder(self._path.parent)
        except OSError as error:
            raise DiagnosticsError(f"cannot write {self._path}: {error.strerror or error}") from error
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, args=(self._loop,), name="records", daemon=True)
        self._thread.start()
        self._open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open = False
        try:
            await self._idle.wait()
        finally:
            self._batches.put(None)
            if self._thread is not None:
                self._thread.join()
            if self._file is not None:
                self._file.close()

    async def append(self, record: CallRecord) -> None:
        """Returns when the record is on the disk.

        Raises:
            DiagnosticsError: it cannot be written; nothing of it counts then.
        """
        await self.put(record)

    def put(self, record: CallRecord) -> asyncio.Future[None]:
        """Sends a record on its way; what is returned is done when the record is on the disk, or holds the error.

        Raises:
            DiagnosticsError: the store is not open.
        """
        if not self._open or self._loop is None:
            raise DiagnosticsError(f"{self._path} is not open for writing")
        written: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((record_line(record), written))
        if self._idle.is_set():
            self._idle.clear()
            # Not at once, so that calls which end in the same round of the loop share a flush.
            self._loop.call_soon(self._hand_over)
        return written

    def _hand_over(self) -> None:
        batch, self._waiting = self._waiting, []
        self._batches.put(batch)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        """The thread: one batch after the other, until it gets None."""
        while (batch := self._batches.get()) is not None:
            failure: Exception | None
            try:
                failure = self._write(b"".join(line for line, _ in batch))
            except Exception as error:  # noqa: BLE001 - raised again where each record is waited for
                failure = error
            loop.call_soon_threadsafe(self._tell, batch, failure)

    def _tell(self, batch: _Batch, failure: Exception | None) -> None:
        for _, written in batch:
            if written.done():
                continue  # whoever waited was cancelled; the record stays
            if failure is None:
                written.set_result(None)
            else:
                written.set_exception(failure)
        if self._waiting:
            self._hand_over()
        else:
            self._idle.set()

    def _write(self, data: bytes) -> DiagnosticsError | None:
        """Runs in the thread; the error is handed back as a value."""
        file = self._file
        if file is None or self._is_damaged:
            return DiagnosticsError(f"{self._path} is not open for writing")
        before: int | None = None
        try:
            before = file.seek(0, os.SEEK_END)
            unwritten = memoryview(data)
            while unwritten:
                unwritten = unwritten[file.write(unwritten) :]
            os.fsync(file.fileno())
        except OSError as error:
            self._take_back(file, before)
            return DiagnosticsError(
                f"cannot write {self._path}: {error.strerror or error}; the same command goes on once there is room"
            )
        return None

    def _take_back(self, file: BinaryIO, before: int | None) -> None:
        """Half a batch must not stand before a later one; where it cannot be removed, no later one is written."""
        try:
            if before is not None:
                file.truncate(before)
        except OSError:
            # The error that led here is told; the next start mends the end.
            self._is_damaged = True


def _object_in(line: bytes) -> dict[str, object] | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(content, dict) and isinstance(content.get("key"), str) and isinstance(content.get("reply"), dict)
    return content if whole else None


def _start_of_last_line(file: BinaryIO) -> int:
    """Where what stands behind the last line break begins; the end of the file when nothing does."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _flush_folder(folder: Path) -> None:
    """Makes a new file's name as lasting as its content, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
