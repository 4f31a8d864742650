"""Tables of scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...summary import By, ReportSummary, ResultRow
from .cells import NONE, Table, count, interval, names_of, number, percent, with_legend

__all__ = ["score_tables"]

_TITLES: Final[dict[By, str]] = {
    "kind": "Scores by kind of question",
    "task": "Scores by task",
    "answer_format": "Scores by form of the answer",
    "suite": "Scores by suite",
}


def score_tables(summary: ReportSummary) -> Iterator[Table]:
    """Everything by condition for each subject, then the scores alone by category."""
    names = names_of(summary)
    for subject, name in names.items():
        rows = [row for row in summary.results if row.subject == subject and row.by == "all"]
        yield _whole(rows, name, number_of=list(names).index(subject) + 1)
    for by, title in _TITLES.items():
        for subject, name in names.items():
            rows = [row for row in summary.results if row.subject == subject and row.by == by]
            if rows:
                yield _by_category(rows, f"{title}: {name}", f"{by}-{list(names).index(subject) + 1}", summary)


def _whole(rows: list[ResultRow], name: str, *, number_of: int) -> Table:
    head = (
        "condition",
        "n",
        "scored",
        "score [95 % interval]",
        "chance",
        "blind",
        "parse failure",
        "refusal",
        "cut off",
        "errors",
        "missing",
    )
    cells = tuple(
        (
            row.condition,
            count(row.n),
            count(row.scored),
            interval(row.score),
            number(row.chance),
            number(row.blind),
            percent(row.parse_failure),
            percent(row.refusal),
            percent(row.truncation),
            count(row.errors),
            count(row.missing),
        )
        for row in rows
    )
    open_ = [row for row in rows if row.errors or row.missing]
    bounds = tuple(
        f"{row.condition}: between {number(row.low)} and {number(row.high)}, whatever the "
        f"{row.errors + row.missing:,} without a reply would have scored"
        for row in open_
        if row.low is not None
    )
    return Table(
        f"scores-{number_of}", f"Scores: {name}", head, cells, notes=with_legend((row.score for row in rows), *bounds)
    )


def _by_category(rows: list[ResultRow], title: str, name: str, summary: ReportSummary) -> Table:
    found = {(row.category, row.condition): row for row in rows}
    conditions = [condition for condition in summary.conditions if any(row.condition == condition for row in rows)]
    categories = list(dict.fromkeys(row.category for row in rows))
    cells = tuple(
        (
            category,
            *(_cell(found.get((category, condition))) for condition in conditions),
        )
        for category in categories
    )
    return Table(name, title, ("category", *conditions), cells, notes=("in brackets: scored items",))


def _cell(row: ResultRow | None) -> str:
    return NONE if row is None or row.score is None else f"{number(row.score.estimate)} ({row.scored:,})"
