"""Reading a reply in the question's own terms, and telling when two answers are the same."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..bench_data.questions import AnswerType
from ..diagnostics.replies import Interval, ParsedReply, parse_box, parse_point, parse_reply
from ..tools.models import Reply
from .context import SolverContext
from .conversation import Conversation
from .records import AnswerValue, PictureWork, View

__all__ = ["ReadAnswer", "read_answer", "same_answer"]

# Two numbers agree within this share of the larger one: a tenth is what models reach on metric questions at best.
_NUMBER_TOLERANCE = 0.10
# Boxes agree from the intersection over union at which detection benchmarks begin to count a hit.
_BOX_IOU = 0.5
_POINT_TOLERANCE = 0.05
# Two free texts say the same when they share most of their words.
_TEXT_F1 = 0.6


@dataclass(frozen=True)
class ReadAnswer:
    """What a reply says: the parser's verdict with the value in plain form and original pixels."""

    status: str
    value: AnswerValue
    rule: str
    flags: tuple[str, ...]


def read_answer(
    conversation: Conversation, view: View, reply: Reply, work: Sequence[PictureWork], context: SolverContext
) -> ReadAnswer:
    """Reads a reply by the question's answer format; coordinates come back in pixels of the user's picture."""
    kind = conversation.answer_format.answer_type
    if kind in (AnswerType.BOX, AnswerType.POINT) and work:
        return _read_place(kind, view, reply, work[0], context)
    parsed = parse_reply(conversation.answer_format, reply)
    return ReadAnswer(parsed.status.value, _plain(parsed.value), parsed.rule or "", tuple(parsed.flags))


def _read_place(kind: AnswerType, view: View, reply: Reply, item: PictureWork, context: SolverContext) -> ReadAnswer:
    shown_size = _size(item) if view is View.ORIGINAL else _rectified_size(item)
    sent_size = reply.sent_images[0].sent_size if reply.sent_images else shown_size
    parse = parse_box if kind is AnswerType.BOX else parse_point
    parsed: ParsedReply = parse(
        reply.text,
        space=context.model.capabilities.coordinate_space,
        sent_size=sent_size,
        original_size=shown_size,
    )
    value = _plain(parsed.value)
    if isinstance(value, list) and view is not View.ORIGINAL and item.pixel_map is not None:
        points = [value[i : i + 2] for i in range(0, len(value), 2)]
        mapped = item.pixel_map.pixel_map().to_original(points)
        value = [float(number) for number in mapped.ravel()]
    return ReadAnswer(parsed.status.value, value, parsed.rule or "", tuple(parsed.flags))


def _size(item: PictureWork) -> tuple[int, int]:
    return item.size[0], item.size[1]


def _rectified_size(item: PictureWork) -> tuple[int, int]:
    if item.pixel_map is None:
        return _size(item)
    return item.pixel_map.rectified_size[0], item.pixel_map.rectified_size[1]


def _plain(value: object) -> AnswerValue:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Interval):
        return [float(value.low), float(value.high)]
    if isinstance(value, Sequence):
        return [float(number) for number in value]
    return str(value)


def same_answer(kind: AnswerType, one: AnswerValue, other: AnswerValue, diagonal_px: float) -> bool:
    """Whether two answers say the same: letters and yes/no exactly, numbers within a tenth, boxes from IoU 0.5,
    points within a twentieth of the picture's diagonal, texts that share most of their words.
    """
    if one is None or other is None:
        return False
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return False
        if kind is AnswerType.BOX:
            return _iou(one, other) >= _BOX_IOU
        if kind is AnswerType.POINT:
            return math.dist(one, other) <= _POINT_TOLERANCE * diagonal_px
        return all(_close(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool) or kind is AnswerType.CHOICE:
        return one == other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other if kind is AnswerType.CLOCK else _close(one, other)
    if isinstance(one, str) and isinstance(other, str):
        return _word_f1(one, other) >= _TEXT_F1
    return False


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= _NUMBER_TOLERANCE * max(abs(a), abs(b))


def _iou(a: Sequence[float], b: Sequence[float]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def _word_f1(one: str, other: str) -> float:
    a = Counter(re.findall(r"\w+", one.casefold()))
    b = Counter(re.findall(r"\w+", other.casefold()))
    if not a or not b:
        return float(one.strip() == other.strip())
    return 2 * sum((a & b).values()) / (sum(a.values()) + sum(b.values()))
