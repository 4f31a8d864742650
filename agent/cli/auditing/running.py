"""Runs an audit from the command line: asks, shows tables, writes the page and the numbers."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..common import ExitCode, UsageError, build_model, say

if TYPE_CHECKING:
    from ....bench_data.building import Progress as BuildProgress
    from ....diagnostics.auditing import Progress
    from ....diagnostics.interventions import Experiment

__all__ = ["AuditOrder", "run_order"]


@dataclass(frozen=True, kw_only=True)
class AuditOrder:
    """What the command line asks for; see the options of the commands."""

    model: str
    model_options: Sequence[str]
    data: Path
    out: Path | None
    suite: str
    conditions: str
    pictures: int | None
    seed: int
    concurrency: int
    max_tokens: int
    graph_tokens: int
    published: bool
    as_json: bool
    quiet: bool


def run_order(order: AuditOrder, experiment: Experiment) -> int:
    """Does it. The folder keeps every reply, so that the same command goes on after a stop."""
    from ....bench_data.building import DataSet
    from ....diagnostics.asking import ModelSilentError
    from ....diagnostics.auditing import AuditSettings, run_audit, summarise
    from ....diagnostics.auditing.files import ANSWERS, NUMBERS, PAGE, REPLIES, write_audit
    from ....tools.models import GenerationSettings
    from ...errors import ModelUnavailableError
    from ..data.progress import shown_progress

    data = DataSet(order.data)
    model = build_model(order.model, order.model_options)
    conditions = tuple(dict.fromkeys(word.strip() for word in order.conditions.split(",") if word.strip()))
    if not conditions:
        raise UsageError("--conditions is empty; name conditions of the data set, such as clean,haze-3")
    folder = order.out or Path(f"audit-{_slug(model.name)}")
    folder.mkdir(parents=True, exist_ok=True)
    settings = AuditSettings(
        suite=order.suite,
        conditions=conditions,
        most_pictures=order.pictures,
        seed=order.seed,
        concurrency=order.concurrency,
        answer=GenerationSettings(max_tokens=order.max_tokens),
        graph=GenerationSettings(max_tokens=order.graph_tokens),
    )
    with shown_progress() as show:
        tell = None if order.quiet else _as_build_progress(show)
        try:
            parts = asyncio.run(run_audit(model, data, experiment, settings, log=folder / REPLIES, on_progress=tell))
        except ModelSilentError as error:
            say(f"what was said so far is kept in {folder}; the same command goes on from there")
            raise ModelUnavailableError(model.name, error.fault) from error
    summaries = summarise(parts, seed=order.seed, scoring="published" if order.published else "sound")
    write_audit(folder, parts, summaries)
    if order.as_json:
        print(json.dumps([one.model_dump(mode="json") for one in summaries], ensure_ascii=False))
    else:
        from .tables import print_summaries

        print_summaries(summaries)
    say(f"page: {folder / PAGE}; numbers: {folder / NUMBERS}; every answer: {folder / ANSWERS}")
    return ExitCode.OK


def _as_build_progress(show: Callable[[BuildProgress], None]) -> Callable[[Progress], None]:
    """The progress line of builds, which serves for audits too."""
    from ....bench_data.building import Progress as BuildProgress

    return lambda progress: show(BuildProgress(progress.stage, progress.done, progress.total))


def _slug(name: str) -> str:
    """The name of a model as part of a folder's name."""
    return re.sub(r"[^a-zA-Z0-9._@-]+", "-", name).strip("-")[:80]
