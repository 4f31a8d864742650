"""Writing a table whose columns the first record decides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from ..errors import BenchDataError
from .files.tables import table_line

__all__ = ["TableWriter", "write_table"]


class TableWriter:
    """A table that grows row by row under a name of its own, and takes its place when `finish` is called.

    Args:
        path: where the table comes to stand.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0
        self._part = path.with_name(path.name + ".part")
        self._stream = self._part.open("w", encoding="utf-8", newline="")
        self._header: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._part.unlink(missing_ok=True)

    def add(self, record: Mapping[str, JsonValue]) -> None:
        """Writes a row.

        Raises:
            BenchDataError: it has a value for which the table has no column.
        """
        if not self.rows:
            self._header = list(record)
            self._stream.write(table_line(self._header))
        homeless = [name for name in record if name not in self._header and record[name] not in (None, "")]
        if homeless:
            raise BenchDataError(
                f"{self.path}: the table has no column {homeless[0]}, because its first question came from another "
                "suite; write the suites to separate files"
            )
        self._stream.write(table_line(_cell(record.get(name)) for name in self._header))
        self.rows += 1

    def finish(self, path: Path | None = None, *, columns: Sequence[str] = ()) -> None:
        """Puts the table in its place.

        Args:
            path: another place than planned.
            columns: of a table without rows.
        """
        if not self.rows:
            self._stream.write(table_line(columns))
        self._stream.close()
        self._part.replace(path or self.path)


def write_table(path: Path, records: Iterable[Mapping[str, JsonValue]], *, columns: Sequence[str]) -> None:
    """Writes records as the rows of a table, one after the other.

    Args:
        path: of the file.
        records: column -> value. A first record that was read from such a table keeps that table's columns.
        columns: of a table without records.

    Raises:
        BenchDataError: a later record has a value for which the table has no column.
    """
    with TableWriter(path) as table:
        for record in records:
            table.add(record)
        table.finish(columns=columns)


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
