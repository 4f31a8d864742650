"""The rows of a PLY file, text or binary, in blocks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .ply_header import PlyElement, PlyHeader

__all__ = ["BLOCK_ROWS", "Block", "vertex_blocks"]

Block: TypeAlias = Mapping[str, NDArray[np.generic]]
"""Column name -> (n,) values of some rows."""

BLOCK_ROWS = 16384
"""So that a block of rows stays in the processor's cache while its columns are picked out."""


def vertex_blocks(file: BinaryIO, header: PlyHeader, vertex: PlyElement, source: str) -> Iterator[Block]:
    """All rows of ``vertex``, in order; their number is checked against the size of the file before the first.

    Args:
        file: open at the first byte of the body.
        header: of the file.
        vertex: one of the header's elements.
        source: the file's name, for messages.

    Raises:
        BenchDataError: fewer rows than the header claims, or a text row that is no row of numbers.
    """
    # Checked here and not in the generators, which would start only once the caller has allocated its arrays.
    if header.encoding == "ascii":
        _refuse_short_text(header, vertex, source)
        return _text_blocks(file, header, vertex, source)
    file.seek(header.offset_of(vertex.name, source))
    return _binary_blocks(file, vertex, vertex.dtype(header.byte_order), source)


def _binary_blocks(file: BinaryIO, vertex: PlyElement, dtype: np.dtype[np.void], source: str) -> Iterator[Block]:
    left = vertex.count
    while left:
        data = file.read(min(left, BLOCK_ROWS) * dtype.itemsize)
        table = np.frombuffer(data, dtype=dtype, count=len(data) // dtype.itemsize)
        if len(table) == 0:
            raise BenchDataError(f"cannot read {source}: it became shorter while it was read")
        left -= len(table)
        yield {name: table[name] for name, _ in vertex.columns}


def _text_blocks(file: BinaryIO, header: PlyHeader, vertex: PlyElement, source: str) -> Iterator[Block]:
    for element in itertools.takewhile(lambda element: element is not vertex, header.elements):
        next(itertools.islice(file, element.count, element.count), None)  # skips its lines
    rows_read = 0
    while rows_read < vertex.count:
        lines = list(itertools.islice(file, min(BLOCK_ROWS, vertex.count - rows_read)))
        if not lines:
            raise BenchDataError(
                f"cannot read {source}: its header claims {vertex.count} rows, {rows_read} are there; it is cut off, "
                "get it again"
            )
        filled = [line.decode("latin-1") for line in lines if line.strip()]
        if not filled:
            continue
        table = _table(filled, vertex, rows_read, source)
        rows_read += len(table)
        yield {name: table[:, i] for i, (name, _) in enumerate(vertex.columns)}


def _refuse_short_text(header: PlyHeader, vertex: PlyElement, source: str) -> None:
    """A number and its separator need two bytes (the last separator may be missing)."""
    needed = 2 * len(vertex.columns) * vertex.count - 1
    there = header.file_bytes - header.body_offset
    if needed > there:
        raise BenchDataError(
            f"cannot read {source}: {vertex.count} rows of {len(vertex.columns)} numbers need at least {needed} bytes, "
            f"the file has {there} left; it is cut off, get it again"
        )


def _table(lines: list[str], vertex: PlyElement, rows_before: int, source: str) -> NDArray[np.float64]:
    where = f"cannot read {source}: in rows {rows_before} to {rows_before + len(lines) - 1}"
    try:
        table = np.loadtxt(lines, dtype=np.float64, comments=None, ndmin=2)
    except ValueError as error:
        raise BenchDataError(f"{where}: {str(error).split(';')[0]}") from error
    if table.shape[1] != len(vertex.columns):
        raise BenchDataError(f"{where}: {table.shape[1]} numbers in a row, the header names {len(vertex.columns)}")
    return np.asarray(table, dtype=np.float64)
