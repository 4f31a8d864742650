"""Tables of sensitivities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...summary import By, ReportSummary, SensitivityRow
from .cells import Table, count, interval, names_of, number, with_legend

__all__ = ["sensitivity_tables"]

_TITLES: Final[dict[By, str]] = {
    "all": "Sensitivity by degradation",
    "answer_format": "Sensitivity by form of the answer",
    "task": "Sensitivity by task",
}
_NOTE: Final = (
    'r between "degraded" and the score, point-biserial; below 0, scores fall. paired: once each pair\'s own level is '
    "taken out. models: over the subjects' mean scores, as SpaceDG (arXiv 2605.22536) publishes it without its sign."
)


def sensitivity_tables(summary: ReportSummary) -> Iterator[Table]:
    """All subjects together, and each by itself; then all together by form of the answer and by task."""
    names = names_of(summary)
    for by, title in _TITLES.items():
        rows = [row for row in summary.sensitivity if row.by == by and (by == "all" or row.subject is None)]
        if not rows:
            continue
        cells = tuple(
            (
                "all" if row.subject is None else names[row.subject],
                row.degradation,
                *(() if by == "all" else (row.category,)),
                *_cells(row),
            )
            for row in rows
        )
        words = ("subject", "degradation", *(() if by == "all" else ("category",)))
        head = (*words, "pairs", "r", "r, paired", "subjects", "models", "models, paired")
        yield Table(
            f"sensitivity-{by}",
            title,
            head,
            cells,
            len(words),
            with_legend((one for row in rows for one in (row.items, row.items_paired)), _NOTE),
        )


def _cells(row: SensitivityRow) -> tuple[str, ...]:
    return (
        count(row.n),
        interval(row.items, signed=True),
        interval(row.items_paired, signed=True),
        count(row.subjects),
        number(row.models),
        number(row.models_paired),
    )
