"""Spreadsheets (Office Open XML, .xlsx): the first sheet's rows as text, read with the standard library.

Only what results need is read: cells as text, by the names in the first row. No formula is worked out, no link is
followed, no document type is accepted, and every part is limited in size, so that a small file cannot unpack to a
large one.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.parsers import expat

from ....bench_data.suites.files.rows import BadRow, RawRow
from ..limits import ImportLimits

__all__ = ["spreadsheet_rows"]

_WORKBOOK: Final = "xl/workbook.xml"
_RELATIONS: Final = "xl/_rels/workbook.xml.rels"
_STRINGS: Final = "xl/sharedStrings.xml"
_CHUNK_BYTES: Final = 1 << 20
_MOST_PARTS: Final = 10_000
_MOST_COLUMNS: Final = 16_384
_MOST_STRINGS: Final = 20_000_000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CELL_NAME = re.compile(r"([A-Z]{1,3})[0-9]{1,7}")


def spreadsheet_rows(path: Path, *, required: tuple[str, ...], limits: ImportLimits) -> Iterator[RawRow | BadRow]:
    """The rows of the first sheet below a header, as column -> text; an empty cell is "".

    Args:
        path: of a file.
        required: columns without which the sheet cannot be used.
        limits: on what is unpacked.

    Raises:
        OSError: the file cannot be opened.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            book = _Workbook(archive, limits)
            yield from _records(book.rows(), required)
    except _UnreadableError as error:
        yield BadRow(error.line, "bad_spreadsheet", str(error), last=True)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        # A damaged, encrypted or oddly packed archive; zipfile has no common class for these.
        yield BadRow(1, "bad_spreadsheet", f"no .xlsx file, or a damaged one ({error})", last=True)


class _UnreadableError(ValueError):
    """The file cannot be read on."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def _records(rows: Iterator[tuple[int, dict[int, str]]], required: tuple[str, ...]) -> Iterator[RawRow | BadRow]:
    header = next(rows, None)
    names = {} if header is None else {place: name for place, name in header[1].items() if name}
    wrong = _wrong_header(list(names.values()), required)
    if wrong:
        yield BadRow(1, "bad_header", wrong, last=True)
        return
    for line, cells in rows:
        if any(cells.values()):
            yield RawRow(line, {name: cells.get(place, "") for place, name in names.items()})


def _wrong_header(names: list[str], required: tuple[str, ...]) -> str:
    if not names:
        return "the sheet is empty; it needs a header"
    missing = [name for name in required if name not in names]
    if missing:
        return f"the header lacks the columns {', '.join(missing)}; it has {', '.join(names)[:200]}"
    twice = sorted({name for name in names if names.count(name) > 1})
    return f"the header names {', '.join(twice)} more than once" if twice else ""


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile, limits: ImportLimits) -> None:
        self._archive = archive
        self._limits = limits
        self._parts = archive.namelist()
        if len(self._parts) > _MOST_PARTS:
            raise _UnreadableError(f"the file holds more than {_MOST_PARTS:,} parts")

    def rows(self) -> Iterator[tuple[int, dict[int, str]]]:
        """(line from 1, column from 0 -> text) of each row of the first sheet."""
        sheet = self._first_sheet()
        strings = _SharedStrings()
        if _STRINGS in self._parts:
            for _ in self._parsed(_STRINGS, strings.start, strings.end, strings.text):
                pass
        cells = _Cells(strings.found)
        for _ in self._parsed(sheet, cells.start, cells.end, cells.text):
            yield from cells.take()
        yield from cells.take()

    def _first_sheet(self) -> str:
        sheets: list[str] = []
        targets: dict[str, str] = {}

        def sheet(name: str, attributes: Mapping[str, str]) -> None:
            if name == "sheet":
                sheets.append(next((value for key, value in attributes.items() if _local(key) == "id"), ""))

        def relation(name: str, attributes: Mapping[str, str]) -> None:
            if name == "Relationship":
                targets[attributes.get("Id", "")] = attributes.get("Target", "")

        for part, handler in ((_WORKBOOK, sheet), (_RELATIONS, relation)):
            for _ in self._parsed(part, handler, lambda name: None, lambda text: None):
                pass
        target = targets.get(sheets[0], "") if sheets else ""
        place = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
        if place not in self._parts:
            raise _UnreadableError("the file names no sheet that it holds")
        return place

    def _parsed(
        self,
        part: str,
        start: Callable[[str, Mapping[str, str]], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
    ) -> Iterator[None]:
        """Feeds a part to the handlers, with names without their prefixes; yields after every piece."""
        if part not in self._parts:
            raise _UnreadableError(f"the file has no {part}; is it an .xlsx file?")
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.StartElementHandler = lambda name, attributes: start(_local(name), attributes)
        parser.EndElementHandler = lambda name: end(_local(name))
        parser.CharacterDataHandler = text
        read = 0
        try:
            with self._archive.open(part) as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    read += len(chunk)
                    if read > self._limits.unpacked_bytes:
                        raise _UnreadableError(f"{part} unpacks to more than {self._limits.unpacked_bytes:,} bytes")
                    parser.Parse(chunk, False)
                    yield
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise _UnreadableError(f"{part} is no sound XML ({error})") from error


def _refuse_doctype(*_: object) -> None:
    raise _UnreadableError("the file declares a document type, which no spreadsheet does and which can be an attack")


class _SharedStrings:
    """Texts that cells point to by number; a text may come in runs of different looks, phonetic hints apart."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._parts: list[str] = []
        self._inside = False
        self._phonetic = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "si":
            self._parts = []
            if len(self.found) >= _MOST_STRINGS:
                raise _UnreadableError(f"the file holds more than {_MOST_STRINGS:,} texts")
        elif name == "rPh":
            self._phonetic += 1
        elif name == "t":
            self._inside = self._phonetic == 0

    def end(self, name: str) -> None:
        if name == "si":
            self.found.append(_unescaped("".join(self._parts)))
        elif name == "rPh":
            self._phonetic -= 1
        elif name == "t":
            self._inside = False

    def text(self, text: str) -> None:
        if self._inside:
            self._parts.append(text)


