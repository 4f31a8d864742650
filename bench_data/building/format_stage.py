"""Writes the questions of a data set in other formats, with the pictures of every condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ..errors import BenchDataError
from .data_set import DataSet
from .output import Output
from .suite_items import suite_items

if TYPE_CHECKING:
    from ..suites.item import SuiteItem

__all__ = ["FormatSummary", "check_formats", "format_summary_file", "write_format"]

_PLACE_BOUND = ("lmms_eval",)
"""Formats that hold the absolute path of their folder, so that no two copies of a data set would be the same."""


class FormatSummary(BaseModel):
    """What a format holds of a data set.

    Args:
        place: its file or folder.
        written: items, one for each question and condition.
        refused: reason -> how many are left out.
        losses: what the format does not keep of the others.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: str
    written: int
    refused: dict[str, int]
    losses: tuple[str, ...]


def format_summary_file(name: str) -> str:
    """Where the summary of a format lies."""
    return f"formats/{name}.json"


def check_formats(names: tuple[str, ...]) -> None:
    """Refuses formats that cannot be written.

    Raises:
        RegistryError: an unknown format.
        BenchDataError: one that is only read, or cannot be made again.
    """
    if not names:
        return
    from ..suites.registry import SUITE_FORMATS

    for name in names:
        if name in _PLACE_BOUND:
            raise BenchDataError(
                f"the format {name} names the folder that it lies in, so that no data set could be made again; convert "
                f"the finished data set: seeworthy data convert DIR --to {name} -o FOLDER"
            )
        if SUITE_FORMATS.get(name).write is None:
            raise BenchDataError(f"the format {name} is only read; choose one that is written from questions")


def write_format(data: DataSet, name: str, output: Output) -> FormatSummary:
    """Writes all questions under all conditions, as far as the format can hold them.

    Args:
        data: with questions, pictures and answers.
        name: of the format.
        output: takes the summary. The format's own files are those that are new below the data set's folder: a file
            lies at its top, beside the pictures that it names, and a folder below ``formats``.

    Raises:
        BenchDataError: a file that cannot be written or read.
    """
    from ..suites.registry import SUITE_FORMATS
    from ..suites.writing import write_suite

    spec = SUITE_FORMATS.get(name)
    place = f"formats/{name}" if spec.layout == "folder" else f"{name}{spec.suffix}"
    left_out: Counter[str] = Counter()
    report = write_suite(_items(data, left_out), data.root / place, name, on_refused="skip", overwrite=True)
    summary = FormatSummary(
        place=place,
        written=report.written,
        refused=dict(sorted((left_out + Counter(report.refused)).items())),
        losses=report.losses,
    )
    output.write(format_summary_file(name), (summary.model_dump_json(indent=1) + "\n").encode())
    return summary


def _items(data: DataSet, left_out: Counter[str]) -> Iterator[SuiteItem]:
    for suite in data.suites:
        for condition in data.conditions:
            yield from suite_items(data, suite, condition, left_out)
