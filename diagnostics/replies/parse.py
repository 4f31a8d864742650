"""The one entry: a question's answer format chooses the parser, the reply's status says what may be read at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Protocol

from ...bench_data.questions import AnswerFormat, AnswerType, Unit
from ...tools.models import Capabilities, Reply, ReplyStatus, SentImage
from ..errors import DiagnosticsError
from .boxes import PictureFrame, parse_box, parse_point
from .choice import parse_choice
from .clock import parse_clock
from .free_text import parse_text
from .graph_json import parse_graph_json
from .number import parse_number
from .number_list import parse_list
from .published import Published, published_reading
from .reading import unseen
from .result import Flag, Interval, JsonValue, ParsedReply, ParseStatus, Rule
from .yes_no import parse_yes_no

__all__ = ["Asks", "Value", "parse_reply", "picture_frame"]

Value = str | bool | float | Interval | tuple[float, ...] | dict[str, JsonValue]
Parser = Callable[[str, bool], "ParsedReply[Value]"]


class Asks(Protocol):
    """Anything that says what form its answer has: a question, a record of one."""

    @property
    def answer_format(self) -> AnswerFormat: ...


def picture_frame(capabilities: Capabilities, sent: SentImage) -> PictureFrame:
    """How the coordinates of a model's answer relate to the picture that was sent."""
    return PictureFrame(capabilities.coordinate_space, sent.sent_size, sent.original_size)


def parse_reply(
    question: AnswerFormat | Asks,
    reply: Reply | str,
    *,
    frame: PictureFrame | None = None,
    intervals: Literal["keep", "midpoint"] = "keep",
    published: Published | str | None = None,
) -> ParsedReply[Value]:
    """Read a reply as the question asks.

    What the server said about the reply comes first: ``refusal`` and ``filtered`` are refusals, whatever the text;
    ``truncated`` stays ``truncated`` unless a declared answer stands in the text and something follows it. Reasoning
    that came in a field of its own is never graded; what it would have said is kept as a candidate.

    Args:
        frame: needed for boxes and points, see ``picture_frame``.
        intervals: what a range is to a number question, see ``parse_number``.
        published: read the text as a public benchmark does; the server's status still comes first.

    Raises:
        DiagnosticsError: the call failed. A failed call is no wrong answer: there is nothing to parse, and the item has
            to be asked again. Also for a box or point without ``frame``.

    >>> from seeworthy.bench_data.questions import AnswerFormat
    >>> parse_reply(AnswerFormat(answer_type="number", unit="m"), "about 250 cm").value
    2.5
    """
    asked = question if isinstance(question, AnswerFormat) else question.answer_format
    if isinstance(reply, str):
        return _parser(asked, frame, intervals, published)(reply, False)
    if reply.status is ReplyStatus.ERROR:
        why = reply.fault.message if reply.fault else "no reason given"
        raise DiagnosticsError(f"the call failed ({why}), so there is no reply to parse; ask the item again")
    if reply.status in (ReplyStatus.REFUSAL, ReplyStatus.FILTERED):
        return ParsedReply(
            ParseStatus.REFUSAL, rule=Rule.REPLY_STATUS, detail=f"the server reports {reply.status.value}"
        )
    parse = _parser(asked, frame, intervals, published)
    cut = reply.status is ReplyStatus.TRUNCATED
    if not reply.text.strip() and reply.reasoning:
        return unseen(parse(reply.reasoning, False), cut=cut)
    return parse(reply.text, cut)


def _parser(
    asked: AnswerFormat,
    frame: PictureFrame | None,
    intervals: Literal["keep", "midpoint"],
    published: Published | str | None,
) -> Parser:
    if published is not None:
        rules = published
        return lambda text, cut: _published(text, asked, rules, cut)
    kind = asked.answer_type
    if kind in (AnswerType.BOX, AnswerType.POINT):
        if frame is None:
            raise DiagnosticsError(f"a {kind.value} needs frame=: the space of the model's coordinates and both sizes")
        read = parse_box if kind is AnswerType.BOX else parse_point
        space, sent, original = frame.space, frame.sent_size, frame.original_size
        return lambda text, cut: read(text, space, sent, original, cut=cut)
    return lambda text, cut: _parse_text_answer(asked, text, intervals, cut)


def _parse_text_answer(
    asked: AnswerFormat, text: str, intervals: Literal["keep", "midpoint"], cut: bool
) -> ParsedReply[Value]:
    match asked.answer_type:
        case AnswerType.CHOICE:
            return parse_choice(text, asked.options or {}, cut=cut)
        case AnswerType.YES_NO:
            return parse_yes_no(text, asked.options, cut=cut)
        case AnswerType.NUMBER:
            return parse_number(text, asked.unit or Unit.COUNT, intervals=intervals, cut=cut)
        case AnswerType.LIST:
            return parse_list(text, asked.length or 1, asked.unit or Unit.COUNT, cut=cut)
        case AnswerType.CLOCK:
            return parse_clock(text, cut=cut)
        case AnswerType.GRAPH:
            return parse_graph_json(text, cut=cut)
        case _:
            return parse_text(text, cut=cut)


def _published(text: str, asked: AnswerFormat, published: Published | str, cut: bool) -> ParsedReply[Value]:
    result = published_reading(text, asked, published)
    if cut and not result.ok:
        return replace(result, status=ParseStatus.TRUNCATED, flags=(*result.flags, Flag.RAISE_OUTPUT_BUDGET))
    return result
