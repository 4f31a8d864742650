"""SOG: columns as lossless WebP pictures beside a ``meta.json``, in a folder or a ``.sog`` zip file.

Everything is checked here and put into a plain zip in memory; then gaussforge reads that.
"""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import BenchDataError
from .packages import gaussforge_bytes, gaussforge_splats
from .raw import RawSplats

__all__ = ["read_sog", "write_sog"]

_META = "meta.json"
_MAX_META_BYTES = 4 << 20
_SH_COEFFICIENTS = {1: 3, 2: 8, 3: 15}
_PALETTE_COLUMNS = 64

_FileName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=200)]
_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
_Codebook: TypeAlias = Annotated[tuple[_Finite, ...], Field(min_length=256, max_length=256)]
_Part: TypeAlias = Callable[[str, int], bytes]
"""The bytes of a named part, at most so many."""


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Means(_Table):
    mins: tuple[_Finite, _Finite, _Finite]
    maxs: tuple[_Finite, _Finite, _Finite]
    files: tuple[_FileName, _FileName]


class _Quats(_Table):
    files: tuple[_FileName]


class _Coded(_Table):
    codebook: _Codebook
    files: tuple[_FileName]


class _Palette(_Table):
    count: int = Field(ge=1, le=65536)
    bands: Literal[1, 2, 3]
    codebook: _Codebook
    files: tuple[_FileName, _FileName]
    """Palette entries, and the entry of each Gaussian."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture of entries, 64 a row."""
        return _PALETTE_COLUMNS * _SH_COEFFICIENTS[self.bands], math.ceil(self.count / _PALETTE_COLUMNS)


class _Meta(_Table):
    """What meta.json must say before anything is decoded."""

    version: Literal[2]
    count: int = Field(ge=1)
    means: _Means
    scales: _Coded
    quats: _Quats
    sh0: _Coded
    shN: _Palette | None = None  # noqa: N815 - the format's name


def read_sog(path: Path, *, max_gaussians: int) -> RawSplats:
    """The columns of a ``.sog`` file, of a folder, or of the folder that a ``meta.json`` lies in.

    Raises:
        BenchDataError: a missing or damaged part, a claim that the pictures do not bear out, or more Gaussians than
            ``max_gaussians``.
    """
    source = path.name
    if path.is_dir() or path.name == _META:
        folder = path if path.is_dir() else path.parent
        return _read(lambda name, limit: _from_folder(folder, name, limit, source), source, max_gaussians)
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(lambda name, limit: _from_zip(archive, name, limit, source), source, max_gaussians)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, OSError, struct.error, zlib.error) as error:
        raise BenchDataError(f"cannot read {source}: its zip archive is damaged ({error}); get it again") from error


def write_sog(raw: RawSplats, path: Path) -> tuple[str, ...]:
    """Writes a ``.sog`` zip file; returns what was lost beyond rounding."""
    path.write_bytes(gaussforge_bytes(raw, "sog", path.name))
    return ("the order of the Gaussians is another",)


def _read(part: _Part, source: str, max_gaussians: int) -> RawSplats:
    meta = _checked_meta(part(_META, _MAX_META_BYTES), source, max_gaussians)
    bundle = io.BytesIO()
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_STORED) as archive:
        # Only what was checked: the decoder never sees the original text.
        archive.writestr(_META, meta.model_dump_json(exclude_none=True))
        per_row = (*meta.means.files, *meta.scales.files, *meta.quats.files, *meta.sh0.files)
        for name in dict.fromkeys((*per_row, *(meta.shN.files[1:] if meta.shN else ()))):
            archive.writestr(name, _picture(part, name, meta.count, source))
        if meta.shN:
            width, height = meta.shN.size
            archive.writestr(meta.shN.files[0], _picture(part, meta.shN.files[0], width * height, source, width))
    raw = gaussforge_splats(bundle.getvalue(), "sog", source)
    if len(raw) != meta.count:
        raise BenchDataError(f"cannot read {source}: {len(raw)} rows came out of {meta.count}; it is damaged")
    return raw


def _checked_meta(text: bytes, source: str, max_gaussians: int) -> _Meta:
    try:
        meta = _Meta.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the text"
        raise BenchDataError(
            f"cannot read {source}: {where} of its meta.json: {first['msg']}; SOG version 2 is supported, "
            "splat-transform converts others"
        ) from error
    if meta.count > max_gaussians:
        raise BenchDataError(
            f"cannot read {source}: it claims {meta.count:,} Gaussians, the limit is {max_gaussians:,}; if that is "
            f"right, pass max_gaussians={meta.count}"
        )
    return meta


def _picture(part: _Part, name: str, values: int, source: str, width: int | None = None) -> bytes:
    """A WebP picture that holds at least so many pixels and not many more, of a certain width if that matters.

    It is decoded once to see that it is whole: gaussforge 0.6.0 ends the process on one that is not.
    """
    from PIL import Image

    most_pixels = 4 * values + 65536  # some writers round the sides up generously
    data = part(name, 65536 + 5 * most_pixels)  # four bytes a pixel, if nothing could be compressed
    try:
        with Image.open(io.BytesIO(data), formats=["WEBP"]) as image:
            size = image.size
            if not values <= size[0] * size[1] <= most_pixels or width not in (None, size[0]):
                raise BenchDataError(
                    f"cannot read {source}: {name} has {size[0]}x{size[1]} pixels, {values} values are claimed; it is "
                    "damaged"
                )
            image.load()
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise BenchDataError(f"cannot read {source}: {name} is no whole WebP picture; get it again") from error
    return data


def _from_folder(folder: Path, name: str, limit: int, source: str) -> bytes:
    try:
        with (folder / name).open("rb") as file:
            return _within(file.read(limit + 1), limit, name, source)
    except OSError as error:
        raise BenchDataError(f"cannot read {source}: its part {name} cannot be opened ({error.strerror})") from error


def _from_zip(archive: zipfile.ZipFile, name: str, limit: int, source: str) -> bytes:
    inside = [info for info in archive.infolist() if Path(info.filename).name == name]
    if len(inside) != 1:
        raise BenchDataError(f"cannot read {source}: it holds {len(inside)} files named {name}, one is needed")
    try:
        with archive.open(inside[0]) as file:
            return _within(file.read(limit + 1), limit, name, source)
    except RuntimeError as error:  # encrypted
        raise BenchDataError(f"cannot read {source}: its part {name} cannot be unpacked ({error})") from error


def _within(data: bytes, limit: int, name: str, source: str) -> bytes:
    if len(data) > limit:
        raise BenchDataError(f"cannot read {source}: its part {name} is larger than its contents can be; it is damaged")
    return data
