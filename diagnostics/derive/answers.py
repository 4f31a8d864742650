"""From what follows for a query to an answer of the question: the form of its truth, and its options."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...bench_data.questions import AnswerType, Question, Truth
from ...bench_data.questions.options import number_key
from .derived import Derived, Status
from .interval import SLACK, Interval

__all__ = ["among_answers", "number_answer", "numbers_answer"]

_MOST_LISTED = 32
_WIDE = 1e-7
"""A number is determined where its bounds are this close, as a share."""


def among_answers(question: Question, possible: Iterable[Truth], steps: tuple[str, ...], why: str) -> Derived:
    """The answer from all that are possible; of a choice, only what is offered counts."""
    answers: list[Truth] = sorted({_in_form(question, one) for one in possible}, key=str)
    keys = [option.key for option in question.options]
    if keys and question.answer_type is AnswerType.CHOICE:
        offered: list[Truth] = [one for one in answers if one in keys]
        if not offered:
            shown = " or ".join(str(one) for one in answers[:4]) or "nothing"
            return Derived(
                status=Status.UNDEFINED, steps=steps, reason=f"the graph gives {shown}, which is none of the options"
            )
        answers = offered
    return _one_of(answers, steps, why)


def _one_of(answers: list[Truth], steps: tuple[str, ...], why: str) -> Derived:
    if len(answers) == 1:
        (answer,) = answers
        exact = float(answer) if isinstance(answer, int | float) and not isinstance(answer, bool) else None
        return Derived(
            status=Status.DETERMINED,
            value=answer,
            interval=None if exact is None else (exact, exact),
            steps=steps,
        )
    reason = why or f"{len(answers)} answers agree with the graph"
    return Derived(status=Status.AMBIGUOUS, possible=tuple(answers[:_MOST_LISTED]), steps=steps, reason=reason)


def _in_form(question: Question, answer: Truth) -> Truth:
    if question.answer_type is not AnswerType.CHOICE or isinstance(answer, str | tuple):
        return answer
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return str(answer)


def number_answer(question: Question, found: Interval, steps: tuple[str, ...], why: str, *, whole: bool) -> Derived:
    """A number from its bounds; of a choice, the options that lie within them."""
    low, high = found
    if math.isnan(low) or math.isnan(high) or found.is_empty:
        reason = why or "what the graph says of it cannot all hold"
        return Derived(status=Status.AMBIGUOUS, interval=None, steps=steps, reason=reason)
    if question.answer_type is AnswerType.CHOICE and question.options:
        return _offered_number(question, found, steps, why, whole=whole)
    if low == -math.inf and high == math.inf:
        return Derived(status=Status.UNDEFINED, steps=steps, reason=why or "the graph says nothing of how much it is")
    if _is_narrow(found, 0 if whole else _WIDE):
        value = round(low) if whole else found.middle
        return Derived(status=Status.DETERMINED, value=value, interval=(value, value), steps=steps)
    possible: tuple[Truth, ...] = ()
    if whole and high - low < _MOST_LISTED:
        possible = tuple(range(round(low), round(high) + 1))
    reason = why or f"the graph gives {low:.4g} to {high:.4g}"
    return Derived(status=Status.AMBIGUOUS, interval=(low, high), possible=possible, steps=steps, reason=reason)


def _offered_number(question: Question, found: Interval, steps: tuple[str, ...], why: str, *, whole: bool) -> Derived:
    offered: list[Truth] = []
    for option in question.options:
        decimals = len(option.key.partition(".")[2])
        try:
            value = float(option.key)
        except ValueError:
            continue
        # Options show measured values rounded; on the border of two roundings both are possible.
        half = 0.0 if whole else 0.5 * 10.0**-decimals
        rounded = {number_key(end, decimals) for end in (found.lo - SLACK, found.hi + SLACK) if math.isfinite(end)}
        if option.key in rounded or (not found.is_exact and found.lo - half <= value <= found.hi + half):
            offered.append(option.key)
    if not offered:
        reason = f"the graph gives {found.lo:.4g} to {found.hi:.4g}, which is none of the options"
        return Derived(status=Status.UNDEFINED, interval=(found.lo, found.hi), steps=steps, reason=reason)
    answer = _one_of(offered, steps, why)
    interval = (found.lo, found.hi)
    if not answer.is_determined:
        return Derived(
            status=answer.status, interval=interval, possible=answer.possible, steps=steps, reason=answer.reason
        )
    return Derived(status=answer.status, value=answer.value, interval=interval, steps=steps)


def numbers_answer(found: list[Interval], steps: tuple[str, ...], why: str) -> Derived:
    """Several numbers: determined, where each of them is."""
    if all(_is_narrow(one, _WIDE) for one in found):
        return Derived(status=Status.DETERMINED, value=tuple(one.middle for one in found), steps=steps)
    shown = ", ".join(f"{one.lo:.4g} to {one.hi:.4g}" for one in found)
    return Derived(status=Status.AMBIGUOUS, steps=steps, reason=why or f"the graph gives {shown}")


def _is_narrow(found: Interval, share: float) -> bool:
    return math.isfinite(found.lo) and found.hi - found.lo <= share * max(1.0, abs(found.lo))
