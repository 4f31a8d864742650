"""``POST /v1/chat/completions`` from the first byte in to the last byte out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.requests import Request

from .answering import Answerer
from .body import READ_IN_LOOP_BYTES, ClientGoneError, read_json_object
from .chat_request import ChatCall, read_chat_call
from .completions import Completion, encode, error_event
from .errors import ApiError
from .gate import refuse
from .seats import ByteBudget, Seats
from .settings import ServeSettings

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

__all__ = ["ChatEndpoint"]

_LOG = logging.getLogger(__name__)
_ALIVE = b": still working\n\n"


class ChatEndpoint:
    """Reads a request, answers it, and stops working the moment its client is gone.

    A stream is begun only when there is something to say, or after ``heartbeat_seconds``; until then an error still
    has a status of its own. After that it is an event in the stream, and comments keep the connection alive.

    Args:
        now_s: Unix time.
    """

    def __init__(self, settings: ServeSettings, answerer: Answerer, *, now_s: Callable[[], float]) -> None:
        self._settings = settings
        self._limits = settings.limits
        self._answerer = answerer
        self._now_s = now_s
        self._memory = ByteBudget(settings.limits.max_buffered_bytes)
        self.seats = Seats(settings.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application."""
        send = _noticing(send)
        try:
            await self._exchange(scope, receive, send)
        except ClientGoneError:
            _LOG.info("a client went away before it had its answer")

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self.seats.admitted(), self._memory.account() as account:
                body = await read_json_object(Request(scope, receive), self._limits, account)
                if account.taken > READ_IN_LOOP_BYTES:
                    call = await asyncio.to_thread(read_chat_call, body, self._settings)
                else:
                    call = read_chat_call(body, self._settings)
                del body
                await self._serve(call, receive, send)
        except ApiError as error:
            await refuse(error, send)

    async def _serve(self, call: ChatCall, receive: Receive, send: Send) -> None:
        work = asyncio.create_task(self._work(call))
        gone = asyncio.create_task(_disconnected(receive))
        try:
            begun = False
            while True:
                patience = self._limits.heartbeat_seconds if call.stream else None
                await asyncio.wait({work, gone}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                if work.done() or gone.done():
                    break
                if not begun:
                    await send(_start("text/event-stream"))
                    begun = True
                await send({"type": "http.response.body", "body": _ALIVE, "more_body": True})
            if not work.done():
                raise ClientGoneError
            if call.stream:
                await _send_stream(work, send, begun=begun)
            else:
                await _send_whole(work.result(), send)
        finally:
            work.cancel()
            gone.cancel()
            await asyncio.wait({work, gone})

    async def _work(self, call: ChatCall) -> Completion:
        seconds = self._limits.request_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit, self.seats.running():
                answered = await self._answerer.answer(call)
        except TimeoutError:
            if not limit.expired():
                raise
            message = f"no answer within {seconds:g} s; ask for less, or raise --max-seconds on the server"
            raise ApiError(504, message, code="timeout", headers={"x-should-retry": "false"}) from None
        return Completion(call, answered, created_s=int(self._now_s()))


def _noticing(send: Send) -> Send:
    """Tells a connection that broke from every other failure."""

    async def noticing(message: Message) -> None:
        try:
            await send(message)
        except OSError:
            raise ClientGoneError from None

    return noticing


async def _disconnected(receive: Receive) -> None:
    """Returns when the client hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(media_type: str, **headers: str) -> dict[str, object]:
    named = {"content-type": media_type, "cache-control": "no-store", **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    return {"type": "http.response.start", "status": 200, "headers": raw}


async def _send_whole(completion: Completion, send: Send) -> None:
    body = encode(completion.body())
    await send(_start("application/json", content_length=str(len(body))))
    await send({"type": "http.response.body", "body": body})


async def _send_stream(work: asyncio.Task[Completion], send: Send, *, begun: bool) -> None:
    try:
        completion = work.result()
    except ApiError as error:
        if not begun:
            raise
        closing = error_event(error)
    except Exception:
        if not begun:
            raise
        _LOG.exception("a request failed after its stream had begun")
        closing = error_event(ApiError(500, "internal error; see the server's log", code="internal_error"))
    else:
        if not begun:
            await send(_start("text/event-stream"))
        closing = b"".join(completion.events())
    await send({"type": "http.response.body", "body": closing})
