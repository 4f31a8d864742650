"""Puts many requests to one model, so many at a time, and stops where going on is pointless. Nothing is lost by a stop.

Requests are made only when their turn comes, so that a run over thousands of pictures holds a handful of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...tools.models import Fault, FaultKind, Reply, ReplyStatus, Request, VisionLanguageModel
from ..errors import DiagnosticsError
from .replies_kept import KeptReplies

__all__ = ["Ask", "Asked", "ModelSilentError", "ask_all"]

_HOPELESS = (FaultKind.AUTHENTICATION, FaultKind.QUOTA)
PATIENCE = 8
"""After so many failed calls in a row the model counts as gone."""


class ModelSilentError(DiagnosticsError):
    """The model gave no reply. What was said so far is kept; the same run goes on from there.

    Attributes:
        fault: what the last call met.
    """

    def __init__(self, model: str, fault: Fault) -> None:
        super().__init__(f"{model} gave no reply ({fault.kind.value}): {fault.message}")
        self.fault = fault


@dataclass(frozen=True)
class Ask:
    """Something to ask.

    Args:
        id: unique in a run.
        make: makes the request.
        then: makes a second request out of the reply to the first, in a chain of two; None for one request.
    """

    id: str
    make: Callable[[], Request]
    then: Callable[[Reply], Request] | None = None


@dataclass(frozen=True)
class Asked:
    """What came of it: one reply a request; of a chain whose first call failed only that one."""

    id: str
    replies: tuple[Reply, ...]

    @property
    def last(self) -> Reply:
        """The reply that holds the answer."""
        return self.replies[-1]


async def ask_all(
    model: VisionLanguageModel,
    asks: Iterable[Ask],
    *,
    log: Path | None = None,
    concurrency: int = 8,
    on_asked: Callable[[Asked], None] | None = None,
) -> dict[str, Asked]:
    """Asks a model everything.

    Args:
        asks: gone through once, in order, as places get free.
        log: the file in which every reply is kept before it is used; requests that it answers are not made again.
        concurrency: requests under way at a time, at least 1.
        on_asked: told of each as it is done, in any order.

    Returns:
        id -> what came of it, in the order of ``asks``.

    Raises:
        ModelSilentError: the model refuses all calls, or `PATIENCE` calls in a row failed.
        DiagnosticsError: an id twice, the log belongs to another model, or no place to ask.
    """
    if concurrency < 1:
        raise DiagnosticsError(f"concurrency must be at least 1, got {concurrency}")
    run = _Run(model.name, KeptReplies(model, log), on_asked)
    waiting = iter(asks)
    workers = [asyncio.create_task(run.work(waiting)) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return {name: done for name in run.order if (done := run.done.get(name)) is not None}


class _Run:
    def __init__(self, model: str, replies: KeptReplies, on_asked: Callable[[Asked], None] | None) -> None:
        self._model = model
        self._replies = replies
        self._on_asked = on_asked
        self._failed_in_a_row = 0
        self.order: dict[str, None] = {}
        self.done: dict[str, Asked] = {}

    async def work(self, waiting: Iterator[Ask]) -> None:
        for ask in waiting:
            if ask.id in self.order:
                raise DiagnosticsError(f"{ask.id!r} is asked twice; every ask needs an id of its own")
            self.order[ask.id] = None
            asked = await self._ask(ask)
            self.done[ask.id] = asked
            if self._on_asked is not None:
                self._on_asked(asked)

    async def _ask(self, ask: Ask) -> Asked:
        first = await self._reply(ask.make())
        if ask.then is None or first.status is ReplyStatus.ERROR:
            return Asked(ask.id, (first,))
        return Asked(ask.id, (first, await self._reply(ask.then(first))))

    async def _reply(self, request: Request) -> Reply:
        reply = await self._replies.reply(request)
        if reply.status is not ReplyStatus.ERROR or reply.fault is None:
            self._failed_in_a_row = 0
            return reply
        self._failed_in_a_row += 1
        if reply.fault.kind in _HOPELESS or self._failed_in_a_row >= PATIENCE:
            raise ModelSilentError(self._model, reply.fault)
        return reply
