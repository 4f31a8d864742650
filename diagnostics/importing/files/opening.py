"""A file's rows by its suffix, with what must not be opened refused before it is touched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ....bench_data.suites.files.json_lines import json_line_rows
from ....bench_data.suites.files.json_tree import json_tree_rows
from ....bench_data.suites.files.rows import BadRow, RawRow
from ....bench_data.suites.files.tables import table_rows
from ...errors import DiagnosticsError
from ...runs.plan import ImportedFile
from ..limits import ImportLimits
from .spreadsheet import spreadsheet_rows

__all__ = ["fingerprint", "rows_of"]

_PICKLES: Final = frozenset({".pkl", ".pickle", ".pt", ".pth", ".joblib"})
_TABLES: Final = frozenset({".tsv", ".csv", ".xlsx"})


def rows_of(
    path: Path, *, required: tuple[str, ...], suffixes: frozenset[str], limits: ImportLimits
) -> Iterator[RawRow | BadRow]:
    """The records of a file: of a table, a spreadsheet, JSON lines or a list in JSON. NaN is read as nothing.

    Args:
        path: of a file.
        required: columns without which a table cannot be used.
        suffixes: that the format may have.
        limits: on the file and its rows.

    Raises:
        DiagnosticsError: the file is missing, too large, or of a kind that is not read.
    """
    suffix = path.suffix.lower()
    if suffix in _PICKLES:
        raise DiagnosticsError(
            f"{path}: pickle files can run any program when they are opened, so they are never read here; have the "
            "tool that wrote it write a table (VLMEvalKit: PRED_FORMAT=tsv)"
        )
    if suffix not in suffixes:
        raise DiagnosticsError(f"{path}: this format comes in files that end in {', '.join(sorted(suffixes))}")
    _check_size(path, limits)
    try:
        if suffix == ".xlsx":
            yield from spreadsheet_rows(path, required=required, limits=limits)
        elif suffix in _TABLES:
            separator = "," if suffix == ".csv" else "\t"
            yield from table_rows(path, required=required, limits=limits.of_rows, separator=separator)
        elif suffix == ".jsonl":
            yield from json_line_rows(path, limits=limits.of_rows, constant=_nothing)
        else:
            yield from json_tree_rows(path, limits=limits.of_rows, constant=_nothing)
    except OSError as error:
        raise DiagnosticsError(f"cannot read {path}: {error.strerror or error}") from error


def fingerprint(path: Path, limits: ImportLimits) -> ImportedFile:
    """What a file is known by.

    Raises:
        DiagnosticsError: it is missing or too large.
    """
    _check_size(path, limits)
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
    except OSError as error:
        raise DiagnosticsError(f"cannot read {path}: {error.strerror or error}") from error
    return ImportedFile(name=path.name, bytes=size, sha256=digest)


def _check_size(path: Path, limits: ImportLimits) -> None:
    if not path.is_file():
        kind = "a folder; name the files in it" if path.is_dir() else "no such file"
        raise DiagnosticsError(f"cannot read {path}: {kind}")
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise DiagnosticsError(f"{path} has {size:,} bytes, more than the limit of {limits.file_bytes:,}")


def _nothing(name: str) -> None:
    """Python writes NaN where a table had an empty cell."""
