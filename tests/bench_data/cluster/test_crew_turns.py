"""Whose turn it is in a crew, step by step, with workers that are names and need no cluster."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

import pytest

from seeworthy.bench_data.cluster import Crew

ray = pytest.importorskip("ray")


class Pieces:
    """Pieces of work that begin when a worker takes them and end when they are told to."""

    def __init__(self) -> None:
        self.on: dict[str, str] = {}
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Future[None]] = {}

    def piece(self, name: str) -> Any:
        async def work(worker: Any) -> str:
            self.begun.append(name)
            self.on[name] = worker
            self._ends[name] = asyncio.get_running_loop().create_future()
            try:
                await self._ends[name]
            finally:
                del self.on[name]
            return name

        return work

    async def end(self, *names: str, error: Exception | None = None) -> None:
        """Ends pieces, well or with an error, and lets all others come to rest."""
        for name in names:
            if error is None:
                self._ends[name].set_result(None)
            else:
                self._ends[name].set_exception(error)
        await at_rest()

    @property
    def by_worker(self) -> dict[str, list[str]]:
        found = defaultdict(list)
        for name, worker in sorted(self.on.items()):
            found[worker].append(name)
        return dict(found)


async def at_rest() -> None:
    for _ in range(100):
        await asyncio.sleep(0)


async def test_a_suspected_piece_waits_for_one_worker_to_be_free_and_nobody_pushes_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray, "kill", lambda handle: None)

    async def ready(worker: Any) -> None:
        if worker == "worker-2":
            await asyncio.Event().wait()  # no replacement comes

    crew: Crew[Any] = Crew(lambda name: name, ready, size=2, room=2)  # type: ignore[arg-type, return-value]
    pieces = Pieces()
    tasks = {}
    for name in ("a", "deadly", "b", "c", "later", "last"):
        tasks[name] = asyncio.create_task(crew.do(pieces.piece(name)))
        await at_rest()
    assert pieces.by_worker == {"worker-0": ["a", "b"], "worker-1": ["c", "deadly"]}
    await pieces.end("deadly", "c", error=ray.exceptions.RayActorError())
    # Both pieces of the worker that ended are suspected; one of them has claimed the worker that is left.
    await pieces.end("a")
    assert pieces.by_worker == {"worker-0": ["b"]}
    await pieces.end("b")
    assert pieces.by_worker["worker-0"] in (["c"], ["deadly"])
    order = []
    while pieces.on:
        running = sorted(pieces.on)
        assert running in (["c"], ["deadly"], ["last"], ["later"], ["last", "later"])
        order += running
        await pieces.end(*running)
    assert sorted(order) == ["c", "deadly", "last", "later"]
    assert [await task for task in tasks.values()] == list(tasks)
    await crew.aclose()
