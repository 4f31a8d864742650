"""ServerGate: how many calls one server gets at once, found out by trying, and when none may be made."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from ...tools.models.retry import Clock
from ..errors import DiagnosticsError

__all__ = ["FIRST_LIMIT", "Gate", "ServerGate"]

FIRST_LIMIT = 8


class Gate(Protocol):
    """Paces the calls to one server; see `ServerGate`, which does so for this process."""

    async def enter(self) -> float: ...

    def leave(self) -> None: ...

    def succeeded(self) -> None: ...

    def overloaded(self, began_s: float, wait_s: float | None = None) -> None: ...


class ServerGate:
    """Paces all calls to one server, of whatever model.

    The limit of calls at once follows TCP's rule (Chiu and Jain 1989; Jacobson 1988): it doubles with each round of
    replies until the server first says that it is busy, is halved each time that it does, and then grows by one call
    a round. What was called before the limit was last halved does not halve it again. When the server names a time to
    wait, nobody calls before it is over.

    Args:
        most: the limit is never above it.
        clock: for waiting.
    """

    def __init__(self, *, most: int, clock: Clock) -> None:
        if most < 1:
            raise DiagnosticsError(f"a server needs at least 1 slot, got {most}")
        self._most = most
        self._clock = clock
        self._limit = float(min(most, FIRST_LIMIT))
        self._under_way = 0
        self._starting = True
        self._halved_at_s = float("-inf")
        self._paused_until_s = float("-inf")
        self._callers: deque[asyncio.Future[None]] = deque()
        self._idle: list[asyncio.Future[None]] = []
        self._open_to_all = False

    @property
    def limit(self) -> int:
        """Calls allowed at once, now."""
        return int(self._limit)

    @property
    def under_way(self) -> int:
        return self._under_way

    @property
    def pause_left_s(self) -> float:
        """Seconds until the server may be called again; 0 when it may."""
        return max(0.0, self._paused_until_s - self._clock.monotonic_s())

    async def admitted(self, place: int) -> None:
        """Waits until so many questions may be under way that the worker at ``place`` (from 0) has one to ask."""
        while place >= self.limit and not self._open_to_all:
            waiting = asyncio.get_running_loop().create_future()
            self._idle.append(waiting)
            await waiting

    def open_to_all(self) -> None:
        """Lets every idle worker go, at the end of a run."""
        self._open_to_all = True
        self._wake_idle()

    async def enter(self) -> float:
        """Waits for the end of a pause and for a slot, and takes it.

        Returns:
            The time at which the call begins, to be given to `succeeded` or `overloaded`.
        """
        while True:
            left_s = self.pause_left_s
            if left_s > 0:
                await self._clock.sleep(left_s)
                continue
            if self._under_way < self.limit:
                self._under_way += 1
                return self._clock.monotonic_s()
            waiting = asyncio.get_running_loop().create_future()
            self._callers.append(waiting)
            try:
                await waiting
            except asyncio.CancelledError:
                if waiting.done() and not waiting.cancelled():
                    self._wake_caller()  # it was this one's turn; the next one takes it
                raise

    def leave(self) -> None:
        """Gives the slot back."""
        self._under_way -= 1
        self._wake_caller()

    def succeeded(self) -> None:
        """The server answered, well or badly, but not that it is busy."""
        if self._limit >= self._most:
            return
        before = self.limit
        self._limit = min(float(self._most), self._limit + (1.0 if self._starting else 1.0 / self._limit))
        if self.limit > before:
            self._wake_idle()
            self._wake_caller()

    def overloaded(self, began_s: float, wait_s: float | None = None) -> None:
        """The server is busy: a call that began at ``began_s`` was turned away, or it asks to wait so long."""
        now_s = self._clock.monotonic_s()
        if wait_s is not None:
            self._paused_until_s = max(self._paused_until_s, now_s + wait_s)
        if began_s >= self._halved_at_s:
            self._starting = False
            self._limit = max(1.0, self._limit / 2)
            self._halved_at_s = now_s

    def _wake_caller(self) -> None:
        while self._callers:
            waiting = self._callers.popleft()
            if not waiting.done():
                waiting.set_result(None)
                return

    def _wake_idle(self) -> None:
        idle, self._idle = self._idle, []
        for waiting in idle:
            if not waiting.done():
                waiting.set_result(None)
