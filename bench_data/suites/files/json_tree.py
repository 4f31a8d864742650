"""Large JSON files that hold lists of records, perhaps below records of records: read record by record."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from ..limits import SuiteLimits
from .json_lines import no_constant
from .rows import BadRow, RawRow

__all__ = ["json_tree_rows"]

_CHUNK = 1 << 16
_BLANK = re.compile(r"[ \t\n\r]*")
_DEEPEST = 16


def json_tree_rows(
    path: Path, *, limits: SuiteLimits, constant: Callable[[str], object] = no_constant
) -> Iterator[RawRow | BadRow]:
    """The records in the lists of a file, in order; ``keys`` are the names above a list.

    ``[{...}, {...}]`` gives two records; ``{"a": {"b": [{...}]}}`` gives one with the keys ("a", "b"). After a fault
    of the JSON itself nothing more can be read.

    Args:
        constant: what NaN and the infinities are, which JSON does not have and Python writes; refused by default.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open(encoding="utf-8-sig", newline="") as stream:
        walker = _Walker(stream, limits, constant)
        try:
            yield from walker.value(())
            walker.expect_end()
        except UnicodeDecodeError:
            yield BadRow(walker.line, "bad_json", "the text after this line is not UTF-8; save it as UTF-8", last=True)
        except (ValueError, RecursionError) as error:
            message = f"not JSON: {error or 'nested too deeply'}; nothing after it was read"
            yield BadRow(walker.line, "bad_json", message, last=True)


class _Walker:
    """A place in the text, of which only a window is held."""

    def __init__(self, stream: TextIO, limits: SuiteLimits, constant: Callable[[str], object]) -> None:
        self._stream = stream
        self._limits = limits
        self._decoder = json.JSONDecoder(parse_constant=constant)
        self._text = ""
        self._place = 0
        self.line = 1

    def value(self, keys: tuple[str, ...]) -> Iterator[RawRow | BadRow]:
        """The records below this place."""
        mark = self._peek()
        if mark == "[":
            yield from self._list(keys)
        elif mark == "{" and len(keys) < _DEEPEST:
            yield from self._record(keys)
        else:
            at = " of ".join(reversed(keys)) or "the file"
            raise ValueError(f"{at} must be a list of records")

    def expect_end(self) -> None:
        """Raises ValueError when something follows."""
        if self._peek():
            raise ValueError("something follows after the end")

    def _list(self, keys: tuple[str, ...]) -> Iterator[RawRow | BadRow]:
        self._take("[")
        if self._peek() == "]":
            self._take("]")
            return
        while True:
            self._peek()
            line = self.line
            item = self._decoded()
            if isinstance(item, dict):
                yield RawRow(line, item, keys)
            else:
                yield BadRow(line, "wrong_type", f"the list must hold records, got {str(item)[:40]!r}")
            if self._peek() != ",":
                self._take("]")
                return
            self._take(",")

    def _record(self, keys: tuple[str, ...]) -> Iterator[RawRow | BadRow]:
        self._take("{")
        if self._peek() == "}":
            self._take("}")
            return
        while True:
            self._peek()
            key = self._decoded()
            if not isinstance(key, str):
                raise ValueError("a name in quotes is expected")
            self._peek()
            self._take(":")
            yield from self.value((*keys, key))
            if self._peek() != ",":
                self._take("}")
                return
            self._take(",")

    def _peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            self._move(_BLANK.match(self._text, self._place).end())  # type: ignore[union-attr] # matches always
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more(_CHUNK):
                return ""

    def _take(self, mark: str) -> None:
        if self._text[self._place : self._place + 1] != mark:
            found = self._text[self._place : self._place + 1]
            raise ValueError(f"{mark!r} is expected, found {found!r}" if found else "the file ends too early")
        self._place += 1

    def _decoded(self) -> object:
        """The value at this place; more of the file is read until it is whole."""
        step = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                held = len(self._text) - self._place
                # A fault far before the end of what was read cannot be healed by reading more.
                if held > self._limits.row_bytes or len(self._text) - error.pos > 2 * _CHUNK or not self._more(step):
                    raise ValueError(error.msg) from error
                step *= 2
                continue
            if end == len(self._text) and self._more(step):
                continue  # a number may go on
            self._move(end)
            return value

    def _move(self, place: int) -> None:
        self.line += self._text.count("\n", self._place, place)
        self._place = place

    def _more(self, characters: int) -> bool:
        chunk = self._stream.read(characters)
        if not chunk:
            return False
        self._text = self._text[self._place :] + chunk
        self._place = 0
        return True
