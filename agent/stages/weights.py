"""What each answer weighs when the views' answers are set against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...bench_data.questions import AnswerFormat, AnswerType, Unit
from ..profiles import Weighing
from ..records import Answer, PictureWork, View

__all__ = ["Weighed", "weigh"]

# A view's vote. Seeing both pictures is the fullest evidence. The original loses trust with the severity of what was
# found on it (severity 5 halves it); the repaired picture alone can have lost something in the repair.
_BOTH_WEIGHT = 1.0
_RECTIFIED_WEIGHT = 0.8
_ORIGINAL_LOSS_PER_SEVERITY = 0.1

# A repaired picture is believed where the model is this sure of what it sees there. How sure it is of the original says
# little: blind in haze, embedded models are as sure of their guesses. On 48 rooms the likelier of both answers won back
# 59 % of what haze takes, and turned 2.5 % of the answers from right to wrong; this rule 62 and 0.9 %. In the dark the
# likelier won back 83 % at 1.6 %, this rule 89 % at 0.8 %.
_SURE = 0.9
# Nor is it believed where the model is clearly surer of the original, as it is of one with hardly anything wrong.
_ABOUT_AS_SURE = 0.95

_FULLEST_FIRST = (View.BOTH, View.RECTIFIED, View.ORIGINAL)


@dataclass(frozen=True)
class Weighed:
    """Answers with their weights.

    Attributes:
        votes: every answer, those of the fullest view first.
        alone_counts: whether one view may outweigh another that contradicts it.
        notes: what a reader of the trace should know.
    """

    votes: tuple[tuple[Answer, float], ...]
    alone_counts: bool
    notes: tuple[str, ...] = ()


def weigh(answers: Sequence[Answer], work: Sequence[PictureWork], form: AnswerFormat, weighing: Weighing) -> Weighed:
    """The weights by a way of weighing; by trust where the model does not tell how sure it is."""
    ordered = [answer for view in _FULLEST_FIRST for answer in answers if answer.view is view]
    if weighing is Weighing.TRUST:
        return _by_trust(ordered, work)
    if not _is_said_in_few_words(form):
        return _by_fullness(ordered)
    given = [answer for answer in ordered if answer.parsed_status == "ok"]
    if any(answer.logprob is None for answer in given):
        trusted = _by_trust(ordered, work)
        note = "the model does not tell how sure it is: trust in the views decides"
        return Weighed(trusted.votes, trusted.alone_counts, (note, *trusted.notes))
    return _by_sureness(ordered)


def _is_said_in_few_words(form: AnswerFormat) -> bool:
    kind = form.answer_type
    return kind in (AnswerType.CHOICE, AnswerType.YES_NO) or (kind is AnswerType.NUMBER and form.unit is Unit.COUNT)


def _by_trust(answers: Sequence[Answer], work: Sequence[PictureWork]) -> Weighed:
    """A view's weight is shared among its samples.

    Samples of one view that are the same to the last letter are no more evidence than one: the model may be sure, or
    the server may ignore the temperature. A note says so.
    """
    notes: list[str] = []
    votes: list[tuple[Answer, float]] = []
    worst = max((step.severity for item in work for step in item.steps), default=0.0)
    for view in _FULLEST_FIRST:
        mine = [answer for answer in answers if answer.view is view]
        if len(mine) > 1 and len({answer.text for answer in mine}) == 1:
            notes.append(
                f"{len(mine)} samples of the {view.value} view are identical and count as one: "
                "either the model is sure, or the server ignores the temperature"
            )
        votes.extend((answer, _trust(view, worst) / len(mine)) for answer in mine)
    return Weighed(tuple(votes), alone_counts=False, notes=tuple(notes))


def _trust(view: View, worst_severity: float) -> float:
    if view is View.BOTH:
        return _BOTH_WEIGHT
    if view is View.RECTIFIED:
        return _RECTIFIED_WEIGHT
    return 1.0 - _ORIGINAL_LOSS_PER_SEVERITY * worst_severity


def _by_sureness(answers: Sequence[Answer]) -> Weighed:
    """An answer to repaired pictures weighs its mean probability over all of them; one to the original, the bar.

    So the repaired pictures' answer wins where the model is sure of it in all views and samples.
    """
    originals = [answer for answer in answers if answer.view is View.ORIGINAL]
    repaired = len(answers) - len(originals)
    votes = tuple(
        (answer, _bar(answer) / sum(other.value == answer.value for other in originals))
        if answer.view is View.ORIGINAL
        else (answer, _likely(answer) / repaired)
        for answer in answers
    )
    return Weighed(votes, alone_counts=True)


def _likely(answer: Answer) -> float:
    return 0.0 if answer.logprob is None else math.exp(min(answer.logprob, 0.0))


def _bar(answer: Answer) -> float:
    return max(_SURE, _ABOUT_AS_SURE * _likely(answer))


def _by_fullness(answers: Sequence[Answer]) -> Weighed:
    """All weight to the fullest view with an answer.

    How likely a measurement or a sentence was to be worded just so does not tell how near it is: a model that sees
    little writes the usual number, and is sure of it.
    """
    chosen = next((answer for answer in answers if answer.parsed_status == "ok"), None)
    votes = tuple((answer, float(answer is chosen)) for answer in answers)
    return Weighed(votes, alone_counts=True)
