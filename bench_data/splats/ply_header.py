"""PLY headers: what a file claims to hold, checked against its size before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Literal, TypeAlias

import numpy as np

from ..errors import BenchDataError

__all__ = ["PlyElement", "PlyEncoding", "PlyHeader", "read_ply_header"]

PlyEncoding: TypeAlias = Literal["ascii", "binary_little_endian", "binary_big_endian"]

_TYPES = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}
_BYTE_ORDERS: dict[str, str] = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}
_MAX_HEADER_BYTES = 1 << 20
_MAX_ELEMENTS, _MAX_COLUMNS = 64, 1024


@dataclass(frozen=True)
class PlyElement:
    """A table in a PLY file: so many rows of named columns."""

    name: str
    count: int
    columns: tuple[tuple[str, str], ...]
    """(name, NumPy type without byte order)."""
    has_lists: bool = False

    def dtype(self, byte_order: str) -> np.dtype[np.void]:
        """One packed row."""
        return np.dtype([(name, byte_order + kind) for name, kind in self.columns])


@dataclass(frozen=True)
class PlyHeader:
    """The header of a PLY file.

    Args:
        encoding: of the body.
        elements: the tables, in file order.
        body_offset: bytes before the body.
        file_bytes: size of the whole file.
        comments: free text lines.
    """

    encoding: PlyEncoding
    elements: tuple[PlyElement, ...]
    body_offset: int
    file_bytes: int
    comments: tuple[str, ...]

    @property
    def byte_order(self) -> str:
        """For NumPy: "<", ">" or "=" (text)."""
        return _BYTE_ORDERS[self.encoding]

    def element(self, name: str) -> PlyElement | None:
        return next((element for element in self.elements if element.name == name), None)

    def offset_of(self, name: str, source: str) -> int:
        """Where the rows of a table start in a binary file; the file is known to hold them all.

        Raises:
            BenchDataError: the file is too short for what the header claims, or rows of unknown length come first.
        """
        offset = self.body_offset
        for element in self.elements:
            if element.has_lists:
                raise BenchDataError(f"cannot read {source}: its element {element.name!r} has list columns")
            size = element.count * element.dtype(self.byte_order).itemsize
            if offset + size > self.file_bytes:
                raise BenchDataError(
                    f"cannot read {source}: {element.count} rows of {element.name!r} need {size} bytes, the file has "
                    f"{max(0, self.file_bytes - offset)} left; it is cut off, get it again"
                )
            if element.name == name:
                return offset
            offset += size
        raise BenchDataError(f"cannot read {source}: it has no element {name!r}")


def read_ply_header(file: BinaryIO, file_bytes: int, source: str) -> PlyHeader:
    """Parses the header and leaves ``file`` at the first byte of the body.

    Raises:
        BenchDataError: not a PLY header, or one that contradicts itself; the message names the line.
    """
    lines = _lines(file, source)
    encoding: PlyEncoding | None = None
    elements: list[PlyElement] = []
    comments: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        words = line.split()
        where = f"cannot read {source}: header line {number} ({line[:60]!r})"
        match words:
            case [] | ["obj_info", *_]:
                continue
            case ["comment", *rest]:
                comments.append(" ".join(rest))
            case ["format", "ascii" | "binary_little_endian" | "binary_big_endian" as kind, "1.0"]:
                encoding = kind
            case ["element", name, count]:
                elements.append(_element(name, count, elements, where))
            case ["property", *definition]:
                if not elements:
                    raise BenchDataError(f"{where}: a property before the first element")
                elements[-1] = _with_column(elements[-1], definition, where)
            case _:
                raise BenchDataError(f"{where} is not understood; is this a PLY 1.0 file?")
    if encoding is None:
        raise BenchDataError(f"cannot read {source}: its PLY header has no format line")
    return PlyHeader(encoding, tuple(elements), file.tell(), file_bytes, tuple(comments))


def _lines(file: BinaryIO, source: str) -> list[str]:
    """The lines up to end_header, without their ends (LF or CR LF)."""
    lines: list[str] = []
    left = _MAX_HEADER_BYTES
    while left > 0:
        line = file.readline(left)
        left -= len(line)
        text = line.rstrip(b"\r\n").decode("latin-1").strip()
        if not lines and text != "ply":
            raise BenchDataError(f"cannot read {source}: it does not start with 'ply'")
        if not line.endswith(b"\n"):
            break
        if text == "end_header":
            return lines
        lines.append(text)
    raise BenchDataError(f"cannot read {source}: its PLY header has no end_header line; it is cut off or damaged")


def _element(name: str, count: str, before: list[PlyElement], where: str) -> PlyElement:
    if not count.isdecimal() or not count.isascii() or len(count) > 15:
        raise BenchDataError(f"{where}: {count[:30]!r} is no count of rows")
    if len(before) == _MAX_ELEMENTS:
        raise BenchDataError(f"{where}: there are more than {_MAX_ELEMENTS} elements")
    if any(element.name == name for element in before):
        raise BenchDataError(f"{where}: the element is defined twice")
    return PlyElement(name, int(count), ())


def _with_column(element: PlyElement, definition: list[str], where: str) -> PlyElement:
    if len(element.columns) == _MAX_COLUMNS:
        raise BenchDataError(f"{where}: there are more than {_MAX_COLUMNS} columns")
    match definition:
        case ["list", _, _, _]:
            return PlyElement(element.name, element.count, element.columns, has_lists=True)
        case [kind, name] if kind in _TYPES:
            if any(name == known for known, _ in element.columns):
                raise BenchDataError(f"{where}: the column is defined twice")
            return PlyElement(element.name, element.count, (*element.columns, (name, _TYPES[kind])), element.has_lists)
    raise BenchDataError(f"{where}: expected 'property <type> <name>' with one of {', '.join(_TYPES)}")
