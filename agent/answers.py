"""Reading a reply in the question's own terms, and telling when two answers are the same."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..bench_data.questions import AnswerType
from ..diagnostics.replies import Interval, PictureFrame, parse_reply
from ..tools.coordinates import PixelMap
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
    """Reads a reply by the question's answer format; coordinates come back in pixels of the user's first picture."""
    kind = conversation.answer_format.answer_type
    in_pixels = kind in (AnswerType.BOX, AnswerType.POINT)
    frame = _frame(view, reply, work[0], context) if in_pixels else None
    parsed = parse_reply(conversation.answer_format, reply, frame=frame)
    value = _plain(parsed.value)
    if in_pixels and isinstance(value, list) and view is not View.ORIGINAL and work[0].pixel_map is not None:
        value = _in_original(value, work[0].pixel_map.pixel_map())
    return ReadAnswer(parsed.status.value, value, parsed.rule.value, tuple(flag.value for flag in parsed.flags))


def _in_original(place: Sequence[float], pixel_map: PixelMap) -> list[float]:
    """A point, or the bounds of a box's four corners, in pixels of the original."""
    if len(place) == 2:
        return [float(number) for number in pixel_map.to_original([place])[0]]
    x0, y0, x1, y1 = place
    corners = pixel_map.to_original([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    return [float(number) for number in (*corners.min(axis=0), *corners.max(axis=0))]


def _frame(view: View, reply: Reply, item: PictureWork, context: SolverContext) -> PictureFrame:
    """Of the picture that the request showed first, which is the one that the coordinates are asked for."""
    shown = _size(item) if view is View.ORIGINAL else _rectified_size(item)
    sent = reply.sent_images[0].sent_size if reply.sent_images else shown
    return PictureFrame(context.model.capabilities.coordinate_space, sent, shown)


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
        ends = {"low": value.low, "high": value.high}
        return {name: end if math.isfinite(end) else None for name, end in ends.items()}
    if isinstance(value, Sequence):
        return [float(number) for number in value]
    return str(value)


def same_answer(kind: AnswerType, one: AnswerValue, other: AnswerValue, diagonal_px: float) -> bool:
    """Whether two answers say the same: letters and yes/no exactly, numbers and ends of ranges within a tenth, boxes
    from IoU 0.5, points within a twentieth of the picture's diagonal, texts that share most of their words.
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
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_same_end(one.get(name), other.get(name)) for name in ("low", "high"))
    if isinstance(one, bool) or isinstance(other, bool) or kind is AnswerType.CHOICE:
        return one == other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other if kind is AnswerType.CLOCK else _close(one, other)
    if isinstance(one, str) and isinstance(other, str):
        return _word_f1(one, other) >= _TEXT_F1
    return False


def _same_end(a: object, b: object) -> bool:
    """Ends of two ranges; an open side is None."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return _close(a, b)
    return a is None and b is None


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
