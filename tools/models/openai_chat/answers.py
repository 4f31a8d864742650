"""Reading the body of a chat completion, and telling an answer from everything that only looks like one."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..protocol import ReplyStatus, Usage
from ..surrogates import without_lone_surrogates
from .server_errors import ServerError, read_error

__all__ = ["HALF_CHARACTERS", "ONLY_REASONING", "RAISE_BUDGET", "Answer", "Malformed", "read_answer"]

RAISE_BUDGET = "raise the output budget (max_tokens)"
ONLY_REASONING = (
    "the model stopped with reasoning and no answer; if this happens often, the server's reasoning parser takes the "
    "answer for a thought"
)
HALF_CHARACTERS = "half characters (lone surrogates) in the reply were replaced by U+FFFD"

_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter", "content_filtered", "safety", "refusal"})
# What servers write for impossible (-9999), with room below; and a certain token that was rounded up.
_LEAST_LOGPROB, _ROUNDED_UP = -1e5, 1e-3
_TEXT_PARTS = frozenset({"text", "output_text"})
_REASONING_PARTS = frozenset({"thinking", "reasoning"})


@dataclass(frozen=True)
class Answer:
    """What the model said, before cost and latency are known."""

    status: ReplyStatus
    text: str = ""
    reasoning: str | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    model_reported: str | None = None
    notes: tuple[str, ...] = ()
    logprob: float | None = None


@dataclass(frozen=True)
class Malformed:
    """A body with status 200 that is no chat completion.

    Attributes:
        retryable: True when it may be a reply that was cut off on the way, False when the server means it.
    """

    reason: str
    retryable: bool


def read_answer(body: bytes, *, max_tokens: int) -> Answer | Malformed | ServerError:
    """Reads a body that came with a success status.

    How silence is read:

    * refusal field, or stopped by a filter without text: ``refusal``. Stopped by a filter in mid-sentence:
      ``filtered``, and the text is kept.
    * stopped by the budget: ``truncated``, with text or without.
    * no text although the model stopped by itself: ``ok`` with empty text and a note. The call worked and would end so
      again; nothing was answered, which is for the reader of the reply to count. Text in a reasoning field is never
      moved into the answer: a thought is not a statement.

    Args:
        max_tokens: the output budget that was asked for; it unmasks truncation where a server gives no reason.
    """
    found = _parse(body)
    if isinstance(found, Malformed):
        return found
    if found.get("error"):
        return read_error(_named_status(found["error"]), body)
    choices = found.get("choices")
    if not isinstance(choices, list) or not choices:
        return Malformed("the body has no choices", retryable=False)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return Malformed("the first choice has no message", retryable=False)
    if isinstance(choice.get("error"), dict):
        return read_error(_named_status(choice["error"]), json.dumps({"error": choice["error"]}).encode())
    content = _read_content(message.get("content"))
    if content is None:
        return Malformed(f"message.content is {type(message['content']).__name__}, not text", retryable=False)
    finish = _text(choice.get("finish_reason"))
    if finish == "error":
        return ServerError(502, frozenset(), None, "the server stopped in the middle (finish_reason error)")
    refusal = _text(message.get("refusal")) or content.refusal
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning")) or content.reasoning
    usage = _read_usage(found.get("usage"))
    spent = usage.output_tokens is not None and usage.output_tokens >= max_tokens
    status, notes = _conclude(
        blank=not content.text.strip(),
        refused=bool(refusal),
        thought=bool(reasoning or usage.reasoning_tokens),
        finish=finish.lower() or ("length" if spent else "none given"),
    )
    text = content.text or refusal
    return Answer(
        status=status,
        text=without_lone_surrogates(text),
        reasoning=without_lone_surrogates(reasoning) or None,
        finish_reason=finish or None,
        usage=usage,
        model_reported=_text(found.get("model")) or None,
        notes=notes if text == without_lone_surrogates(text) else (*notes, HALF_CHARACTERS),
        logprob=_read_logprob(choice.get("logprobs")),
    )


def _conclude(*, blank: bool, refused: bool, thought: bool, finish: str) -> tuple[ReplyStatus, tuple[str, ...]]:
    """Status and notes, from whether there is text, and why the model stopped."""
    if refused:
        return ReplyStatus.REFUSAL, ()
    if finish in _FILTERED:
        note = f"stopped by the server's filter (finish_reason {finish})"
        return (ReplyStatus.REFUSAL if blank else ReplyStatus.FILTERED), (note,)
    if finish in _LENGTH:
        what = "thinking used up the budget before the answer began" if thought and blank else "the reply was cut"
        return ReplyStatus.TRUNCATED, (f"{what}; {RAISE_BUDGET}",)
    if blank and thought:
        return ReplyStatus.OK, (ONLY_REASONING,)
    if blank:
        return ReplyStatus.OK, (f"the model said nothing (finish_reason {finish})",)
    return ReplyStatus.OK, ()


@dataclass(frozen=True)
class _Content:
    text: str = ""
    reasoning: str = ""
    refusal: str = ""


def _read_content(content: object) -> _Content | None:
    """Text, reasoning and refusal in a message's content: null, a string, or a list of typed parts."""
    if content is None:
        return _Content()
    if isinstance(content, str):
        return _Content(content)
    if not isinstance(content, list):
        return None
    text, reasoning, refusal = [], [], []
    for part in content:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, dict):
            kind = part.get("type")
            if kind in _TEXT_PARTS:
                text.append(_text(part.get("text")))
            elif kind in _REASONING_PARTS:
                reasoning.append(_reasoning_of(part))
            elif kind == "refusal":
                refusal.append(_text(part.get("refusal")))
    return _Content("".join(text), "".join(reasoning), "".join(refusal))


