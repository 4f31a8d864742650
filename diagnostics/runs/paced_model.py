"""PacedModel: a model whose calls are paced with all others to its server, made again when they fail, and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from pydantic import BaseModel

from ...tools.errors import ModelError
from ...tools.models import Capabilities, Fault, FaultKind, Reply, ReplyStatus, Request, VisionLanguageModel
from ...tools.models.identity import server_of
from ...tools.models.prices import Price
from ...tools.models.retry import Clock, RetryPolicy, SystemClock, next_pause
from .pacing import Gate
from .plausible import plausible_reply
from .record import Spent, error_reply

__all__ = ["LEDGER", "PacedModel", "PacingState", "fault_words", "price_of"]

LEDGER: ContextVar[Spent | None] = ContextVar("seeworthy_run_ledger", default=None)
"""What the question that is being asked has spent so far; set by whoever asks it, in its task."""

_PASSING = (FaultKind.RATE_LIMIT, FaultKind.SERVER, FaultKind.CONNECTION, FaultKind.TIMEOUT)
_BUSY_STATUSES = (429, 503, 529)


@dataclass
class PacingState:
    """What the progress line shows of all models together."""

    retrying: int = 0
    last_fault: str = ""


@dataclass(frozen=True)
class PacedModel:
    """Passes calls on, one attempt at a time.

    A failed attempt that may succeed later is made again after a pause with full jitter, never before the time that
    the server named. While it waits it holds no slot. What the server answers decides how many calls it gets at once.

    Args:
        model: who answers. Its own retries should be off (``max_attempts=1``), or waiting calls keep their slots.
        gate: of the model's server.
        policy: how patient to be.
        rng: for the jitter, which decides no result.
        state: gets what is going on.
        clock: for waiting.
        price: of the model, where it does not say itself what a call costs.
        attempt_s: an attempt that takes longer is given up.
    """

    model: VisionLanguageModel
    gate: Gate
    policy: RetryPolicy
    rng: np.random.Generator
    state: PacingState = field(default_factory=PacingState)
    clock: Clock = field(default_factory=SystemClock)
    price: Price | None = None
    attempt_s: float = 900.0

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def capabilities(self) -> Capabilities:
        return self.model.capabilities

    @property
    def options(self) -> BaseModel | None:
        """The model's, so that it is known as the same one."""
        options = getattr(self.model, "options", None)
        return options if isinstance(options, BaseModel) else None

    @property
    def versions(self) -> Mapping[str, str] | None:
        versions = getattr(self.model, "versions", None)
        return versions if isinstance(versions, Mapping) else None

    @property
    def base_url(self) -> str:
        """Or the model's name, for one without a server; so `server_of` says the same of both."""
        return server_of(self.model)

    async def reply(self, request: Request) -> Reply:
        """The model's reply, or the last failure with all that was tried in its notes."""
        began_s = self.clock.monotonic_s()
        failed: list[str] = []
        attempts = 0
        while True:
            reply = await self._attempt(request)
            attempts += reply.attempts
            fault = reply.fault
            if fault is None or reply.status is not ReplyStatus.ERROR:
                self._count(reply)
                return self._told(reply, failed, attempts, began_s)
            self.state.last_fault = fault_words(fault)
            if not fault.retryable or fault.kind not in _PASSING:
                return self._told(reply, failed, attempts, began_s)
            failed.append(f"HTTP {fault.http_status}" if fault.http_status else fault.kind.value)
            pause = next_pause(
                self.policy,
                failures=len(failed),
                elapsed_s=self.clock.monotonic_s() - began_s,
                asked_s=fault.retry_after_s,
                rng=self.rng,
            )
            if pause.wait_s is None:
                told = fault.model_copy(update={"message": f"{fault.message}; {pause.give_up}"})
                return self._told(reply.model_copy(update={"fault": told}), failed, attempts, began_s)
            await self._wait(pause.wait_s)

    async def _attempt(self, request: Request) -> Reply:
        call_began_s = await self.gate.enter()
        try:
            async with asyncio.timeout(self.attempt_s):
                reply = plausible_reply(await self.model.reply(request))
        except TimeoutError:
            reply = error_reply(FaultKind.TIMEOUT, f"{self.name}: no reply within {self.attempt_s:g} s", retryable=True)
        except ModelError as error:
            reply = error_reply(FaultKind.BAD_REQUEST, str(error))
        except Exception as error:  # noqa: BLE001 - a user's model may raise anything; the reply reports it
            reply = error_reply(FaultKind.CRASHED, f"{self.name} raised {type(error).__name__}: {error}")
        finally:
            self.gate.leave()
        if _is_busy(reply.fault):
            asked_s = None if reply.fault is None else reply.fault.retry_after_s
            # Nobody waits for a server that asks for more patience than there is: the run is stopped instead.
            within = asked_s is not None and asked_s < self.policy.deadline_s
            self.gate.overloaded(call_began_s, asked_s if within else None)
        elif reply.status is not ReplyStatus.ERROR:
            self.gate.succeeded()
        return reply

    async def _wait(self, seconds: float) -> None:
        self.state.retrying += 1
        try:
            await self.clock.sleep(seconds)
        finally:
            self.state.retrying -= 1

    def _count(self, reply: Reply) -> None:
        ledger = LEDGER.get()
        if ledger is None:
            return
        usage = reply.usage
        cost = self._cost_usd(reply)
        ledger.calls += 1
        ledger.input_tokens += usage.input_tokens or 0
        ledger.output_tokens += usage.output_tokens or 0
        ledger.usd += cost or 0.0
        ledger.unpriced += cost is None

    def _cost_usd(self, reply: Reply) -> float | None:
        if reply.cost_usd is None and self.price is not None:
            return self.price.cost_usd(reply.usage)
        return reply.cost_usd

    def _told(self, reply: Reply, failed: list[str], attempts: int, began_s: float) -> Reply:
        """The reply with what the failed attempts add to it, and its price."""
        changes: dict[str, object] = {}
        if failed:
            changes = {
                "attempts": attempts,
                "latency_s": self.clock.monotonic_s() - began_s,
                "notes": (*reply.notes, f"failed attempts: {', '.join(failed)}"),
            }
        if reply.cost_usd is None and self.price is not None:
            changes["cost_usd"] = self._cost_usd(reply)
        return reply.model_copy(update=changes) if changes else reply


def fault_words(fault: Fault) -> str:
    """A fault on one line."""
    return f"{fault.kind.value}: {' '.join(fault.message.split())}"


def price_of(model: VisionLanguageModel, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model: by its whole name, by what the server calls it, or as its own options have it.

    Args:
        prices: such as ``{"gpt-4o": Price(...)}`` or ``{"openai/gpt-4o": Price(...)}``.
    """
    own = getattr(getattr(model, "options", None), "prices", None)
    tables = (prices, own if isinstance(own, Mapping) else {})
    without_url = model.name.partition("@http")[0]
    names = (model.name, without_url, without_url.partition("/")[2])
    return next((table[name] for table in tables for name in names if name in table), None)


def _is_busy(fault: Fault | None) -> bool:
    if fault is None or not fault.retryable:
        return False
    return fault.kind in (FaultKind.RATE_LIMIT, FaultKind.TIMEOUT) or fault.http_status in _BUSY_STATUSES
