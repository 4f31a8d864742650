"""From the folders of runs to all numbers of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from ..errors import DiagnosticsError
from ..path_labels import path_labels
from ..runs import JudgedRun, RunFolder, judged_run
from .numbers.audits import audit_rows, graph_rows
from .numbers.cards import blind_prompts, run_card
from .numbers.costs import cost_rows, recovery_rows
from .numbers.curves import mixture_scores, severity_curves
from .numbers.examples import example_rule, worst_examples
from .numbers.groups import RESAMPLES, grouped_by_condition
from .numbers.observations import Observations, observe
from .numbers.paired import compared_subjects, paired_rows
from .numbers.results import result_rows
from .numbers.same_data import check_same_data, setting_differences
from .numbers.sensitivity import sensitivity_rows
from .numbers.stress import stress_rows
from .summary import ALL_DEGRADED, By, PairedRow, ReportSummary, ResultRow

__all__ = ["report_summary"]

_EXAMPLES: Final = 12
_Row = TypeVar("_Row", ResultRow, PairedRow)


def report_summary(folders: Sequence[Path], *, audits: Sequence[Path] = (), examples: int = _EXAMPLES) -> ReportSummary:
    """All numbers of a report, from the folders alone: no suite, no model, no call.

    Args:
        folders: of runs over the same data.
        audits: folders of `seeworthy audit`, whose scores of scene graphs and of consistency are added.
        examples: how many of the worst, at most.

    Raises:
        DiagnosticsError: a folder holds no run or no audit, or is damaged; runs asked about different data, which is
            named; or there is no run.
    """
    if not folders:
        raise DiagnosticsError("a report needs at least one run; give the folder of one")
    labels = path_labels(folders, what="folder")
    runs = [judged_run(RunFolder(folder)) for folder in folders]
    check_same_data(runs, labels)
    blind = frozenset[str]().union(*(blind_prompts(run) for run in runs))
    observed = observe(runs, labels, blind_prompts=blind)
    summary = _summary(observed, runs, labels, examples, blind)
    audited = [
        row
        for folder, label in zip(audits, path_labels(audits, what="folder"), strict=True)
        for row in audit_rows(folder, label)
    ]
    return summary.model_copy(update={"consistency": (*graph_rows(summary.results), *audited)})


def _summary(
    observed: Observations, runs: Sequence[JudgedRun], labels: Sequence[str], examples: int, blind: frozenset[str]
) -> ReportSummary:
    grouping = grouped_by_condition(observed)
    compared = compared_subjects(observed)
    results, paired = result_rows(observed, grouping), paired_rows(observed, grouping, compared)
    pooled = any(row.condition == ALL_DEGRADED for row in results)
    shown = _ways_of_grouping(observed)
    return ReportSummary(
        runs=tuple(run_card(run, label) for run, label in zip(runs, labels, strict=True)),
        differences=setting_differences(runs, labels),
        subjects=observed.subjects,
        blind_prompts=tuple(sorted(blind)),
        conditions=(*observed.conditions, *([ALL_DEGRADED] if pooled else [])),
        results=_shown(results, shown),
        paired=_shown(paired, shown),
        severity_curves=severity_curves(results, paired, by="all", blind_prompts=blind),
        task_curves=severity_curves(results, paired, by="task", blind_prompts=blind),
        mixtures=mixture_scores(results, paired, blind_prompts=blind),
        sensitivity=sensitivity_rows(observed),
        stress=stress_rows(observed),
        costs=cost_rows(observed),
        recovery=recovery_rows(observed, compared),
        examples=worst_examples(observed, compared, limit=examples) if examples else (),
        example_rule=example_rule(examples, observed.seed) if examples else "",
        seed=observed.seed,
        resamples=RESAMPLES,
    )


def _ways_of_grouping(observed: Observations) -> frozenset[By]:
    """Without tasks that are the kinds; curves are drawn by them all the same."""
    ways = dict(observed.categories)
    if "task" in ways and ways["task"].is_like(ways["kind"]):
        del ways["task"]
    return frozenset(ways)


def _shown(rows: Sequence[_Row], ways: frozenset[By]) -> tuple[_Row, ...]:
    return tuple(row for row in rows if row.by in ways)
