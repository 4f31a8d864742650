"""ReportSummary: all numbers of a report, for writers and pages to draw."""

from __future__ import annotations

from typing import Literal

from .base import Subject, Value
from .consistency import ConsistencyRow
from .costs import CostRow, RecoveryRow
from .curves import MixtureScore, SeverityCurve
from .examples import Example
from .paired import PairedRow
from .results import ResultRow
from .run_card import RunCard, SettingDifference
from .sensitivity import SensitivityRow
from .stress import StressRow

__all__ = ["ReportSummary"]


class ReportSummary(Value):
    """A report on one or several runs over the same data. The same replies give the same summary, in whatever order.

    Attributes:
        runs: in the order given.
        differences: settings that differ from the first run's.
        subjects: in the order of runs, arms and prompts.
        conditions: in order: clean first, weak before strong, `ALL_DEGRADED` last.
        blind_prompts: prompts that show no picture.
        results: by subject, condition, and category.
        paired: differences between conditions, arms, prompts and runs.
        severity_curves, task_curves: over all items, and by task.
        mixtures: over all items and by task.
        sensitivity: by degradation; over all items, by answer format and by task.
        stress: by stress tag; () where no item has one.
        consistency: of runs that ask for scene graphs, and of audits; () without any.
        costs, recovery: what it cost.
        examples: worst ones; ``example_rule`` says how they were chosen.
        remarks: what whoever makes the report wants read before the numbers; () for nothing.
        seed, resamples, confidence: of all intervals, which are percentile intervals of a bootstrap over scenes.
    """

    format: Literal["seeworthy report 1"] = "seeworthy report 1"
    runs: tuple[RunCard, ...]
    differences: tuple[SettingDifference, ...] = ()
    subjects: tuple[Subject, ...] = ()
    conditions: tuple[str, ...] = ()
    blind_prompts: tuple[str, ...] = ()
    results: tuple[ResultRow, ...] = ()
    paired: tuple[PairedRow, ...] = ()
    severity_curves: tuple[SeverityCurve, ...] = ()
    task_curves: tuple[SeverityCurve, ...] = ()
    mixtures: tuple[MixtureScore, ...] = ()
    sensitivity: tuple[SensitivityRow, ...] = ()
    stress: tuple[StressRow, ...] = ()
    consistency: tuple[ConsistencyRow, ...] = ()
    costs: tuple[CostRow, ...] = ()
    recovery: tuple[RecoveryRow, ...] = ()
    examples: tuple[Example, ...] = ()
    example_rule: str = ""
    remarks: tuple[str, ...] = ()
    seed: int = 0
    resamples: int = 2000
    confidence: float = 0.95

    def without_times(self) -> ReportSummary:
        """The same without dates and durations, which differ between runs whose replies are the same."""
        runs = tuple(run.model_copy(update={"first_call": None, "last_call": None}) for run in self.runs)
        costs = tuple(row.model_copy(update={"seconds": None, "seconds_median": None}) for row in self.costs)
        return self.model_copy(update={"runs": runs, "costs": costs})
