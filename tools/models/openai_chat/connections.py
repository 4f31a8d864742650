"""One HTTP client an event loop, and the one call that goes through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from ..protocol import FaultKind
from .payload import Payload

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai._legacy_response import LegacyAPIResponse
    from openai.types.chat import ChatCompletion

__all__ = ["Connections", "HttpAnswer", "NoAnswer", "post_chat"]

_CLOSE_S = 5.0
_UNREAD = {"X-Stainless-Raw-Response": "true"}
"""By this header the client knows that the response is wanted as it came, as ``with_raw_response`` does."""


@dataclass(frozen=True)
class HttpAnswer:
    """What came back. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class NoAnswer:
    """Nothing complete came back.

    Attributes:
        passing: whether the same call may succeed when it is made again.
    """

    kind: FaultKind
    reason: str
    passing: bool = True


@dataclass(frozen=True)
class _Seat:
    client: AsyncOpenAI
    slots: asyncio.Semaphore


class Connections:
    """Clients by event loop: a connection belongs to the loop that opened it, and people run several in turn.

    Args:
        connect: makes a client; called once a loop.
        max_concurrency: calls under way at once in each loop.
    """

    def __init__(self, connect: Callable[[], AsyncOpenAI], max_concurrency: int) -> None:
        self._connect = connect
        self._max_concurrency = max_concurrency
        self._seats: WeakKeyDictionary[asyncio.AbstractEventLoop, _Seat] = WeakKeyDictionary()
        self._lock = Lock()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[AsyncOpenAI]:
        """Waits for a free slot and lends the client of the running loop."""
        seat = self._seat()
        async with seat.slots:
            yield seat.client

    async def aclose(self) -> None:
        """Closes the client of the running loop, and those of other loops that still run.

        Clients whose loop has ended are dropped: their sockets close with them.
        """
        here = asyncio.get_running_loop()
        with self._lock:
            seats = dict(self._seats)
            self._seats.clear()
        for loop, seat in seats.items():
            if loop is here:
                await seat.client.close()
            elif loop.is_running():
                closing = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(seat.client.close(), loop))
                # A loop that ends just now never runs this; its sockets close with it.
                await asyncio.wait([closing], timeout=_CLOSE_S)

    def _seat(self) -> _Seat:
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [other for other in self._seats if other.is_closed()]:
                del self._seats[ended]
            seat = self._seats.get(loop)
            if seat is None:
                seat = self._seats[loop] = _Seat(self._connect(), asyncio.Semaphore(self._max_concurrency))
            return seat


async def post_chat(client: AsyncOpenAI, model: str, payload: Payload, *, timeout_s: float) -> HttpAnswer | NoAnswer:
    """One POST to the chat endpoint, without retries; what goes wrong on the way is a value, not an exception."""
    import openai
    from openai.types.chat import ChatCompletion

    try:
        async with asyncio.timeout(timeout_s):
            # Not `chat.completions.create`, which holds each message against its type hints, at a fifth of the CPU time
            # of a call.
            raw = await client.post(
                "/chat/completions",
                cast_to=ChatCompletion,
                body={"messages": payload.messages, "model": model, **payload.fields},
                options={"headers": _UNREAD},
            )
            answer = cast("LegacyAPIResponse[ChatCompletion]", raw).http_response
    except TimeoutError:
        return NoAnswer(
            FaultKind.TIMEOUT, f"no complete answer within {timeout_s:.3g} s; raise timeout_s or deadline_s"
        )
    except openai.APITimeoutError as error:
        cause = type(error.__cause__).__name__
        option = "connect_timeout_s" if cause == "ConnectTimeout" else "read_timeout_s"
        return NoAnswer(FaultKind.TIMEOUT, f"the server was silent for too long ({cause}); raise {option}")
    except openai.APIStatusError as error:
        answer = error.response
    except openai.APIConnectionError as error:
        return _closed() if client.is_closed() else _without_answer(error.__cause__ or error)
    except RuntimeError:
        # The client raises this, and nothing finer, when it is used after it was closed.
        if not client.is_closed():
            raise
        return _closed()
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return HttpAnswer(answer.status_code, headers, answer.content)


def _without_answer(cause: BaseException) -> NoAnswer:
    kind, words = type(cause).__name__, str(cause) or "no reason given"
    if kind == "DecodingError":
        reason = f"the body is not compressed as its header says ({words})"
        return NoAnswer(FaultKind.MALFORMED, reason, passing=False)
    return NoAnswer(FaultKind.CONNECTION, f"{kind}: {words}; is the server running?")


def _closed() -> NoAnswer:
    return NoAnswer(FaultKind.CONNECTION, "aclose() was called while the call was under way", passing=False)
