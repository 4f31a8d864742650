"""Work that several questions want at the same time is done once, for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

__all__ = ["once_at_a_time"]

ResultT = TypeVar("ResultT")

# An event loop's work is not shared with another's: a task can be awaited in its own loop only.
_UNDER_WAY: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, asyncio.Task[object]]] = WeakKeyDictionary()


async def once_at_a_time(what: Hashable, work: Callable[[], Coroutine[object, object, ResultT]]) -> ResultT:
    """The result of ``work``, or of the same work that somebody else has under way.

    A cache alone does not help questions that are asked together: none of them finds what the others have just begun.
    Who is cancelled stops waiting; the work goes on for those who still wait.

    Args:
        what: names the work; equal names must stand for equal work with results of one type.
        work: makes the coroutine that does it.

    Raises:
        Exception: whatever the work raised, in everybody who waited for it.
    """
    under_way = _UNDER_WAY.setdefault(asyncio.get_running_loop(), {})
    task = cast("asyncio.Task[ResultT] | None", under_way.get(what))
    if task is None:
        task = asyncio.create_task(work())
        under_way[what] = cast("asyncio.Task[object]", task)
        task.add_done_callback(lambda done: under_way.pop(what, None))
    return await asyncio.shield(task)
