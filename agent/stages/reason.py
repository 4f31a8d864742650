"""Reason: asks the model, over the original and the repaired pictures."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

from ...tools.models import Fault, FaultKind, ReplyStatus
from ...tools.models.fingerprint import request_fingerprint
from ..answers import read_answer
from ..context import SolverContext, event, money_left, seconds_left
from ..conversation import Conversation
from ..errors import ModelUnavailableError
from ..metered import MeteredModel
from ..profiles import Weighing
from ..records import Answer, PictureWork, View
from ..state import SolverState, Update, storable

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


async def reason(state: SolverState, context: SolverContext) -> Update:
    """Asks once for every view and sample that the profile wants and the budget allows.

    Raises:
        ModelUnavailableError: the model gave no reply for a reason that lies outside the question. Replies that did
            come are kept in the call cache, so going on later does not pay for them again.
    """
    conversation = Conversation.model_validate(state["conversation"])
    work = [PictureWork.model_validate(item) for item in state["work"]]
    views = _views(work, context)
    if not context.profile.show_repairs:
        work = [item.with_original_shown() if item.rectified else item for item in work]
    questions = [_Question(view, sample) for view in views for sample in range(context.profile.samples_per_view)]
    allowed = max(1, context.budget.max_calls - int(state.get("spent", {}).get("calls", 0)))
    if seconds_left(state, context) <= 0:
        allowed = 1
    model = MeteredModel(context)
    asked = await _ask_within(questions[:allowed], state, conversation, work, model)
    events: list[object] = [event(context, "reason", _in_words(q, a)) for q, a in zip(questions, asked, strict=False)]
    if len(asked) < len(questions):
        left_out = ", ".join(q.view.value for q in questions[len(asked) :])
        events.append(event(context, "reason", f"not asked, the budget is used up: {left_out}"))
    answers = [a.answer for a in asked if a.answer is not None]
    outside = next((a.fault for a in asked if a.fault and a.fault.kind not in _VIEW_FAULTS), None)
    if outside or not answers:
        raise ModelUnavailableError(context.model.name, outside or next(a.fault for a in asked if a.fault))
    return {"answers": [answer.plain() for answer in answers], "spent": model.spent(), "events": events}


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
    model: MeteredModel,
) -> list[_Asked]:
    """All at once; one after the other when money is limited, since a price is known only after the reply."""
    if model.context.budget.max_cost_usd is None:
        return list(await asyncio.gather(*(_ask(q, conversation, work, model) for q in questions)))
    asked: list[_Asked] = []
    for question in questions:
        if asked and not money_left(state, model.context, model.spent()):
            break
        asked.append(await _ask(question, conversation, work, model))
    return asked


async def _ask(question: _Question, conversation: Conversation, work: list[PictureWork], model: MeteredModel) -> _Asked:
    context = model.context
    profile = context.profile
    temperature = profile.sample_temperature if profile.samples_per_view > 1 else None
    request = conversation.request(
        question.view,
        work,
        context.pictures,
        sample=question.sample,
        temperature=temperature,
        explain=profile.explain_repairs,
        logprobs=profile.weighing is Weighing.SURENESS and any(item.rectified for item in work),
    )
    reply = await model.reply(request)
    if reply.status is ReplyStatus.ERROR:
        fault = reply.fault or Fault(kind=FaultKind.CRASHED, message="an error without a reason", retryable=False)
        return _Asked(None, fault)
    parsed = read_answer(conversation, question.view, reply, work, context)
    answer = Answer(
        view=question.view,
        sample=question.sample,
        reply_status=reply.status.value,
        text=storable(reply.text),
        parsed_status=parsed.status,
        value=storable(parsed.value) if isinstance(parsed.value, str) else parsed.value,
        rule=parsed.rule,
        flags=list(parsed.flags),
        fingerprint=request_fingerprint(request),
        latency_s=reply.latency_s,
        cost_usd=reply.cost_usd,
        sent_images=list(reply.sent_images),
        notes=[storable(note) for note in reply.notes],
        logprob=reply.logprob,
    )
    return _Asked(answer, None)


def _in_words(question: _Question, asked: _Asked) -> str:
    which = f"{question.view.value} view" + (f", sample {question.sample + 1}" if question.sample else "")
    if asked.fault:
        return f"{which}: no reply, {asked.fault.message}"
    answer = asked.answer
    if answer is None or answer.value is None:
        return f"{which}: {answer.parsed_status if answer else 'nothing'}"
    sure = "" if answer.logprob is None else f" ({math.exp(answer.logprob):.0%} sure)"
    return f"{which}: {answer.value!r}{sure}"
