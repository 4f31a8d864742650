"""A worker for the tests of crews."""

from __future__ import annotations

import asyncio
import os
import signal

from seeworthy.bench_data.errors import BenchDataError


class Doubler:
    """Doubles numbers; some words end its process instead."""

    async def ready(self, problem: str = "") -> str:
        if problem == "ends":
            os.kill(os.getpid(), signal.SIGKILL)
        if problem == "raises":
            raise KeyError("no such thing")
        return problem

    async def process(self) -> int:
        return os.getpid()

    async def double(self, number: int, pause_s: float = 0.0) -> tuple[int, int]:
        """(process, doubled)."""
        await asyncio.sleep(pause_s)
        return os.getpid(), 2 * number

    async def end(self) -> None:
        await asyncio.sleep(0.05)
        os.kill(os.getpid(), signal.SIGKILL)

    async def fail(self) -> None:
        raise BenchDataError("the lamp is broken")
