"""How many calls a server gets: doubled until it is busy, halved once for one jam, then grown by one a round."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs.pacing import ServerGate


class StillClock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic_s(self) -> float:
        return self.now_s

    def utc_now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


def a_round(gate: ServerGate) -> None:
    for _ in range(gate.limit):
        gate.succeeded()


def test_the_limit_doubles_a_round_until_the_server_is_busy_and_then_grows_by_one() -> None:
    clock = StillClock()
    gate = ServerGate(most=64, clock=clock)
    seen = []
    for _ in range(4):
        seen.append(gate.limit)
        a_round(gate)
    assert seen == [8, 16, 32, 64]
    gate.overloaded(clock.now_s)
    assert gate.limit == 32
    a_round(gate)
    a_round(gate)
    assert gate.limit in (33, 34)


def test_one_jam_halves_once() -> None:
    clock = StillClock()
    gate = ServerGate(most=64, clock=clock)
    began_s = clock.now_s
    clock.now_s += 1
    for _ in range(8):
        gate.overloaded(began_s)
    assert gate.limit == 4
    clock.now_s += 1
    gate.overloaded(clock.now_s)
    assert gate.limit == 2
    for _ in range(5):
        clock.now_s += 1
        gate.overloaded(clock.now_s)
    assert gate.limit == 1


async def test_never_more_calls_than_the_limit_and_every_slot_is_given_back() -> None:
    gate = ServerGate(most=3, clock=StillClock())
    most = 0

    async def call(place: int) -> None:
        nonlocal most
        await gate.enter()
        most = max(most, gate.under_way)
        for _ in range(place % 4):
            await asyncio.sleep(0)
        gate.leave()

    tasks = [asyncio.create_task(call(place)) for place in range(40)]
    await asyncio.sleep(0)
    for task in tasks[5:20:3]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (most, gate.under_way) == (3, 0)


async def test_a_pause_holds_everybody_and_a_shorter_one_does_not_end_it() -> None:
    clock = StillClock()
    gate = ServerGate(most=4, clock=clock)
    gate.overloaded(clock.now_s, 30.0)
    gate.overloaded(clock.now_s, 5.0)
    assert gate.pause_left_s == 30.0
    assert await gate.enter() == 130.0
    assert gate.pause_left_s == 0.0


async def test_workers_beyond_the_limit_wait_for_it_to_grow() -> None:
    gate = ServerGate(most=16, clock=StillClock())
    await gate.admitted(7)
    waiting = asyncio.create_task(gate.admitted(8))
    last = asyncio.create_task(gate.admitted(15))
    await asyncio.sleep(0)
    assert not waiting.done()
    gate.succeeded()
    await waiting
    assert not last.done()
    gate.open_to_all()
    await last


def test_a_server_without_a_slot_is_refused() -> None:
    with pytest.raises(DiagnosticsError, match="at least 1 slot"):
        ServerGate(most=0, clock=StillClock())
