"""PLY files of 3D Gaussians, as the original code, gsplat and nerfstudio write them.

Columns: ``x y z``, ``f_dc_0..2``, ``f_rest_*`` channel by channel (all of red first), ``opacity`` as a logit,
``scale_0..2`` as logarithms, ``rot_0..3`` as w, x, y, z. They are found by name, in any order, of any type, among
others. Files without SH but with ``red green blue`` have degree 0. A column ``instance_id`` is ours and optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .cloud import NO_INSTANCE
from .harmonics import SH_C0
from .ply_body import BLOCK_ROWS, Block, vertex_blocks
from .ply_header import PlyElement, PlyEncoding, read_ply_header
from .raw import RawSplats

__all__ = ["read_ply", "write_ply"]

_REST_COUNTS = {0: 1, 9: 4, 24: 9, 45: 16}
"""Number of f_rest columns -> coefficients a channel."""

_NEEDED = ("x", "y", "z", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")


def read_ply(file: BinaryIO, file_bytes: int, source: str) -> tuple[RawSplats, tuple[str, ...]]:
    """The columns of a splat PLY and notes on them. Memory stays within a small multiple of the file's size.

    Args:
        file: open at its start.
        file_bytes: its size.
        source: its name, for messages.

    Raises:
        BenchDataError: no splat file, damaged, or shorter than its header claims.
    """
    header = read_ply_header(file, file_bytes, source)
    vertex = header.element("vertex")
    if vertex is None or vertex.has_lists:
        raise BenchDataError(f"cannot read {source}: it has no element 'vertex' of plain columns")
    coefficients = _check_columns(vertex, source)
    return _gather(vertex_blocks(file, header, vertex, source), vertex, coefficients, source)


def write_ply(raw: RawSplats, file: BinaryIO, *, encoding: PlyEncoding = "binary_little_endian") -> None:
    """Writes float32 columns in the original order, with zero normals, and instance ids if there are any."""
    if encoding not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise BenchDataError(f"the encoding must be ascii, binary_little_endian or binary_big_endian, got {encoding!r}")
    rest = 3 * (raw.sh.shape[1] - 1)
    names = ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"]
    names += [f"f_rest_{i}" for i in range(rest)]
    names += _NEEDED[3:]
    columns = [(name, "float", "f4") for name in names]
    if raw.instance_ids is not None:
        columns.append(("instance_id", "int", "i4"))
    lines = ["ply", f"format {encoding} 1.0", "comment opacity is a logit, scale a natural logarithm, rot is w x y z"]
    lines += [f"element vertex {len(raw)}", *(f"property {kind} {name}" for name, kind, _ in columns), "end_header"]
    file.write(("\n".join(lines) + "\n").encode("ascii"))
    order = ">" if encoding == "binary_big_endian" else "<"
    dtype = np.dtype([(name, order + kind) for name, _, kind in columns])
    for start in range(0, len(raw), BLOCK_ROWS):
        rows = slice(start, min(start + BLOCK_ROWS, len(raw)))
        block = np.zeros(rows.stop - rows.start, dtype=dtype)
        for name, values in _columns_of(raw, rows):
            block[name] = values
        if encoding == "ascii":
            file.write("".join(" ".join(map(_text, row)) + "\n" for row in block.tolist()).encode("ascii"))
        else:
            file.write(block.tobytes())


def _text(value: float | int) -> str:
    """Nine digits give a float32 back exactly."""
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def _columns_of(raw: RawSplats, rows: slice) -> Iterator[tuple[str, NDArray[np.float32] | NDArray[np.int32]]]:
    for axis, name in enumerate("xyz"):
        yield name, raw.means[rows, axis]
    rest = raw.sh.shape[1] - 1
    for channel in range(3):
        yield f"f_dc_{channel}", raw.sh[rows, 0, channel]
        for k in range(rest):
            yield f"f_rest_{channel * rest + k}", raw.sh[rows, k + 1, channel]
    yield "opacity", raw.opacity_logits[rows]
    for axis in range(3):
        yield f"scale_{axis}", raw.log_scales[rows, axis]
    for axis in range(4):
        yield f"rot_{axis}", raw.quats_wxyz[rows, axis]
    if raw.instance_ids is not None:
        yield "instance_id", raw.instance_ids[rows]


def _check_columns(vertex: PlyElement, source: str) -> int:
    """The number of SH coefficients a channel, after a look at what is there and what is missing."""
    names = {name for name, _ in vertex.columns}
    missing = [name for name in _NEEDED if name not in names]
    coloured = {"f_dc_0", "f_dc_1", "f_dc_2"} <= names or {"red", "green", "blue"} <= names
    if not coloured:
        missing.append("f_dc_0..2 (or red, green, blue)")
    if missing:
        plain = {"x", "y", "z"} <= names and not names & set(_NEEDED[3:])
        what = "a plain point cloud, not a splat file" if plain else "not a complete splat file"
        hint = "; make Gaussians of its points with cloud_from_points()" if plain else ""
        raise BenchDataError(f"cannot read {source}: it is {what}; it lacks {', '.join(missing)}{hint}")
    rest = {name for name in names if name.startswith("f_rest_")}
    if len(rest) not in _REST_COUNTS or rest != {f"f_rest_{i}" for i in range(len(rest))}:
        raise BenchDataError(
            f"cannot read {source}: it has {len(rest)} f_rest columns; the allowed counts are 0, 9, 24 and 45 "
            "(SH degree 0 to 3), numbered from 0 without gaps"
        )
    return _REST_COUNTS[len(rest)]


def _gather(
    blocks: Iterator[Block], vertex: PlyElement, coefficients: int, source: str
) -> tuple[RawSplats, tuple[str, ...]]:
    """Sorts the columns into arrays, a block of rows at a time."""
    kinds = dict(vertex.columns)
    count, rest = vertex.count, coefficients - 1
    means, quats = np.empty((count, 3), np.float32), np.empty((count, 4), np.float32)
    log_scales, logits = np.empty((count, 3), np.float32), np.empty(count, np.float32)
    sh = np.empty((count, coefficients, 3), np.float32)
    ids = np.empty(count, np.int64) if kinds.get("instance_id", "f4")[0] in "iu" else None
    start = 0
    for block in blocks:
        rows = slice(start, start + len(block["x"]))
        start = rows.stop
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit into float32 is found later, as infinite
            for axis, name in enumerate("xyz"):
                means[rows, axis] = block[name]
            for axis in range(3):
                log_scales[rows, axis] = block[f"scale_{axis}"]
            for axis in range(4):
                quats[rows, axis] = block[f"rot_{axis}"]
            logits[rows] = block["opacity"]
            for channel, colour in enumerate(("red", "green", "blue")):
                sh[rows, 0, channel] = (
                    block[f"f_dc_{channel}"] if "f_dc_0" in kinds else _sh_of(block[colour], kinds[colour], source)
                )
                for k in range(rest):
                    sh[rows, k + 1, channel] = block[f"f_rest_{channel * rest + k}"]
            if ids is not None:
                ids[rows] = block["instance_id"]
    raw_ids, notes = _instance_ids(ids)
    raw = RawSplats(
        means=means, quats_wxyz=quats, log_scales=log_scales, opacity_logits=logits, sh=sh, instance_ids=raw_ids
    )
    return raw, notes


def _sh_of(values: NDArray[np.generic], kind: str, source: str) -> NDArray[np.float64]:
    """The constant SH coefficient of a colour column: integers span their type, floats lie in [0, 1]."""
    colours = values.astype(np.float64)
    if kind[0] != "f":
        colours = colours / np.iinfo(kind).max
    elif (colours > 1).any():
        raise BenchDataError(
            f"cannot read {source}: red, green, blue are floats above 1; store them in 0 .. 1 or as uchar"
        )
    return np.asarray((colours - 0.5) / SH_C0)


def _instance_ids(ids: NDArray[np.int64] | None) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    if ids is None:
        return None, ()
    if len(ids) and (ids.min() < NO_INSTANCE or ids.max() > np.iinfo(np.int32).max):
        return None, ("the column instance_id holds values below -1 or above 2147483647 and was ignored",)
    return ids.astype(np.int32), ()
