"""Answers in the words of the OpenAI protocol, with Seeworthy's own findings beside them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...tools.models import Reply, ReplyStatus
from ...tools.models.surrogates import without_lone_surrogates
from ..context import software_version
from .answering import Answered, Choice
from .chat_request import ChatCall
from .counting import Ledger
from .errors import ApiError

__all__ = ["Completion", "encode", "error_event"]

_DONE = b"data: [DONE]\n\n"

_FINISH = {ReplyStatus.TRUNCATED: "length", ReplyStatus.FILTERED: "content_filter"}
_REFUSED = "The model's server refused to answer."


def encode(value: Mapping[str, object]) -> bytes:
    """JSON as bytes."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _event(value: Mapping[str, object]) -> bytes:
    """One server-sent event."""
    return b"data: " + encode(value) + b"\n\n"


@dataclass(frozen=True)
class Completion:
    """The answers to one call.

    Attributes:
        created_s: Unix time.
    """

    call: ChatCall
    answered: Answered
    created_s: int

    def body(self) -> dict[str, object]:
        """The whole as one object of type ``chat.completion``."""
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", **_words(choice.reply)},
                "logprobs": None,
                "finish_reason": _finish(choice.reply),
                "seeworthy": self._findings(choice),
            }
            for index, choice in enumerate(self.answered.choices)
        ]
        body = {**self._head("chat.completion", _identifier()), "choices": choices}
        usage = _usage(self.answered.ledger)
        return body if usage is None else {**body, "usage": usage}

    def events(self) -> Iterator[bytes]:
        """The whole as server-sent events. A solver's answer is known at once, so it is one piece."""
        head = self._head("chat.completion.chunk", _identifier())
        if self.call.include_usage:
            head["usage"] = None
        for index, choice in enumerate(self.answered.choices):
            pieces: tuple[dict[str, object], ...] = ({"role": "assistant", "content": ""}, _words(choice.reply))
            for delta in pieces:
                yield _event({**head, "choices": [{"index": index, "delta": delta, "finish_reason": None}]})
            last = {"index": index, "delta": {}, "finish_reason": _finish(choice.reply)}
            yield _event({**head, "choices": [{**last, "seeworthy": self._findings(choice)}]})
        if self.call.include_usage:
            yield _event({**head, "choices": [], "usage": _usage(self.answered.ledger)})
        yield _DONE

    def _head(self, kind: str, name: str) -> dict[str, object]:
        return {
            "id": name,
            "object": kind,
            "created": self.created_s,
            "model": self.call.model,
            "system_fingerprint": f"seeworthy-{software_version()}",
        }

    def _findings(self, choice: Choice) -> dict[str, object]:
        """What the solver found, did and thinks of its answer."""
        findings: dict[str, object] = {
            "outcome": "unchecked",
            "confidence": None,
            "stress": [],
            "tools": [],
            "trace_id": choice.trace_id,
            "trace_url": None if choice.trace_id is None else f"/v1/traces/{choice.trace_id}",
            "profile": self.answered.profile,
            "ignored": list(self.call.ignored),
        }
        result = choice.result
        if result is None:
            return {**findings, "notes": [without_lone_surrogates(note) for note in choice.reply.notes]}
        summary = result.summary()
        accepted = [tried for item in result.work for tried in item.tries if tried.accepted]
        stress = [found.stress.value for item in result.work for found in result.findings(item.index)]
        return findings | {
            "outcome": result.outcome.value,
            "confidence": result.solution.support,
            "answer": summary["answer"],
            "reason": result.solution.reason,
            "stress": list(dict.fromkeys(stress)),
            "tools": [tried.tool for tried in accepted],
            "pictures": summary["pictures"],
            "spent": summary["spent"],
        }


def error_event(error: ApiError) -> bytes:
    """An error in a stream that has begun: the status can no longer say it."""
    return _event(error.body())


def _identifier() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"


def _finish(reply: Reply) -> str:
    return _FINISH.get(reply.status, "stop")


def _words(reply: Reply) -> dict[str, object]:
    text = without_lone_surrogates(reply.text)
    if reply.status is ReplyStatus.REFUSAL:
        return {"content": None, "refusal": text or _REFUSED}
    words: dict[str, object] = {"content": text}
    if reply.reasoning:
        words["reasoning_content"] = without_lone_surrogates(reply.reasoning)
    return words


def _usage(ledger: Ledger) -> dict[str, object] | None:
    """Tokens of all calls together; None when the model's server did not count them."""
    if ledger.input_tokens is None or ledger.output_tokens is None or not ledger.calls:
        return None
    return {
        "prompt_tokens": ledger.input_tokens,
        "completion_tokens": ledger.output_tokens,
        "total_tokens": ledger.input_tokens + ledger.output_tokens,
        "completion_tokens_details": {"reasoning_tokens": ledger.reasoning_tokens},
    }
