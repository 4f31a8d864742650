"""Tab-separated tables, row by row, with cells in quotes as spreadsheets and pandas write them.

The standard library's reader is not used: its limit on the size of a cell is one global number, and one stray quote
makes it swallow the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ..limits import SuiteLimits
from .rows import BadRow, RawRow

__all__ = ["table_header", "table_line", "table_rows"]

_NEEDS_QUOTES = re.compile(r'[\t\n\r"]')
_BOM = b"\xef\xbb\xbf"


def table_rows(
    path: Path, *, required: Sequence[str], limits: SuiteLimits, start: int | None = None, separator: str = "\t"
) -> Iterator[RawRow | BadRow]:
    """The rows of a table with a header, as column -> text. Blank lines are passed over.

    Args:
        path: UTF-8, with or without a byte-order mark, with any line ends.
        required: columns without which the table cannot be used.
        limits: on rows.
        start: the offset of a row to begin with, as a `RawRow` has it; its line numbers then count from there.
        separator: between cells; "," for files that call themselves CSV.

    Yields:
        One record a row, or what is wrong with it. After a quote that is never closed, reading goes on in the next
        line.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as stream:
        reader = _Reader(stream, limits, separator)
        header = reader.row()
        columns = header.cells
        wrong = "the table is empty; it needs a header" if not columns else header.problem
        if not wrong:
            missing = [name for name in required if name not in columns]
            twice = sorted({name for name in columns if columns.count(name) > 1})
            if missing:
                wrong = f"the header lacks the columns {', '.join(missing)}; it has {', '.join(columns)[:200]}"
            elif twice:
                wrong = f"the header names {', '.join(twice)} more than once"
        if wrong:
            yield BadRow(1, "bad_header", wrong, last=True)
            return
        if start is not None:
            reader.seek(start)
        yield from _records(reader, columns)


def _records(reader: _Reader, columns: list[str]) -> Iterator[RawRow | BadRow]:
    while True:
        row = reader.row()
        if row.end:
            return
        if not row.problem and len(row.cells) != len(columns):
            row.problem = f"the row has {len(row.cells)} cells, the header has {len(columns)}"
        if row.problem:
            yield BadRow(row.line, "bad_row", row.problem)
            if row.lines > 1:  # a stray quote joined several rows; each of the others is tried on its own
                reader.seek(row.second_line, row.line)
            continue
        yield RawRow(row.line, dict(zip(columns, row.cells, strict=True)), offset=row.offset)


def table_header(path: Path, limits: SuiteLimits | None = None) -> list[str]:
    """The names of the columns; empty for a file that is no table.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as stream:
        row = _Reader(stream, limits or SuiteLimits(row_bytes=65536), "\t").row()
        return [] if row.problem else row.cells


def table_line(cells: Iterable[str]) -> str:
    """One line of a table with its line end; cells that need quotes get them."""
    return "\t".join(_quoted(cell) for cell in cells) + "\n"


def _quoted(cell: str) -> str:
    # "\v" and the like are no line ends here, but "\r" is one to pandas.
    return '"' + cell.replace('"', '""') + '"' if _NEEDS_QUOTES.search(cell) else cell


class _Row:
    """A row while it is read: where it began, its cells, and what is wrong with it."""

    def __init__(self, line: int, offset: int) -> None:
        self.line = line
        self.offset = offset
        self.cells: list[str] = []
        self.problem = ""
        self.lines = 0
        self.second_line = offset
        self.end = False


class _Reader:
    def __init__(self, stream: BinaryIO, limits: SuiteLimits, separator: str) -> None:
        self._stream = stream
        self._separator = separator
        self._limits = limits
        self._offset = 0
        self._line = 0
        if stream.read(3) == _BOM:
            self._offset = 3
        stream.seek(self._offset)

    def seek(self, offset: int, line: int = 0) -> None:
        """Goes on at a row's offset; ``line`` lines lie before it."""
        self._stream.seek(offset)
        self._offset, self._line = offset, line

    def row(self) -> _Row:
        """The next row; ``end`` when there is none."""
        while True:
            row = _Row(self._line + 1, self._offset)
            raw = self._next_line(row)
            if raw is None:
                row.end = True
                return row
            if row.problem or raw.strip(b"\r\n"):
                break
        if row.problem:
            return row
        if b'"' not in raw:
            row.cells = self._decoded(raw.rstrip(b"\r\n"), row).split(self._separator)
        else:
            self._quoted_row(row, raw)
        return row

    def _next_line(self, row: _Row) -> bytes | None:
        raw = self._stream.readline(self._limits.row_bytes + 1)
        if not raw:
            return None
        size = len(raw)
        if size > self._limits.row_bytes:
            row.problem = (
                f"the row has more than {self._limits.row_bytes:,} bytes; pass larger SuiteLimits if it is sound"
            )
            while raw and not raw.endswith(b"\n"):
                raw = self._stream.readline(1 << 20)
                size += len(raw)
        self._offset += size
        self._line += 1
        row.lines += 1
        if row.lines == 1:
            row.second_line = self._offset
        return raw

    def _decoded(self, raw: bytes, row: _Row) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            row.problem = f"the row is not UTF-8 (byte {error.start + 1}); save the table as UTF-8"
            return ""

    def _quoted_row(self, row: _Row, raw: bytes) -> None:
        """Cells, some of them in quotes, over as many lines as they take."""
        text = self._decoded(raw, row)
        size = len(raw)
        place = 0
        while not row.problem:
            place, cell, closed = _cell(text, place, self._separator)
            while not closed:
                more = self._next_line(row) if row.lines < self._limits.row_lines else None
                size += len(more or b"")
                if more is None or row.problem or size > self._limits.row_bytes:
                    row.problem = row.problem or "a quote is opened and not closed; double quotes within a cell"
                    return
                text = self._decoded(more, row)
                place, rest, closed = _quoted_part(text, 0)
                cell += rest
            row.cells.append(cell)
            if place >= len(text) or text[place] in "\r\n":
                return
            if text[place] != self._separator:
                row.problem = f"after a closing quote stands {text[place]!r}; put the whole cell into the quotes"
                return
            place += 1


def _cell(text: str, place: int, separator: str) -> tuple[int, str, bool]:
    """(where the cell ends, its text, whether it ends in this line)."""
    if text.startswith('"', place):
        return _quoted_part(text, place + 1)
    end = text.find(separator, place)
    if end < 0:
        end = len(text.rstrip("\r\n"))
    return end, text[place:end], True


def _quoted_part(text: str, place: int) -> tuple[int, str, bool]:
    """The text up to the closing quote, or to the end of the line when there is none; doubled quotes are one."""
    parts = []
    while True:
        end = text.find('"', place)
        if end < 0:
            parts.append(text[place:])
            return len(text), "".join(parts), False
        parts.append(text[place:end])
        if not text.startswith('""', end):
            return end + 1, "".join(parts), True
        parts.append('"')
        place = end + 2
