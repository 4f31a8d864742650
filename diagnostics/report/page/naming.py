"""What the page calls those who were asked, and which of them it draws."""

from __future__ import annotations

from collections.abc import Mapping

from ..summary import ReportSummary, Subject

__all__ = ["MOST_DRAWN", "drawn_subjects", "subject_names"]

MOST_DRAWN = 12
"""Subjects in a chart; the tables have all."""


def subject_names(summary: ReportSummary) -> Mapping[Subject, str]:
    """Subject -> its name: the model, with the run and the prompt where these tell subjects apart.

    The one prompt that shows pictures needs no name beside those that show none.
    """
    known = list(dict.fromkeys((*summary.subjects, *_mentioned(summary))))
    several_runs = len({one.run for one in known}) > 1
    prompts = {one.prompt for one in known}
    seeing = prompts - set(summary.blind_prompts)
    unnamed = prompts if len(prompts) == 1 else seeing if len(seeing) == 1 else frozenset[str]()
    return {
        one: (f"{one.run}: " if several_runs else "") + one.arm + ("" if one.prompt in unnamed else f" · {one.prompt}")
        for one in known
    }


def drawn_subjects(summary: ReportSummary) -> tuple[Subject, ...]:
    """Those who saw pictures, in order; blind ones stand in the tables. All, where none saw any."""
    seeing = tuple(one for one in summary.subjects if one.prompt not in summary.blind_prompts)
    return (seeing or summary.subjects)[:MOST_DRAWN]


def _mentioned(summary: ReportSummary) -> list[Subject]:
    """Subjects of any row, for summaries whose own list is not whole."""
    found: list[Subject | None] = [row.subject for row in summary.results]
    found += [row.subject for row in summary.costs]
    found += [row.subject for row in summary.stress]
    found += [row.subject for row in (*summary.severity_curves, *summary.task_curves)]
    found += [row.subject for row in summary.mixtures]
    found += [row.subject for row in summary.sensitivity]
    found += [one for pair in summary.paired for one in (pair.before, pair.after)]
    found += [one for pair in summary.recovery for one in (pair.before, pair.after)]
    for example in summary.examples:
        found += [example.before.subject if example.before else None, example.after.subject]
    return [one for one in found if one is not None]
