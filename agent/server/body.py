"""Reading the body of a request: bounded in bytes and time, and strictly JSON."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from .errors import ApiError, bad_request, too_large
from .seats import Account
from .settings import ServeLimits

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive

__all__ = ["READ_IN_LOOP_BYTES", "ClientGoneError", "read_json_object"]

# Larger bodies are read in a thread, because the loop has other clients to serve.
READ_IN_LOOP_BYTES = 256 * 2**10
# Two bytes of JSON can become sixty of memory (an empty list), so values are counted before they are made. Pictures in
# base64 hold none of these characters; a book of a million words holds about 100,000 commas.
_MOST_JSON_VALUES = 300_000
# A client that is still sending would miss the answer if the connection were closed on it, so a body that is too long
# is read on for a while and thrown away.
_DRAIN_SECONDS = 5.0


class ClientGoneError(Exception):
    """The client went away before its request was complete; nobody is left to tell."""


async def read_json_object(request: Request, limits: ServeLimits, account: Account) -> dict[str, object]:
    """The body as a JSON object.

    Raises:
        ApiError: 400 (no JSON), 408 (too slow), 413 (too long), 415 (no JSON type) or 429 (no memory).
        ClientGoneError: the client went away.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Not pedantry: a web page of a stranger can make a browser send every other type to this machine unasked.
        message = f"send the request as application/json, not {kind or 'without a content type'}"
        raise ApiError(415, message, code="unsupported_media_type")
    try:
        async with asyncio.timeout(limits.body_seconds):
            data = await _read(request, limits, account)
    except TimeoutError:
        message = f"the request did not arrive within {limits.body_seconds:g} s"
        raise ApiError(408, message, code="request_timeout", headers={"connection": "close"}) from None
    if len(data) > READ_IN_LOOP_BYTES:
        return await asyncio.to_thread(_parse, data)
    return _parse(data)


async def _read(request: Request, limits: ServeLimits, account: Account) -> bytes:
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > limits.max_body_bytes:
        await _drain(request.receive, limits.max_body_bytes)
        raise _too_long(limits)
    chunks: list[bytes] = []
    length = 0
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        chunk: bytes = message.get("body", b"")
        length += len(chunk)
        if length > limits.max_body_bytes:
            await _drain(request.receive, limits.max_body_bytes)
            raise _too_long(limits)
        account.take(len(chunk))
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


async def _drain(receive: Receive, most_bytes: int) -> None:
    """Reads and forgets up to ``most_bytes``, for some seconds at most."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while most_bytes > 0:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
                most_bytes -= len(message.get("body", b""))
    except TimeoutError:
        return


def _too_long(limits: ServeLimits) -> ApiError:
    error = too_large(
        f"the request is longer than {limits.max_body_bytes:,} bytes; send fewer or smaller pictures, "
        "or raise --max-body-mb on the server"
    )
    error.headers["connection"] = "close"
    return error


def _parse(data: bytes) -> dict[str, object]:
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > _MOST_JSON_VALUES:
        raise too_large(f"the body holds more than {_MOST_JSON_VALUES:,} values or commas")
    try:
        found = json.loads(data, parse_constant=_no_constant)
    except RecursionError:
        raise bad_request("the body is nested too deeply", code="invalid_json") from None
    except ValueError as error:
        raise bad_request(f"the body is not valid JSON: {_short(error)}", code="invalid_json") from None
    if not isinstance(found, dict):
        raise bad_request(f"the body must be a JSON object, not {type(found).__name__}", code="invalid_json")
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _short(error: ValueError) -> str:
    # A decoding error quotes the bytes that it met, which may be the whole body.
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return str(error)[:200]
