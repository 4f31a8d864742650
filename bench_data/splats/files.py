"""Reading and writing of splat files by their format."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from ..errors import BenchDataError
from .cloud import GaussianCloud
from .compressed_ply import is_compressed_ply, read_compressed_ply, write_compressed_ply
from .dot_splat import read_dot_splat, write_dot_splat
from .ply import read_ply, write_ply
from .ply_header import PlyEncoding, read_ply_header
from .raw import BadRows, RawSplats, cloud_from_raw, note_and_warn, raw_from_cloud
from .sog import read_sog, write_sog
from .spz import RDF_FROM_RUB, SpzAxes, read_spz, write_spz

__all__ = ["SplatFormat", "read_splats", "splat_format", "write_splats"]


class SplatFormat(StrEnum):
    """The formats that are read and written."""

    PLY = "ply"
    COMPRESSED_PLY = "compressed.ply"
    SPLAT = "splat"
    SPZ = "spz"
    SOG = "sog"


DEFAULT_MAX_GAUSSIANS = 20_000_000
"""Up to 236 bytes of memory each."""


def splat_format(path: str | os.PathLike[str]) -> SplatFormat:
    """What a file is, by its contents; by its name for ``.splat``, which has no mark of its own.

    Raises:
        BenchDataError: no such file, or none of the formats.
    """
    place = Path(path)
    if place.is_dir():
        if (place / "meta.json").is_file():
            return SplatFormat.SOG
        raise BenchDataError(f"cannot read {place}: a folder without meta.json is no SOG scene")
    try:
        with place.open("rb") as file:
            start = file.read(4)
            if start in (b"ply\n", b"ply\r", b"ply "):
                file.seek(0)
                header = read_ply_header(file, os.fstat(file.fileno()).st_size, place.name)
                return SplatFormat.COMPRESSED_PLY if is_compressed_ply(header) else SplatFormat.PLY
    except OSError as error:
        raise BenchDataError(f"cannot read {place}: {error.strerror or error}") from error
    # Long marks: a .splat file starts with any number there is.
    if start[:3] == b"\x1f\x8b\x08" or start == b"NGSP":
        return SplatFormat.SPZ
    if start == b"PK\x03\x04" or place.name == "meta.json":
        return SplatFormat.SOG
    if place.suffix.lower() == ".splat":
        return SplatFormat.SPLAT
    raise BenchDataError(
        f"cannot read {place}: it is none of PLY, compressed PLY, SPZ, SOG, and its name does not end in .splat"
        + ("; it is empty" if not start else "")
    )


def read_splats(
    path: str | os.PathLike[str],
    *,
    activated: bool = False,
    on_bad: BadRows = "drop",
    spz_axes: SpzAxes = "rub",
    max_gaussians: int = DEFAULT_MAX_GAUSSIANS,
) -> GaussianCloud:
    """A splat file of any format, told by its contents.

    Coordinates are those of splat PLY files (right, down, front), as stored; SPZ files are turned into them. No format
    says which way is up or how long a unit is.

    Args:
        path: a file, or a SOG folder.
        activated: a PLY file holds opacities in [0, 1] and linear scales, against the standard.
        on_bad: "drop" rows that cannot be drawn, with a warning and a note; or "error".
        spz_axes: how an SPZ file counts its axes: "rub" by its specification, "rdf" as some programs write.
        max_gaussians: refuse a compressed file that claims more. Other files are bounded by their size.

    Returns:
        The cloud. Its ``notes`` say what was dropped or looks wrong.

    Raises:
        BenchDataError: a missing, damaged or cut-off file, a point cloud, or a package that is not installed.

    Warns:
        BenchDataWarning: for each of the notes.
    """
    place = Path(path)
    kind = splat_format(place)
    if activated and kind is not SplatFormat.PLY:
        raise BenchDataError(f"activated=True is for PLY files; {place.name} is {kind} and says itself what it holds")
    if spz_axes not in ("rub", "rdf"):
        raise BenchDataError(f'spz_axes must be "rub" or "rdf", got {spz_axes!r}')
    if max_gaussians < 1:
        raise BenchDataError(f"max_gaussians must be at least 1, got {max_gaussians}")
    try:
        if kind is SplatFormat.SPLAT:
            return read_dot_splat(place, on_bad=on_bad)
        raw, notes = _columns(place, kind, max_gaussians)
    except OSError as error:
        raise BenchDataError(f"cannot read {place}: {error.strerror or error}") from error
    for note in notes:
        note_and_warn(note, place.name)
    cloud = cloud_from_raw(raw, source=place.name, on_bad=on_bad, activated=activated, notes=notes)
    return cloud.transformed(RDF_FROM_RUB) if kind is SplatFormat.SPZ and spz_axes == "rub" else cloud


def _columns(path: Path, kind: SplatFormat, max_gaussians: int) -> tuple[RawSplats, tuple[str, ...]]:
    """What a file holds, before activation, and notes on it."""
    if kind is SplatFormat.PLY:
        with path.open("rb") as file:
            return read_ply(file, os.fstat(file.fileno()).st_size, path.name)
    if kind is SplatFormat.COMPRESSED_PLY:
        return read_compressed_ply(path), ()
    if kind is SplatFormat.SPZ:
        return read_spz(path, max_gaussians=max_gaussians), ()
    return read_sog(path, max_gaussians=max_gaussians), ()


def write_splats(
    cloud: GaussianCloud,
    path: str | os.PathLike[str],
    *,
    ply_encoding: PlyEncoding = "binary_little_endian",
    spz_axes: SpzAxes = "rub",
) -> tuple[str, ...]:
    """Writes a splat file; the format follows from the name (.ply, .compressed.ply, .splat, .spz, .sog).

    A file appears whole or not at all.

    Args:
        cloud: what to write, in the axes of splat PLY files.
        path: where; an existing file is replaced.
        ply_encoding: for ``.ply``.
        spz_axes: "rub" turns the cloud into the axes of SPZ's specification; "rdf" leaves them.

    Returns:
        What the format cannot hold exactly, one line each; empty for PLY.

    Raises:
        BenchDataError: an unknown name, no such folder, an empty cloud where the format has none, or a package that is
            not installed.
    """
    place = Path(path)
    kind = _format_for(place)
    if not len(cloud) and kind not in (SplatFormat.PLY, SplatFormat.SPLAT):
        raise BenchDataError(f"cannot write {place}: an empty cloud cannot be stored as {kind}; use .ply")
    try:
        # In a folder of its own, so that the packages see the right name; beside the target, so that it can be renamed.
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".writing-") as folder:
            draft = Path(folder) / place.name
            if kind is SplatFormat.PLY:
                with draft.open("wb") as file:
                    write_ply(raw_from_cloud(cloud), file, encoding=ply_encoding)
                lost: tuple[str, ...] = ()
            elif kind is SplatFormat.SPLAT:
                with draft.open("wb") as file:
                    lost = write_dot_splat(cloud, file)
            else:
                turned = cloud.transformed(RDF_FROM_RUB) if kind is SplatFormat.SPZ and spz_axes == "rub" else cloud
                lost = _write_compressed(turned, draft, kind)
            draft.replace(place)
    except OSError as error:
        raise BenchDataError(f"cannot write {place}: {error.strerror or error}") from error
    return lost


def _write_compressed(cloud: GaussianCloud, path: Path, kind: SplatFormat) -> tuple[str, ...]:
    """Writes in the axes given; returns what is lost."""
    writers: dict[SplatFormat, Callable[[RawSplats, Path], tuple[str, ...]]] = {
        SplatFormat.COMPRESSED_PLY: write_compressed_ply,
        SplatFormat.SPZ: write_spz,
        SplatFormat.SOG: write_sog,
    }
    lost = writers[kind](raw_from_cloud(cloud.with_instance_ids(None)), path)
    ids = () if cloud.instance_ids is None else ("instance ids are left out",)
    return ("positions, sizes, orientations and colours are rounded to a few bits", *lost, *ids)


def _format_for(path: Path) -> SplatFormat:
    name = path.name.lower()
    for kind in (SplatFormat.COMPRESSED_PLY, SplatFormat.PLY, SplatFormat.SPLAT, SplatFormat.SPZ, SplatFormat.SOG):
        if name.endswith(f".{kind}"):
            return kind
    raise BenchDataError(f"cannot write {path}: the name must end in .ply, .compressed.ply, .splat, .spz or .sog")
