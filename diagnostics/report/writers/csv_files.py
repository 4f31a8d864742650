"""One tidy CSV file a table: a row an observation, a column a variable."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, get_args, get_origin

from pydantic import BaseModel

from ....tools.models.surrogates import without_lone_surrogates
from ...metrics import Interval
from ..summary import ReportSummary, SeverityCurve

__all__ = ["CSV_FILES", "csv_files"]

CSV_FILES: Final = (
    "results.csv",
    "paired.csv",
    "severity.csv",
    "tasks.csv",
    "mixtures.csv",
    "sensitivity.csv",
    "stress.csv",
    "consistency.csv",
    "costs.csv",
    "recovery.csv",
    "differences.csv",
)
"""All tables that a report may have."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_INTERVAL: Final = ("estimate", "low", "high", "standard_error", "n_clusters", "flags")


def csv_files(summary: ReportSummary) -> dict[str, str]:
    """File name -> content, for every table that has rows.

    Intervals become columns such as ``score``, ``score_low`` and ``score_high``. Texts that a spreadsheet would take
    for a formula begin with an apostrophe. UTF-8, comma, a header line; empty cells are unknown.
    """
    tables = (
        map(_flat, summary.results),
        map(_flat, summary.paired),
        _points(summary.severity_curves),
        _points(summary.task_curves),
        map(_flat, summary.mixtures),
        map(_flat, summary.sensitivity),
        map(_flat, summary.stress),
        map(_flat, summary.consistency),
        map(_flat, summary.costs),
        map(_flat, summary.recovery),
        map(_flat, summary.differences),
    )
    written = ((name, list(rows)) for name, rows in zip(CSV_FILES, tables, strict=True))
    return {name: _written(rows) for name, rows in written if rows}


def _points(curves: Sequence[SeverityCurve]) -> Iterator[dict[str, object]]:
    for curve in curves:
        shared = _flat(curve)
        del shared["points"]
        for point in curve.points:
            yield {**shared, **_flat(point)}


def _flat(row: BaseModel) -> dict[str, object]:
    """Column -> value; parts of parts are joined by "_"."""
    found: dict[str, object] = {}
    for name, field in type(row).model_fields.items():
        value = getattr(row, name)
        inner = _model_in(field.annotation)
        if inner is None:
            found[name] = value
            continue
        for part in _INTERVAL if inner is Interval else inner.model_fields:
            cell = None if value is None else getattr(value, part)
            found[_joined(name, part)] = "; ".join(cell) if isinstance(cell, tuple) else cell
    return found


def _model_in(annotation: object) -> type[BaseModel] | None:
    """What a nested value is made of, by its type, so that a row without one has its columns too."""
    for kind in (annotation, *(() if get_origin(annotation) is tuple else get_args(annotation))):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _joined(name: str, part: str) -> str:
    if name in ("subject", "flips"):
        return part
    return name if part == "estimate" else f"{name}_{part}"


def _written(rows: Sequence[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    """Numbers in full, texts safe for spreadsheets, all else as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
    text = without_lone_surrogates(text).replace("\x00", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) else text
