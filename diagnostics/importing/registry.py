"""Formats of other tools' results: how to find replies, scores and questions in their files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...bench_data.registry import Registry
from ...tools.models import CoordinateSpace
from .limits import ImportLimits
from .rows import BadPlace, OldRow

__all__ = ["RUN_FORMATS", "Read", "RunFormat", "run_format"]

Read = Callable[[Path, ImportLimits], Iterator[OldRow | BadPlace]]
"""``(path, limits)`` -> rows, lazily; bad content becomes a `BadPlace`, never an exception."""


def _stem(path: Path, suite: str) -> str:
    return path.stem


@dataclass(frozen=True, kw_only=True)
class RunFormat:
    """A format of results.

    Args:
        name: on the command line.
        summary: one line.
        read: the rows of one file.
        unknown: what its files never tell, in words.
        main_score: names of the tool's own scores, the one to compare with first.
        model_name: who replied, where rows do not say: from the file's path and the name of the suite.
        space: what the tool's own prompts ask boxes and points in; None where prompts differ.
    """

    name: str
    summary: str
    read: Read
    unknown: tuple[str, ...] = ()
    main_score: tuple[str, ...] = ()
    model_name: Callable[[Path, str], str] = _stem
    space: CoordinateSpace | None = None


RUN_FORMATS: Registry[RunFormat] = Registry(
    "run format", package="seeworthy.diagnostics.importing.formats", entry_point_group="seeworthy.run_formats"
)


def run_format(spec: RunFormat) -> RunFormat:
    """Registers a format."""
    RUN_FORMATS.add(spec.name, spec)
    return spec
