"""Crew: workers of a Ray cluster that take pieces of work, and are replaced when they end in the middle of one.

A piece whose worker ends is given to another. Which of several pieces ended a worker nobody can tell, so each of them
is then tried on a worker of its own; only a worker that ends there counts against its piece. So a piece that always
ends its worker is found out after a few tries, and takes no other with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from ..errors import ClusterError, SeeworthyError

if TYPE_CHECKING:
    from ray.actor import ActorHandle

__all__ = ["Crew", "WorkLostError"]

ResultT = TypeVar("ResultT")
ActorT = TypeVar("ActorT")

_ENDED_ALONE = 3
_FAILED_STARTS = 3
_FIRST_START_S = 300.0


class WorkLostError(ClusterError):
    """A piece of work ended its worker each time it was tried."""


@dataclass(eq=False)
class _Worker(Generic[ActorT]):
    """One process of the cluster.

    Attributes:
        under_way: pieces that it has now.
        is_reserved: for one piece alone.
        held_at_end: pieces that it had when it ended; None while it lives.
    """

    name: str
    handle: ActorHandle[ActorT]
    under_way: int = 0
    is_reserved: bool = False
    held_at_end: int | None = None


class Crew(Generic[ActorT]):
    """A number of workers; to be used in one event loop.

    Workers are hired at the first piece of work, and join it as the cluster has room for them.

    Args:
        hire: starts a worker of the name that it is given, another one each time.
        ready: waits until it is; raises a SeeworthyError for a worker that cannot do the work at all.
        size: how many workers.
        room: pieces of work that one has at once.
        dismissed: told the name of each worker that ended by itself in the middle of a piece.
    """

    def __init__(
        self,
        hire: Callable[[str], ActorHandle[ActorT]],
        ready: Callable[[ActorHandle[ActorT]], Awaitable[None]],
        *,
        size: int,
        room: int = 1,
        dismissed: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._hire = hire
        self._ready = ready
        self._size = size
        self._room = room
        self._dismissed = dismissed
        self._workers: list[_Worker[ActorT]] = []
        self._starting: dict[asyncio.Task[None], ActorHandle[ActorT]] = {}
        self._failed_starts = 0
        self._failure: SeeworthyError | None = None
        self._short: ClusterError | None = None
        self._changed = asyncio.Condition()
        self._numbers = itertools.count()
        self._begun = False
        self._ever_ready = False

    @property
    def handles(self) -> list[ActorHandle[ActorT]]:
        """The workers that are ready."""
        return [worker.handle for worker in self._workers]

    async def do(self, work: Callable[[ActorHandle[ActorT]], Awaitable[ResultT]]) -> ResultT:
        """Has a piece of work done, by one worker after another if need be.

        Args:
            work: asks the worker that it is given.

        Raises:
            WorkLostError: it ended its worker each time.
            ClusterError: no worker can be started, or one met a fault of ours.
            SeeworthyError: what ``ready`` raised.
        """
        self._begin()
        ended_alone = 0
        suspected = False
        while True:
            alone = suspected
            worker = await self._taken(alone=alone)
            try:
                return await work(worker.handle)
            except Exception as error:
                reason = _reason_of_end(error)
                if reason is None:
                    told = _told(error)
                    if told is error:
                        raise
                    raise told from error
                ended_alone += self._buried(worker) == 1
                if ended_alone >= _ENDED_ALONE:
                    raise WorkLostError(
                        f"its worker ended each of the {ended_alone} times that it was tried alone: {reason}"
                    ) from error
                suspected = True
            finally:
                await self._given_back(worker, alone=alone)

    async def aclose(self) -> None:
        """Ends all workers, whatever they do."""
        import ray

        starting, self._starting = dict(self._starting), {}
        for task in starting:
            task.cancel()
        await asyncio.gather(*starting, return_exceptions=True)
        handles = [*starting.values(), *self.handles]
        self._workers.clear()
        self._failure = self._failure or ClusterError("the crew was sent home")
        for handle in handles:
            # The connection may be gone, and the workers with it.
            with contextlib.suppress(ray.exceptions.RayError, RuntimeError):
                ray.kill(handle)

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        for _ in range(self._size):
            self._start_one()

    def _start_one(self) -> None:
        from ray.exceptions import RayError

        try:
            name = f"worker-{next(self._numbers)}"
            handle = self._hire(name)
        except (RayError, ConnectionError) as error:
            self._short = ClusterError(f"no worker can be hired: {_told(error)}")
            return
        task = asyncio.create_task(self._join(name, handle))
        self._starting[task] = handle

    async def _join(self, name: str, handle: ActorHandle[ActorT]) -> None:
        """Takes a worker in when it is ready; hires another when it ends before."""
        try:
            await self._ready(handle)
        except SeeworthyError as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001 - whatever it was, whoever waits for a worker must hear of it
            reason = _reason_of_end(error)
            self._failed_starts += 1
            if reason is None:
                self._failure = ClusterError(f"a worker cannot be made ready: {_told(error)}")
            elif self._failed_starts >= _FAILED_STARTS:
                self._short = ClusterError(
                    f"{self._failed_starts} workers of the Ray cluster ended before they were ready: {reason}; Ray's "
                    "log files on their machines say more"
                )
            else:
                self._start_one()
        else:
            self._failed_starts, self._short = 0, None
            self._ever_ready = True
            self._workers.append(_Worker(name, handle))
        task = asyncio.current_task()
        if task is not None:
            self._starting.pop(task, None)
        async with self._changed:
            self._changed.notify_all()

    async def _taken(self, *, alone: bool) -> _Worker[ActorT]:
        """A worker with room; or one to be alone on, once what it has is done."""
        reserved: _Worker[ActorT] | None = None
        async with self._changed:
            try:
                while True:
                    self._check_hope()
                    if alone:
                        if reserved is None or reserved.held_at_end is not None:
                            reserved = self._reserved()
                        if reserved is not None and reserved.under_way == 0:
                            reserved.under_way = 1
                            return reserved
                    else:
                        worker = min(self._with_room(), key=lambda one: one.under_way, default=None)
                        if worker is not None:
                            worker.under_way += 1
                            return worker
                    await self._wait()
            except BaseException:
                if reserved is not None:
                    reserved.is_reserved = False
                raise

    def _check_hope(self) -> None:
        """A crew that cannot be made whole again works on with whom it has, and ends when nobody is left."""
        if self._failure is not None:
            raise self._failure
        if self._short is not None and not self._workers and not self._starting:
            raise self._short

    async def _wait(self) -> None:
        if self._ever_ready:
            await self._changed.wait()
            return
        try:
            async with asyncio.timeout(_FIRST_START_S):
                await self._changed.wait()
        except TimeoutError:
            raise ClusterError(
                f"no worker could start within {_FIRST_START_S:.0f} s; `ray status` shows what the cluster is busy "
                "with; wait for it, or ask for less"
            ) from None

    def _with_room(self) -> Iterator[_Worker[ActorT]]:
        return (worker for worker in self._workers if not worker.is_reserved and worker.under_way < self._room)

    def _reserved(self) -> _Worker[ActorT] | None:
        free = (worker for worker in self._workers if not worker.is_reserved)
        worker = min(free, key=lambda one: one.under_way, default=None)
        if worker is not None:
            worker.is_reserved = True
        return worker

    def _buried(self, worker: _Worker[ActorT]) -> int:
        """How many pieces the worker had when it ended; the first who asks sees to its replacement."""
        import ray

        if worker.held_at_end is None:
            worker.held_at_end = worker.under_way
            if worker in self._workers:
                self._workers.remove(worker)
            # It may live on behind a broken connection; its work is done again elsewhere.
            with contextlib.suppress(ray.exceptions.RayError, RuntimeError):
                ray.kill(worker.handle)
            self._dismissed(worker.name)
            if self._failure is None:
                self._start_one()
        return worker.held_at_end

    async def _given_back(self, worker: _Worker[ActorT], *, alone: bool) -> None:
        worker.under_way -= 1
        if alone:
            worker.is_reserved = False
        async with self._changed:
            self._changed.notify_all()


def _reason_of_end(error: Exception) -> str | None:
    """Why a worker is gone; None for an error that says nothing of the kind."""
    from ray import exceptions

    if isinstance(error, exceptions.RayTaskError):
        return None  # it lives: this is what it raised, whatever else that is
    if isinstance(error, exceptions.OutOfMemoryError):
        return "its machine ran out of memory"
    if isinstance(error, exceptions.NodeDiedError):
        return "its machine is gone"
    gone = (
        exceptions.RayActorError,
        exceptions.WorkerCrashedError,
        exceptions.ObjectLostError,
        exceptions.LocalRayletDiedError,
    )
    return "its process ended" if isinstance(error, gone) else None


def _told(error: Exception) -> Exception:
    """The error in words for people; those that are of our own stay as they are."""
    from ray.exceptions import RayError, RayTaskError

    if isinstance(error, RayTaskError):
        cause = error.cause
        return ClusterError(
            f"a worker met a fault that it does not know: {type(cause).__name__}: {cause}; the same command goes on "
            "from where it stopped"
        )
    if isinstance(error, RayError):
        return ClusterError(f"Ray failed: {' '.join(str(error).split())}; the same command goes on")
    return error
