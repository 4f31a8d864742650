"""CallRecord: one call and what came of it, as one line of the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ...tools.models import Fault, FaultKind, Reply, ReplyStatus

__all__ = ["CallRecord", "Spent", "error_reply", "record_line", "record_of"]

# `json.dumps` makes an encoder anew at each call that is not in its default form.
_JSON = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))

_MOST_COUNTED: Final = 10**12
_MOST_USD: Final = 1e6


class Spent(BaseModel):
    """What a question cost, over all calls that a wrapped model made for it.

    Attributes:
        calls: replies that the server gave, failed ones left out.
        input_tokens, output_tokens: as far as the server counted them.
        usd: of the calls whose price is known.
        unpriced: calls whose price is not.
    """

    model_config = ConfigDict(extra="forbid")

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def add(self, other: Spent) -> None:
        """Adds another question's."""
        self.calls += other.calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.usd += other.usd
        self.unpriced += other.unpriced


def _possible(spent: Spent) -> Spent:
    """Sums over a run are made in whole numbers of 64 bits; one impossible record must not spoil or stop them."""
    counts = (spent.calls, spent.input_tokens, spent.output_tokens, spent.unpriced)
    if not all(0 <= count <= _MOST_COUNTED for count in counts) or not 0 <= spent.usd <= _MOST_USD:
        raise ValueError("what was spent cannot be: a number is negative, not finite, or far too large")
    return spent


class CallRecord(BaseModel):
    """A line of the store.

    Args:
        key: of the call.
        item, condition, arm, prompt, repeat: what the call was made for first.
        sent: the turn word for word, ``["text", words]`` and ``["image", SHA-256 of the file]``; with the seed.
        reply: what came back.
        spent: over all calls of the question.
        at: date and time of the end of the call, UTC.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str = Field(pattern="^[0-9a-f]{64}$")
    item: str
    condition: str
    arm: str
    prompt: str
    repeat: int
    seed: int
    sent: tuple[tuple[str, str], ...]
    reply: Reply
    spent: Annotated[Spent, AfterValidator(_possible)] = Spent()
    at: str

    @property
    def is_done(self) -> bool:
        """Whether there is a reply; a failed call is made again."""
        return self.reply.status is not ReplyStatus.ERROR


def record_line(record: CallRecord) -> bytes:
    """One line, newline included. ASCII, so that any text survives, a lone surrogate included."""
    content = record.model_dump(mode="json", exclude_defaults=True)
    return _JSON.encode(content).encode("ascii") + b"\n"


def record_of(content: Mapping[str, object]) -> CallRecord:
    """The record in a parsed line.

    Raises:
        ValueError: it is none; the message says why.
    """
    try:
        return CallRecord.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def error_reply(kind: FaultKind, message: str, *, retryable: bool = False) -> Reply:
    """A reply for a call that could not be made."""
    return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=kind, message=message, retryable=retryable))
