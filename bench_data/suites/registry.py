"""Suite formats: how questions, their pictures and their truth stand in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..registry import Registry
from .findings import Finding
from .item import SuiteItem
from .limits import SuiteLimits

if TYPE_CHECKING:
    from .geometry import GeometrySample

__all__ = ["SUITE_FORMATS", "Held", "Row", "SuiteFormat", "suite_format"]


class Held(StrEnum):
    """Parts of an item that a format can hold, so that reading gives back what was written."""

    ID = "id"
    QUESTION_ID = "question_id"
    TEXT = "text"
    IMAGES = "images"
    OPTIONS = "options"
    TRUTH = "truth"
    UNIT = "unit"
    SUITE = "suite"
    KIND = "kind"
    SCENE = "scene"
    CONDITION = "condition"
    TAGS = "tags"
    QUESTION = "question"
    """The structured question with derivation and margin."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record as read: the item if it could be made, and what is wrong with it."""

    file: str
    line: int | None
    item: SuiteItem | GeometrySample | None
    findings: tuple[Finding, ...] = ()


Read = Callable[[Path, SuiteLimits], Iterator[Row]]
"""``(path, limits)`` -> rows, lazily; bad content becomes findings, never an exception."""
Write = Callable[[Iterable[SuiteItem], Path], None]
"""``(items, path)`` writes a whole suite; items that `refuses` names a reason for do not come."""
Refuse = Callable[[SuiteItem], str | None]
"""Why the format cannot hold an item; None when it can."""


@dataclass(frozen=True, kw_only=True)
class SuiteFormat:
    """A format.

    Args:
        name: on the command line.
        summary: one line.
        content: questions, or geometry: pictures with depth and poses for models of geometry.
        layout: whether a suite is named by a file or by a folder.
        suffix: of the file, for a suite in a new folder.
        holds: what comes back when a suite is written and read.
        losses: what does not, in sentences.
        detect: whether a file or folder looks like this format; reads no more than its beginning.
        read: None for formats that are only written.
        write: None for formats that are only read, or written from other data.
        refuses: which items cannot be written.
    """

    name: str
    summary: str
    content: Literal["questions", "geometry"] = "questions"
    layout: Literal["file", "folder"]
    suffix: str = ""
    holds: frozenset[Held] = field(default_factory=frozenset)
    losses: tuple[str, ...] = ()
    detect: Callable[[Path], bool] = lambda path: False
    read: Read | None = None
    write: Write | None = None
    refuses: Refuse = lambda item: None


SUITE_FORMATS: Registry[SuiteFormat] = Registry(
    "suite format", package="seeworthy.bench_data.suites.formats", entry_point_group="seeworthy.suite_formats"
)


def suite_format(spec: SuiteFormat) -> SuiteFormat:
    """Registers a format."""
    SUITE_FORMATS.add(spec.name, spec)
    return spec
