"""What the state machine itself costs a question: everything but the tools and the model.

Prints, per way of asking, the median time of a question with a model that answers at once, and its ratio to the bare
call of that model. Detection and repair are tools and are not run; their own cost stands in the other benchmarks.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np

from seeworthy.agent import Profile, RobustVLM
from seeworthy.bench_data.images import Picture
from seeworthy.tools.detect.registry import DETECTORS
from seeworthy.tools.findings import Detection
from seeworthy.tools.models import Capabilities, CoordinateSpace, Reply, ReplyStatus, Request, user_message

QUESTIONS = 60
OPTIONS = {"A": "left", "B": "right"}


class Instant:
    """A model that answers at once."""

    name = "instant"
    capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)

    async def reply(self, request: Request) -> Reply:
        return Reply(text="B", status=ReplyStatus.OK)


def blind(picture: Picture) -> Detection:
    """A detector that costs nothing, so that only the machine is measured."""
    return Detection(detector="statistics", version="0", picture_sha256=picture.sha256)


async def median_ms(ask: Callable[[int], Awaitable[object]]) -> float:
    for number in range(3):
        await ask(-1 - number)
    times = []
    for number in range(QUESTIONS):
        started = time.perf_counter()
        await ask(number)
        times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)


async def main() -> None:
    for _, spec in DETECTORS.specs():
        object.__setattr__(spec, "detect", blind)
    picture = Picture(np.random.default_rng(0).integers(0, 256, (480, 640, 3), dtype=np.uint8))
    model = Instant()
    request = Request(messages=(user_message("Where?\nA. left\nB. right", (picture,)),))
    plain = RobustVLM(model)
    off = RobustVLM(model, profile="off")
    no_repair = RobustVLM(model, profile=Profile(name="reason only", rectify=False, max_steps=0))
    with tempfile.TemporaryDirectory() as folder:
        kept = RobustVLM(model, run_folder=Path(folder))
        rows = {
            "bare model": await median_ms(lambda n: model.reply(request)),
            "profile off, as a model": await median_ms(lambda n: off.reply(request)),
            "machine, reasoning only": await median_ms(lambda n: no_repair.solve(f"{n}?", [picture], options=OPTIONS)),
            "machine, all stages": await median_ms(lambda n: plain.solve(f"{n}?", [picture], options=OPTIONS)),
            "machine, all stages, on disk": await median_ms(lambda n: kept.solve(f"{n}?", [picture], options=OPTIONS)),
        }
    base = max(rows["bare model"], 1e-3)
    print(f"{'way of asking':<32}{'median ms':>10}{'ratio':>10}")
    for name, ms in rows.items():
        print(f"{name:<32}{ms:>10.3f}{ms / base:>10.0f}")


if __name__ == "__main__":
    asyncio.run(main())
