"""The study as a page of Markdown, for the documentation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ...bench_data.building import Manifest
from ...diagnostics.report import ReportSummary
from ...diagnostics.report.summary import RunCard
from ...diagnostics.report.writers.markdown import markdown_table, markdown_text
from ...diagnostics.report.writers.tables import Table, consistency_tables
from ...diagnostics.report.writers.tables.cells import count, percent
from ...tools.models.registry import EMBEDDED_MODELS
from .goals import Goal, goals
from .settings import PROFILE
from .tables import Numbers, study_tables

__all__ = ["CANNOT", "remark", "results_page"]

_SMALL: Final = (
    "come with Seeworthy: small models, trained from nothing on rooms that Seeworthy renders. They know only its own "
    "questions about such rooms."
)
_SMALL_ONE: Final = (
    "is a small model that comes with Seeworthy. It was trained from nothing on rooms that Seeworthy renders, and "
    "knows only its own questions about such rooms."
)
_ROOMS: Final = (
    "The pictures are rendered rooms, so the numbers say how degradation and repair act there. They say nothing about "
    "photographs, or about any other model."
)


def remark(models: Sequence[str]) -> str:
    """What a reader must know before the numbers.

    Args:
        models: by name.
    """
    small = [name for name in models if name in EMBEDDED_MODELS]
    what = f"{' and '.join(small)} {_SMALL_ONE if len(small) == 1 else _SMALL} " if small else ""
    return what + _ROOMS


CANNOT: Final = (
    "The rooms here are others than those of the training, but they come from the same generator: nothing is said "
    "about other scenes, cameras or questions.",
    "Degradations are rendered, by the same formulas by which one of the models was trained on them; real weather and "
    "real sensors differ.",
    "The solver's detectors and thresholds were calibrated on renders of the same kind, though not on these rooms.",
    "Intervals are over rooms, and for one training of each model; another training seed was not tried.",
)


def results_page(
    summary: ReportSummary, models: Sequence[str], manifest: Manifest, *, choices: Collection[str], command: str
) -> str:
    """The page; the same summary gives the same bytes.

    Args:
        summary: of one run with the arms of all models, and of their audits.
        models: by name, the first of them the one that saw clean pictures only.
        manifest: of the benchmark's data.
        choices: kinds whose questions are multiple choice.
        command: that makes all this again.
    """
    numbers = Numbers(summary, models)
    [card] = summary.runs
    blocks = [
        "# Results of the embedded models",
        remark(models),
        f"All numbers on this page come from `{command}`, which anyone can repeat.",
        "## What was asked",
        _asked(card, manifest, models),
        "## Goals",
        _goal_table(goals(numbers, choices)),
        "## Answers",
        *map(markdown_table, study_tables(numbers)),
    ]
    graphs = _graph_table(summary)
    if graphs is not None:
        blocks += ["## Scene graphs and consistency", markdown_table(graphs)]
        blocks += [markdown_table(table) for table in consistency_tables(summary)]
    blocks += ["## What this cannot show", "\n".join(f"- {line}" for line in CANNOT), "## Made with", _made(card)]
    return "\n\n".join(blocks) + "\n"


def _asked(card: RunCard, manifest: Manifest, models: Sequence[str]) -> str:
    build = manifest.settings
    degraded = len(build.conditions) - 1
    views = "one view" if build.views == 1 else f"{build.views} views"
    return (
        f"{build.scenes:,} rooms that no training saw (seed {build.seed}), {views} of each, "
        f"{build.width} x {build.height} pixels; clean pictures and {degraded} other conditions. "
        f"{card.questions:,} different questions, {card.items:,} with their conditions, drawn evenly from the kinds "
        f"that the models claim (seed {card.seed}). {' and '.join(models)} answered each alone, within the solver "
        f"(profile `{PROFILE}`: asked about the original and the repaired picture, and believed of the latter where "
        "they are sure), and without the picture."
    )


def _goal_table(found: Sequence[Goal]) -> str:
    words = {True: "yes", False: "no", None: "cannot tell"}
    rows = tuple((goal.text, goal.measured, words[goal.met]) for goal in found)
    note = (
        "The goals stood before the training. Which kinds the models claim was settled after it, on other rooms: kinds "
        "that they answer badly, or that can be answered without the picture, are not claimed, and so not asked here."
    )
    return markdown_table(Table("goals", "What was aimed at", ("goal", "measured", "met"), rows, 3, (note,)))


def _graph_table(summary: ReportSummary) -> Table | None:
    rows = tuple(
        (
            row.model,
            row.condition,
            count(row.graphs),
            percent((row.graphs - row.graphs_failed) / row.graphs),
            percent(row.qa),
            percent(row.qa_blind),
            percent(row.chance),
            percent(row.sgc),
        )
        for row in summary.consistency
        if row.graphs
    )
    if not rows:
        return None
    head = ("model", "pictures", "graphs asked", "can be read", "answers", "blind", "chance", "graph score")
    note = "Answers: to all of CRISP's questions about the same pictures, those included that the models do not claim."
    return Table("graphs", "Scene graphs beside answers", head, rows, 2, (note,))


def _made(card: RunCard) -> str:
    lines = [f"- {name} {version}" for name, version in sorted(card.versions.items())]
    lines += [f"- {arm.name}: weights {_weights(arm.identity)}" for arm in card.arms if _weights(arm.identity)]
    lines.append(f"- data {card.data_sha256}")
    return "\n".join(markdown_text(line).replace("\\-", "-", 1) for line in lines)


def _weights(identity: Mapping[str, object]) -> str:
    versions = identity.get("versions")
    found = versions.get("weights") if isinstance(versions, dict) else None
    return str(found) if found else ""
