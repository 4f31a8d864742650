"""What a run costs beside a bare loop over the same client: share of its throughput, and CPU time an item.

A server in a process of its own answers each call after 50 ms; 64 calls are under way at once; questions are sent
without pictures, whose encoding would hide what is measured. Three ways take turns, in an order that turns round:

* gather: ``asyncio.gather`` and a semaphore over the official client, as people write it; keeps nothing;
* bare loop: 64 workers over the official client, each of which asks on as soon as it has its reply; keeps nothing. It
  is faster, for a connection that is used again at once is never idle, and the client looks after all idle ones at
  each call. So it is what the run is held against;
* run: planned, paced, every reply read, priced, and on the disk before it counts.

Shares are medians over the rounds. CPU time is what our process uses in all its threads; on a busy machine it tells
more than the clock does.

    python benchmarks/runs.py [ITEMS] [ROUNDS]
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import openai
from openai import AsyncOpenAI

from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.diagnostics.runs import (
    Arm,
    EngineSettings,
    PlannedRun,
    RunFolder,
    RunItem,
    RunSettings,
    Source,
    plan_items,
    run_calls,
)
from seeworthy.tools.models import VisionLanguageModel
from seeworthy.tools.models.registry import resolve_model

ITEMS = 10_000
ROUNDS = 3
LATENCY_S = 0.05
SLOTS = 64
BODY = (
    b'{"id":"1","object":"chat.completion","created":1,"model":"test-model","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"B"},"finish_reason":"stop"}],"usage":{"prompt_tokens":60,'
    b'"completion_tokens":1,"total_tokens":61}}'
)
REPLY = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY


class Server(asyncio.Protocol):
    """Just enough of HTTP/1.1: whole requests with a length, one after the other on a connection."""

    def __init__(self) -> None:
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport if isinstance(transport, asyncio.Transport) else None

    def data_received(self, data: bytes) -> None:
        self._received += data
        while True:
            head, end, rest = self._received.partition(b"\r\n\r\n")
            length = next(
                (int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:"), 0
            )
            if not end or len(rest) < length:
                return
            self._received = rest[length:]
            asyncio.get_running_loop().call_later(LATENCY_S, self._answer)

    def _answer(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(REPLY)


async def serve() -> None:
    """Writes the port and answers until it is ended."""
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def model_at(port: int) -> VisionLanguageModel:
    options = {"max_attempts": 1, "max_concurrency": SLOTS}
    return resolve_model(f"openai/test-model@http://127.0.0.1:{port}/v1", options)


def plan_of(model: VisionLanguageModel, count: int) -> PlannedRun:
    choice = AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "the lamp", "B": "the sofa"})
    items = [
        RunItem(
            id=f"q{number}",
            question_id=f"q{number}",
            suite="benchmark",
            kind="closer",
            scene=f"scene {number % 200}",
            condition="clean",
            text=f"Which stands closer to the camera in picture {number}, the lamp or the sofa?",
            answer_format=choice,
            truth="B",
        )
        for number in range(count)
    ]
    return plan_items(RunSettings.of([Source(path="benchmark")], [Arm(model)], prompts=["blind"]), items)


def client_at(port: int) -> AsyncOpenAI:
    """With the time-outs and retries of our own."""
    timeout = openai.Timeout(600.0, connect=10.0, read=300.0)
    return AsyncOpenAI(api_key="none", base_url=f"http://127.0.0.1:{port}/v1", max_retries=0, timeout=timeout)


async def ask(client: AsyncOpenAI, number: int) -> None:
    text = f"Which stands closer to the camera in picture {number}, the lamp or the sofa?\n\nA. the lamp\nB. the sofa"
    reply = await client.chat.completions.create(
        model="test-model", messages=[{"role": "user", "content": text}], max_tokens=1024, temperature=0.0, seed=0
    )
    if reply.choices[0].message.content != "B":
        raise SystemExit(f"the server answered {reply}")


async def gather(port: int, count: int) -> None:
    """A semaphore and gather, and nothing kept."""
    slots = asyncio.Semaphore(SLOTS)

    async def one(client: AsyncOpenAI, number: int) -> None:
        async with slots:
            await ask(client, number)

    async with client_at(port) as client:
        await asyncio.gather(*(one(client, number) for number in range(count)))


async def bare(port: int, count: int) -> None:
    """Workers without a pause, and nothing kept."""
    numbers = iter(range(count))

    async def work(client: AsyncOpenAI) -> None:
        for number in numbers:
            await ask(client, number)

    async with client_at(port) as client:
        await asyncio.gather(*(work(client) for _ in range(SLOTS)))


async def whole(port: int, count: int) -> None:
    """A run: paced, every reply on the disk before it counts."""
    model = model_at(port)
    plan = plan_of(model, count)
    with tempfile.TemporaryDirectory() as root:
        folder = RunFolder(Path(root) / "run")
        with folder.begun(plan):
            outcome = await run_calls(plan, {model.name: Arm(model)}, folder, EngineSettings(slots=SLOTS))
    if outcome.asked != count or outcome.failed:
        raise SystemExit(f"the run is not whole: {outcome}")


@dataclass(frozen=True)
class Measured:
    """What a number of calls took, clock and CPU."""

    count: int
    wall_s: float
    cpu_s: float

    @property
    def items_a_second(self) -> float:
        return self.count / self.wall_s

    @property
    def cpu_ms(self) -> float:
        """An item."""
        return 1000 * self.cpu_s / self.count

    def line(self, name: str) -> str:
        share = self.items_a_second * LATENCY_S / SLOTS
        return f"{name:10s} {self.items_a_second:8.0f} items/s {share:7.1%} of ideal {self.cpu_ms:8.2f} ms CPU an item"


def measured(work: Callable[[int, int], Awaitable[None]], port: int, count: int) -> Measured:

    async def main() -> None:
        await work(port, count)

    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    asyncio.run(main())
    return Measured(count, time.perf_counter() - began_s, time.process_time() - began_cpu_s)


def benchmark(count: int, rounds: int) -> None:
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout is None:
            raise SystemExit("the server has no output")
        port = int(server.stdout.readline())
        ways = {"gather": gather, "bare loop": bare, "run": whole}
        for work in ways.values():
            asyncio.run(work(port, SLOTS))  # loads what only the first call loads
        print(f"{rounds} rounds of {count:,} items, {1000 * LATENCY_S:g} ms latency, {SLOTS} slots; medians")
        taken: dict[str, list[Measured]] = {name: [] for name in ways}
        for number in range(rounds):
            for name in list(ways)[:: 1 if number % 2 else -1]:
                taken[name].append(measured(ways[name], port, count))
        for name, rows in taken.items():
            print(Measured(count, median(row.wall_s for row in rows), median(row.cpu_s for row in rows)).line(name))
        pairs = list(zip(taken["run"], taken["bare loop"], strict=True))
        print(
            f"share of the bare loop: {median(run.items_a_second / loop.items_a_second for run, loop in pairs):.1%} "
            f"by the clock, {median(loop.cpu_ms / run.cpu_ms for run, loop in pairs):.1%} by CPU; "
            f"ours: {median(run.cpu_ms - loop.cpu_ms for run, loop in pairs):+.3f} ms CPU an item beyond the client's"
        )
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        asyncio.run(serve())
    else:
        numbers = [int(word) for word in sys.argv[1:]]
        benchmark(*numbers, *(ITEMS, ROUNDS)[len(numbers) :])
