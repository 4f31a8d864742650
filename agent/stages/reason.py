"""Reason: asks the model, over the original and the repaired pictures."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ...tools.models import Fault, FaultKind, Reply, ReplyStatus
from ...tools.models.fingerprint import request_fingerprint
from ..answers import read_answer
from ..context import SolverContext, call_key, event, model_identity, seconds_left
from ..conversation import Conversation
from ..errors import ModelUnavailableError
from ..records import Answer, PictureWork, View
from ..state import SolverState, Update

__all__ = ["reason"]

# These belong to the request: it would meet them again, while another view may still be answered.
_VIEW_FAULTS = frozenset({FaultKind.BAD_REQUEST, FaultKind.TOO_LARGE, FaultKind.OUT_OF_MEMORY, FaultKind.NOT_RECORDED})


@dataclass(frozen=True)
class _Question:
    view: View
    sample: int


@dataclass(frozen=True)
class _Asked:
    answer: Answer | None
    fault: Fault | None
    paid: bool
    cost_usd: float | None


async def reason(state: SolverState, context: SolverContext) -> Update:
    """Asks once for every view and sample that the profile wants and the budget allows.

    Raises:
        ModelUnavailableError: the model gave no reply for a reason that lies outside the question. Replies that did
            come are kept in the call cache, so going on later does not pay for them again.
    """
    conversation = Conversation.model_validate(state["conversation"])
    work = [PictureWork.model_validate(item) for item in state["work"]]
    views = _views(work, context)
    questions = [_Question(view, sample) for view in views for sample in range(context.profile.samples_per_view)]
    allowed = max(1, context.budget.max_calls - int(state.get("spent", {}).get("calls", 0)))
    if seconds_left(state, context) <= 0:
        allowed = 1
    asked = await _ask_within(questions[:allowed], state, conversation, work, context)
    events: list[object] = [event(context, "reason", _in_words(q, a)) for q, a in zip(questions, asked, strict=False)]
    if len(asked) < len(questions):
        left_out = ", ".join(q.view.value for q in questions[len(asked) :])
        events.append(event(context, "reason", f"not asked, the budget is used up: {left_out}"))
    answers = [a.answer for a in asked if a.answer is not None]
    outside = next((a.fault for a in asked if a.fault and a.fault.kind not in _VIEW_FAULTS), None)
    if outside or not answers:
        raise ModelUnavailableError(context.model.name, outside or next(a.fault for a in asked if a.fault))
    paid = [a for a in asked if a.paid]
    spent: dict[str, object] = {
        "calls": len(paid),
        "cost_usd": sum(a.cost_usd or 0.0 for a in paid),
        "calls_without_price": sum(a.cost_usd is None for a in paid),
    }
    return {"answers": [answer.plain() for answer in answers], "spent": spent, "events": events}


def _views(work: list[PictureWork], context: SolverContext) -> list[View]:
    if not any(item.rectified for item in work):
        return [View.ORIGINAL]
    most = context.model.capabilities.max_images
    needed = {
        View.ORIGINAL: len(work),
        View.RECTIFIED: len(work),
        View.BOTH: len(work) + sum(item.rectified for item in work),
    }
    fitting = [view for view in context.profile.views if most is None or needed[view] <= most]
    return fitting or [View.ORIGINAL]


async def _ask_within(
    questions: list[_Question],
    state: SolverState,
    conversation: Conversation,
    work: list[PictureWork],
    context: SolverContext,
) -> list[_Asked]:
    """All at once; one after the other when money is limited, since a price is known only after the reply."""
    limit = context.budget.max_cost_usd
    if limit is None:
        return list(await asyncio.gather(*(_ask(q, conversation, work, context) for q in questions)))
    asked: list[_Asked] = []
    money = float(state.get("spent", {}).get("cost_usd", 0.0))
    unpriced = bool(state.get("spent", {}).get("calls_without_price"))
    for question in questions:
        if asked and (unpriced or money >= limit):
            break
        done = await _ask(question, conversation, work, context)
        asked.append(done)
        money += done.cost_usd or 0.0
        unpriced |= done.paid and done.cost_usd is None
    return asked


async def _ask(
    question: _Question, conversation: Conversation, work: list[PictureWork], context: SolverContext
) -> _Asked:
    profile = context.profile
    temperature = profile.sample_temperature if profile.samples_per_view > 1 else None
    request = conversation.request(
        question.view, work, context.pictures, sample=question.sample, temperature=temperature
    )
    fingerprint = request_fingerprint(request)
    key = call_key("reply", model=model_identity(context.model), request=fingerprint)
    stored = context.calls.get(key)
    if stored is not None:
        reply = Reply.model_validate(stored)
    else:
        reply = await context.model.reply(request)
        if reply.status is not ReplyStatus.ERROR:
            context.calls.put(key, reply.model_dump(mode="json"))
    if reply.status is ReplyStatus.ERROR:
        fault = reply.fault or Fault(kind=FaultKind.CRASHED, message="an error without a reason", retryable=False)
        return _Asked(None, fault, paid=True, cost_usd=reply.cost_usd)
    parsed = read_answer(conversation, question.view, reply, work, context)
    answer = Answer(
        view=question.view,
        sample=question.sample,
        reply_status=reply.status.value,
        text=_storable(reply.text),
        parsed_status=parsed.status,
        value=parsed.value,
        rule=parsed.rule,
        flags=list(parsed.flags),
        fingerprint=fingerprint,
        latency_s=reply.latency_s,
        cost_usd=reply.cost_usd,
        from_cache=stored is not None,
        notes=[_storable(note) for note in reply.notes],
    )
    return _Asked(answer, None, paid=stored is None, cost_usd=reply.cost_usd)


def _storable(text: str) -> str:
    """Text without lone surrogates, which a hostile reply can hold and no database accepts."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _in_words(question: _Question, asked: _Asked) -> str:
    which = f"{question.view.value} view" + (f", sample {question.sample + 1}" if question.sample else "")
    if asked.fault:
        return f"{which}: no reply, {asked.fault.message}"
    answer = asked.answer
    if answer is None or answer.value is None:
        return f"{which}: {answer.parsed_status if answer else 'nothing'}"
    return f"{which}: {answer.value!r}"
