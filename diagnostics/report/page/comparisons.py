"""Paired differences: what conditions take, and what another model, prompt or run gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...metrics import Flips
from ..summary import ALL, Contrast, PairedRow, ReportSummary, Subject
from .charts import FlipRow, ForestRow, Span, flip_chart, forest_plot
from .formats import DASH, Table, difference_words, p_words, share, table
from .naming import drawn_subjects, subject_names

__all__ = ["ComparisonSection", "comparison_sections"]

_MOST_ROWS = 40
_TITLES: Mapping[Contrast, tuple[str, str]] = {
    "condition": ("What degradation takes", "each condition against clean pictures, over the same questions"),
    "arm": ("Model against model", "over the same questions under the same condition"),
    "prompt": ("Prompt against prompt", "the same model over the same questions"),
    "run": ("Run against run", "the same model and prompt over the same questions"),
}


@dataclass(frozen=True)
class ComparisonSection:
    """One kind of comparison.

    Args:
        forest: differences with their intervals.
        flips: how answers moved; "" where none is simply right or wrong.
        left_out: comparisons that found no room in the charts.
        overall: all categories together.
        categories: by category.
    """

    key: str
    title: str
    about: str
    forest: Markup
    flips: Markup
    left_out: int
    overall: Table
    categories: Table


def comparison_sections(summary: ReportSummary) -> tuple[ComparisonSection, ...]:
    """One a contrast that the report has, in a fixed order."""
    names = subject_names(summary)
    sections = []
    for contrast, (title, about) in _TITLES.items():
        rows = [row for row in summary.paired if row.contrast == contrast]
        if rows:
            sections.append(_section(contrast, title, about, rows, names, drawn_subjects(summary)))
    return tuple(sections)


def _section(
    contrast: Contrast,
    title: str,
    about: str,
    rows: Sequence[PairedRow],
    names: Mapping[Subject, str],
    drawn: Sequence[Subject],
) -> ComparisonSection:
    overall = [row for row in rows if row.by == "all"]
    in_charts = [row for row in overall if row.after in drawn and row.before in drawn] or overall
    shown = in_charts[:_MOST_ROWS]
    forest, flips = [], []
    for row, heading in zip(shown, _headings(shown, names), strict=True):
        found = row.difference
        span = Span(found.estimate, found.low, found.high)
        forest.append(ForestRow(row.condition_after, span, f"n = {row.n:,}", heading))
    moved = [row for row in shown if row.flip_items]
    for row, heading in zip(moved, _headings(moved, names), strict=True):
        if row.flips is not None:
            counts = row.flips.gained, row.flips.lost, row.flip_items
            flips.append(FlipRow(row.condition_after, *counts, _flip_words(row.flips), heading))
    return ComparisonSection(
        key=contrast,
        title=title,
        about=about,
        forest=forest_plot(forest, key=f"forest-{contrast}", title=f"{title}: differences") if forest else Markup(""),
        flips=flip_chart(flips, key=f"flips-{contrast}", title=f"{title}: how answers moved") if flips else Markup(""),
        left_out=len(overall) - len(shown),
        overall=_table(overall, names, with_category=False),
        categories=_table([row for row in rows if row.category != ALL], names, with_category=True),
    )


def _headings(rows: Sequence[PairedRow], names: Mapping[Subject, str]) -> list[str]:
    """Who is compared, where that changes from one row to the next."""
    told = [_compared(row, names) for row in rows]
    return [words if not place or words != told[place - 1] else "" for place, words in enumerate(told)]


def _compared(row: PairedRow, names: Mapping[Subject, str]) -> str:
    before, after = row.before, row.after
    match row.contrast:
        case "condition":
            return names[after]
        case "prompt":
            return f"{after.arm}: {after.prompt} against {before.prompt}"
        case "run":
            return f"{after.arm}: {after.run} against {before.run}"
        case "arm":
            return f"{names[after]} against {names[before]}"


def _flip_words(flips: Flips) -> str:
    right, wrong = flips.both_right + flips.lost, flips.both_wrong + flips.gained
    return f"{flips.lost:,} of {right:,} right lost, {flips.gained:,} of {wrong:,} wrong gained"


def _table(rows: Sequence[PairedRow], names: Mapping[Subject, str], *, with_category: bool) -> Table:
    category = "<category|" if with_category else ""
    columns = (
        f"<before|<after|{category}n|before|after|difference in points|right or wrong|gained|lost|"
        "negative flips|McNemar p|p after Holm"
    )
    return table("", columns, [_row(row, names, with_category) for row in rows])


def _row(row: PairedRow, names: Mapping[Subject, str], with_category: bool) -> tuple[str, ...]:
    gained, lost = (DASH, DASH) if row.flips is None else (f"{row.flips.gained:,}", f"{row.flips.lost:,}")
    return (
        f"{names[row.before]}, {row.condition_before}",
        f"{names[row.after]}, {row.condition_after}",
        *((row.category,) if with_category else ()),
        f"{row.n:,}",
        share(row.score_before),
        share(row.score_after),
        difference_words(row.difference),
        f"{row.flip_items:,}",
        gained,
        lost,
        share(row.negative_flip_rate),
        p_words(row.mcnemar_p),
        p_words(row.mcnemar_p_holm),
    )
