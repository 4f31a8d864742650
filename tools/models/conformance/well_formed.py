"""When the fields of a reply agree with each other and with the request."""

from __future__ import annotations

import math

from ..protocol import Reply, ReplyStatus, Request
from .subject import ConformanceError

__all__ = ["require_well_formed"]


def require_well_formed(reply: object, request: Request) -> Reply:
    """The reply, if its fields agree with each other and with the request.

    Raises:
        ConformanceError: they do not.
    """
    if not isinstance(reply, Reply):
        raise ConformanceError(f"reply() gave {type(reply).__name__}, not Reply")
    is_error = reply.status is ReplyStatus.ERROR
    for broken, complaint in (
        (is_error and reply.fault is None, "status is error but there is no fault"),
        (not is_error and reply.fault is not None, f"status is {reply.status} but there is a fault"),
        (is_error and bool(reply.text), "status is error but there is text, which someone may grade"),
        (reply.fault is not None and not reply.fault.message.strip(), "the fault has no message"),
        (not (math.isfinite(reply.latency_s) and reply.latency_s >= 0), f"latency_s is {reply.latency_s}"),
        (reply.attempts < 1 and not is_error, f"attempts is {reply.attempts}"),
        (reply.cost_usd is not None and not 0 <= reply.cost_usd < math.inf, f"cost_usd is {reply.cost_usd}"),
        (not _is_text(reply.text), "the text holds a lone surrogate, which no file can store"),
    ):
        if broken:
            raise ConformanceError(complaint)
    for name, count in reply.usage:
        if count is not None and count < 0:
            raise ConformanceError(f"usage.{name} is {count}")
    _require_sent_images(reply, request)
    return reply


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _require_sent_images(reply: Reply, request: Request) -> None:
    if not reply.sent_images:
        return
    sent = [image.sha256 for image in reply.sent_images]
    expected = [picture.sha256 for picture in request.pictures]
    if sent != expected:
        raise ConformanceError(
            f"sent_images names {len(sent)} pictures that are not the {len(expected)} of the request in their order"
        )
    for image in reply.sent_images:
        if min(image.sent_size) < 1 or image.original_size not in {picture.size for picture in request.pictures}:
            raise ConformanceError(f"sent_images has sizes {image.original_size} and {image.sent_size}")
