"""Cross-check: weighs the answers of the views against each other; gives the best supported one or abstains."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...bench_data.questions import AnswerType
from ..answers import same_answer
from ..context import SolverContext, event
from ..conversation import Conversation
from ..records import Answer, Outcome, PictureWork, Solution, View
from ..state import SolverState, Update

__all__ = ["cross_check"]

# A view's vote. Seeing both pictures is the fullest evidence. The original loses trust with the severity of what was
# found on it (severity 5 halves it); the repaired picture alone can have lost something in the repair.
_BOTH_WEIGHT = 1.0
_RECTIFIED_WEIGHT = 0.8
_ORIGINAL_LOSS_PER_SEVERITY = 0.1

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
    kind = conversation.answer_format.answer_type
    votes, notes = _votes(answers, work)
    groups = _groups(votes, kind, _diagonal(work))
    total = sum(weight for _, weight in votes)
    solution = _decide(groups, answers, total, kind, context.profile.min_support)
    events: list[object] = [event(context, "cross-check", note) for note in notes]
    events.append(event(context, "cross-check", f"{solution.outcome.value}: {solution.reason}"))
    return {"solution": solution.plain(), "events": events}


def _votes(answers: list[Answer], work: list[PictureWork]) -> tuple[list[tuple[Answer, float]], list[str]]:
    """Every distinct reply with its weight; a view's weight is shared among its samples.

    Samples of one view that are the same to the last letter are no more evidence than one: the model may be sure, or
    the server may ignore the temperature. A note says so.
    """
    notes: list[str] = []
    votes: list[tuple[Answer, float]] = []
    worst = max((step.severity for item in work for step in item.steps), default=0.0)
    for view in (View.BOTH, View.RECTIFIED, View.ORIGINAL):
        mine = [answer for answer in answers if answer.view is view]
        if not mine:
            continue
        if len(mine) > 1 and len({answer.text for answer in mine}) == 1:
            notes.append(
                f"{len(mine)} samples of the {view.value} view are identical and count as one: "
                "either the model is sure, or the server ignores the temperature"
            )
        votes.extend((answer, _weight(view, worst) / len(mine)) for answer in mine)
    return votes, notes


def _weight(view: View, worst_severity: float) -> float:
    if view is View.BOTH:
        return _BOTH_WEIGHT
    if view is View.RECTIFIED:
        return _RECTIFIED_WEIGHT
    return 1.0 - _ORIGINAL_LOSS_PER_SEVERITY * worst_severity


def _diagonal(work: list[PictureWork]) -> float:
    return math.hypot(*work[0].size) if work else 0.0


def _groups(votes: list[tuple[Answer, float]], kind: AnswerType, diagonal_px: float) -> list[_Group]:
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


def _decide(
    groups: list[_Group], answers: list[Answer], total: float, kind: AnswerType, min_support: float
) -> Solution:
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
    contradicted = len(groups) > 1 and len({answer.view for answer in best.answers}) < 2
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


def _is_fullest(chosen: Answer, answers: list[Answer]) -> bool:
    """Free text rarely repeats itself, so disagreement in words proves little: the view that saw most is passed on."""
    answering = [answer.view for answer in answers if answer.parsed_status == "ok"]
    return chosen.view is max(answering, key=list(View).index)
