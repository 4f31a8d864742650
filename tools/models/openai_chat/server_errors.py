"""Reading the error bodies of many servers into one form, and saying what to do about each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from ..protocol import FaultKind
from ..surrogates import without_lone_surrogates

__all__ = ["Remedy", "ServerError", "judge", "read_error"]

_KEPT_CHARACTERS = 2000
_EXCERPT_CHARACTERS = 300
_BIG_BODY_BYTES = 1024 * 1024
"""The usual limit of a reverse proxy on a request body (nginx, ``client_max_body_size``)."""

_MODERATION = frozenset(
    {
        "content_filter",
        "responsibleaipolicyviolation",
        "content_policy_violation",
        "moderation_blocked",
        "data_inspection_failed",
        "flagged_input",
    }
)
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TOO_LARGE = frozenset({"image_too_large", "request_too_large", "payload_too_large"})

_CONTEXT = re.compile(r"context.?(length|window|size)|(prompt|input) is too long|too many (input )?tokens")
_COUNT = re.compile(r"number of|too many|at most \d+ (image|picture|file)")
_SIZE_WORDS = (
    r"too (large|big|long)|exceed|larger than|bigger than|over the limit|size limit"
    r"|max(imum)?( allowed)? (size|dimension)"
)
_THING_WORDS = r"\b(images?|pictures?|payload|request|body|base64|data ur[il]s?|files?)\b"
_IMAGE_SIZE = re.compile(f"{_THING_WORDS}.{{0,80}}({_SIZE_WORDS})|({_SIZE_WORDS}).{{0,80}}{_THING_WORDS}", re.DOTALL)
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,120}(not found|doesn't exist|does not exist|not available|unknown)|(unknown|no such) model",
    re.DOTALL,
)


@dataclass(frozen=True)
class ServerError:
    """What a server said when it refused.

    Attributes:
        status: HTTP status, or the one that a body with status 200 names.
        codes: every code, type and status word in the body, in lower case.
        parameter: the request field that the server blames.
        message: its words on one line; "" when it said none.
    """

    status: int
    codes: frozenset[str]
    parameter: str | None
    message: str

    @property
    def excerpt(self) -> str:
        """The message, short enough to show."""
        text = self.message
        return text if len(text) <= _EXCERPT_CHARACTERS else text[: _EXCERPT_CHARACTERS - 1] + "…"


class Remedy(Enum):
    """What can be done about an error."""

    NONE = auto()
    REFUSAL = auto()
    """It is no error at all: a moderation layer refused the content."""
    RETRY = auto()
    SHRINK = auto()
    """Send smaller pictures; never the same again."""


def read_error(status: int, body: bytes) -> ServerError:
    """The error in a body, whatever form the server gave it."""
    text = body.decode("utf-8", errors="replace").strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ServerError(status, frozenset(), None, _one_line(_without_tags(text)))
    if isinstance(found, list) and found and isinstance(found[0], dict) and "error" in found[0]:
        found = found[0]  # Google wraps the error in a list.
    if not isinstance(found, dict):
        return ServerError(status, frozenset(), None, _one_line(text))
    error = found.get("error", found)
    if not isinstance(error, dict):
        error = {**found, "message": error}
    blamed = error.get("param")
    message = error.get("message")
    if not isinstance(message, str):
        blamed, message = _from_detail(error.get("detail"), blamed, text)
    return ServerError(
        status=status,
        codes=frozenset(_codes(error)),
        parameter=blamed if isinstance(blamed, str) else None,
        message=_one_line(message),
    )


def judge(error: ServerError, *, image_bytes: int) -> tuple[FaultKind, Remedy, str]:
    """Fault kind, remedy and one sentence of advice.

    Args:
        image_bytes: base64 characters of the pictures that were sent, 0 for text alone.
    """
    status, words = error.status, error.message.lower()
    pictures = image_bytes > 0
    if 400 <= status < 500 and error.codes & _MODERATION:
        return FaultKind.BAD_REQUEST, Remedy.REFUSAL, ""
    if status == 402 or error.codes & _QUOTA:
        return FaultKind.QUOTA, Remedy.NONE, "the account has no credit left; top it up or use another key"
    if status in (401, 403):
        return FaultKind.AUTHENTICATION, Remedy.NONE, "check the key and what it may use"
    if status == 429:
        return FaultKind.RATE_LIMIT, Remedy.RETRY, "lower max_concurrency"
    if status == 408:
        return FaultKind.TIMEOUT, Remedy.RETRY, "the server gave up waiting"
    if status in (409, 425) or status >= 500:
        return FaultKind.SERVER, Remedy.RETRY, "look into the server's log"
    if status in (400, 413, 422) and ("context_length_exceeded" in error.codes or _CONTEXT.search(words)):
        return FaultKind.TOO_LARGE, Remedy.NONE, "shorten the prompt or set max_image_side_px"
    if status == 413 or (status in (400, 422) and pictures and _is_about_size(error, words)):
        remedy = Remedy.SHRINK if pictures else Remedy.NONE
        return FaultKind.TOO_LARGE, remedy, "set max_image_base64_bytes or max_image_side_px to what the server takes"
    if status == 404:
        # Some proxies answer 404 to bodies that are too large; a smaller one tells the two apart.
        named = "model_not_found" in error.codes or bool(_NO_MODEL.search(words))
        remedy = Remedy.SHRINK if image_bytes >= _BIG_BODY_BYTES and not named else Remedy.NONE
        return FaultKind.BAD_REQUEST, remedy, "check the model's name and that the base URL is right (most end in /v1)"
    return FaultKind.BAD_REQUEST, Remedy.NONE, "the server does not accept this request"


def _is_about_size(error: ServerError, words: str) -> bool:
    return bool(error.codes & _TOO_LARGE) or bool(_IMAGE_SIZE.search(words) and not _COUNT.search(words))


def _codes(error: dict[str, object]) -> Iterator[str]:
    nested = (error.get("innererror"), error.get("metadata"))
    for level in (error, *nested):
        if not isinstance(level, dict):
            continue
        for name in ("code", "type", "status", "error_type"):
            if isinstance(level.get(name), str):
                yield str(level[name]).lower()
        if "flagged_input" in level:
            yield "flagged_input"


def _from_detail(detail: object, blamed: object, text: str) -> tuple[object, str]:
    """FastAPI's form: a text, or a list of ``{"loc": ["body", "seed"], "msg": "..."}``."""
    if isinstance(detail, str):
        return blamed, detail
    first = detail[0] if isinstance(detail, list) and detail else None
    if isinstance(first, dict) and isinstance(first.get("msg"), str):
        location = first.get("loc")
        field = location[-1] if isinstance(location, list) and location else blamed
        return field, f"{field}: {first['msg']}"
    return blamed, text


def _without_tags(text: str) -> str:
    """The title of an HTML page, or its text."""
    title = re.search(r"<title[^>]*>(.*?)</title>", text, re.DOTALL | re.IGNORECASE)
    return title.group(1) if title else re.sub(r"<[^>]{0,1000}>", " ", text)


def _one_line(text: str) -> str:
    return without_lone_surrogates(" ".join(text.split())[:_KEPT_CHARACTERS])
