"""What must hold of an item, whatever format it came from."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from ..questions import AnswerType
from ..stress import DEGRADATIONS, ROBOSTRESS_TAGS
from .answers import yes_no_word
from .findings import Finding, Severity
from .item import AS_FOUND, CLEAN, SuiteItem
from .limits import SuiteLimits

__all__ = ["condition_is_known", "condition_name", "item_findings"]

_LEVEL = re.compile(r"[@:-](?:[0-5]|bench)$")

Fault = tuple[Severity, str, str, str]
"""(severity, code, field, message)."""


def item_findings(item: SuiteItem, *, file: str, line: int | None, limits: SuiteLimits) -> list[Finding]:
    """Everything that can be said against an item without opening its pictures."""
    return [
        Finding(severity, code, file, message, line, item.id[:80], name)
        for check in (_words, _pictures, _options, _truth, _structured)
        for severity, code, name, message in check(item, limits)
    ]


def condition_name(condition: str) -> str:
    """The degradation or mixture of a condition, without its level.

    >>> [condition_name(one) for one in ("haze-3", "haze@bench", "night_capture")]
    ['haze', 'haze', 'night_capture']
    """
    return _LEVEL.sub("", condition)


@lru_cache(maxsize=1024)
def condition_is_known(condition: str) -> bool:
    """Whether a condition names a degradation or a mixture, perhaps with a level ("haze-3", "haze@bench")."""
    if condition in (CLEAN, AS_FOUND):
        return True
    from ..degrade.mixtures import RECIPES

    known = {stress.value for stress in (*DEGRADATIONS, *ROBOSTRESS_TAGS)} | set(RECIPES.names())
    return condition_name(condition) in known


def _words(item: SuiteItem, limits: SuiteLimits) -> Iterator[Fault]:
    if not item.id.strip():
        yield "error", "empty_id", "id", "the id is empty"
    if not item.text.strip():
        yield "error", "empty_question", "text", "the question is empty"
    if len(item.text) > limits.text_characters:
        yield "error", "too_long", "text", f"the question has {len(item.text):,} characters; is something else in it?"
    if not condition_is_known(item.condition):
        message = f"{item.condition[:40]!r} is no known degradation or mixture; reports will show it as it is"
        yield "warning", "condition_unknown", "condition", message


def _pictures(item: SuiteItem, limits: SuiteLimits) -> Iterator[Fault]:
    if not item.images:
        yield "error", "no_images", "images", "the question has no picture"
    if len(item.images) > limits.images:
        yield "error", "too_many_images", "images", f"{len(item.images)} pictures, the limit is {limits.images}"
    marks = item.text.count("<image>")
    if marks:
        message = f"the text has {marks} <image> marks left in it and the question {len(item.images)} pictures"
        yield "error", "image_count_mismatch", "images", message


def _options(item: SuiteItem, limits: SuiteLimits) -> Iterator[Fault]:
    texts = [text.strip().lower() for text in item.options.values()]
    if len(texts) > limits.options:
        yield "error", "too_many_options", "options", f"{len(texts)} options, the limit is {limits.options}"
    shown = [text for text in texts if text]
    if len(set(shown)) != len(shown):
        twice = next(text for text in shown if shown.count(text) > 1)
        yield "error", "repeated_option", "options", f"two options read {twice[:60]!r}; which one is right?"
    if list(item.options) != sorted(item.options):
        message = (
            f"the letters stand in the order {', '.join(item.options)}; some published files swapped options with "
            "their letters and left the key behind: check it"
        )
        yield "warning", "letters_out_of_order", "options", message


def _truth(item: SuiteItem, limits: SuiteLimits) -> Iterator[Fault]:
    truth = item.truth
    if truth is None:
        if item.mask is None:
            yield "warning", "no_answer", "truth", "the answer is withheld; the item cannot be scored here"
        return
    wrong = _WRONG[item.answer_type](item)
    if wrong:
        yield "error", *wrong


def _structured(item: SuiteItem, limits: SuiteLimits) -> Iterator[Fault]:
    question = item.question
    if question is None:
        return
    if len(item.images) != len(question.views):
        message = f"{len(item.images)} pictures, but the question shows {len(question.views)} views"
        yield "error", "image_count_mismatch", "images", message
    truth = question.letter if question.answer_type is AnswerType.CHOICE else question.truth
    if item.answer_type is question.answer_type and item.truth not in (None, truth):
        message = f"the item says {item.truth!r}, its structured question {truth!r}"
        yield "error", "truth_contradicts_question", "truth", message


Wrong = tuple[str, str, str] | None


def _choice(item: SuiteItem) -> Wrong:
    if item.truth not in item.options:
        letters = ", ".join(item.options)
        return "truth_not_an_option", "truth", f"the answer {_short(item.truth)} is not among the options {letters}"
    return None


def _yes_no(item: SuiteItem) -> Wrong:
    if not isinstance(item.truth, bool):
        return "wrong_truth", "truth", f"the answer must be yes or no, got {_short(item.truth)}"
    if item.options and sorted(map(str, map(yes_no_word, item.options.values()))) != ["False", "True"]:
        return "wrong_truth", "options", f"the options of a yes/no question are {dict(item.options)}"
    return None


def _number(item: SuiteItem) -> Wrong:
    truth = item.truth
    if isinstance(truth, bool) or not isinstance(truth, int | float) or not math.isfinite(truth):
        return "number_unparsable", "truth", f"the answer must be a finite number, got {_short(truth)}"
    return None


def _numbers(count: int | None) -> Callable[[SuiteItem], Wrong]:
    def check(item: SuiteItem) -> Wrong:
        truth = item.truth
        wanted = item.answer_format.length if count is None else count
        if not isinstance(truth, tuple) or len(truth) != wanted or not all(map(math.isfinite, truth)):
            return "wrong_truth", "truth", f"the answer must be {wanted} finite numbers, got {_short(truth)}"
        if count is not None and (min(truth) < 0 or (item.coordinates == "permille" and max(truth) > 1000)):
            return "outside_image", "truth", f"the coordinates {_short(truth)} lie outside of the picture"
        if count == 4 and (truth[2] <= truth[0] or truth[3] <= truth[1]):
            return "wrong_truth", "truth", f"the box {_short(truth)} has no area; it is x_min, y_min, x_max, y_max"
        return None

    return check


def _hour(item: SuiteItem) -> Wrong:
    truth = item.truth
    if isinstance(truth, bool) or not isinstance(truth, int) or not 1 <= truth <= 12:
        return "wrong_truth", "truth", f"the answer must be an hour from 1 to 12, got {_short(truth)}"
    return None


def _text(item: SuiteItem) -> Wrong:
    if not isinstance(item.truth, str) or not item.truth.strip():
        return "empty_answer", "truth", f"the answer must be a text, got {_short(item.truth)}"
    return None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


_WRONG: dict[AnswerType, Callable[[SuiteItem], Wrong]] = {
    AnswerType.CHOICE: _choice,
    AnswerType.YES_NO: _yes_no,
    AnswerType.NUMBER: _number,
    AnswerType.LIST: _numbers(None),
    AnswerType.BOX: _numbers(4),
    AnswerType.POINT: _numbers(2),
    AnswerType.CLOCK: _hour,
    AnswerType.GRAPH: _text,
    AnswerType.TEXT: _text,
}
