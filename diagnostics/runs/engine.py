"""The engine: makes the calls of a plan that have no reply yet, many at once, and keeps each reply before it counts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ...tools.models import Fault, FaultKind, GenerationSettings, Reply, ReplyStatus
from ...tools.models.identity import server_of
from ...tools.models.retry import Clock, SystemClock
from ..errors import DiagnosticsError
from .asking import Admission, Asked, Asker, LocalAsker
from .budget import Meter
from .engine_settings import EngineSettings, RunOutcome, StopReason
from .folder import RunFolder
from .images import PictureLoader
from .paced_model import fault_words, price_of
from .pacing import ServerGate
from .plan import Arm, Call
from .planning import PlannedRun
from .progress import RunProgress
from .record import Spent
from .resume import Stored, read_stored
from .store import RecordWriter, mend_end

__all__ = ["run_calls"]

_HOPELESS = (FaultKind.AUTHENTICATION, FaultKind.QUOTA)
_TICK_S = 0.25
_PAID_S = 60.0
"""How long calls under way may go on when the money is used up: they are paid already."""


async def run_calls(
    planned: PlannedRun,
    arms: Mapping[str, Arm],
    folder: RunFolder,
    settings: EngineSettings | None = None,
    *,
    interrupted: asyncio.Event | None = None,
    on_progress: Callable[[RunProgress], None] | None = None,
    clock: Clock | None = None,
    seed: int | None = None,
    asker: Asker | None = None,
) -> RunOutcome:
    """Makes every call of a plan that the store has no reply to. What it has is not asked again.

    Args:
        planned: with the pictures at hand.
        arms: model name -> who is asked.
        folder: begun, see `RunFolder.begun`.
        interrupted: set from outside to end the run; what is under way gets a moment to finish.
        on_progress: told a few times a second.
        seed: of the jitter of pauses; None draws one from the system, as it should be outside tests.
        asker: makes the calls; None for this process. It is closed at the end.

    Raises:
        DiagnosticsError: a record cannot be written, the store is damaged, an arm of the plan is missing, or the run
            was imported and cannot be asked again.
    """
    missing = [arm.name for arm in planned.plan.settings.arms if arm.name not in arms]
    if missing:
        raise DiagnosticsError(f"the plan asks {missing[0]!r}, which is not among the models given")
    generation = planned.plan.settings.decoding
    mend_end(folder.records)
    settings = settings or EngineSettings()
    clock = clock or SystemClock()
    prices = {name: price_of(arm.leaf, settings.prices) for name, arm in arms.items()}
    stored = read_stored(folder.records, prices)
    asker = asker or _local_asker(planned, arms, folder, settings, generation, clock, seed)
    async with RecordWriter(folder.records) as writer:
        run = _Run(planned, arms, settings, stored, writer, clock, asker)
        return await run.run(interrupted or asyncio.Event(), on_progress)


def _local_asker(
    planned: PlannedRun,
    arms: Mapping[str, Arm],
    folder: RunFolder,
    settings: EngineSettings,
    generation: GenerationSettings,
    clock: Clock,
    seed: int | None,
) -> LocalAsker[ServerGate]:
    planned_arms = {arm.name: arm for arm in planned.plan.settings.arms}
    servers = dict.fromkeys(server_of(arms[name].leaf) for name in planned_arms)
    return LocalAsker(
        planned_arms,
        arms,
        gates={server: ServerGate(most=settings.slots, clock=clock) for server in servers},
        pictures=PictureLoader(folder.images if settings.keep_pictures else None),
        generation=generation,
        retry=settings.retry,
        attempt_s=settings.attempt_s,
        prices=settings.prices,
        solver=folder.solver,
        clock=clock,
        rng=np.random.default_rng(seed),
    )


class _Run:
    """One start of a run."""

    def __init__(
        self,
        planned: PlannedRun,
        arms: Mapping[str, Arm],
        settings: EngineSettings,
        stored: Stored,
        writer: RecordWriter,
        clock: Clock,
        asker: Asker,
    ) -> None:
        self._settings = settings
        self._writer = writer
        self._clock = clock
        self._began_s = clock.monotonic_s()
        self._asker = asker
        self._gates = asker.servers
        unique = {call.key: call for call in planned.calls}
        self._total = len(unique)
        self._done = self._done_before = sum(key in stored.done for key in unique)
        self._queues: dict[str, deque[Call]] = {server: deque() for server in self._gates}
        for key, call in unique.items():
            if key not in stored.done:
                self._queues[server_of(arms[call.arm].leaf)].append(call)
        self._meter = Meter(
            settings.budget, before=stored.spent, finished_before=len(stored.done), expected=settings.expected
        )
        self._counts_money = settings.budget.usd is not None or settings.budget.tokens is not None
        self._unwritten: BaseException | None = None
        self._asked = self._failed = self._failed_in_a_row = 0
        self._stop: tuple[StopReason, str] | None = None
        self._finish_s = 0.0
        self._stopped = asyncio.Event()

    async def run(self, interrupted: asyncio.Event, on_progress: Callable[[RunProgress], None] | None) -> RunOutcome:
        watchers = [asyncio.create_task(self._watch(interrupted))]
        if on_progress is not None:
            watchers.append(asyncio.create_task(self._tick(on_progress)))
        workers = [
            asyncio.create_task(self._work(place, self._gates[server], queue))
            for server, queue in self._queues.items()
            for place in range(min(self._settings.slots, len(queue)))
        ]
        try:
            await self._until_done(workers)
        finally:
            for task in (*workers, *watchers):
                task.cancel()
            await asyncio.gather(*workers, *watchers, return_exceptions=True)
            await self._asker.aclose()
        if on_progress is not None:
            on_progress(self._progress())
        reason, detail = self._stop or (StopReason.FINISHED, "")
        return RunOutcome(reason, detail, self._asked, self._failed, self._total - self._done, self._meter.spent)

    async def _until_done(self, workers: list[asyncio.Task[None]]) -> None:
        """Returns when all is asked, or when the run was stopped and calls under way had their time to finish.

        Raises:
            DiagnosticsError: what a worker met, or a record that could not be written.
        """
        if not workers:
            return
        stopping = asyncio.create_task(self._stopped.wait())
        waiting = set(workers)
        try:
            while waiting and not self._stopped.is_set():
                await asyncio.wait({*waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
                ended = {worker for worker in waiting if worker.done()}
                for worker in ended:
                    worker.result()
                waiting -= ended
            if waiting and self._unwritten is None:
                ended, _ = await asyncio.wait(waiting, timeout=self._finish_s)
                for worker in ended:
                    worker.result()
            if self._unwritten is not None:
                raise self._unwritten
        finally:
            stopping.cancel()

    async def _work(self, place: int, gate: Admission, queue: deque[Call]) -> None:
        """Asks one call after the other; while a record is written to the disk, the next call is under way already.

        No more than one: with a disk that hangs, little is paid for in vain.
        """
        on_its_way: asyncio.Future[None] | None = None
        while await self._may_ask(place, gate, queue):
            earlier, on_its_way = on_its_way, await self._ask(queue.popleft())
            if earlier is not None:
                await earlier
        if on_its_way is not None:
            await on_its_way

    async def _may_ask(self, place: int, gate: Admission, queue: deque[Call]) -> bool:
        await gate.admitted(place)
        if not queue or self._stop is not None:
            gate.open_to_all()
            return False
        spent_up = self._meter.exhausted()
        if spent_up is not None:
            # What is under way was meant to be paid, too.
            self._end(StopReason.BUDGET, spent_up, finish_s=_PAID_S)
            return False
        return True

    async def _ask(self, call: Call) -> asyncio.Future[None]:
        """Makes a call; what is returned is done when its record is on the disk and counted."""
        self._meter.under_way += 1
        try:
            asked = await self._asker.ask(call)
            written = self._writer.put(asked.record)
            written.add_done_callback(partial(self._written, asked))
            # Whether there is to be a next call depends on what failed and on what was paid, so that is counted first.
            if self._counts_money or not asked.record.is_done:
                await written
        finally:
            self._meter.under_way -= 1
        return written

    def _written(self, asked: Asked, written: asyncio.Future[None]) -> None:
        if written.cancelled():
            return
        error = written.exception()
        if error is None:
            self._count(asked.record.reply, asked.record.spent, by_model=asked.by_model)
        else:
            # Its worker may be waiting for the next reply, and nobody may go on without a store.
            self._unwritten = error
            self._stopped.set()

    def _count(self, reply: Reply, ledger: Spent, *, by_model: bool) -> None:
        self._asked += 1
        self._meter.finish(ledger)
        if reply.status is not ReplyStatus.ERROR:
            self._done += 1
            self._failed_in_a_row = 0
            return
        self._failed += 1
        fault = reply.fault or Fault(kind=FaultKind.CRASHED, message="no reason given", retryable=False)
        self._asker.state.last_fault = fault_words(fault)
        if not by_model:
            return
        self._failed_in_a_row += 1
        if fault.kind in _HOPELESS or (fault.retry_after_s or 0.0) >= self._settings.retry.deadline_s:
            self._end(StopReason.REFUSED, fault_words(fault))
        elif self._failed_in_a_row >= self._settings.patience:
            self._end(
                StopReason.SILENT, f"{self._failed_in_a_row} calls in a row failed; the last: {fault_words(fault)}"
            )

    def _end(self, reason: StopReason, detail: str, *, finish_s: float = 1.5) -> None:
        """Ends the run; calls under way may take ``finish_s`` seconds more."""
        if self._stop is None:
            self._stop = (reason, detail)
            self._finish_s = finish_s
        self._stopped.set()
        for gate in self._gates.values():
            gate.open_to_all()

    async def _watch(self, interrupted: asyncio.Event) -> None:
        seconds = self._settings.budget.seconds
        try:
            async with asyncio.timeout(seconds):
                await interrupted.wait()
        except TimeoutError:
            self._end(StopReason.BUDGET, f"the budget of {seconds:g} s is used up; give the command again to go on")
        else:
            self._end(StopReason.INTERRUPTED, "interrupted")

    async def _tick(self, on_progress: Callable[[RunProgress], None]) -> None:
        while True:
            on_progress(self._progress())
            await asyncio.sleep(_TICK_S)

    def _progress(self) -> RunProgress:
        gates = self._gates.values()
        return RunProgress(
            total=self._total,
            done=self._done,
            failed=self._failed,
            running=self._meter.under_way,
            retrying=self._asker.state.retrying,
            waiting_s=max((gate.pause_left_s for gate in gates), default=0.0),
            limit=sum(gate.limit for gate in gates),
            last_fault=self._asker.state.last_fault,
            spent=self._meter.spent.model_copy(),
            elapsed_s=self._clock.monotonic_s() - self._began_s,
            done_before=self._done_before,
        )
