"""Writing a suite in any format that can be written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from ..errors import BenchDataError
from .item import SuiteItem
from .registry import SUITE_FORMATS

__all__ = ["WriteReport", "new_text_file", "write_suite"]


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written.

    Args:
        written: items.
        refused: reason -> how many items the format could not hold.
        losses: what the format does not keep of those that were written.
    """

    written: int
    refused: Mapping[str, int]
    losses: tuple[str, ...]


def write_suite(
    items: Iterable[SuiteItem],
    path: str | Path,
    format: str,  # noqa: A002 - the field's name
    *,
    on_refused: Literal["error", "skip"] = "error",
    overwrite: bool = False,
) -> WriteReport:
    """Writes items, and their pictures, as a suite; a file appears under its name when it is whole.

    Args:
        items: taken one after the other.
        path: the file, or for formats laid out as a folder the folder. Pictures go below the same folder.
        format: a name of `SUITE_FORMATS`.
        on_refused: what to do with an item that the format cannot hold: stop, or leave it out and count it.
        overwrite: whether an existing suite there may be replaced.

    Raises:
        BenchDataError: something is there already, the format is only read, an item is refused or its id repeated, or
            a picture cannot be read.
        RegistryError: there is no such format.
    """
    spec = SUITE_FORMATS.get(format)
    if spec.write is None:
        raise BenchDataError(f"suites in the format {format} are not written from questions")
    target = Path(path)
    taken = (target.is_dir() and any(target.iterdir())) if spec.layout == "folder" else target.exists()
    if taken and not overwrite:
        raise BenchDataError(f"{target} exists already; choose another place, or allow it to be replaced")
    if spec.layout == "file" and target.is_dir():
        raise BenchDataError(
            f"{target} is a folder; name the file to write, such as {target / ('suite' + spec.suffix)}"
        )
    counts = _Counts()
    try:
        (target if spec.layout == "folder" else target.parent).mkdir(parents=True, exist_ok=True)
        spec.write(_held(items, spec.refuses, counts, on_refused, spec.name), target)
    except OSError as error:
        raise BenchDataError(f"{error.filename or target}: cannot be written ({error.strerror})") from error
    return WriteReport(counts.written, dict(sorted(counts.refused.items())), spec.losses)


@contextmanager
def new_text_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 file with plain line ends that takes its name only when it is whole."""
    part = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with part.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class _Counts:
    def __init__(self) -> None:
        self.written = 0
        self.refused: Counter[str] = Counter()


def _held(
    items: Iterable[SuiteItem],
    refuses: Callable[[SuiteItem], str | None],
    counts: _Counts,
    on_refused: str,
    name: str,
) -> Iterator[SuiteItem]:
    ids: set[str] = set()
    for item in items:
        reason = refuses(item)
        if reason is not None:
            if on_refused == "error":
                raise BenchDataError(f"item {item.id}: {name} cannot hold {reason}; leave such items out, or allow it")
            counts.refused[reason] += 1
            continue
        if item.id in ids:
            raise BenchDataError(f"item {item.id}: another item has this id; give each its own")
        ids.add(item.id)
        counts.written += 1
        yield item