def _reasoning_of(part: dict[str, object]) -> str:
    """A reasoning part holds its text under its own name or ``text``, as a string or as a list of text parts."""
    for name in ("thinking", "reasoning", "text"):
        value = part.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return "".join(_text(item.get("text")) for item in value if isinstance(item, dict))
    return ""


def _read_usage(usage: object) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("completion_tokens_details")
    reasoning = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    given, written, total = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    # Most servers count reasoning within completion_tokens; where the total shows that one does not, it is added.
    if None not in (given, written, total, reasoning) and total == (given or 0) + (written or 0) + (reasoning or 0):
        written = (written or 0) + (reasoning or 0)
    return Usage(input_tokens=given, output_tokens=written, reasoning_tokens=reasoning)


def _read_logprob(found: object) -> float | None:
    """The sum over the tokens of the reply; None where the server says none, or something that is no logarithm."""
    tokens = found.get("content") if isinstance(found, dict) else None
    if not isinstance(tokens, list) or not tokens:
        return None
    likely = [token.get("logprob") if isinstance(token, dict) else None for token in tokens]
    told = [float(one) for one in likely if isinstance(one, int | float) and _LEAST_LOGPROB <= one <= _ROUNDED_UP]
    return min(math.fsum(told), 0.0) if len(told) == len(tokens) else None


def _parse(body: bytes) -> dict[str, object] | Malformed:
    if body.lstrip()[:1] == b"<":
        return Malformed("the body is a web page or XML, not JSON; check the base URL", retryable=False)
    if not body.strip():
        return Malformed("the body is empty", retryable=True)
    try:
        found = json.loads(body)
    except RecursionError:
        return Malformed("the body is JSON nested too deeply", retryable=False)
    except ValueError:
        # Includes UnicodeDecodeError. A connection that closes early may leave half a body without any other sign.
        return Malformed("the body is not valid JSON", retryable=True)
    if not isinstance(found, dict):
        return Malformed(f"the body is a JSON {type(found).__name__}, not an object", retryable=False)
    return found


def _named_status(error: object) -> int:
    """Some gateways answer 200 and name the true status inside the error."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isdecimal():
        code = int(code)
    return code if isinstance(code, int) and 400 <= code <= 599 else 400


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
