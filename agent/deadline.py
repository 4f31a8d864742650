"""Running a blocking function without ever waiting for it longer than agreed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["run_with_deadline"]

ResultT = TypeVar("ResultT")


async def run_with_deadline(function: Callable[[], ResultT], seconds: float, *, name: str) -> ResultT:
    """The result of ``function``, run in a thread of its own.

    Python cannot stop a thread. One that hangs is left behind as a daemon, which neither delays the answer nor keeps
    the process from ending; a pool's thread would do both.

    Raises:
        TimeoutError: it took longer than ``seconds``.
        Exception: whatever ``function`` raised.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[ResultT] = loop.create_future()

    def settle(result: ResultT | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result: ResultT | None = None
        error: BaseException | None = None
        try:
            result = function()
        except StopIteration:
            # A future cannot carry this one: it means something else to a coroutine.
            error = RuntimeError(f"{name} raised StopIteration")
        except Exception as caught:  # noqa: BLE001 - handed to the waiting coroutine, which raises it
            error = caught
        except BaseException as caught:  # noqa: BLE001 - a tool must not end the program
            error = RuntimeError(f"{name} raised {type(caught).__name__}: {caught}")
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            # The loop was closed while the abandoned thread still worked: nobody waits any more.
            return

    threading.Thread(target=work, name=name, daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            return await future
    except TimeoutError:
        if future.done() and not future.cancelled():
            raise  # the function's own TimeoutError
        raise TimeoutError(f"{name} took longer than {seconds:g} s") from None
