"""One door to the published rules: which answer types each of them knows, what it reads, and what it scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from ....bench_data.questions import AnswerFormat, AnswerType
from ...errors import DiagnosticsError
from ...metrics import box_iou, mean_relative_accuracy
from ..result import JsonValue, ParsedReply, ParseStatus, Rule
from . import crisp, robostress, spacedg

__all__ = ["Published", "PublishedValue", "published_reading", "published_score"]

PublishedValue = str | bool | float | tuple[float, ...] | dict[str, JsonValue]
Truth = str | bool | float | Sequence[float]


class Published(StrEnum):
    """A public benchmark whose rules can be asked for."""

    CRISP = "crisp"
    SPACEDG = "spacedg"
    ROBOSTRESS = "robostress"

    @property
    def answer_types(self) -> frozenset[AnswerType]:
        """What its rules can read."""
        return _ANSWER_TYPES[self]


_ANSWER_TYPES = {
    Published.CRISP: frozenset({AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.NUMBER, AnswerType.GRAPH}),
    Published.SPACEDG: frozenset({AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.NUMBER, AnswerType.LIST}),
    Published.ROBOSTRESS: frozenset({AnswerType.CHOICE, AnswerType.BOX, AnswerType.POINT}),
}


def published_reading(
    text: str, answer_format: AnswerFormat, published: Published | str
) -> ParsedReply[PublishedValue]:
    """What the published rules take from a reply.

    The value is what the public code compares with the truth, in its own terms: no unit is converted, and boxes and
    points are the numbers as written. ``invalid`` means that it reads something that can be no answer of the question;
    it scores 0 there too, with the one exception that ``published_score`` knows.

    Raises:
        DiagnosticsError: the benchmark has no such answer type.

    >>> options = AnswerFormat(answer_type="choice", options={"A": "left", "B": "right"})
    >>> published_reading("Based on the image, left.", options, "robostress").value
    'B'
    """
    rules = _checked(answer_format, published)
    value = _value(text, answer_format, rules)
    if value is None:
        return ParsedReply(ParseStatus.NO_ANSWER, rule=Rule.PUBLISHED)
    kind = answer_format.answer_type
    unusable = (kind is AnswerType.CHOICE and value not in (answer_format.options or {})) or (
        isinstance(value, float) and not math.isfinite(value)
    )
    if unusable:
        return ParsedReply(ParseStatus.INVALID, rule=Rule.PUBLISHED, detail=f"{rules.value} reads {str(value)[:80]!r}")
    return ParsedReply(ParseStatus.OK, value, rule=Rule.PUBLISHED)


def published_score(text: str, answer_format: AnswerFormat, truth: Truth, published: Published | str) -> float:
    """The score in [0, 1] that the public code gives a reply; boxes score their intersection over union.

    Args:
        truth: the option's letter, yes/no as bool, a number in the asked unit, a list of numbers, a box in permille.

    Raises:
        DiagnosticsError: the benchmark does not score that answer type from the reply alone (points need a mask, graphs
            the true graph), or its scorer fails on this truth.

    >>> exists = AnswerFormat(answer_type="choice", options={"A": "Yes", "B": "No"})
    >>> published_score("no idea", exists, "yes", "spacedg")
    1.0
    """
    rules = _checked(answer_format, published)
    if rules is Published.SPACEDG:
        kind = spacedg.kind_of(answer_format)
        if kind is not None:
            return spacedg.row_score(kind, text, _written(truth))
    value = _value(text, answer_format, rules)
    kind_of_answer = answer_format.answer_type
    if kind_of_answer in (AnswerType.CHOICE, AnswerType.YES_NO):
        # CRISP compares the text that it took, without case; RoboStress an index
        return float(value is not None and str(value).lower() == str(truth).lower())
    if kind_of_answer is AnswerType.NUMBER and isinstance(truth, int | float):
        if truth == 0:
            raise DiagnosticsError("the published crisp score divides by the truth, which is 0; leave the item out")
        return 0.0 if value is None else mean_relative_accuracy(float(str(value)), truth, published="crisp")
    if kind_of_answer is AnswerType.BOX and isinstance(truth, Sequence) and not isinstance(truth, str):
        return box_iou(value if isinstance(value, tuple) else None, truth, published="robostress")
    raise DiagnosticsError(
        f"{rules.value} does not score a {kind_of_answer.value} from a reply and the truth {truth!r} alone"
    )


def _checked(answer_format: AnswerFormat, published: Published | str) -> Published:
    rules = Published(published)
    if answer_format.answer_type not in rules.answer_types:
        known = ", ".join(sorted(kind.value for kind in rules.answer_types))
        raise DiagnosticsError(f"{rules.value} has no rule for a {answer_format.answer_type.value}; it reads {known}")
    return rules


def _value(text: str, answer_format: AnswerFormat, rules: Published) -> PublishedValue | None:
    if rules is Published.CRISP:
        return _crisp_value(text, answer_format)
    if rules is Published.SPACEDG:
        return _spacedg_value(text, answer_format)
    if answer_format.answer_type is AnswerType.CHOICE:
        letters = list(answer_format.options or {})
        index = robostress.extract_choice_index(text, len(letters))
        return None if index is None else letters[index]
    numbers = robostress.extract_numbers(text, 4 if answer_format.answer_type is AnswerType.BOX else 2)
    return None if numbers is None else tuple(numbers)


def _crisp_value(text: str, answer_format: AnswerFormat) -> PublishedValue | None:
    if answer_format.answer_type is AnswerType.GRAPH:
        graph = crisp.extract_graph(text)
        return graph if isinstance(graph, dict) else None
    answer = crisp.extract_answer(text)
    if answer_format.answer_type is AnswerType.NUMBER:
        return crisp.extract_float(answer)
    if answer_format.answer_type is AnswerType.YES_NO:
        meaning = (answer_format.options or {}).get(answer, "").strip().lower()
        return {"yes": True, "no": False}.get(meaning)
    return answer or None


def _spacedg_value(text: str, answer_format: AnswerFormat) -> PublishedValue | None:
    core = spacedg.core_answer(text)
    kind = spacedg.kind_of(answer_format)
    if kind == "MCQ":
        return spacedg.extract_letter(core)
    if kind == "YN":
        said = spacedg.extract_yes_no(core)
        return None if said is None else said == "yes"
    if kind == "COUNT":
        count = spacedg.extract_count(core)
        return None if count is None else float(count)
    if kind == "NA":
        return spacedg.extract_number(core)
    values = spacedg.extract_list(core, answer_format.length or 0)
    return None if values is None else tuple(values)


def _written(truth: Truth) -> str:
    """The truth as the benchmark's file writes it."""
    if isinstance(truth, bool):
        return "yes" if truth else "no"
    if isinstance(truth, str | int | float):
        return str(truth)
    return str([float(value) for value in truth])
