"""Tables of what was run, and of what differs between runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from ...summary import ReportSummary
from .cells import Table, count

__all__ = ["setting_tables"]

_SHOWN: Final = 200


def setting_tables(summary: ReportSummary) -> Iterator[Table]:
    """The runs, then the settings in which they differ from the first."""
    cells = tuple(
        (
            run.label,
            ", ".join(arm.name for arm in run.arms),
            count(run.items),
            count(run.questions),
            count(run.scenes),
            count(run.repeats),
            count(run.planned_calls),
            count(run.calls_left),
        )
        for run in summary.runs
    )
    head = ("run", "models", "items", "questions", "scenes", "repeats", "calls", "left")
    if cells:
        yield Table("runs", "Runs", head, cells, 2)
    if summary.differences:
        first = summary.runs[0].label
        rows = tuple((one.run, one.name, _shown(one.left), _shown(one.right)) for one in summary.differences)
        yield Table("differences", f"Settings that differ from {first}", ("run", "setting", first, "there"), rows, 4)


def _shown(value: JsonValue) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
