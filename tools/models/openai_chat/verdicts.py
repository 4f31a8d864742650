"""What one exchange with the server amounts to: an answer, or a failure with what may help."""

from __future__ import annotations

from dataclasses import dataclass

from ..protocol import Fault, FaultKind, ReplyStatus
from .answers import Answer, Malformed, read_answer
from .connections import HttpAnswer, NoAnswer
from .server_errors import Remedy, ServerError, judge, read_error

__all__ = ["Failure", "read_exchange"]


@dataclass(frozen=True)
class Failure:
    """A call that gave no answer.

    Attributes:
        error: what the server said, None when it said nothing.
    """

    fault: Fault
    remedy: Remedy = Remedy.NONE
    error: ServerError | None = None

    @property
    def short(self) -> str:
        """A word or two for a list of what went wrong."""
        return f"HTTP {self.fault.http_status}" if self.fault.http_status else self.fault.kind.value

    def adding(self, words: str, *, retry_after_s: float | None = None) -> Failure:
        """The same failure with more to say and nothing left to try."""
        told: dict[str, object] = {"message": f"{self.fault.message}; {words}", "retry_after_s": retry_after_s}
        return Failure(self.fault.model_copy(update=told), error=self.error)


def read_exchange(came: HttpAnswer | NoAnswer, *, base_url: str, image_bytes: int, max_tokens: int) -> Answer | Failure:
    """Judges what came back.

    Args:
        base_url: for messages.
        image_bytes: base64 characters of the pictures that were sent.
        max_tokens: the output budget that was asked for.
    """
    if isinstance(came, NoAnswer):
        fault = Fault(kind=came.kind, message=f"{base_url}: {came.reason}", retryable=came.passing)
        return Failure(fault, Remedy.RETRY if came.passing else Remedy.NONE)
    if not 200 <= came.status < 300:
        return _from_error(read_error(came.status, came.body), base_url, image_bytes)
    found = read_answer(came.body, max_tokens=max_tokens)
    if isinstance(found, Answer):
        return found
    if isinstance(found, ServerError):
        return _from_error(found, base_url, image_bytes)
    return _from_malformed(found, base_url, came.status)


def _from_malformed(found: Malformed, base_url: str, status: int) -> Failure:
    message = f"{base_url} answered HTTP {status}, but not with a chat completion: {found.reason}"
    # Not tried again at once: a page or a foreign form comes back the same, and half a body is worth a later look.
    return Failure(
        Fault(kind=FaultKind.MALFORMED, message=message, retryable=found.retryable, http_status=status),
    )


def _from_error(error: ServerError, base_url: str, image_bytes: int) -> Answer | Failure:
    kind, remedy, advice = judge(error, image_bytes=image_bytes)
    said = f": {error.excerpt}" if error.excerpt else ""
    if remedy is Remedy.REFUSAL:
        # The words are the server's, not the model's, so they are no text of the reply.
        note = f"refused by the server's content filter (HTTP {error.status}){said}"
        return Answer(ReplyStatus.REFUSAL, notes=(note,))
    codes = f" ({', '.join(sorted(error.codes))})" if error.codes else ""
    fault = Fault(
        kind=kind,
        message=f"{base_url} answered HTTP {error.status}{codes}{said}; {advice}",
        retryable=remedy is Remedy.RETRY,
        http_status=error.status,
    )
    return Failure(fault, remedy, error)
