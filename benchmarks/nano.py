"""How many questions a second the embedded model answers, and where the solver's time goes on pictures of its size.

    python benchmarks/nano.py [--model nano] [--questions 256] [--views 4]

A room is rendered for it, and its own questions are asked. Seconds are processor time of this process, so that a busy
machine changes little; a rate is for one core that has nothing else to do.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import tempfile
import time
from pathlib import Path

# Before torch is loaded: its threads would spin while they wait, and that is processor time too.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from seeworthy.agent import RobustVLM
from seeworthy.agent.nano_study.settings import ANSWER, PROFILE, room_settings
from seeworthy.agent.nano_study.steps import Show, built
from seeworthy.agent.repair import repair_picture
from seeworthy.bench_data.building import DataSet
from seeworthy.bench_data.images import Picture, load_image
from seeworthy.bench_data.stress import Stress
from seeworthy.diagnostics.asking import question_request
from seeworthy.diagnostics.nano.claims import is_claimed
from seeworthy.tools.detect.registry import DETECTORS, apply_detector
from seeworthy.tools.measure.judge import judge_edit
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
    user_message,
)
from seeworthy.tools.models.registry import resolve_model
from seeworthy.tools.registry import RECTIFIERS, RectifyHint, apply_rectifier

BATCHES = (1, 8, 32, 64)
CONDITIONS = "clean,low_light@bench,haze@bench"
LATER = 5


class Instant:
    """A model that answers at once."""

    name = "instant"
    capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE, max_images=1)

    async def reply(self, request: Request) -> Reply:
        return Reply(text="B", status=ReplyStatus.OK)


def requests_of(data: DataSet, space: CoordinateSpace) -> list[Request]:
    """The claimed questions about clean pictures, suite by suite in turn."""
    suites = []
    for suite in data.suites:
        asked = (one for one in data.asked(suite, "clean") if is_claimed(suite, one.question.kind))
        suites.append([(one.question, one.pictures) for one in asked])
    turns = (one for group in itertools.zip_longest(*suites) for one in group if one is not None)
    return [
        question_request(question, [load_image(path) for path in paths], space=space, settings=ANSWER)
        for question, paths in turns
    ]


async def rate(model: VisionLanguageModel, requests: list[Request]) -> tuple[float, float, float]:
    """Questions a second of processor time and of wall time, and words of the model's vocabulary a reply."""
    await model.reply(requests[0])
    wall, spent = time.perf_counter(), time.process_time()
    replies = await asyncio.gather(*(model.reply(request) for request in requests))
    spent, wall = time.process_time() - spent, time.perf_counter() - wall
    words = sum(reply.usage.output_tokens or 0 for reply in replies) / len(replies)
    return len(requests) / spent, len(requests) / wall, words


async def solver_times(data: DataSet, condition: str, folder: Path) -> tuple[float, float, int]:
    """Seconds of the first question about a picture and of later ones, and how many pictures were repaired."""
    robust = RobustVLM(Instant(), profile=PROFILE, run_folder=folder)
    first, later, repaired = [], [], 0
    for picture in pictures_of(data, condition):
        for number in range(1 + LATER):
            request = Request(messages=(user_message(f"Where is it, {number}?\nA. left\nB. right", (picture,)),))
            started = time.process_time()
            await robust.reply(request)
            (first if number == 0 else later).append(time.process_time() - started)
        repaired += (await repair_picture(picture, profile=PROFILE)).changed
    return sum(first) / len(first), sum(later) / len(later), repaired


def tool_times(data: DataSet) -> dict[str, float]:
    """Seconds of a detector, of each tool that the two degradations call for, and of the judge, for one picture."""
    [picture] = pictures_of(data, "low_light-bench")[:1]
    times = {f"detector {name}": seconds(apply_detector, spec, picture) for name, spec in DETECTORS.specs()}
    for name in ("lift_exposure", "lift_and_denoise", "stretch_contrast", "equalise_contrast"):
        spec = RECTIFIERS.get(name)
        times[f"tool {name}"] = seconds(apply_rectifier, spec, picture.image_srgb, RectifyHint(severity=3.0))
    spec = RECTIFIERS.get("lift_and_denoise")
    after = apply_rectifier(spec, picture.image_srgb, RectifyHint(severity=3.0)).image_srgb
    how = {"expected_alignment": spec.alignment, "treats": Stress.LOW_LIGHT}
    times["judge"] = seconds(judge_edit, picture.image_srgb, after, **how)
    return times


def seconds(work, *arguments: object, **options: object) -> float:  # type: ignore[no-untyped-def]
    """Processor time of a call, the best of three after one to warm up."""
    work(*arguments, **options)
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        work(*arguments, **options)
        best = min(best, time.process_time() - started)
    return best


def pictures_of(data: DataSet, condition: str) -> list[Picture]:
    scene = data.scenes[0]
    views = [f"view-{number:02d}" for number in range(data.settings.views)]
    return [load_image(data.root / data.record(condition, scene, view).picture) for view in views]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="nano")
    parser.add_argument("--questions", type=int, default=256)
    parser.add_argument("--views", type=int, default=4)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = room_settings(scenes=1, views=chosen.views, conditions=CONDITIONS, seed=1)
        data = built(settings, Path(folder) / "data", Show(), jobs=1)
        print(f"{'batches of':<12}{'questions/s a core':>20}{'by the clock':>14}{'words a reply':>15}")
        for size in BATCHES:
            model = resolve_model(chosen.model, {"batch_size": str(size)})
            every = requests_of(data, model.capabilities.coordinate_space)
            several = list(itertools.islice(itertools.cycle(every), max(size, chosen.questions if size > 1 else 32)))
            of_core, by_clock, words = await rate(model, several)
            print(f"{size:<12}{of_core:>20.1f}{by_clock:>14.1f}{words:>15.1f}", flush=True)
        print(f"\n{'solver, pictures':<20}{'first question ms':>18}{'later ones ms':>15}{'repaired':>12}")
        for condition in data.conditions:
            first, later, repaired = await solver_times(data, condition, Path(folder) / f"solver-{condition}")
            count = f"{repaired} of {chosen.views}"
            print(f"{condition:<20}{1000 * first:>18.0f}{1000 * later:>15.0f}{count:>12}", flush=True)
        print()
        for name, spent in tool_times(data).items():
            print(f"{name:<32}{1000 * spent:>6.0f} ms")


if __name__ == "__main__":
    asyncio.run(main())
