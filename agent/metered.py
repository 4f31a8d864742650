"""A model as the stages call it: never raising, never waited for beyond the budget, and never paid twice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ..tools.models import (
    Capabilities,
    Fault,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
)
from ..tools.models.fingerprint import request_fingerprint
from .context import SolverContext, call_key, model_identity, reply_cache
from .errors import SolverError

__all__ = ["Call", "MeteredModel"]


@dataclass(frozen=True)
class Call:
    """One call: whether this run paid for it, now or before it was interrupted, and what it cost."""

    paid: bool
    cost_usd: float | None
    from_cache: bool


@dataclass
class MeteredModel:
    """Wraps a model for one stage. ``calls`` lists what was asked through it.

    A reply is kept in the run's call cache by everything that decides it, with the name of the run that paid. A failed
    call is neither kept nor counted as paid.
    """

    context: SolverContext
    calls: list[Call] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.context.model.name

    @property
    def capabilities(self) -> Capabilities:
        return self.context.model.capabilities

    async def reply(self, request: Request) -> Reply:
        """The model's reply, an earlier one to the very same request, or an error reply."""
        context = self.context
        model = context.model
        key = call_key("reply", model=model_identity(model), request=request_fingerprint(request))
        cache = reply_cache(context)
        stored = cache.get(key)
        if stored is not None:
            try:
                reply = Reply.model_validate(stored["reply"])
            except (KeyError, ValueError) as error:
                raise SolverError(
                    f"the kept call {key} is damaged ({type(error).__name__}); delete it to make the call again"
                ) from error
            self.calls.append(Call(stored.get("run") == context.run, reply.cost_usd, from_cache=True))
            return reply
        reply = await _shielded(model, request, context.budget.call_seconds)
        if reply.status is not ReplyStatus.ERROR:
            cache.put(key, {"run": context.run, "reply": reply.model_dump(mode="json")})
        self.calls.append(Call(reply.status is not ReplyStatus.ERROR, reply.cost_usd, from_cache=False))
        return reply

    def spent(self) -> dict[str, float]:
        """What this run paid through this wrapper, as the state adds it up."""
        paid = [call for call in self.calls if call.paid]
        return {
            "calls": len(paid),
            "cost_usd": sum(call.cost_usd or 0.0 for call in paid),
            "calls_without_price": sum(call.cost_usd is None for call in paid),
        }


async def _shielded(model: VisionLanguageModel, request: Request, seconds: float) -> Reply:
    try:
        async with asyncio.timeout(seconds):
            return await model.reply(request)
    except TimeoutError:
        message = f"no reply within {seconds:g} s"
        return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.TIMEOUT, message=message, retryable=True))
    except Exception as error:  # noqa: BLE001 - a user's model may raise anything; it becomes a status like any other
        message = f"{type(error).__name__}: {error}"
        return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.CRASHED, message=message, retryable=False))
