"""Reading a suite of any format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import BenchDataError
from .checks import item_findings
from .findings import Finding
from .item import SuiteItem
from .limits import SuiteLimits
from .registry import SUITE_FORMATS, Row, SuiteFormat
from .rows import file_fault

if TYPE_CHECKING:
    from .geometry import GeometrySample

__all__ = ["LocatedSuite", "locate_suite", "read_geometry", "read_suite", "suite_rows"]

_SUFFIXES = (".jsonl", ".json", ".tsv", ".parquet")
_MOST_FILES = 1000


@dataclass(frozen=True, slots=True)
class LocatedSuite:
    """A suite and what it is."""

    format: SuiteFormat
    path: Path


def locate_suite(path: str | Path, format: str | None = None) -> LocatedSuite:  # noqa: A002 - the field's name
    """What kind of suite stands at a path; of a folder, also the one suite file in it.

    Args:
        path: a file or a folder.
        format: its format, if the path alone does not tell.

    Raises:
        BenchDataError: nothing is there, no format fits, or several do.
        RegistryError: there is no such format.
    """
    place = Path(path)
    if not place.exists():
        raise BenchDataError(f"{place}: no such file or folder; check the path")
    if format is not None:
        spec = SUITE_FORMATS.get(format)
        if spec.layout == "file" and place.is_dir():
            return LocatedSuite(spec, _only_file(place, spec))
        return LocatedSuite(spec, place)
    candidates = [place, *_files_in(place)] if place.is_dir() else [place]
    found = [
        LocatedSuite(spec, candidate)
        for candidate in candidates
        for _, spec in SUITE_FORMATS.specs()
        if (spec.layout == "folder") == candidate.is_dir() and _looks_like(spec, candidate)
    ]
    folders = [one for one in found if one.path == place]
    found = folders or found
    if len(found) == 1:
        return found[0]
    if not found:
        known = ", ".join(name for name, spec in SUITE_FORMATS.specs() if spec.read)
        raise BenchDataError(f"{place}: no known suite format fits; name one with format= (--format): {known}")
    names = ", ".join(f"{one.path.name} ({one.format.name})" for one in found[:5])
    raise BenchDataError(f"{place}: several suites are here: {names}; name the one file, or its format")


def suite_rows(located: LocatedSuite, limits: SuiteLimits | None = None) -> Iterator[Row]:
    """The rows of a suite, one after the other, with everything that is wrong without opening a picture.

    Raises:
        BenchDataError: the format can only be written.
    """
    read = located.format.read
    if read is None:
        raise BenchDataError(f"{located.path}: suites in the format {located.format.name} can be written, not read")
    limits = limits or SuiteLimits()
    seen: set[str] = set()
    try:
        for row in read(located.path, limits):
            yield _checked(row, seen, limits)
    except OSError as error:
        yield file_fault("unreadable_file", located.path.name, f"the file cannot be read ({error.strerror or error})")


def read_suite(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the field's name
    limits: SuiteLimits | None = None,
    on_bad: Literal["error", "skip"] = "error",
) -> Iterator[SuiteItem]:
    """The items of a suite, one after the other; nothing is held back in memory.

    Args:
        path: a file or a folder.
        format: by default told by the content.
        limits: on records and pictures.
        on_bad: stop at the first record that cannot be used, or pass over such records; `validate_suite` names them.

    Raises:
        BenchDataError: no suite, or a bad record; the message names file, line, id and field.
    """
    located = locate_suite(path, format)
    if located.format.content != "questions":
        raise BenchDataError(f"{located.path}: {located.format.name} holds no questions; use read_geometry()")
    for row in suite_rows(located, limits):
        error = next((finding for finding in row.findings if finding.severity == "error"), None)
        if error is not None and on_bad == "error":
            raise BenchDataError(f"{error.what}; `seeworthy data validate` names all such records")
        if error is None and isinstance(row.item, SuiteItem):
            yield row.item


def read_geometry(path: str | Path, *, limits: SuiteLimits | None = None) -> Iterator[GeometrySample]:
    """The samples of a suite for models of geometry.

    Args:
        path: the folder, or its index file.
        limits: on records and pictures.

    Raises:
        BenchDataError: no such suite, or a bad record.
    """
    from .geometry import GeometrySample

    located = locate_suite(path, "spatialbench")
    for row in suite_rows(located, limits):
        error = next((finding for finding in row.findings if finding.severity == "error"), None)
        if error is not None:
            raise BenchDataError(f"{error.what}; `seeworthy data validate` names all such records")
        if isinstance(row.item, GeometrySample):
            yield row.item


def _checked(row: Row, seen: set[str], limits: SuiteLimits) -> Row:
    item = row.item
    if not isinstance(item, SuiteItem):
        return row
    findings = [*row.findings, *item_findings(item, file=row.file, line=row.line, limits=limits)]
    if item.id in seen:
        message = "another record has this id; results are stored by id, so give each its own"
        findings.append(Finding("error", "duplicate_id", row.file, message, row.line, item.id[:80], "id"))
    seen.add(item.id)
    return Row(row.file, row.line, item, tuple(findings))


def _looks_like(spec: SuiteFormat, path: Path) -> bool:
    if spec.read is None:
        return False
    try:
        return spec.detect(path)
    except (OSError, ValueError, RecursionError):
        return False


def _files_in(folder: Path) -> list[Path]:
    files = []
    for number, path in enumerate(sorted(folder.iterdir())):
        if number >= _MOST_FILES:
            break
        if path.suffix.lower() in _SUFFIXES and path.is_file():
            files.append(path)
    return files


def _only_file(folder: Path, spec: SuiteFormat) -> Path:
    files = [path for path in _files_in(folder) if _looks_like(spec, path)]
    if len(files) != 1:
        what = "no file" if not files else f"{len(files)} files"
        raise BenchDataError(f"{folder}: {what} in the format {spec.name} there; name the file itself")
    return files[0]
