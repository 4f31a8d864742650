"""Tables of stress tags, and of audits."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary import ReportSummary
from .cells import NONE, Table, count, interval, names_of, number, percent, with_legend

__all__ = ["consistency_tables", "stress_tables"]


def stress_tables(summary: ReportSummary) -> Iterator[Table]:
    """Tags in rows, subjects in columns; then the same for the four dimensions."""
    names = names_of(summary)
    for by, title in (("tag", "Scores by stress tag"), ("dimension", "Scores by stress dimension")):
        rows = [row for row in summary.stress if row.by == by]
        if not rows:
            continue
        found = {(row.tag, row.subject): row for row in rows}
        first = summary.subjects[0]
        cells = tuple(
            (
                f"{found[tag, first].dimension} {tag.replace('_', ' ')}",
                count(found[tag, first].n),
                *(interval(found[tag, subject].score) for subject in names),
            )
            for tag in dict.fromkeys(row.tag for row in rows)
        )
        note = "An item counts under each of its tags. M material, V viewpoint, L lighting, G geometry."
        yield Table(
            f"stress-{by}",
            title,
            (by, "n", *names.values()),
            cells,
            notes=with_legend((row.score for row in rows), note),
        )


def consistency_tables(summary: ReportSummary) -> Iterator[Table]:
    """Answers, scene graphs and their agreement, by audit and condition."""
    if not summary.consistency:
        return
    cells = tuple(
        (
            row.audit,
            row.model,
            row.condition,
            count(row.questions),
            number(row.qa),
            number(row.qa_blind),
            number(row.chance),
            number(row.sgc),
            count(row.graphs_failed),
            interval(row.coverage),
            interval(row.agreement),
            number(row.agreement_chance),
            interval(row.kappa),
            number(row.ceiling),
            NONE if row.mode is None else f"{row.mode.replace('_', ' ')} ({percent(row.mode_probability)})",
        )
        for row in summary.consistency
    )
    head = (
        "audit",
        "model",
        "condition",
        "questions",
        "answers",
        "blind",
        "chance",
        "graphs",
        "graphs failed",
        "coverage",
        "agreement",
        "by chance",
        "kappa",
        "ceiling",
        "diagnosis",
    )
    yield Table(
        "consistency",
        "Answers, scene graphs, consistency",
        head,
        cells,
        3,
        with_legend(one for row in summary.consistency for one in (row.coverage, row.agreement, row.kappa)),
    )
