"""Reading files of other people's data sets: bounded, without pickle, and never out of their folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from ...errors import BenchDataError

__all__ = ["files_in", "inside", "json_records", "picture_suffixes", "read_array", "read_json", "validated"]

ModelT = TypeVar("ModelT", bound=BaseModel)

picture_suffixes = (".png", ".jpg", ".jpeg")

_LARGEST_JSON_BYTES = 256 * 2**20
_LARGEST_ARRAY_BYTES = 1024 * 2**20
_LARGEST_RECORD = 4 * 2**20
_CHUNK = 1 << 20


def inside(root: Path, relative: str) -> Path:
    """The file of a relative path below ``root``, which need not exist.

    Raises:
        BenchDataError: the path is empty, absolute, or leads out of ``root``, by ".." or by a link.
    """
    if not relative.strip() or "\x00" in relative or "\\" in relative or Path(relative).is_absolute():
        raise BenchDataError(f"{relative[:80]!r} is no path below {root}; write it relative and with forward slashes")
    file = root / relative
    try:
        within = file.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError) as error:
        raise BenchDataError(f"{relative[:80]!r} cannot be followed ({error}); is there a loop of links?") from error
    if not within:
        raise BenchDataError(f"{relative[:80]!r} leads out of {root}; put the file into it")
    return file


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files of a folder with one of these endings, in the order of their names; none without a folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in suffixes and path.is_file())


def read_json(path: Path) -> object:
    """The content of a JSON file.

    Raises:
        BenchDataError: missing, larger than 256 MiB, or not JSON; NaN and Infinity are not.
    """
    try:
        if path.stat().st_size > _LARGEST_JSON_BYTES:
            raise BenchDataError(f"cannot read {path}: it is larger than {_LARGEST_JSON_BYTES >> 20} MiB")
        content: object = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_no_constant)
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BenchDataError(f"cannot read {path}: it is not JSON ({error})") from error
    return content


def validated(model: type[ModelT], content: object, source: str) -> ModelT:
    """A value checked against a model of it.

    Raises:
        BenchDataError: it does not fit; the message names the source and the field.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "the content"
        raise BenchDataError(f"cannot read {source}: {field}: {first['msg']}") from error


def json_records(path: Path) -> Iterator[dict[str, object]]:
    """The records of a JSON list, one after the other, so that a table of gigabytes needs little memory.

    Raises:
        BenchDataError: missing, not a list of records, cut off, or a record above 4 MiB.
    """
    count = 0
    try:
        with path.open(encoding="utf-8-sig") as stream:
            window = _Window(stream)
            if window.next_mark() != "[":
                raise ValueError("it must be a list of records")
            window.take()
            while (mark := window.next_mark()) != "]":
                if mark == "," and count:
                    window.take()
                record = window.value()
                if not isinstance(record, dict):
                    raise ValueError(f"a record is expected, not {str(record)[:40]!r}")
                count += 1
                yield record
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BenchDataError(f"cannot read {path}: not JSON after {count} records ({error})") from error


class _Window:
    """A place in a long text, of which only a part is held."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = json.JSONDecoder(parse_constant=_no_constant)
        self._text, self._place = "", 0

    def next_mark(self) -> str:
        """The next character that is not blank.

        Raises:
            ValueError: the text ends.
        """
        while True:
            while self._place < len(self._text) and self._text[self._place] in " \t\r\n":
                self._place += 1
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                raise ValueError("the file ends too early")

    def take(self) -> None:
        """Goes past the mark."""
        self._place += 1

    def value(self) -> object:
        """The JSON value here; more is read until it is whole."""
        self.next_mark()
        while True:
            try:
                value, self._place = self._decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError:
                if len(self._text) - self._place > _LARGEST_RECORD or not self._more():
                    raise
            else:
                return value

    def _more(self) -> bool:
        chunk = self._stream.read(_CHUNK)
        self._text, self._place = self._text[self._place :] + chunk, 0
        return bool(chunk)


def read_array(path: Path, *, most_bytes: int = _LARGEST_ARRAY_BYTES) -> NDArray[np.float64]:
    """A ``.npy`` array of real numbers as float64; what its header claims is checked against the size of the file.

    Raises:
        BenchDataError: missing, damaged, too large, of objects, or not of real numbers.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most_bytes:
                raise BenchDataError(f"cannot read {path}: it is larger than {most_bytes >> 20} MiB")
            version = np.lib.format.read_magic(file)
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = header(file)
            if dtype.kind not in "fiub" or int(np.prod(shape, dtype=object)) * dtype.itemsize > size:
                raise BenchDataError(f"cannot read {path}: {dtype} {shape} is no array of numbers of this file's size")
            file.seek(0)
            array = np.load(file, allow_pickle=False)
    except BenchDataError:
        raise
    except (OSError, ValueError, TypeError, EOFError, SyntaxError) as error:
        raise BenchDataError(f"cannot read {path}: {error}; it must be a .npy array of numbers") from error
    return np.asarray(array, dtype=np.float64)


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
