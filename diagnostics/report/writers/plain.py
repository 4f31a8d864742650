"""The main tables as plain text, for terminals."""

from __future__ import annotations

from ...runs.table import aligned
from ..summary import ReportSummary
from .tables import Table, comparison_tables, score_tables

__all__ = ["plain_scores", "plain_table"]


def plain_scores(summary: ReportSummary) -> str:
    """Scores by condition and paired differences, over all items; ends with a line break."""
    scores = (table for table in score_tables(summary) if table.name.startswith("scores-"))
    return "\n".join(plain_table(table) for table in (*scores, *comparison_tables(summary)))


def plain_table(table: Table) -> str:
    """The title, the columns, the notes; ends with a line break."""
    # Line breaks and other control characters in names would break the columns, or the terminal.
    rows = [tuple(_clean(cell) for cell in row) for row in (table.head, *table.rows)]
    notes = [f"  {_clean(note)}" for note in table.notes]
    return "\n".join([_clean(table.title), *aligned(rows, left=table.texts), *notes]) + "\n"


def _clean(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
