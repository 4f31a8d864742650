"""Scores by stress tag: a radar with RoboStressBench's sixteen tags (figure 3), and the same as a table."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from ..summary import ReportSummary, StressRow, Subject
from .charts import Axis, RadarSeries, radar_chart
from .formats import Table, score_words, share, table
from .naming import drawn_subjects, subject_names

__all__ = ["StressSection", "stress_section"]

_DIMENSIONS = {"M": "material", "V": "viewpoint", "L": "lighting", "G": "geometry"}
_FEWEST_AXES = 3


@dataclass(frozen=True)
class StressSection:
    """What the section shows; no radar where fewer than three tags have a score."""

    radar: Markup
    rows: Table


def stress_section(summary: ReportSummary) -> StressSection | None:
    """None where no item has a tag."""
    if not any(row.n for row in summary.stress):
        return None
    names = subject_names(summary)
    tags = tuple(dict.fromkeys((row.tag, row.dimension) for row in summary.stress if row.by == "tag"))
    rows = {(row.subject, row.tag): row for row in summary.stress if row.by == "tag"}
    scored = [tag for tag, _ in tags if any(rows[key].score for key in rows if key[1] == tag)]
    radar = Markup("")
    if len(scored) >= _FEWEST_AXES:
        subjects = drawn_subjects(summary)
        axes = [Axis(_words(tag), f"n = {_most_scored(rows, tag):,}", dimension) for tag, dimension in tags]
        outlines = [
            RadarSeries(place, tuple(_score(rows.get((one, tag))) for tag, _ in tags))
            for place, one in enumerate(subjects)
        ]
        series = [names[one] for one in subjects]
        radar = radar_chart(axes, outlines, series, key="radar", title="Score by stress tag")
    cells = [
        (
            names[row.subject],
            _DIMENSIONS.get(row.dimension, row.dimension),
            _words(row.tag) if row.by == "tag" else "all tags",
            f"{row.n:,}",
            f"{row.scored:,}",
            score_words(row.score),
            share(row.chance),
        )
        for row in summary.stress
        if row.n
    ]
    return StressSection(radar=radar, rows=table("", "<model|<dimension|<tag|n|scored|score|chance", cells))


def _most_scored(rows: dict[tuple[Subject, str], StressRow], tag: str) -> int:
    return max((row.scored for (_, name), row in rows.items() if name == tag), default=0)


def _score(row: StressRow | None) -> float | None:
    return None if row is None or row.score is None else row.score.estimate


def _words(tag: str) -> str:
    return tag.replace("_", " ")
