"""MirroredGate: how many questions the process that hands them out lets under way, after what the turnstile says."""

from __future__ import annotations

import asyncio

__all__ = ["MirroredGate"]


class MirroredGate:
    """What one server takes, as last heard; see `Admission`.

    Args:
        most: questions at once, at most.
        first: until the first word of the turnstile.
    """

    def __init__(self, *, most: int, first: int) -> None:
        self._limit = min(most, first)
        self._pause_left_s = 0.0
        self._idle: list[asyncio.Future[None]] = []
        self._open_to_all = False

    @property
    def limit(self) -> int:
        return self._limit

    @property
    def pause_left_s(self) -> float:
        return self._pause_left_s

    def heard(self, limit: int, pause_left_s: float) -> None:
        """Takes in what the turnstile said."""
        grown = limit > self._limit
        self._limit, self._pause_left_s = limit, pause_left_s
        if grown:
            self._wake()

    async def admitted(self, place: int) -> None:
        """Waits until so many questions may be under way that the one at ``place`` (from 0) may be handed out."""
        while place >= self._limit and not self._open_to_all:
            waiting = asyncio.get_running_loop().create_future()
            self._idle.append(waiting)
            await waiting

    def open_to_all(self) -> None:
        """Lets every idle worker go, at the end of a run."""
        self._open_to_all = True
        self._wake()

    def _wake(self) -> None:
        idle, self._idle = self._idle, []
        for waiting in idle:
            if not waiting.done():
                waiting.set_result(None)
