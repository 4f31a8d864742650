"""What every container gives: raw records, or what is wrong at a place, never an exception for bad content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

__all__ = ["BadRow", "RawRow"]


@dataclass(frozen=True, slots=True)
class RawRow:
    """A record as it stands in the file.

    Args:
        line: where it begins, from 1.
        fields: of the record.
        keys: of the records around it, from outside, in nested files.
        offset: in bytes, of the row's first byte; -1 where it is not known.
    """

    line: int
    fields: Mapping[str, JsonValue]
    keys: tuple[str, ...] = ()
    offset: int = -1


@dataclass(frozen=True, slots=True)
class BadRow:
    """A place that cannot be read.

    Args:
        line: from 1.
        code: a fixed word for this kind of fault.
        message: what is wrong and what to do.
        last: whether nothing after it can be read.
    """

    line: int
    code: str
    message: str
    last: bool = False
