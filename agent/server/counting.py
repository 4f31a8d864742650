"""Counts the calls and tokens of one request, however many calls the solver makes for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ...tools.models import Capabilities, Reply, ReplyStatus, Request, VisionLanguageModel

__all__ = ["CountingModel", "Ledger", "counted"]


@dataclass
class Ledger:
    """What was asked of the model. A sum of tokens is None as soon as one reply did not say: unknown is unknown."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    reasoning_tokens: int = 0

    def add(self, reply: Reply) -> None:
        """Counts a reply; failed calls are not paid for."""
        if reply.status is ReplyStatus.ERROR:
            return
        self.calls += 1
        usage = reply.usage
        self.input_tokens = _sum(self.input_tokens, usage.input_tokens)
        self.output_tokens = _sum(self.output_tokens, usage.output_tokens)
        self.reasoning_tokens += usage.reasoning_tokens or 0


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


_LEDGER: ContextVar[Ledger | None] = ContextVar("seeworthy_request_ledger", default=None)


@contextmanager
def counted() -> Iterator[Ledger]:
    """Counts every call that is made inside, also in tasks that are started inside."""
    ledger = Ledger()
    token = _LEDGER.set(ledger)
    try:
        yield ledger
    finally:
        _LEDGER.reset(token)


class CountingModel:
    """Passes on what a model says and enters it into the ledger of the request."""

    def __init__(self, model: VisionLanguageModel) -> None:
        self.inner = model

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def capabilities(self) -> Capabilities:
        return self.inner.capabilities

    async def reply(self, request: Request) -> Reply:
        """The model's reply, unchanged."""
        reply = await self.inner.reply(request)
        ledger = _LEDGER.get()
        if ledger is not None:
            ledger.add(reply)
        return reply
