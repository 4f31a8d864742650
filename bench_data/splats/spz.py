"""``.spz``: Niantic's packed format, read and written by gsply.

SPZ stores the axes right, up, back (RUB) by its specification; splat PLY files are right, down, front (RDF). The two
differ by half a turn about x, which positions, orientations and view-dependent colours all follow here. Some programs
write PLY axes into SPZ files regardless: read those with ``spz_axes="rdf"``.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeAlias

import numpy as np

from ..errors import BenchDataError
from .packages import gsply_spz, needed_package, write_spz_with_gsply
from .raw import RawSplats

__all__ = ["RDF_FROM_RUB", "SpzAxes", "read_spz", "write_spz"]

SpzAxes: TypeAlias = Literal["rub", "rdf"]

RDF_FROM_RUB = np.diag([1.0, -1.0, -1.0, 1.0])
"""Half a turn about x; it is its own inverse."""

_MAGIC = b"NGSP"
_SH_BYTES = {0: 0, 1: 9, 2: 24, 3: 45}
_GZIP_HEADER, _ZSTD_HEADER = struct.Struct("<4sIIBBBB"), struct.Struct("<4sIIBBBBI12x")
_MAX_DEFLATE_RATIO = 1032
"""What one byte of deflate can hold at most (zlib's documentation)."""

_EXTENSION_BYTES = 1 << 20
"""Room for what newer versions append."""


def read_spz(path: Path, *, max_gaussians: int) -> RawSplats:
    """The columns in the axes of the file, after its claims were checked.

    Raises:
        BenchDataError: no SPZ file, damaged, or more Gaussians than ``max_gaussians``.
    """
    source = path.name
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        _check_gzip(data, source, max_gaussians)
        return gsply_spz(path)
    if data[:4] == _MAGIC:
        zstandard = needed_package("zstandard", source)
        _check_zstd(data, source, max_gaussians, zstandard)
        return gsply_spz(path, also_damaged=(zstandard.ZstdError,))
    raise BenchDataError(f"cannot read {source}: it is no SPZ file")


def write_spz(raw: RawSplats, path: Path) -> tuple[str, ...]:
    """Writes the columns, whose axes are RUB already, as version 3; returns what was lost beyond rounding.

    Raises:
        BenchDataError: a position beyond 2048 m: SPZ holds 24 bits at 1/4096 m.
    """
    if len(raw) and np.abs(raw.means).max() >= 2048:
        raise BenchDataError(f"cannot write {path.name}: SPZ holds positions within 2048 m of the origin")
    write_spz_with_gsply(raw, path)
    beyond = int((np.abs(raw.sh[:, 1:]) > 1).sum())
    return (f"{beyond:,} coefficients of view-dependent colour beyond ±1 are cut off",) if beyond else ()


def _check_gzip(data: bytes, source: str, max_gaussians: int) -> None:
    """Versions 2 and 3 are one gzip stream: unpacked once, piece by piece, and no further than its header allows."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        head = unpacker.decompress(data, _GZIP_HEADER.size)
        if len(head) < _GZIP_HEADER.size:
            raise BenchDataError(f"cannot read {source}: it ends within its header; get it again")
        magic, version, count, degree, *_ = _GZIP_HEADER.unpack(head)
        if magic != _MAGIC or version not in (2, 3):  # version 1 held positions as float16 and was soon given up
            raise BenchDataError(f"cannot read {source}: a gzip file, but not SPZ version 2 or 3")
        per_row = 9 + 1 + 3 + 3 + (4 if version == 3 else 3)
        expected = _GZIP_HEADER.size + _payload(count, degree, per_row, source, max_gaussians)
        if expected > _MAX_DEFLATE_RATIO * len(data):
            raise BenchDataError(f"cannot read {source}: {len(data)} bytes cannot hold the {count} rows it claims")
        unpacked = len(head)
        while not unpacker.eof and unpacked <= expected + _EXTENSION_BYTES:
            piece = unpacker.decompress(unpacker.unconsumed_tail, 1 << 20)
            if not piece and not unpacker.eof:
                break
            unpacked += len(piece)
    except zlib.error as error:
        raise BenchDataError(f"cannot read {source}: its gzip stream is damaged ({error}); get it again") from error
    if not unpacker.eof or unpacked < expected:
        raise BenchDataError(
            f"cannot read {source}: {count} rows need {expected} bytes, its gzip stream holds "
            f"{unpacked if unpacked < expected else 'more and does not end'}; it is cut off or damaged"
        )
    if unpacker.unused_data:
        raise BenchDataError(f"cannot read {source}: there are bytes after the gzip stream; it is damaged")


def _check_zstd(data: bytes, source: str, max_gaussians: int, zstandard: ModuleType) -> None:
    """Version 4: a plain header, a table of contents, and one zstd frame a column."""
    if len(data) < _ZSTD_HEADER.size:
        raise BenchDataError(f"cannot read {source}: it ends within its header; get it again")
    _, version, count, degree, _, _, streams, table = _ZSTD_HEADER.unpack_from(data)
    if version != 4:
        raise BenchDataError(f"cannot read {source}: SPZ version {version} is not known, 2 to 4 are")
    _payload(count, degree, 20, source, max_gaussians)
    sizes = [size for size in (9 * count, count, 3 * count, 3 * count, 4 * count, _SH_BYTES[degree] * count) if size]
    if streams != len(sizes) or table < _ZSTD_HEADER.size or table + 16 * streams > len(data):
        raise BenchDataError(f"cannot read {source}: its table of contents is damaged")
    start = table + 16 * streams
    for i, size in enumerate(sizes):
        packed, claimed = struct.unpack_from("<QQ", data, table + 16 * i)
        frame = data[start : start + packed]
        start += packed
        try:
            # The decompressor allocates what the frame claims, whatever limit it is given.
            inside = zstandard.frame_content_size(frame)
        except zstandard.ZstdError:
            inside = None
        if claimed != size or len(frame) != packed or inside not in (size, -1):
            raise BenchDataError(f"cannot read {source}: column {i} is cut off or damaged; get it again")


def _payload(count: int, degree: int, per_row: int, source: str, max_gaussians: int) -> int:
    if degree not in _SH_BYTES:
        raise BenchDataError(f"cannot read {source}: SH degree {degree}; degree 0 to 3 are supported")
    if count > max_gaussians:
        raise BenchDataError(
            f"cannot read {source}: it claims {count:,} Gaussians, the limit is {max_gaussians:,}; if that is right, "
            f"pass max_gaussians={count}"
        )
    return count * (per_row + _SH_BYTES[degree])
