"""From raw records to rows: decoding with every fault caught and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..errors import BenchDataError
from .files.rows import BadRow, RawRow
from .findings import Fields, Finding, RecordError
from .item import SuiteItem
from .paths import PathError
from .registry import Row

__all__ = ["Decode", "decoded_rows", "file_fault"]

Decode = Callable[[Fields, RawRow], SuiteItem | None]
"""A record as an item; None for a record that is no question (a header). Raises `RecordError`."""


def decoded_rows(
    raw_rows: Iterable[RawRow | BadRow], decode: Decode, *, file: str, id_field: str = "id"
) -> Iterator[Row]:
    """The rows of a file.

    Args:
        raw_rows: its records.
        decode: makes an item of one.
        file: its name, relative to the suite's folder.
        id_field: what names a record whose item could not be made.
    """
    for raw in raw_rows:
        if isinstance(raw, BadRow):
            yield Row(file, raw.line, None, (Finding("error", raw.code, file, raw.message, raw.line),))
            continue
        row = _decoded(raw, decode, file, id_field)
        if row is not None:
            yield row


def _decoded(raw: RawRow, decode: Decode, file: str, id_field: str) -> Row | None:
    named = raw.fields.get(id_field)
    record = str(named)[:80] if isinstance(named, str | int) else None
    findings: list[Finding] = []

    def warn(code: str, field: str, message: str) -> None:
        findings.append(Finding("warning", code, file, message, raw.line, record, field))

    try:
        item = decode(Fields(raw.fields, warn=warn), raw)
    except RecordError as error:
        findings.append(Finding("error", error.code, file, str(error), raw.line, record, error.field))
        return Row(file, raw.line, None, tuple(findings))
    except PathError as error:
        findings.append(Finding("error", "unsafe_path", file, str(error), raw.line, record))
        return Row(file, raw.line, None, tuple(findings))
    except (BenchDataError, ValueError, RecursionError, OverflowError) as error:
        # What a value type refuses: options beyond Z, a list without length, a structured question that is none.
        findings.append(Finding("error", "bad_record", file, _first_line(error), raw.line, record))
        return Row(file, raw.line, None, tuple(findings))
    return None if item is None else Row(file, raw.line, item, tuple(findings))


def file_fault(code: str, file: str, message: str, *, warning: bool = False) -> Row:
    """A row that stands for a fault of a whole file."""
    return Row(file, None, None, (Finding("warning" if warning else "error", code, file, message),))


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # pydantic says what is wrong in its third line.
    return "; ".join(lines[:3]) if lines else type(error).__name__
