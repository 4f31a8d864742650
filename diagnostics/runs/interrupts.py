"""Ending a run from outside: the first Ctrl-C or SIGTERM asks it to end, a second one ends the process."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import TypeVar

__all__ = ["run_interruptibly"]

ResultT = TypeVar("ResultT")
_KILLED_BY_HAND = 130


def run_interruptibly(start: Callable[[asyncio.Event], Coroutine[object, object, ResultT]]) -> ResultT:
    """Runs a coroutine in an event loop of its own; a signal sets the event that it was given.

    The second signal ends the process at once, for a thread that somebody's model blocks cannot be ended otherwise.
    That is safe: what a run has acknowledged is on the disk. Outside the main thread signals go their usual way.
    """
    interrupted = asyncio.Event()

    async def main() -> ResultT:
        loop = asyncio.get_running_loop()

        def handle(number: int, frame: FrameType | None) -> None:
            if interrupted.is_set():
                os._exit(_KILLED_BY_HAND)
            interrupted.set()
            # The loop sleeps in a system call that a signal does not end; this wakes it.
            loop.call_soon_threadsafe(lambda: None)

        for number in before:
            signal.signal(number, handle)
        return await start(interrupted)

    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return asyncio.run(main())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
