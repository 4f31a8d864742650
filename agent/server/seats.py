"""How many requests are let in, how many of them are worked on, and how many bytes they hold."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from .errors import ApiError
from .settings import ServeLimits

__all__ = ["ByteBudget", "Seats"]


def _busy(what: str) -> ApiError:
    return ApiError(429, f"the server is busy: {what}; try again", code="server_busy", headers={"retry-after": "1"})


class Seats:
    """Places to work at, and a waiting room in front of them with an end."""

    def __init__(self, limits: ServeLimits) -> None:
        self._running = asyncio.Semaphore(limits.max_running)
        self._most = limits.max_running + limits.max_waiting
        self._inside = 0

    @property
    def inside(self) -> int:
        """Requests that were let in and have not left."""
        return self._inside

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Lets a request in, or raises ``ApiError`` 429 when the waiting room is full."""
        if self._inside >= self._most:
            raise _busy(f"{self._inside} requests are waiting or under way")
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Waits for a place, first come, first served."""
        async with self._running:
            yield


class ByteBudget:
    """Memory that the bodies of all requests share."""

    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes

    @contextmanager
    def account(self) -> Iterator[Account]:
        """An account of one request, which gives everything back at its end."""
        account = Account(self)
        try:
            yield account
        finally:
            self._left += account.taken

    def take(self, count: int) -> None:
        if count > self._left:
            raise _busy("requests under way hold all the memory that is set aside for them")
        self._left -= count


class Account:
    """What one request has taken."""

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self.taken = 0

    def take(self, count: int) -> None:
        """Takes bytes, or raises ``ApiError`` 429 when there are too few."""
        self._budget.take(count)
        self.taken += count
