"""``.compressed.ply``: SuperSplat's packing of positions, scales and rotations into 32 bits each, in chunks of 256.

Read by gaussforge and written by gsply.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..errors import BenchDataError
from .packages import gaussforge_splats, write_compressed_ply_with_gsply
from .ply_header import PlyHeader, read_ply_header
from .raw import RawSplats

__all__ = ["is_compressed_ply", "read_compressed_ply", "write_compressed_ply"]

_CHUNK_ROWS = 256
_PACKED = tuple((f"packed_{name}", "u4") for name in ("position", "rotation", "scale", "color"))
_BOUNDS = tuple(
    f"{bound}_{axis}" for group in (("x", "y", "z"), ("scale_x", "scale_y", "scale_z"), ("r", "g", "b"))
    for bound in ("min", "max") for axis in group
)  # fmt: skip
_SH_COLUMNS = (0, 9, 24, 45)
_SH_LIMIT = 4
"""Coefficients are stored in 8 bits from -4 to 4."""


def is_compressed_ply(header: PlyHeader) -> bool:
    """Whether a PLY file is of this kind."""
    return header.element("chunk") is not None and header.element("vertex") is not None


def read_compressed_ply(path: Path) -> RawSplats:
    """The columns, after the header was checked against the size of the file.

    Raises:
        BenchDataError: damaged, cut off, or a layout of before 2024 without colour bounds.
    """
    source = path.name
    with path.open("rb") as file:
        header = read_ply_header(file, os.fstat(file.fileno()).st_size, source)
        _check(header, source)
        file.seek(0)
        data = file.read()
    return gaussforge_splats(data, "compressed.ply", source)


def write_compressed_ply(raw: RawSplats, path: Path) -> tuple[str, ...]:
    """Writes the columns; the order of the rows is kept. Returns what was lost beyond rounding."""
    write_compressed_ply_with_gsply(raw, path)
    beyond = int((np.abs(raw.sh[:, 1:]) > _SH_LIMIT).sum())
    return (f"{beyond:,} coefficients of view-dependent colour beyond ±{_SH_LIMIT} are cut off",) if beyond else ()


def _check(header: PlyHeader, source: str) -> None:
    where = f"cannot read {source}: this compressed PLY"
    if header.encoding != "binary_little_endian":
        raise BenchDataError(f"{where} is {header.encoding}; it must be binary_little_endian")
    names = [element.name for element in header.elements]
    if names not in (["chunk", "vertex"], ["chunk", "vertex", "sh"]):
        raise BenchDataError(f"{where} has the elements {names}; chunk, vertex and perhaps sh are expected")
    chunk, vertex, *rest = header.elements
    if chunk.has_lists or chunk.columns != tuple((name, "f4") for name in _BOUNDS):
        raise BenchDataError(f"{where} has other chunk columns than the 18 bounds of the format; convert it again")
    if vertex.has_lists or vertex.columns != _PACKED:
        raise BenchDataError(f"{where} has other vertex columns than packed_position, _rotation, _scale, _color")
    if chunk.count != -(-vertex.count // _CHUNK_ROWS):
        raise BenchDataError(f"{where} has {chunk.count} chunks for {vertex.count} rows, 256 each; it is damaged")
    for sh in rest:
        wanted = tuple((f"f_rest_{i}", "u1") for i in range(len(sh.columns)))
        if sh.has_lists or sh.count != vertex.count or len(wanted) not in _SH_COLUMNS or sh.columns != wanted:
            raise BenchDataError(f"{where} has sh columns that are not 9, 24 or 45 bytes a row for each row")
    header.offset_of(names[-1], source)
