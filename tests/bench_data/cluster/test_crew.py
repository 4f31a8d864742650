"""Crews on a real Ray cluster: whoever ends, every piece of work is done once, or is known to be deadly."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from seeworthy.bench_data.cluster import Crew, WorkLostError
from seeworthy.bench_data.errors import BenchDataError, ClusterError
from tests.bench_data.cluster.small_actor import Doubler

pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.usefixtures("ray_cluster")]

Handle = Any


@asynccontextmanager
async def crew_of(
    size: int, *, room: int = 1, problem: str = "", ready: Callable[[Handle], Awaitable[None]] | None = None
) -> AsyncIterator[Crew[Doubler]]:
    import ray

    async def made_ready(handle: Handle) -> None:
        await handle.ready.remote(problem)

    crew: Crew[Doubler] = Crew(
        lambda name: ray.remote(Doubler).options(num_cpus=1, max_concurrency=64).remote(),
        ready or made_ready,
        size=size,
        room=room,
    )
    try:
        yield crew
    finally:
        await crew.aclose()


async def test_a_killed_worker_loses_nothing() -> None:
    async with crew_of(2, room=3) as crew:
        # Both workers have begun before one is ended from outside.
        processes = {await crew.do(lambda w: w.process.remote())}
        pieces = [asyncio.create_task(crew.do(lambda w, n=n: w.double.remote(n, 0.3))) for n in range(12)]
        await asyncio.sleep(0.1)
        os.kill(processes.pop(), signal.SIGKILL)
        done = await asyncio.gather(*pieces)
    assert [doubled for _, doubled in done] == [2 * n for n in range(12)]


async def test_a_deadly_piece_is_found_out_and_takes_no_other_with_it() -> None:
    ends = 0

    async def deadly(worker: Handle) -> None:
        nonlocal ends
        ends += 1
        await worker.end.remote()

    async with crew_of(2, room=4) as crew:
        pieces = [asyncio.create_task(crew.do(lambda w, n=n: w.double.remote(n, 0.1))) for n in range(8)]
        with pytest.raises(WorkLostError, match=r"each of the 3 times that it was tried alone: its process ended"):
            await crew.do(deadly)
        assert [doubled for _, doubled in await asyncio.gather(*pieces)] == [2 * n for n in range(8)]
        # The crew is whole again.
        assert (await crew.do(lambda w: w.double.remote(21)))[1] == 42
    assert ends in (3, 4)  # the first end counts only if nobody else was there


async def test_what_a_worker_raises_is_told_in_words_and_the_crew_goes_on() -> None:
    async with crew_of(1) as crew:
        with pytest.raises(ClusterError, match=r"a fault that it does not know: BenchDataError: the lamp is broken"):
            await crew.do(lambda w: w.fail.remote())
        assert (await crew.do(lambda w: w.double.remote(1)))[1] == 2


async def test_what_the_asker_itself_raises_stays_as_it_is() -> None:
    async def refuse(worker: Handle) -> None:
        raise BenchDataError("not today")

    async with crew_of(1) as crew:
        with pytest.raises(BenchDataError, match="not today"):
            await crew.do(refuse)


async def test_workers_that_cannot_do_the_work_stop_everybody_who_waits() -> None:
    async def refused(handle: Handle) -> None:
        raise ClusterError("they lack everything")

    async with crew_of(2, ready=refused) as crew:
        pieces = [crew.do(lambda w: w.double.remote(1)) for _ in range(3)]
        for outcome in await asyncio.gather(*pieces, return_exceptions=True):
            assert isinstance(outcome, ClusterError) and str(outcome) == "they lack everything"


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("ends", r"3 workers of the Ray cluster ended before they were ready: its process ended"),
        ("raises", r"a worker cannot be made ready: .*KeyError: 'no such thing'"),
    ],
)
async def test_workers_that_cannot_start_are_not_tried_for_ever(problem: str, words: str) -> None:
    async with crew_of(1, problem=problem) as crew:
        with pytest.raises(ClusterError, match=words):
            await crew.do(lambda w: w.double.remote(1))


async def test_a_crew_that_cannot_be_made_whole_works_on_with_whom_it_has() -> None:
    came = 0

    async def two_only(handle: Handle) -> None:
        nonlocal came
        came += 1
        await handle.ready.remote("" if came <= 2 else "ends")

    async with crew_of(2, ready=two_only) as crew:
        processes = {await crew.do(lambda w: w.process.remote()) for _ in range(2)}
        os.kill(processes.pop(), signal.SIGKILL)
        done = await asyncio.gather(*(crew.do(lambda w, n=n: w.double.remote(n, 0.2)) for n in range(6)))
        assert [doubled for _, doubled in done] == [2 * n for n in range(6)]
        while came < 5:  # the three that were to replace it
            await asyncio.sleep(0.05)
        assert (await crew.do(lambda w: w.double.remote(21)))[1] == 42
        os.kill(await crew.do(lambda w: w.process.remote()), signal.SIGKILL)
        with pytest.raises(ClusterError, match=r"\d workers of the Ray cluster ended before they were ready"):
            await crew.do(lambda w: w.double.remote(1, 0.2))


async def test_a_crew_of_which_nobody_wants_anything_hires_nobody() -> None:
    hired: list[str] = []

    async def ready(handle: Handle) -> None:
        hired.append("ready")

    await Crew(hired.append, ready, size=2).aclose()  # type: ignore[arg-type]
    assert hired == []
