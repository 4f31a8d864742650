"""ClusterWorkers: hands scenes to the workers of a cluster, and writes the files that they send."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from ...cluster import Cluster, Crew, WorkLostError
from ...errors import BenchDataError, ClusterError
from ..manifest import versions_here
from ..output import Output
from ..scene_work import Finished, Stage, mark_numbers_for
from ..settings import BuildSettings, SceneSpec
from .worker import MadeUnit, SceneWorker

if TYPE_CHECKING:
    from ray.actor import ActorHandle

__all__ = ["ClusterWorkers"]

_UNITS_AHEAD = 4
"""So many units a worker makes before the first of them is written."""


class ClusterWorkers:
    """Workers of a cluster for the length of a ``with`` block, see `SceneWorkers`.

    What a worker that ends has sent is kept; the rest of its scene is made by another.

    Args:
        settings: of the data set.
        root: its folder, here.
        cluster: that is connected.
    """

    def __init__(self, settings: BuildSettings, root: Path, cluster: Cluster) -> None:
        self._settings = settings
        self._root = root
        self._cluster = cluster
        self._size = min(cluster.workers, settings.scenes)
        self._versions = versions_here()
        # One event loop for all stages, for workers stay from one to the next.
        self._runner = asyncio.Runner()
        self._crew = Crew(self._hire, self._made_ready, size=self._size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._runner:
            self._runner.run(self._crew.aclose())

    def run(
        self, stage: Stage, specs: Sequence[SceneSpec], done: Mapping[str, Collection[str]], finished: Finished
    ) -> None:
        """See `SceneWorkers`.

        Raises:
            BenchDataError: a scene could not be made, or written.
            ClusterError: the cluster is gone, or its workers cannot do this work.
        """
        if specs:
            self._runner.run(self._run(stage, specs, done, finished))

    async def _run(
        self, stage: Stage, specs: Sequence[SceneSpec], done: Mapping[str, Collection[str]], finished: Finished
    ) -> None:
        waiting = deque(specs)

        async def one_after_another() -> None:
            while waiting:
                spec = waiting.popleft()
                await self._make(stage, spec, set(done.get(spec.id, ())), finished)

        tasks = [asyncio.create_task(one_after_another()) for _ in range(min(self._size, len(specs)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(self, stage: Stage, spec: SceneSpec, done: set[str], finished: Finished) -> None:
        output = Output(self._root)
        numbers = mark_numbers_for(stage, self._settings, self._root, spec.id)

        async def work(worker: ActorHandle[SceneWorker]) -> None:
            units: AsyncIterator[Awaitable[MadeUnit]] = worker.make.options(
                num_returns="streaming", _generator_backpressure_num_objects=_UNITS_AHEAD
            ).remote(stage, spec.model_dump_json(), numbers, sorted(done))
            async for coming in units:
                made = await coming
                if "error" in made:
                    raise BenchDataError(f"scene {spec.id}: {made['error']}")
                for name, data in made["files"].items():
                    output.write(name, data)
                finished(made["unit"], output.taken())
                done.add(made["unit"])

        while True:
            before = len(done)
            try:
                return await self._crew.do(work)
            except WorkLostError as error:
                # Workers that end now and then are no reason to stop while there is progress.
                if len(done) == before:
                    raise BenchDataError(
                        f"scene {spec.id} cannot be made: {error}; if memory runs out, fewer workers a machine leave "
                        "more to each"
                    ) from error

    def _hire(self, name: str) -> ActorHandle[SceneWorker]:
        import ray

        handle = ray.remote(SceneWorker).options(num_cpus=1, num_gpus=self._cluster.gpus).remote()
        return cast("ActorHandle[SceneWorker]", handle)

    async def _made_ready(self, worker: ActorHandle[SceneWorker]) -> None:
        problem: str = await worker.prepare.remote(self._settings.model_dump_json(), self._versions)
        if problem:
            raise ClusterError(
                f"the workers of the Ray cluster cannot build this data set: {problem}; install the same versions there"
            )
