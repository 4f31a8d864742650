"""Replies and scores as in the public SpaceDG evaluation (vendored EASI/VLMEvalKit), faults included.

Known faults, kept on purpose: the last number of the reply counts ("2.4 m away from image 2" is 2), a letter before the
closing think tag beats the answer, "Back" in answer tags is B, and two failed extractions compare equal, so that a
yes/no truth scored as a choice gives every reply full marks.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Literal

import numpy as np

from ....bench_data.questions import AnswerFormat, AnswerType, Unit
from ...metrics import mean_relative_accuracy
from .tags import content_starts, first_content, last_close

__all__ = [
    "answer_kind",
    "core_answer",
    "extract_count",
    "extract_letter",
    "extract_list",
    "extract_number",
    "extract_yes_no",
    "row_score",
]

Kind = Literal["MCQ", "NA", "YN", "COUNT", "SIZE_LIST"]

_LETTERS = "A-F"
_TAIL_CHARS = 800
_TAIL_LINES = 6
_MAX_LITERAL_CHARS = 10_000
_INVISIBLE = re.compile("[\u200b\u200c\u200d\ufeff]")
_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?")
_TAGGED_LETTER = re.compile(r"\s*([A-J])", re.IGNORECASE)
_TAGGED_NUMBER = re.compile(rf"\s*({_NUMBER.pattern})(?:[^\d<][^<]*)?<\s*/\s*answer\s*>", re.IGNORECASE)
_BEFORE_CLOSE = tuple(
    re.compile(rf"(?<![A-Za-z])[(\[{{（【]?\s*([{_LETTERS}])\s*[)\]}}）】]?\s*</\s*{tag}\s*>", re.IGNORECASE)
    for tag in ("answer", "think")
)
_THINK_END = re.compile(r"</\s*think\s*>", re.IGNORECASE)
_THINK_START = re.compile(r"<\s*think\s*>", re.IGNORECASE)
_OPTION_LINE = re.compile(r"^[*_>\-\s]*(?:option|选项)\s+[A-J]\s*[:：]", re.IGNORECASE)
_LABELLED_LINE = re.compile(r"([A-F])\s*[.．:：)\]】、-]\s+", re.IGNORECASE)
_LEADING_MARKS = "*_`>（）[]【】()"
_TRAILING_MARKS = "*_`（）[]【】()"
_TOKEN = re.compile(r"(?<![A-Za-z])([A-F])(?=[*_`）\]}]*(?:$|[\s.,:;!?)\]】》」』，。；、：）]))")
_PHRASE = re.compile(
    r"(?:final\s*answer|the\s*answer\s*is|answer(?:\s*is)?|correct\s*answer|答案|最终答案|结论|所以|因此|我选择?|选择|选)"
    rf"\s*(?:[:：>＝=]\s*)?(?:[(\[{{（【]\s*)?([{_LETTERS}])(?!\w)",
    re.IGNORECASE,
)
_CAPITAL = re.compile(rf"(?<![A-Za-z])([{_LETTERS}])(?![A-Za-z])")
_NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_YES_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_TAGGED_YES_NO = re.compile(r"\s*(yes|no)\s*<\s*/\s*answer\s*>", re.IGNORECASE)
_LINE_NUMBER = re.compile(r"^\s*\d+[.:]\s+", re.MULTILINE)
_METRES = re.compile(r"\s*m(?:eters)?$", re.IGNORECASE)

_KIND_WITHOUT_SUB_TYPE: dict[str, Kind] = {
    "distance_estimation": "NA",
    "camera_object_distance_estimation": "NA",
    "existence_estimation": "MCQ",
    "object_existence_estimation": "MCQ",
    "object_counting": "COUNT",
    "size_estimation": "SIZE_LIST",
    "object_bounding_size_estimation": "SIZE_LIST",
}
_NUMERIC_SUB_TYPES = frozenset({"distance_exact", "bbox_center_distance", "inter_object_distance"})


def answer_kind(question_type: str, sub_question_type: str = "") -> Kind:
    """How a row of the benchmark is scored.

    Raises:
        ValueError: an unknown question type without a sub type, as in the public code.
    """
    sub_type = sub_question_type.strip()
    if not sub_type:
        if question_type.strip() not in _KIND_WITHOUT_SUB_TYPE:
            raise ValueError(f"question_type {question_type!r} needs a sub_question_type")
        return _KIND_WITHOUT_SUB_TYPE[question_type.strip()]
    if sub_type == "distance_threshold":
        return "YN"
    return "NA" if sub_type in _NUMERIC_SUB_TYPES else "MCQ"


def kind_of(answer_format: AnswerFormat) -> Kind | None:
    """The kind that fits an answer format; None if the benchmark has none."""
    if answer_format.answer_type is AnswerType.NUMBER:
        return "COUNT" if answer_format.unit is Unit.COUNT else "NA"
    kinds: dict[AnswerType, Kind] = {
        AnswerType.CHOICE: "MCQ",
        AnswerType.YES_NO: "YN",
        AnswerType.LIST: "SIZE_LIST",
    }
    return kinds.get(answer_format.answer_type)


def core_answer(reply: str) -> str:
    """The content of the first answer tags, else the whole reply."""
    content = first_content(reply)
    return reply.strip() if content is None else content.strip()


def extract_letter(reply: str) -> str | None:
    """The option letter, None where the public code returns False.

    >>> extract_letter("A. left\\nB. right"), extract_letter("<think>A or C</think>B"), extract_letter("left")
    ('B', 'C', None)
    """
    text = _INVISIBLE.sub("", reply.strip())
    close = last_close(text)
    for start in content_starts(text):
        match = _TAGGED_LETTER.match(text, start)
        if match and match.end() <= close:
            return match[1].upper()
    tail = text[-_TAIL_CHARS:]
    for pattern in _BEFORE_CLOSE:
        match = pattern.search(tail)
        if match:
            return match[1].upper()
    picked = _from_last_lines(_after_think(text)) or _from_last_lines(tail)
    if picked:
        return picked
    match = _PHRASE.search(text)
    if match:
        return match[1].upper()
    kept = "\n".join(line for line in text.splitlines() if not _OPTION_LINE.search(line))
    capitals = set(_CAPITAL.findall(kept))
    return capitals.pop() if len(capitals) == 1 else None


def _from_last_lines(text: str) -> str | None:
    lines = [line.strip() for line in text.splitlines()[-_TAIL_LINES:]]
    for line in reversed([line for line in lines if line]):
        if _OPTION_LINE.search(line):
            continue
        bare = line.lstrip(_LEADING_MARKS).lstrip()
        if bare[:1] and bare[0] in "ABCDEFabcdef" and not bare[1:].strip().strip(_TRAILING_MARKS):
            return bare[0].upper()
        labelled = _LABELLED_LINE.match(line)
        if labelled:
            return labelled[1].upper()
        tokens = set(_TOKEN.findall(line))
        if len(tokens) == 1:
            return str(tokens.pop())
    return None


def _after_think(text: str) -> str:
    for pattern in (_THINK_END, _THINK_START):
        end = -1
        for match in pattern.finditer(text):
            end = match.end()
        if end >= 0:
            return text[end:].strip()
    return text


def extract_number(reply: str) -> float | None:
    """The first element of a bracketed list, a number in answer tags, or the last number after the reasoning.

    >>> extract_number("3-4"), extract_number("about 2 to 3 meters"), extract_number("two point five")
    (-4.0, 3.0, 5.0)
    """
    bare = reply.strip()
    if bare.startswith("[") and bare.endswith("]"):
        literal = _literal(reply)
        if literal is None:
            return None
        reply = str(literal[0]) if isinstance(literal, list) and literal else reply
    text = _INVISIBLE.sub("", reply.strip())
    text = _NUMBER_WORD.sub(lambda match: str(_NUMBER_WORDS.index(match[1].lower())), text)
    for start in content_starts(text):
        match = _TAGGED_NUMBER.match(text, start)
        if match:
            return float(match[1])
    numbers = _NUMBER.findall(_after_think(text)) or _NUMBER.findall(text)
    return float(numbers[-1]) if numbers else None


def extract_yes_no(reply: str) -> str | None:
    """ "yes" or "no" from answer tags, else the last such word of the last 800 characters."""
    for start in content_starts(reply):
        match = _TAGGED_YES_NO.match(reply, start)
        if match:
            return match[1].lower()
    words = _YES_NO.findall(reply[-_TAIL_CHARS:])
    return words[-1].lower() if words else None


def extract_count(reply: str) -> int | None:
    """The number, rounded half to even."""
    number = extract_number(reply)
    return None if number is None or not math.isfinite(number) else round(number)


def extract_list(reply: str, length: int) -> list[float] | None:
    """A bracketed list of that length, else the first numbers after list markers were taken out."""
    text = reply.strip()
    start, end = text.find("["), text.rfind("]")
    if start != -1 and end > start:
        values = _literal(text[start : end + 1])
        if isinstance(values, list) and len(values) == length and all(isinstance(one, int | float) for one in values):
            return [float(one) for one in values]
    numbers = _NUMBER.findall(_LINE_NUMBER.sub("", text))
    return [float(one) for one in numbers[:length]] if len(numbers) >= length > 0 else None


def _literal(text: str) -> object | None:
    """A Python literal, or None; nothing is evaluated."""
    if len(text) > _MAX_LITERAL_CHARS:
        return None
    try:
        return ast.literal_eval(text)  # type: ignore[no-any-return]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def row_score(kind: Kind, reply: str, truth: str) -> float:
    """Score of a reply as the public evaluation gives it, in [0, 1].

    Args:
        truth: the ``answer`` column as it stands in the file.
    """
    core = core_answer(reply)
    if kind == "MCQ":
        return float(_text(extract_letter(core)) == _text(extract_letter(truth.strip())))
    if kind == "YN":
        said, right = extract_yes_no(core), truth.strip().lower()
        return float(said is not None and right in ("yes", "no") and said == right)
    if kind == "COUNT":
        count, target = extract_count(core), _float(truth)
        return float(count is not None and target is not None and math.isfinite(target) and count == int(target))
    if kind == "NA":
        number, target = extract_number(core), _float(_METRES.sub("", truth.strip()).strip())
        if number is None or target is None or math.isnan(target):
            return 0.0
        return mean_relative_accuracy(number, target, published="spacedg")
    targets = _literal(truth.strip())
    if not isinstance(targets, list) or not targets or not all(isinstance(one, int | float) for one in targets):
        return 0.0
    values = extract_list(core, len(targets))
    if values is None:
        return 0.0
    scores = [
        mean_relative_accuracy(value, float(one), published="spacedg")
        for value, one in zip(values, targets, strict=True)
    ]
    return float(np.mean(scores))


def _text(letter: str | None) -> str:
    return "false" if letter is None else letter.lower()


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
