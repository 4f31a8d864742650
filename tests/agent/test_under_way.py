"""Work that is wanted by several at once is done once, and neither a fault nor a cancellation upsets the others."""

from __future__ import annotations

import asyncio

import pytest

from seeworthy.agent.under_way import once_at_a_time


class Bench:
    """Work that waits until it is let go, and counts how often it began."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.begun = 0
        self.fault = fault
        self.let_go = asyncio.Event()

    async def work(self) -> int:
        self.begun += 1
        await self.let_go.wait()
        if self.fault is not None:
            raise self.fault
        return self.begun


async def _waiting(bench: Bench, *names: str) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(once_at_a_time(name, bench.work)) for name in names]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_equal_work_is_done_once_and_other_work_apart() -> None:
    bench = Bench()
    tasks = await _waiting(bench, "a", "a", "b", "a")
    assert bench.begun == 2
    bench.let_go.set()
    await asyncio.gather(*tasks)
    assert bench.begun == 2


async def test_work_that_is_done_begins_anew() -> None:
    bench = Bench()
    bench.let_go.set()
    assert [await once_at_a_time("a", bench.work) for _ in range(2)] == [1, 2]


async def test_a_fault_reaches_everybody_who_waited_and_is_not_kept() -> None:
    bench = Bench(ValueError("broken"))
    tasks = await _waiting(bench, "a", "a")
    bench.let_go.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["broken", "broken"]
    bench.fault = None
    assert await once_at_a_time("a", bench.work) == 2


async def test_the_first_who_gives_up_does_not_take_the_work_from_the_others() -> None:
    bench = Bench()
    first, second = await _waiting(bench, "a", "a")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    bench.let_go.set()
    assert await second == 1
    assert bench.begun == 1


def test_every_event_loop_does_its_own_work() -> None:
    async def once() -> int:
        bench = Bench()
        bench.let_go.set()
        return await once_at_a_time("a", bench.work)

    assert [asyncio.run(once()) for _ in range(2)] == [1, 1]
