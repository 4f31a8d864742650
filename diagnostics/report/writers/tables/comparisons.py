"""Tables of paired differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...summary import Contrast, PairedRow, ReportSummary, Subject
from .cells import NONE, Table, count, interval, names_of, number, p_value, percent, with_legend

__all__ = ["comparison_tables"]

_HEAD: Final = (
    "pairs",
    "before",
    "after",
    "difference [95 % interval]",
    "gained",
    "lost",
    "negative flips",
    "McNemar p",
    "p (Holm)",
)
_TITLES: Final[dict[Contrast, str]] = {
    "arm": "One model against another",
    "prompt": "One prompt against another",
    "run": "One run against another",
}
_NOTE: Final = (
    "gained: wrong before, right after; lost: right before, wrong after; negative flips: lost, of all answers that are "
    "right or wrong. The p-values take questions as independent; where they come in scenes, trust the interval."
)


def comparison_tables(summary: ReportSummary) -> Iterator[Table]:
    """Conditions against clean for each subject, then subjects against each other."""
    names = names_of(summary)
    whole = [row for row in summary.paired if row.by == "all"]
    rows = [row for row in whole if row.contrast == "condition"]
    if rows:
        cells = tuple((names[row.after], row.condition_after, *_cells(row)) for row in rows)
        yield _table("condition", "Against clean pictures", ("subject", "condition"), cells, rows)
    for contrast, title in _TITLES.items():
        rows = [row for row in whole if row.contrast == contrast]
        if rows:
            sides = tuple((*_sides(row, names), row.condition_after, *_cells(row)) for row in rows)
            yield _table(contrast, title, ("from", "to", "condition"), sides, rows)


def _table(
    name: Contrast, title: str, words: tuple[str, ...], cells: tuple[tuple[str, ...], ...], rows: Sequence[PairedRow]
) -> Table:
    notes = with_legend((row.difference for row in rows), _NOTE)
    return Table(f"paired-{name}", title, (*words, *_HEAD), cells, len(words), notes)


def _sides(row: PairedRow, names: dict[Subject, str]) -> tuple[str, str]:
    return names[row.before], names[row.after]


def _cells(row: PairedRow) -> tuple[str, ...]:
    flips = row.flips
    return (
        count(row.n),
        number(row.score_before),
        number(row.score_after),
        interval(row.difference, signed=True),
        NONE if flips is None else count(flips.gained),
        NONE if flips is None else count(flips.lost),
        percent(row.negative_flip_rate),
        p_value(row.mcnemar_p),
        p_value(row.mcnemar_p_holm),
    )
