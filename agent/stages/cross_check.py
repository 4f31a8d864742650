"""Cross-check: weighs the answers of the views against each other; gives the best supported one or abstains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...bench_data.questions import AnswerType
from ..answers import same_answer
from ..context import SolverContext, event
from ..conversation import Conversation
from ..records import Answer, Outcome, PictureWork, Solution, View
from ..state import SolverState, Update
from .weights import Weighed, weigh

__all__ = ["cross_check"]

# Who reads this as a model's reply must find no answer in it: it names no option, no number and no view.
_ABSTENTION = "Cannot tell from the picture."


@dataclass
class _Group:
    """Answers that say the same."""

    answers: list[Answer]
    weight: float


def cross_check(state: SolverState, context: SolverContext) -> Update:
    """Groups equal answers, adds up the weight behind each group, and answers when one has enough of it."""
    conversation = Conversation.model_validate(state["conversation"])
    work = [PictureWork.model_validate(item) for item in state["work"]]
    answers = [Answer.model_validate(item) for item in state["answers"]]
    form, profile = conversation.answer_format, context.profile
    weighed = weigh(answers, work, form, profile.weighing)
    groups = _groups(weighed.votes, form.answer_type, _diagonal(work))
    solution = _decide(groups, weighed, form.answer_type, profile.min_support)
    events: list[object] = [event(context, "cross-check", note) for note in weighed.notes]
    events.append(event(context, "cross-check", f"{solution.outcome.value}: {solution.reason}"))
    return {"solution": solution.plain(), "events": events}


def _diagonal(work: list[PictureWork]) -> float:
    return math.hypot(*work[0].size) if work else 0.0


def _groups(votes: Sequence[tuple[Answer, float]], kind: AnswerType, diagonal_px: float) -> list[_Group]:
    groups: list[_Group] = []
    for answer, weight in votes:
        if answer.parsed_status != "ok":
            continue
        for group in groups:
            if same_answer(kind, group.answers[0].value, answer.value, diagonal_px):
                group.answers.append(answer)
                group.weight += weight
                break
        else:
            groups.append(_Group([answer], weight))
    groups.sort(key=lambda group: -group.weight)
    return groups


def _decide(groups: list[_Group], weighed: Weighed, kind: AnswerType, min_support: float) -> Solution:
    answers = [answer for answer, _ in weighed.votes]
    total = sum(weight for _, weight in weighed.votes)
    if not groups:
        states = ", ".join(f"{a.view.value} view: {a.parsed_status}" for a in answers)
        return Solution(
            outcome=Outcome.ABSTAINED,
            text=_ABSTENTION,
            support=0.0,
            reason=f"no view gave an answer ({states})",
        )
    best = groups[0]
    support = best.weight / total if total > 0 else 0.0
    chosen = best.answers[0]
    views = ", ".join(dict.fromkeys(answer.view.value for answer in best.answers))
    contradicted = not weighed.alone_counts and len(groups) > 1 and len({answer.view for answer in best.answers}) < 2
    agreed = support >= min_support and not contradicted
    if agreed or (kind is AnswerType.TEXT and _is_fullest(chosen, answers)):
        return Solution(
            outcome=Outcome.ANSWERED,
            text=chosen.text,
            value=chosen.value,
            support=round(support, 4),
            chosen_view=chosen.view,
            reason=f"{views} {'agree' if len(best.answers) > 1 else 'says so'}, {support:.0%} of the weight",
        )
    said = "; ".join(f"{', '.join(a.view.value for a in g.answers)}: {g.answers[0].value!r}" for g in groups)
    return Solution(
        outcome=Outcome.ABSTAINED,
        text=_ABSTENTION,
        support=round(support, 4),
        reason=f"the views disagree ({said}): the best has {support:.0%} of the weight and "
        f"{'one view' if contradicted else 'too little'} behind it",
    )


def _is_fullest(chosen: Answer, answers: Sequence[Answer]) -> bool:
    """Free text rarely repeats itself, so disagreement in words proves little: the view that saw most is passed on."""
    answering = [answer.view for answer in answers if answer.parsed_status == "ok"]
    return chosen.view is max(answering, key=list(View).index)
