"""Runs a plan on a cluster: the same engine, store, budget and stops as on one machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from ....bench_data.cluster import Cluster
from ..engine import run_calls
from ..engine_settings import EngineSettings, RunOutcome
from ..folder import RunFolder
from ..plan import Arm
from ..planning import PlannedRun
from ..progress import RunProgress
from .asker import ClusterAsker
from .recipe import ArmsRecipe

__all__ = ["run_on_cluster"]


async def run_on_cluster(
    planned: PlannedRun,
    arms: Mapping[str, Arm],
    folder: RunFolder,
    settings: EngineSettings | None = None,
    *,
    cluster: Cluster,
    recipe: ArmsRecipe,
    interrupted: asyncio.Event | None = None,
    on_progress: Callable[[RunProgress], None] | None = None,
    seed: int | None = None,
) -> RunOutcome:
    """Makes every call of a plan that the store has no reply to, on the workers of a cluster.

    The records, and so all results, are those of `run_calls`, whatever the number of workers; a run that was begun
    here goes on there, and the other way round. Workers need nothing of this machine's files: pictures are sent to
    them, and their records come back and are kept here.

    Args:
        planned, arms, folder, settings, interrupted, on_progress, seed: see `run_calls`. ``settings.slots`` holds for
            all workers together.
        cluster: that is connected, see `connected`.
        recipe: how workers make the models; they must be those of ``arms``.

    Raises:
        DiagnosticsError: as `run_calls`.
        ClusterError: the cluster is gone, or its workers cannot make the models.
    """
    settings = settings or EngineSettings()
    asker = ClusterAsker(planned, arms, folder, settings, cluster=cluster, recipe=recipe, seed=seed)
    try:
        return await run_calls(
            planned,
            arms,
            folder,
            settings,
            interrupted=interrupted,
            on_progress=on_progress,
            seed=seed,
            asker=asker,
        )
    finally:
        await asker.aclose()
