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

# Which of two nearly as likely answers is the likelier is chance, and a repair that takes a right answer away by chance
# is worse than one that does not give it: a repaired picture's answer has to be so many times as likely. With an
# embedded model this left what was gained as it was, and took what was lost from 2.1 to 0 % in the dark, from 5.6 to
# 4.2 % in haze.
_CLEARLY_LIKELIER = 1.05

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
    """By the probabilities, relative to the greatest, since those of long replies are too small to be written.

    The original picture's answer has the benefit of the doubt.
    """
    likely = [
        -math.inf
        if answer.logprob is None
        else answer.logprob + math.log(_CLEARLY_LIKELIER if answer.view is View.ORIGINAL else 1.0)
        for answer in answers
    ]
    most = max(likely, default=0.0)
    samples = {view: sum(answer.view is view for answer in answers) for view in _FULLEST_FIRST}
    votes = tuple(
        (answer, math.exp(one - most) / samples[answer.view] if math.isfinite(one) else 0.0)
        for answer, one in zip(answers, likely, strict=True)
    )
    return Weighed(votes, alone_counts=True)


def _by_fullness(answers: Sequence[Answer]) -> Weighed:
    """All weight to the fullest view with an answer.

    How likely a measurement or a sentence was to be worded just so does not tell how near it is: a model that sees
    little writes the usual number, and is sure of it.
    """
    chosen = next((answer for answer in answers if answer.parsed_status == "ok"), None)
    votes = tuple((answer, float(answer is chosen)) for answer in answers)
    return Weighed(votes, alone_counts=True)
