"""What is wrong with a record, said so that its owner can find and mend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from ..errors import BenchDataError
from .paths import PathError, relative_path

__all__ = ["Fields", "Finding", "RecordError", "Severity"]

Severity = Literal["error", "warning"]
"""error: the record cannot be used, or would be scored wrongly. warning: it can, but not as its owner may believe."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a suite.

    Args:
        severity: whether the record can be used.
        code: a fixed word for this kind of fault ("missing_image").
        file: relative to the suite's folder.
        message: what is wrong and what to do.
        line: from 1; None for a fault of a whole file.
        record: the id of the record, where it has one.
        field: of the record.
    """

    severity: Severity
    code: str
    file: str
    message: str
    line: int | None = None
    record: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        return f"{self.severity}: {self.what}"

    @property
    def what(self) -> str:
        """Place, message and code, without the severity."""
        where = self.file
        if self.line is not None:
            where += f" line {self.line}"
        if self.record is not None:
            where += f" (id {self.record})"
        if self.field is not None:
            where += f", {self.field}"
        return f"{where}: {self.message} [{self.code}]"


class RecordError(BenchDataError):
    """A record cannot be read.

    Args:
        code: a fixed word for this kind of fault.
        message: what is wrong and what to do.
        field: of the record.
    """

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class Fields:
    """The fields of one record, read with their types checked.

    Args:
        values: the record.
        within: the place of this part in the whole record ("meta."), for messages.
        warn: takes (code, field, message) of faults that do not stop the reading.
    """

    def __init__(
        self, values: Mapping[str, JsonValue], *, warn: Callable[[str, str, str], None], within: str = ""
    ) -> None:
        self.values = values
        self._warn = warn
        self._within = within

    def warn(self, code: str, field: str, message: str) -> None:
        """Notes a fault that does not stop the reading."""
        self._warn(code, self._within + field, message)

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a number counts as its digits.

        Raises:
            RecordError: missing without a default, or no text.
        """
        value = self.values.get(name)
        if isinstance(value, str):
            return value
        if value is None and default is not None:
            return default
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise self._wrong(name, value, "a text")

    def number(self, name: str) -> float:
        """A finite number.

        Raises:
            RecordError: anything else.
        """
        value = self.values.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e300:
            return value
        raise self._wrong(name, value, "a finite number")

    def whole(self, name: str) -> int:
        """A whole number.

        Raises:
            RecordError: anything else.
        """
        value = self.values.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise self._wrong(name, value, "a whole number")

    def part(self, name: str) -> Fields:
        """A record within the record.

        Raises:
            RecordError: missing, or something else.
        """
        value = self.values.get(name)
        if isinstance(value, dict):
            return Fields(value, warn=self._warn, within=f"{self._within}{name}.")
        raise self._wrong(name, value, "a record {...}")

    def listed(self, name: str) -> list[JsonValue]:
        """A list.

        Raises:
            RecordError: missing, or something else.
        """
        value = self.values.get(name)
        if isinstance(value, list):
            return value
        raise self._wrong(name, value, "a list")

    def path(self, name: str) -> str:
        """A path that stays within the suite's folder.

        Raises:
            RecordError: missing, or it leads elsewhere.
        """
        return self.checked_path(self.text(name), name)

    def checked_path(self, text: str, name: str) -> str:
        """``text``, which stood in field ``name``, as a path within the suite's folder.

        Raises:
            RecordError: it leads elsewhere.
        """
        try:
            return relative_path(text)
        except PathError as error:
            raise RecordError("unsafe_path", str(error), self._within + name) from error

    def error(self, code: str, name: str, message: str) -> RecordError:
        """An error about a field, to be raised."""
        return RecordError(code, message, self._within + name)

    def _wrong(self, name: str, value: JsonValue, wanted: str) -> RecordError:
        if value is None:
            return RecordError("missing_field", f"the field must be {wanted}, but is missing", self._within + name)
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return RecordError("wrong_type", f"the field must be {wanted}, got {shown}", self._within + name)
