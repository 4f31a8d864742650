"""The file form of recorded replies: one JSON object a line.

The first line may describe the recording: ``{"recording": 1, "model": NAME, "capabilities": {...}}``. Every other line
is ``{"key": FINGERPRINT, "reply": {...}}``, or, in a file whose replies are given in order, ``{"reply": {...}}``.
``"reply": "some text"`` is short for a reply with status ok. The order of fields does not matter; unknown ones are
errors.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import ModelError
from .protocol import Capabilities, Reply, ReplyStatus

__all__ = ["Entry", "Header", "Recording", "append_lines", "line_of", "read_recording"]

_FORM = 1
_MAX_LINE_BYTES = 16 * 2**20
_BLOCK_BYTES = 4096

ValueT = TypeVar("ValueT", bound=BaseModel)


class Header(BaseModel):
    """What a recording says about itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recording: int = Field(default=_FORM, ge=_FORM, le=_FORM)
    model: str
    capabilities: Capabilities


class Entry(BaseModel):
    """One recorded reply; ``key`` is the fingerprint of its request, None in a file that is replayed in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    reply: Reply


@dataclass(frozen=True)
class Recording:
    """A whole file.

    Attributes:
        by_key: replies of each fingerprint, in the order of the file; empty when the file has no keys.
        in_order: all replies of a file without keys.
        torn_line: number of a last line that was cut off while it was written, and is left out.
    """

    header: Header | None
    by_key: dict[str, tuple[Reply, ...]]
    in_order: tuple[Reply, ...]
    torn_line: int | None = None


def line_of(value: Header | Entry) -> bytes:
    """One line, newline included. ASCII, so that any text survives, a lone surrogate included."""
    content = value.model_dump(mode="json", exclude_defaults=False)
    return json.dumps(content, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


def read_recording(path: Path) -> Recording:
    """Reads and checks a whole file.

    Raises:
        ModelError: the file is not there, or a line is not what it must be; the message has the line's number.
    """
    header: Header | None = None
    by_key: dict[str, list[Reply]] = {}
    in_order: list[Reply] = []
    torn_line = None
    for number, line, is_complete in _lines(path):
        try:
            content = _object_of(line)
        except ValueError as error:
            if not is_complete:
                torn_line = number
                break
            _fail(path, number, f"not a JSON object ({error})")
        if "recording" in content:
            if number != 1:
                _fail(path, number, "a description of the recording may only stand in line 1")
            header = _checked(Header, content, path, number)
            continue
        entry = _checked(Entry, _with_full_reply(content), path, number)
        if (entry.key is None and by_key) or (entry.key is not None and in_order):
            _fail(path, number, "some lines have a key and some have none; give all lines keys, or none")
        if entry.key is None:
            in_order.append(entry.reply)
        else:
            by_key.setdefault(entry.key, []).append(entry.reply)
    return Recording(header, {key: tuple(replies) for key, replies in by_key.items()}, tuple(in_order), torn_line)


def append_lines(path: Path, first: Header, entry: Entry) -> None:
    """Adds an entry to the end of a file and waits until it is on the disk; ``first`` starts a new file.

    Several processes may append at once. A last line that was cut off by a crash is removed first.

    Raises:
        ModelError: the file belongs to another model, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Unbuffered, and in append mode every write goes to the end, wherever the position for reading is.
        with path.open("a+b", buffering=0) as file:
            _lock(file.fileno())
            _mend_end(file)
            lines = line_of(entry)
            file.seek(0)
            if first_line := file.readline(_MAX_LINE_BYTES):
                _require_same_model(path, first_line, first.model)
            else:
                lines = line_of(first) + lines
            unwritten = memoryview(lines)
            while unwritten:
                unwritten = unwritten[file.write(unwritten) :]
            os.fsync(file.fileno())
    except OSError as error:
        raise ModelError(f"cannot write the recording {path}: {error.strerror or error}") from error


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """(number from 1, line without its end, whether it ends in a line break), blank lines left out."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > _MAX_LINE_BYTES:
                    _fail(path, number, f"longer than {_MAX_LINE_BYTES} bytes")
                if line.strip():
                    yield number, line.strip(), line.endswith(b"\n")
    except OSError as error:
        raise ModelError(f"cannot read the recording {path}: {error.strerror or error}") from error


def _object_of(line: bytes) -> dict[str, object]:
    """Raises ValueError for everything that is not a JSON object in UTF-8."""

    def refuse_constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        content = json.loads(line.decode("utf-8-sig"), parse_constant=refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError(f"a JSON {type(content).__name__}")
    return content


def _with_full_reply(content: dict[str, object]) -> dict[str, object]:
    reply = content.get("reply")
    if isinstance(reply, str):
        return {**content, "reply": {"text": reply, "status": ReplyStatus.OK.value}}
    return content


def _checked(kind: type[ValueT], content: dict[str, object], path: Path, number: int) -> ValueT:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the line"
        _fail(path, number, f"{where}: {first['msg']}")


def _fail(path: Path, number: int, what: str) -> NoReturn:
    raise ModelError(f"{path}, line {number}: {what}; mend or remove the line")


def _lock(descriptor: int) -> None:
    """Keeps other processes out until the file is closed; does nothing where the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def _mend_end(file: io.FileIO) -> None:
    """Ends the last line: with a line break when it is whole, by removing it when it was cut off."""
    size = end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _BLOCK_BYTES)
        newline = _read_at(file, start, end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end == size:
        return
    try:
        _object_of(_read_at(file, end, size - end))
    except ValueError:
        file.truncate(end)
    else:
        file.write(b"\n")


def _read_at(file: io.FileIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def _require_same_model(path: Path, line: bytes, model: str) -> None:
    try:
        recorded = _object_of(line).get("model")
    except ValueError:
        recorded = None
    if recorded != model:
        raise ModelError(f"{path} records {recorded!r}, not {model!r}; record every model in a file of its own")
