"""The published and the sound score of the same replies, row by row, so that nobody has to take the difference on
trust."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...bench_data.questions import AnswerFormat, AnswerType, Unit
from ..errors import DiagnosticsError
from ..metrics import box_iou, clock_error_deg, list_mean_relative_accuracy, mean_relative_accuracy
from .boxes import PictureFrame
from .parse import Value, parse_reply
from .published import Published, published_score
from .result import ParsedReply, ParseStatus

__all__ = ["ScoredRow", "format_side_by_side", "score_side_by_side", "sound_score"]

Truth = str | bool | float | Sequence[float]


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One reply with both scores in [0, 1]."""

    reply: str
    status: ParseStatus
    sound: float
    published: float


def sound_score(answer_format: AnswerFormat, result: ParsedReply[Value], truth: Truth) -> float:
    """Score of a parsed reply in [0, 1]: exact for letters, yes/no, counts and hours, relative accuracy for measures
    and
    lists, intersection over union for boxes (in original pixels). Everything that is not ``ok``, and a range instead
    of a number, scores 0.

    Raises:
        DiagnosticsError: the answer type has no score of its own, or the truth does not fit it.
    """
    kind, value = answer_format.answer_type, result.value
    if kind in (AnswerType.CHOICE, AnswerType.YES_NO):
        return float(value is not None and value == truth)
    if kind in (AnswerType.NUMBER, AnswerType.CLOCK) and isinstance(truth, int | float):
        number = value if isinstance(value, float) else None
        if kind is AnswerType.CLOCK:
            return float(number is not None and clock_error_deg(number, truth) == 0)
        if answer_format.unit is Unit.COUNT:
            return float(number is not None and math.isclose(number, truth))
        return mean_relative_accuracy(number, truth)
    if isinstance(truth, Sequence) and not isinstance(truth, str):
        numbers = value if isinstance(value, tuple) else None
        if kind is AnswerType.LIST:
            return list_mean_relative_accuracy(numbers, truth)
        if kind is AnswerType.BOX:
            return box_iou(numbers, truth)
    raise DiagnosticsError(f"a {kind.value} with the truth {truth!r} has no score from the reply alone")


def score_side_by_side(
    rows: Iterable[tuple[AnswerFormat, str, Truth]],
    published: Published | str,
    *,
    frame: PictureFrame | None = None,
) -> list[ScoredRow]:
    """Both scores of each (answer format, reply, truth).

    Args:
        frame: for boxes; the truth is then in permille for both scores, as the benchmark keeps it.

    >>> options = AnswerFormat(answer_type="choice", options={"A": "left", "B": "right"})
    >>> [(row.sound, row.published) for row in score_side_by_side([(options, "Based on it, left.", "A")], "robostress")]
    [(1.0, 0.0)]
    """
    scored = []
    for answer_format, reply, truth in rows:
        result = parse_reply(answer_format, reply, frame=frame)
        sound_truth = truth
        if answer_format.answer_type is AnswerType.BOX and frame is not None and isinstance(truth, list | tuple):
            sound_truth = _pixels(truth, frame)
        sound = sound_score(answer_format, result, sound_truth)
        scored.append(ScoredRow(reply, result.status, sound, published_score(reply, answer_format, truth, published)))
    return scored


def _pixels(permille: Sequence[float], frame: PictureFrame) -> tuple[float, ...]:
    return tuple(float(value) / 1000 * frame.original_size[axis % 2] for axis, value in enumerate(permille))


def format_side_by_side(rows: Sequence[ScoredRow], published: Published | str) -> str:
    """A table of the rows on which the scores differ, and both means."""
    name = Published(published).value
    lines = [f"{'sound':>7}  {name:>10}  {'status':<10}  reply"]
    for row in rows:
        if row.sound != row.published:
            lines.append(
                f"{row.sound:7.3f}  {row.published:10.3f}  {row.status.value:<10}  {' '.join(row.reply.split())[:70]}"
            )
    if rows:
        sound = math.fsum(row.sound for row in rows) / len(rows)
        public = math.fsum(row.published for row in rows) / len(rows)
        lines.append(f"{sound:7.3f}  {public:10.3f}  mean of {len(rows)} replies")
    return "\n".join(lines)
