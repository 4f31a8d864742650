"""The steps that the study and the demo are made of; each goes on where an earlier start was stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...bench_data.building import BuildSettings, DataSet, build_data_set
from ...bench_data.building import Progress as BuildProgress
from ...bench_data.building.conditions import CLEAN
from ...diagnostics.asking import ModelSilentError
from ...diagnostics.auditing import AuditSettings, PartSummary, run_audit, summarise
from ...diagnostics.auditing import Progress as AuditProgress
from ...diagnostics.auditing.files import REPLIES, write_audit
from ...diagnostics.interventions import load_experiment
from ...diagnostics.nano.claims import is_claimed
from ...diagnostics.report import ReportSummary, report_summary
from ...diagnostics.report.files import write_report
from ...diagnostics.runs import (
    Arm,
    EngineSettings,
    PlannedRun,
    RunFolder,
    RunOutcome,
    RunProgress,
    RunSettings,
    Source,
    StopReason,
    plan_items,
    run_calls,
)
from ...diagnostics.runs.interrupts import run_interruptibly
from ...diagnostics.runs.items import Unasked, with_pictures
from ...diagnostics.runs.selection import stratified
from ...diagnostics.runs.sources import read_sources
from ...tools.models import VisionLanguageModel
from ..arms import ARMS
from ..errors import ModelUnavailableError, SolverError
from ..profiles import profile_named
from .settings import ANSWER, GRAPH, PROFILE

__all__ = ["Show", "ask_arms", "audit_model", "built", "plan_claimed", "raw_and_robust", "reported"]

_SLOTS: Final = 64
"""Calls at once: enough to fill the batches of the embedded models while solvers look at pictures."""


def _nobody(progress: object) -> None:
    """Nobody is told."""


@dataclass(frozen=True)
class Show:
    """Who is told how far things are.

    Args:
        building: opened for a build or an audit.
        asking: opened for a run.
    """

    building: Callable[[], AbstractContextManager[Callable[[BuildProgress], None]]] = lambda: nullcontext(_nobody)
    asking: Callable[[], AbstractContextManager[Callable[[RunProgress], None]]] = lambda: nullcontext(_nobody)


def built(settings: BuildSettings, root: Path, show: Show, *, jobs: int | None = None) -> DataSet:
    """The data set, made now as far as it is not there.

    Raises:
        BenchDataError: the folder holds something else.
    """
    with show.building() as on_progress:
        build_data_set(settings, root, jobs=jobs, on_progress=on_progress)
    return DataSet(root)


def raw_and_robust(models: Sequence[VisionLanguageModel]) -> dict[str, Arm]:
    """Each model alone and within the solver, by name."""
    arms = [arm for model in models for arm in (Arm(model), ARMS["robust"].around(model, profile_named(PROFILE)))]
    return {arm.name: arm for arm in arms}


def plan_claimed(
    data: DataSet,
    arms: Mapping[str, Arm],
    *,
    prompts: Sequence[str],
    clean: int | None,
    degraded: int | None,
    seed: int,
) -> PlannedRun:
    """A run over the questions that the embedded models are held to answer, evenly over their kinds.

    Args:
        clean: questions about clean pictures; None for all.
        degraded: questions about the pictures of every other condition.

    Raises:
        DiagnosticsError: the data set has no such question.
    """
    settings = RunSettings.of(
        [Source.at(data.root)], list(arms.values()), prompts=prompts, seed=seed, generation=ANSWER
    )
    unasked = Unasked()
    found = read_sources(settings.sources, conditions=None, unasked=unasked)
    claimed = [item for item in found if is_claimed(item.suite, item.kind)]
    conditions = dict.fromkeys(item.condition for item in claimed)
    kept = [
        item
        for condition in conditions
        for item in stratified(
            [one for one in claimed if one.condition == condition],
            seed=seed,
            limit=clean if condition == CLEAN else degraded,
            even=True,
        )
    ]
    return plan_items(settings, with_pictures(kept, seed=seed), left_out=unasked.describe())


def ask_arms(planned: PlannedRun, arms: Mapping[str, Arm], folder: RunFolder, show: Show) -> RunOutcome:
    """Asks everything that has no reply yet.

    Raises:
        KeyboardInterrupt: somebody stopped it; what was said so far is kept.
        SolverError: it stopped before everything was asked.
        DiagnosticsError: the folder holds another run.
    """
    engine = EngineSettings(slots=_SLOTS)

    async def start(interrupted: asyncio.Event) -> RunOutcome:
        return await run_calls(planned, arms, folder, engine, interrupted=interrupted, on_progress=on_progress)

    with folder.begun(planned), show.asking() as on_progress:
        outcome = run_interruptibly(start)
    if outcome.stop is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if outcome.left:
        why = outcome.detail or f"{outcome.failed:,} calls failed"
        raise SolverError(f"{outcome.left:,} calls have no reply: {why}; give the same command again to make them")
    return outcome


def audit_model(
    model: VisionLanguageModel,
    data: DataSet,
    folder: Path,
    show: Show,
    *,
    conditions: Sequence[str],
    pictures: int | None,
    seed: int,
) -> tuple[PartSummary, ...]:
    """Audits a model and writes page, numbers and answers into a folder.

    Raises:
        ModelUnavailableError: it gives no more replies; what it said is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = AuditSettings(
        conditions=tuple(conditions),
        most_pictures=pictures,
        seed=seed,
        concurrency=_SLOTS,
        answer=ANSWER,
        graph=GRAPH,
        request_seed=seed,
    )
    experiment, log = load_experiment("audit"), folder / REPLIES
    with show.building() as on_progress:

        def tell(progress: AuditProgress) -> None:
            on_progress(BuildProgress(progress.stage, progress.done, progress.total))

        try:
            parts = asyncio.run(run_audit(model, data, experiment, settings, log=log, on_progress=tell))
        except ModelSilentError as error:
            raise ModelUnavailableError(model.name, error.fault) from error
    summaries = summarise(parts, seed=seed)
    write_audit(folder, parts, summaries)
    return summaries


def reported(run: RunFolder, audits: Sequence[Path], target: Path, *, remarks: Sequence[str]) -> ReportSummary:
    """Writes the report on a run and its audits; the same replies give the same bytes.

    Args:
        remarks: what a reader must know before the numbers.

    Raises:
        DiagnosticsError: a folder is damaged, or a file cannot be written.
    """
    summary = report_summary([run.root], audits=audits).without_times()
    summary = summary.model_copy(update={"remarks": tuple(remarks)})
    write_report(summary, target, [run.root])
    return summary
