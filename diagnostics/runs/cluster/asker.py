"""ClusterAsker: makes the calls of a run on the workers of a cluster."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import math
from typing import TYPE_CHECKING, cast

from ....bench_data.cluster import Cluster, Crew, WorkLostError
from ....bench_data.errors import ClusterError
from ....tools.models import FaultKind
from ....tools.models.identity import server_of
from ....tools.models.retry import SystemClock
from ...errors import DiagnosticsError
from ..asking import Asked, call_record
from ..engine_settings import EngineSettings
from ..folder import RunFolder
from ..items import PictureRef
from ..paced_model import PacingState
from ..pacing import FIRST_LIMIT
from ..plan import Arm, Call
from ..planning import PlannedRun
from ..record import Spent, error_reply, record_of
from .admission import MirroredGate
from .pictures import PictureShelf
from .recipe import ArmsRecipe
from .turnstile import Turnstile, TurnstileState
from .worker import Answer, Order, QuestionWorker, call_as_sent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ray.actor import ActorHandle

__all__ = ["ClusterAsker"]

_LOOK_S = 0.1
"""Between two looks at the turnstile."""
_LOOKS_PER_ROUND = 5
"""Every so many looks, the workers are asked too how they are getting on."""
_TURNSTILE_CALLS = 100_000
"""At once; most of them wait for their turn."""


class ClusterAsker:
    """Hands calls to workers, and makes records of what they send.

    A call whose worker ends is made again. One that ends each worker that it is given to becomes a record of an error.
    The servers' limits are kept by one turnstile for all workers; who is handed out how much follows it.

    Args:
        planned: the run.
        arms: name of a model -> as it is here; only its server is looked at.
        folder: keeps the pictures.
        settings: of the engine.
        cluster: that is connected.
        recipe: how workers make the models.
        seed: of the jitter of pauses.
    """

    def __init__(
        self,
        planned: PlannedRun,
        arms: Mapping[str, Arm],
        folder: RunFolder,
        settings: EngineSettings,
        *,
        cluster: Cluster,
        recipe: ArmsRecipe,
        seed: int | None = None,
    ) -> None:
        plan = planned.plan
        self.state = PacingState()
        self._spaces = {arm.name: arm.space for arm in plan.settings.arms}
        names = dict.fromkeys(server_of(arms[name].leaf) for name in self._spaces)
        self._mirrors = {name: MirroredGate(most=settings.slots, first=FIRST_LIMIT) for name in names}
        self._slots = settings.slots
        self._cluster = cluster
        self._shelf = PictureShelf(folder.images if settings.keep_pictures else None)
        self._order = Order(
            recipe=recipe,
            settings=plan.settings,
            version=plan.versions["seeworthy"],
            retry=settings.retry,
            attempt_s=settings.attempt_s,
            prices=dict(settings.prices),
            seed=seed,
        ).model_dump_json()
        at_once = settings.slots * len(names)
        size = max(1, min(cluster.workers, at_once, plan.calls))
        self._room = math.ceil(at_once / size)
        self._crew = Crew(self._hire, self._made_ready, size=size, room=self._room, dismissed=self._dismiss)
        self._turnstile: ActorHandle[Turnstile] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._clock = SystemClock()

    @property
    def servers(self) -> Mapping[str, MirroredGate]:
        return self._mirrors

    async def ask(self, call: Call) -> Asked:
        """See `Asker`.

        Raises:
            ClusterError: the cluster is not up to it; the message says why.
        """
        sent = call.parts(self._spaces[call.arm])
        parcel = await self._shelf.parcel(part for part in sent if isinstance(part, PictureRef))
        plain = call_as_sent(call)

        async def work(worker: ActorHandle[QuestionWorker]) -> Answer:
            answer: Answer = await worker.ask.remote(plain, parcel)
            return answer

        try:
            answer = await self._crew.do(work)
        except WorkLostError as error:
            reply = error_reply(FaultKind.CRASHED, f"item {call.item.id}: {error}")
            return Asked(call_record(call, sent, reply, Spent(), self._clock.utc_now()), by_model=True)
        if "error" in answer:
            raise DiagnosticsError(answer["error"])
        return Asked(record_of(json.loads(answer["record"])), answer["by_model"])

    async def aclose(self) -> None:
        """Ends the workers and all that they do."""
        import ray
        from ray.exceptions import RayError

        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await self._crew.aclose()
        if self._turnstile is not None:
            with contextlib.suppress(RayError, RuntimeError):
                ray.kill(self._turnstile)
            self._turnstile = None

    def _hire(self, name: str) -> ActorHandle[QuestionWorker]:
        import ray

        if self._turnstile is None:
            self._turnstile = self._set_up()
            self._looking = asyncio.create_task(self._look())
        # Room for the looks beside the calls, or a full worker could not say how it is.
        options = {"num_cpus": 1, "num_gpus": self._cluster.gpus, "max_concurrency": self._room + 8}
        handle = ray.remote(QuestionWorker).options(**options).remote(name, self._turnstile)
        return cast("ActorHandle[QuestionWorker]", handle)

    def _set_up(self) -> ActorHandle[Turnstile]:
        """The turnstile stands beside this process, and starts anew if it falls."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        turnstile = (
            ray.remote(Turnstile)
            .options(
                num_cpus=0,
                max_concurrency=_TURNSTILE_CALLS,
                max_restarts=-1,
                max_task_retries=-1,
                scheduling_strategy=here,
            )
            .remote(list(self._mirrors), self._slots)
        )
        return cast("ActorHandle[Turnstile]", turnstile)

    async def _made_ready(self, worker: ActorHandle[QuestionWorker]) -> None:
        problem: str = await worker.prepare.remote(self._order)
        if problem:
            raise ClusterError(
                f"the models of this run cannot be made on the workers of the Ray cluster: {problem}; install there "
                "what is installed here, and set what the models need (API keys, PYTHONPATH) where `ray start` is run"
            )

    def _dismiss(self, name: str) -> None:
        if self._turnstile is not None:
            self._turnstile.bury.remote(name)

    async def _look(self) -> None:
        """Keeps what is known here of servers and workers up to date."""
        from ray.exceptions import RayError

        for number in itertools.count():
            # A worker that ends in this moment is the crew's business.
            with contextlib.suppress(RayError, TimeoutError):
                await self._look_once(workers_too=number % _LOOKS_PER_ROUND == 0)
            await asyncio.sleep(_LOOK_S)

    async def _look_once(self, *, workers_too: bool) -> None:
        if self._turnstile is None:
            return
        state: TurnstileState = await self._turnstile.state.remote()
        for server, (limit, pause_left_s) in state.items():
            self._mirrors[server].heard(limit, pause_left_s)
        if not workers_too:
            return
        async with asyncio.timeout(1.0):
            said = await asyncio.gather(*(_pacing(handle) for handle in self._crew.handles), return_exceptions=True)
        known = [one for one in said if not isinstance(one, BaseException)]
        self.state.retrying = sum(retrying for retrying, _ in known)
        self.state.last_fault = next((fault for _, fault in known if fault), self.state.last_fault)


async def _pacing(worker: ActorHandle[QuestionWorker]) -> tuple[int, str]:
    said: tuple[int, str] = await worker.pacing.remote()
    return said
