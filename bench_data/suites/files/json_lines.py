"""Files with one JSON record a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from ..limits import SuiteLimits
from .rows import BadRow, RawRow

__all__ = ["json_line", "json_line_rows", "no_constant", "parsed_json"]


def no_constant(name: str) -> object:
    """Refuses NaN and the infinities, which Python writes and JSON does not have.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"{name} is no JSON number")


def json_line_rows(
    path: Path, *, limits: SuiteLimits, constant: Callable[[str], object] = no_constant
) -> Iterator[RawRow | BadRow]:
    """The records of a file, UTF-8, one a line; blank lines are passed over.

    Args:
        constant: what NaN and the infinities are, which JSON does not have and Python writes; refused by default.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as stream:
        line = 0
        while raw := stream.readline(limits.row_bytes + 1):
            line += 1
            if len(raw) > limits.row_bytes:
                while raw and not raw.endswith(b"\n"):
                    raw = stream.readline(1 << 20)
                message = f"the record has more than {limits.row_bytes:,} bytes; pass larger SuiteLimits if it is sound"
                yield BadRow(line, "too_large", message)
                continue
            raw = raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw
            if not raw.strip():
                continue
            value = parsed_json(raw, constant=constant)
            if isinstance(value, str):
                yield BadRow(line, "bad_json", value)
            elif isinstance(value, dict):
                yield RawRow(line, value)
            else:
                yield BadRow(line, "bad_json", "each line must hold one record {...}")


def parsed_json(raw: bytes | str, *, constant: Callable[[str], object] = no_constant) -> object:
    """The value of a JSON text; a text that says what is wrong when it is none (a JSON string counts as wrong)."""
    try:
        value = json.loads(raw, parse_constant=constant)
    except RecursionError:
        return "the JSON is nested too deeply"
    except UnicodeDecodeError as error:
        return f"the text is not UTF-8 (byte {error.start + 1}); save it as UTF-8"
    except ValueError as error:
        return f"not JSON: {error}"
    return "a record {...} is expected, not a text" if isinstance(value, str) else value


def json_line(record: object) -> str:
    """One line with its line end, letters of all languages as they are."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(", ", ": ")) + "\n"
