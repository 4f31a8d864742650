"""While a record is on its way to the disk its worker asks on, one call and no further; nothing counts before."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import EngineSettings, RunBudget, RunFolder, RunProgress, StopReason, run_calls
from seeworthy.tools.models import Fault, FaultKind, Reply, ReplyStatus, Request, Usage
from seeworthy.tools.models.providers.python_callable import CallableModel

from .small_runs import QUICK, Arm, CountedModel, by_name, planned, run_in, small_suite

ONE_AT_A_TIME = EngineSettings(slots=1, retry=QUICK)


class Disk:
    """A disk whose flushes wait until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._flush = os.fsync
        self._free = threading.Event()
        self.waiting = threading.Event()
        monkeypatch.setattr(os, "fsync", self._wait)

    def _wait(self, handle: int) -> None:
        if threading.current_thread().name == "records":
            self.waiting.set()
            self._free.wait(30)
        self._flush(handle)

    def let_go(self) -> None:
        self._free.set()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    made = Disk(monkeypatch)
    yield made
    made.let_go()


async def after(disk: Disk) -> None:
    """Waits until the disk has a record to flush, and until everybody has done what can be done meanwhile."""
    assert await asyncio.to_thread(disk.waiting.wait, 30)
    for _ in range(200):
        await asyncio.sleep(0)


async def test_a_slow_disk_holds_up_no_more_than_the_call_after_the_next(tmp_path: Path, disk: Disk) -> None:
    model = CountedModel()
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    folder = RunFolder(tmp_path / "run")
    seen: list[RunProgress] = []
    with folder.begun(plan):
        run = asyncio.create_task(
            run_calls(plan, by_name([model.arm]), folder, ONE_AT_A_TIME, on_progress=seen.append, seed=0)
        )
        await after(disk)
        async with asyncio.timeout(30):
            while len(model.asked) < 2:
                await asyncio.sleep(0.01)
        # Nothing of it counts yet.
        await asyncio.sleep(0.3)
        assert (seen[-1].done, len(model.asked)) == (0, 2)
        disk.let_go()
        outcome = await run
    assert (outcome.stop, outcome.asked, outcome.left) == (StopReason.FINISHED, 6, 0)
    assert seen[-1].done == 6


def spent_or_failed(kind: str) -> Reply:
    if kind == "failed":
        fault = Fault(kind=FaultKind.BAD_REQUEST, message="no", retryable=False)
        return Reply(status=ReplyStatus.ERROR, fault=fault)
    return Reply(text="B", status=ReplyStatus.OK, usage=Usage(input_tokens=10, output_tokens=1))


@pytest.mark.parametrize("kind", ["failed", "tokens"])
async def test_what_decides_on_the_next_call_is_counted_before_it(tmp_path: Path, disk: Disk, kind: str) -> None:
    model = CountedModel(lambda request: spent_or_failed(kind))
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    budget = RunBudget(tokens=1000) if kind == "tokens" else RunBudget()
    settings = EngineSettings(slots=1, retry=QUICK, budget=budget)
    run = asyncio.create_task(run_in(tmp_path / "run", plan, [model.arm], settings=settings))
    await after(disk)
    assert len(model.asked) == 1
    disk.let_go()
    assert (await run).asked == 6


async def test_a_full_disk_ends_the_run_even_while_the_next_call_gets_no_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []
    asked_on = threading.Event()

    async def once(request: Request) -> str:
        asked.append(request)
        if len(asked) > 1:
            asked_on.set()
            await asyncio.Event().wait()
        return "B"

    def full(handle: int) -> None:
        asked_on.wait(30)
        raise OSError(28, "No space left on device")

    arm = Arm(CallableModel(once, name="once"))
    plan = planned(small_suite(tmp_path / "suite"), [arm])
    folder = RunFolder(tmp_path / "run")
    with folder.begun(plan):
        folder.records.touch()
        monkeypatch.setattr("seeworthy.diagnostics.runs.store._flush_folder", lambda folder: None)
        monkeypatch.setattr(os, "fsync", full)
        async with asyncio.timeout(30):
            with pytest.raises(DiagnosticsError, match="No space left on device"):
                await run_calls(plan, by_name([arm]), folder, ONE_AT_A_TIME, seed=0)
    assert len(asked) == 2
