"""The optional packages that read and write compressed splat formats.

gaussforge (Apache-2.0) is C++ and works on bytes; gsply (MIT) is Python with a C++ part and works on files. Neither is
handed a file before its claims were checked by the module of its format. Which serves which format follows from what
each does well: gaussforge 0.6.0 writes colour columns of compressed PLY in the wrong order, and prints when it reads
SPZ; gsply 0.4.6 compiles for seconds before its first compressed PLY, and needs a large package for SOG.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .ply import read_ply, write_ply
from .raw import RawSplats

__all__ = [
    "gaussforge_bytes",
    "gaussforge_splats",
    "gsply_spz",
    "needed_package",
    "write_compressed_ply_with_gsply",
    "write_spz_with_gsply",
]


def needed_package(name: str, source: str) -> ModuleType:
    """An optional package.

    Raises:
        BenchDataError: not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise BenchDataError(
            f"{source}: this format needs the package {name}; pip install 'seeworthy[splats]'"
        ) from error


def gaussforge_splats(data: bytes, kind: Literal["sog", "compressed.ply"], source: str) -> RawSplats:
    """Columns of a file in memory, by way of the plain PLY that gaussforge makes of it.

    Args:
        data: the whole file.
        kind: gaussforge's name of the format.
        source: the file's name, for messages.

    Raises:
        BenchDataError: gaussforge refuses it.
    """
    result = needed_package("gaussforge", source).GaussForge().convert(data, kind, "ply")
    if "error" in result:
        raise BenchDataError(f"cannot read {source}: gaussforge says {result['error']!r}; it is damaged, get it again")
    raw, _ = read_ply(io.BytesIO(result["data"]), len(result["data"]), source)
    return raw


def gaussforge_bytes(raw: RawSplats, kind: Literal["sog"], source: str) -> bytes:
    """A file in a format that gaussforge writes.

    Raises:
        BenchDataError: gaussforge refuses the columns.
    """
    plain = io.BytesIO()
    write_ply(raw, plain)
    result = needed_package("gaussforge", source).GaussForge().convert(plain.getvalue(), "ply", kind)
    if "error" in result:
        raise BenchDataError(f"cannot write {source}: gaussforge says {result['error']!r}")
    return bytes(result["data"])


def gsply_spz(path: Path, *, also_damaged: tuple[type[Exception], ...] = ()) -> RawSplats:
    """The columns of an SPZ file, in its own axes.

    Args:
        path: the file.
        also_damaged: further exceptions that mean a damaged file.

    Raises:
        BenchDataError: gsply refuses it.
    """
    damaged: tuple[type[Exception], ...] = (ValueError, RuntimeError, MemoryError, OSError, struct.error, zlib.error)
    with _fast_gsply(path.name) as gsply:
        try:
            data = gsply.read_spz(str(path))
        except (*damaged, *also_damaged) as error:
            raise BenchDataError(
                f"cannot read {path.name}: gsply says {str(error)[:200]!r}; it is damaged, get it again"
            ) from error
    rest = data.shN
    return RawSplats(
        means=_f32(data.means),
        quats_wxyz=_f32(data.quats),
        log_scales=_f32(data.scales),
        opacity_logits=_f32(data.opacities),
        sh=_joined_sh(_f32(data.sh0), None if rest is None or rest.shape[1] == 0 else _f32(rest)),
    )


def write_spz_with_gsply(raw: RawSplats, path: Path) -> None:
    """Writes SPZ version 3."""
    with _fast_gsply(path.name) as gsply:
        gsply.write_spz(str(path), gsply.GSData.from_arrays(**_gsply_columns(raw), format="ply"))


def write_compressed_ply_with_gsply(raw: RawSplats, path: Path) -> None:
    """Writes a compressed PLY file."""
    gsply = needed_package("gsply", path.name)
    # Not plywrite(), which imports torch for seconds, if it is installed, only to ask whether the data is a tensor.
    path.write_bytes(gsply.compress_to_bytes(gsply.GSData.from_arrays(**_gsply_columns(raw), format="ply")))


@contextlib.contextmanager
def _fast_gsply(source: str) -> Iterator[ModuleType]:
    """gsply with its C++ part where its wheel has one: the Python part compiles for seconds at its first use."""
    gsply = needed_package("gsply", source)
    before = gsply.active_backend()
    gsply.use_backend("auto")
    try:
        yield gsply
    finally:
        gsply.use_backend(before)


def _gsply_columns(raw: RawSplats) -> dict[str, NDArray[np.float32] | None]:
    """Copies: gsply may work in place."""
    return {
        "means": raw.means.copy(),
        "scales": raw.log_scales.copy(),
        "quats": raw.quats_wxyz.copy(),
        "opacities": raw.opacity_logits.copy(),
        "sh0": raw.sh[:, 0].copy(),
        "shN": raw.sh[:, 1:].copy() if raw.sh.shape[1] > 1 else None,
    }


def _joined_sh(first: NDArray[np.float32], rest: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """(N, K, 3) of (N, 3) and (N, K - 1, 3)."""
    return first[:, None, :].copy() if rest is None else np.concatenate([first[:, None, :], rest], axis=1)


def _f32(array: object) -> NDArray[np.float32]:
    return np.ascontiguousarray(np.asarray(array), dtype=np.float32)
