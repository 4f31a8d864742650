"""A data set as ``seeworthy data build`` makes it: its questions under every condition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..data_sets import data_set_rows, is_data_set
from ..limits import SuiteLimits
from ..registry import Held, Row, SuiteFormat, suite_format

__all__ = ["NAME"]

NAME = "data_set"


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    return data_set_rows(path)


suite_format(
    SuiteFormat(
        name=NAME,
        summary="a folder of `seeworthy data build`: every suite under every condition",
        layout="folder",
        holds=frozenset(Held),
        losses=("made by `seeworthy data build`, not from questions",),
        detect=is_data_set,
        read=_read,
    )
)
