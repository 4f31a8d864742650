"""A reply as an answer in the terms of its question: the key of an option, a truth value, a number in its unit."""

from __future__ import annotations

import math
import string
from dataclasses import dataclass

from ...bench_data.questions import AnswerType, Question, Truth
from ...tools.models import Reply, ReplyStatus
from ..metrics import ERROR_STATUS
from ..replies import PictureFrame, parse_reply
from ..replies.result import Interval

__all__ = ["ReadAnswer", "answer_as_text", "read_answer"]


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What a reply says.

    Attributes:
        status: "ok", or why there is no answer: a `ParseStatus`, or "error" for a call that failed.
        value: as `Question.truth` has it; None unless the status is "ok".
        detail: one sentence on why there is none, for people.
    """

    status: str
    value: Truth | None = None
    detail: str = ""


def read_answer(question: Question, reply: Reply, *, frame: PictureFrame | None = None) -> ReadAnswer:
    """The answer that a reply gives to a question. Never raises for what a model said.

    A range is read as its middle; a choice as the key of its option, so that letters are gone from here on.

    Args:
        frame: needed for boxes and points, see `picture_frame`.
    """
    if reply.status is ReplyStatus.ERROR:
        return ReadAnswer(ERROR_STATUS, detail=reply.fault.message if reply.fault else "the call failed")
    parsed = parse_reply(question, reply, frame=frame, intervals="midpoint")
    if parsed.value is None:
        return ReadAnswer(parsed.status.value, detail=parsed.detail)
    value = _in_terms_of(question, parsed.value)
    if value is None:
        return ReadAnswer("invalid", detail=f"{parsed.value!r} is no answer to this question")
    return ReadAnswer("ok", value)


def answer_as_text(question: Question, value: Truth | None) -> str:
    """An answer for people: the text of an option, yes or no, a number with its unit; "none" without one."""
    if value is None:
        return "none"
    if question.answer_type is AnswerType.CHOICE:
        for letter, option in zip(string.ascii_uppercase, question.options, strict=False):
            if option.key == value:
                return f"{letter}. {option.text}"
        return str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    unit = "" if question.unit is None or question.unit.value == "count" else f" {question.unit.value}"
    if isinstance(value, tuple):
        return ", ".join(f"{one:.4g}" for one in value) + unit
    if question.answer_type is AnswerType.CLOCK:
        return f"{value} o'clock"
    return f"{value:.4g}{unit}" if isinstance(value, float) else f"{value}{unit}"


def _in_terms_of(question: Question, value: object) -> Truth | None:
    """A parsed value in the terms of `Question.truth`; None where it is none."""
    match question.answer_type:
        case AnswerType.CHOICE:
            return question.key_of(value) if isinstance(value, str) else None
        case AnswerType.YES_NO:
            return value if isinstance(value, bool) else None
        case AnswerType.NUMBER:
            if isinstance(value, Interval):
                value = value.midpoint  # infinite for "at least 2 m"
            return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
        case AnswerType.CLOCK:
            return (round(value) % 12 or 12) if isinstance(value, int | float) and 0 <= value <= 12 else None
        case AnswerType.LIST | AnswerType.BOX | AnswerType.POINT:
            if not isinstance(value, tuple) or not all(isinstance(one, int | float) for one in value):
                return None
            return tuple(float(one) for one in value)
    return None
