"""What a record of a run is worth: its status after parsing, and its score by the form of the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...bench_data.errors import BenchDataError
from ...bench_data.questions import AnswerFormat, AnswerType, Truth, Unit
from ...tools.models import CoordinateSpace, Reply, ReplyStatus
from ..errors import DiagnosticsError
from ..metrics import ERROR_STATUS, box_iou, list_mean_relative_accuracy, mean_relative_accuracy, point_in_mask
from ..replies import Interval, PictureFrame, parse_reply
from .graph_scoring import score_graph_reply
from .items import PictureRef, RunItem
from .text_scoring import comparable_references, same_text

__all__ = ["JudgedReply", "LoadMask", "is_right_or_wrong", "judge_reply", "mask_from_bytes", "why_unscored"]

_WITHHELD = "the suite withholds the answer"
_SENTENCE = "the reference answer is a sentence, which can be said in many ways"

_RIGHT_OR_WRONG = (AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.CLOCK, AnswerType.POINT, AnswerType.TEXT)

LoadMask = Callable[[PictureRef], NDArray[np.uint8]]
"""(H, W) grey values of a mask's file."""


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """What a reply is worth.

    Attributes:
        status: a parse status, or "error" for a call that failed.
        score: from 0 to 1; 0 for every status but "ok", except that of a graph which was cut what is whole counts. None
            where nothing can be scored: the call failed, or see `why_unscored`.
        parts: further scores of the same reply by name, each from 0 to 1; see `GraphScore`.
    """

    status: str
    score: float | None
    parts: Mapping[str, float] = field(default_factory=dict)


def why_unscored(item: RunItem) -> str:
    """Why no reply to an item can be scored; "" where one can."""
    if item.truth is None and item.mask is None:
        return _WITHHELD
    if item.answer_format.answer_type is AnswerType.TEXT and not comparable_references(str(item.truth)):
        return _SENTENCE
    return ""


def is_right_or_wrong(form: AnswerFormat) -> bool:
    """Whether answers of this form score 1 or 0 and nothing between."""
    is_count = form.answer_type is AnswerType.NUMBER and form.unit is Unit.COUNT
    return is_count or form.answer_type in _RIGHT_OR_WRONG


def judge_reply(item: RunItem, reply: Reply, *, space: CoordinateSpace, load_mask: LoadMask) -> JudgedReply:
    """Reads a reply as its item asks and scores it. Never raises for what a model said.

    Choices, yes or no, clock hours and counts are right or wrong, and so are short texts (`same_text`); measures get
    their mean relative accuracy, lists the mean of it, boxes their IoU, points whether they fall on the mask, scene
    graphs the mean of their estimation and relation scores (`score_graph_reply`).

    Args:
        space: what the model's boxes and points are measured in.
        load_mask: reads the mask of a point.

    Raises:
        DiagnosticsError: the data is at fault: a truth that cannot be scored, or a mask that cannot be read.
    """
    if reply.status is ReplyStatus.ERROR:
        return JudgedReply(ERROR_STATUS, None)
    kind = item.answer_format.answer_type
    if kind is AnswerType.GRAPH and isinstance(item.truth, str):
        graph = score_graph_reply(item.truth, reply)
        return JudgedReply(graph.status, graph.score, graph.parts)
    frame = _frame(item, reply, space) if kind in (AnswerType.BOX, AnswerType.POINT) else None
    if frame is None and kind in (AnswerType.BOX, AnswerType.POINT):
        return JudgedReply("invalid", 0.0)
    parsed = parse_reply(item.answer_format, reply, frame=frame, intervals="midpoint")
    scorable = not why_unscored(item)
    if parsed.value is None:
        return JudgedReply(parsed.status.value, 0.0 if scorable else None)
    if not scorable:
        return JudgedReply("ok", None)
    score = _score(item, parsed.value, frame, load_mask)
    return JudgedReply("invalid", 0.0) if score is None else JudgedReply("ok", score)


def _score(item: RunItem, value: object, frame: PictureFrame | None, load_mask: LoadMask) -> float | None:
    """None for a value that is no answer to this question, such as "at least 2 m"."""
    truth, form = item.truth, item.answer_format
    match form.answer_type:
        case AnswerType.CHOICE | AnswerType.YES_NO:
            return float(value == truth)
        case AnswerType.CLOCK:
            return float(round(value) % 12 == _number(truth) % 12) if isinstance(value, int | float) else None
        case AnswerType.NUMBER:
            if isinstance(value, Interval):
                value = value.midpoint
            if not isinstance(value, int | float) or not np.isfinite(value):
                return None
            return float(value == truth) if form.unit is Unit.COUNT else mean_relative_accuracy(value, _number(truth))
        case AnswerType.LIST:
            return list_mean_relative_accuracy(_numbers(value), _numbers(truth))
        case AnswerType.TEXT:
            return float(isinstance(value, str) and same_text(value, comparable_references(str(truth))))
        case AnswerType.BOX if frame is not None:
            return box_iou(_numbers(value), _pixels(item, _numbers(truth), frame))
        case AnswerType.POINT if frame is not None and item.mask is not None:
            return float(point_in_mask(_numbers(value), load_mask(item.mask), image_size=frame.original_size))
        case AnswerType.POINT:
            raise DiagnosticsError(f"item {item.id} asks for a point and has no mask; a point alone cannot be scored")
    raise DiagnosticsError(f"item {item.id} asks for a {form.answer_type.value}, which a run cannot score")


def _frame(item: RunItem, reply: Reply, space: CoordinateSpace) -> PictureFrame | None:
    """Of the first picture, in whose coordinates places are asked for; None when nothing is known of its size."""
    if reply.sent_images:
        sent = reply.sent_images[0]
        return PictureFrame(space, sent.sent_size, sent.original_size)
    size = item.pictures[0].size if item.pictures else (0, 0)
    return PictureFrame(space, size, size) if min(size) > 0 else None


def _pixels(item: RunItem, place: tuple[float, ...], frame: PictureFrame) -> tuple[float, ...]:
    if item.coordinates == "pixels":
        return place
    width, height = frame.original_size
    return tuple(value * (height if index % 2 else width) / 1000 for index, value in enumerate(place))


def _number(truth: Truth | None) -> float:
    if isinstance(truth, bool) or not isinstance(truth, int | float):
        raise DiagnosticsError(f"the truth {truth!r} is no number; `seeworthy data validate` names such items")
    return truth


def _numbers(value: object) -> tuple[float, ...]:
    if not isinstance(value, tuple) or not all(isinstance(one, int | float) for one in value):
        raise DiagnosticsError(f"{value!r} is no list of numbers; `seeworthy data validate` names such items")
    return tuple(float(one) for one in value)


def mask_from_bytes(picture: PictureRef, data: bytes) -> NDArray[np.uint8]:
    """The grey values of a mask's file.

    Raises:
        DiagnosticsError: it is no picture.
    """
    from ...bench_data.images import picture_from_bytes

    try:
        return picture_from_bytes(data, source=picture.path).image_srgb_u8[:, :, 0]
    except BenchDataError as error:
        raise DiagnosticsError(f"mask {picture.path}: {error}") from error