class _Cells:
    """The rows of a sheet, as they are finished."""

    def __init__(self, strings: list[str]) -> None:
        self._strings = strings
        self._rows: list[tuple[int, dict[int, str]]] = []
        self._line = 0
        self._row: dict[int, str] = {}
        self._column = -1
        self._kind = ""
        self._parts: list[str] = []
        self._inside = False

    def take(self) -> list[tuple[int, dict[int, str]]]:
        """The rows finished since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "row":
            stated = attributes.get("r", "")
            self._line = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 9 else self._line + 1
            self._row, self._column = {}, -1
        elif name == "c":
            self._column = self._column_of(attributes.get("r", ""))
            self._kind = attributes.get("t", "n")
            self._parts = []
        elif name in ("v", "t"):
            self._inside = True

    def end(self, name: str) -> None:
        if name == "row":
            self._rows.append((self._line, self._row))
        elif name == "c":
            text = self._value("".join(self._parts))
            if text:
                self._row[self._column] = text
        elif name in ("v", "t"):
            self._inside = False

    def text(self, text: str) -> None:
        if self._inside:
            self._parts.append(text)

    def _column_of(self, name: str) -> int:
        """From "C7", 2; the next column where a cell has no name."""
        match = _CELL_NAME.fullmatch(name)
        column = self._column + 1
        if match:
            column = 0
            for letter in match[1]:
                column = column * 26 + ord(letter) - ord("A") + 1
            column -= 1
        if column >= _MOST_COLUMNS:
            raise _UnreadableError(f"a row has more than {_MOST_COLUMNS:,} columns", self._line)
        return column

    def _value(self, text: str) -> str:
        if self._kind == "s":
            number = text.strip()
            if not (number.isascii() and number.isdigit() and len(number) < 9 and int(number) < len(self._strings)):
                raise _UnreadableError(f"a cell points to text {text[:20]!r}, which the file does not hold", self._line)
            return self._strings[int(number)]
        if self._kind in ("inlineStr", "str"):
            return _unescaped(text)
        if self._kind == "e":
            return ""
        return text.strip()


def _unescaped(text: str) -> str:
    """Control characters, which XML cannot hold, stand as _x000D_; a literal "_x000D_" as _x005F_x000D_."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _local(name: str) -> str:
    """A name without the prefix of its name space."""
    return name.rpartition(":")[2]
