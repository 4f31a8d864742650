"""What a report on a large run costs: seconds and memory to load, judge and report, and to write each form of it.

The run is made up: questions of 30 kinds in 300 scenes, on clean pictures and under 13 conditions, asked of two models
and, without pictures, of both again. Each reading runs in a process of its own, whose peak memory counts.

    python benchmarks/report.py [RECORDS]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.diagnostics.report import report_summary
from seeworthy.diagnostics.report.page import report_page
from seeworthy.diagnostics.report.writers import csv_files, report_json, report_latex, report_markdown
from seeworthy.diagnostics.runs import (
    Arm,
    CallRecord,
    PictureRef,
    PlannedRun,
    RunFolder,
    RunItem,
    RunSettings,
    Source,
    Spent,
    plan_items,
    run_results,
)
from seeworthy.diagnostics.runs.record import record_line
from seeworthy.tools.models import Reply, ReplyStatus, Usage
from seeworthy.tools.models.providers.python_callable import CallableModel

RECORDS = 200_000
SCENES, KINDS = 300, 30
CONDITIONS = ("clean", *(f"{name}-{level}" for name in ("haze", "low_light", "rain") for level in (1, 3, 5)))
CONDITIONS = (*CONDITIONS, "jpeg_compression-bench", "defocus-bench", "night_capture", "low_res-2")
CHOICE = AnswerFormat(
    answer_type=AnswerType.CHOICE, options={"A": "the lamp", "B": "the sofa", "C": "the chair", "D": "the door"}
)
METRES = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
REPLIES = {
    AnswerType.CHOICE: (
        "The answer is B.",
        "B",
        "**B**",
        "A",
        "I think the lamp is closer, so the answer is A.",
        "C",
        "???",
    ),
    AnswerType.NUMBER: ("about 2.5 m", "2.4", "The distance is roughly 250 cm.", "4 m", "7 feet", "I cannot tell."),
}


def made_items(questions: int) -> list[RunItem]:
    return [
        RunItem(
            id=f"q{number}@{condition}",
            question_id=f"q{number}",
            suite="made up",
            kind=f"kind {number % KINDS}",
            scene=f"scene {number % SCENES}",
            condition=condition,
            text=f"Which of these stands closer to the camera in picture {number}?",
            answer_format=METRES if number % 3 == 0 else CHOICE,
            truth=2.5 if number % 3 == 0 else "B",
            tags={"task_group": f"group {number % 8}", "stress": "G__occlusion" if number % 2 else "M__transparent"},
            pictures=(
                PictureRef(path=f"{condition}/{number}.png", sha256=f"{place:032x}{number:032x}", size=(640, 480)),
            ),
        )
        for number in range(questions)
        for place, condition in enumerate(CONDITIONS)
    ]


def model_named(name: str) -> Arm:
    async def unused(request: object) -> str:
        raise RuntimeError("a report asks no model")

    return Arm(CallableModel(unused, name=name))


def made_plan(records: int) -> PlannedRun:
    """With as many calls as records: two models, each with pictures under all conditions and once without."""
    questions = round(records / (2 * (len(CONDITIONS) + 1)))
    arms = [model_named("m"), model_named("robust(m)")]
    return plan_items(
        RunSettings.of([Source(path="/made-up")], arms, prompts=["plain", "blind"]), made_items(questions)
    )


def write_run(root: Path, records: int) -> int:
    """Lines of records, as the engine would leave them."""
    planned = made_plan(records)
    rng = np.random.default_rng(0)
    folder = RunFolder(root)
    unique = {call.key: call for call in planned.calls}
    with folder.begun(planned), folder.records.open("wb") as file:
        for call, drawn in zip(unique.values(), rng.random(len(unique)), strict=True):
            choices = REPLIES[call.item.answer_format.answer_type]
            reply = Reply(
                text=choices[int(drawn * len(choices))],
                status=ReplyStatus.OK,
                finish_reason="stop",
                usage=Usage(input_tokens=600, output_tokens=9),
                latency_s=0.7,
                model_reported="made-up-1",
            )
            file.write(
                record_line(
                    CallRecord(
                        key=call.key,
                        item=call.item.id,
                        condition=call.item.condition,
                        arm=call.arm,
                        prompt=call.prompt,
                        repeat=call.repeat,
                        seed=call.seed,
                        sent=(("text", call.item.text),),
                        reply=reply,
                        spent=Spent(calls=1, input_tokens=600, output_tokens=9, usd=0.001),
                        at="2026-01-01T00:00:00.000+00:00",
                    )
                )
            )
    return len(unique)


def told(name: str, work: Callable[[], object]) -> None:
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    work()
    wall_s, cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
    print(f"  {name:28s} {wall_s:7.1f} s  {cpu_s:7.1f} s CPU", flush=True)


def measure(root: Path) -> None:
    summary = report_summary([root])
    told("Markdown", lambda: report_markdown(summary))
    told("LaTeX", lambda: report_latex(summary))
    told("CSV", lambda: csv_files(summary))
    told("JSON", lambda: report_json(summary))
    told("HTML", lambda: report_page(summary))


def peak() -> None:
    print(f"  {'peak memory':28s} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:7.2f} GB", flush=True)


def benchmark(records: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        run = Path(root) / "run"
        count = write_run(run, records)
        size_mb = (run / "records.jsonl").stat().st_size / 2**20
        print(f"{count:,} records, {size_mb:.0f} MB, {RunFolder(run).plan().data.items:,} items")
        for part in ("--report", "--table", "--write"):
            subprocess.run([sys.executable, __file__, part, str(run)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--report"]:
        told("load, judge and report", lambda: report_summary([Path(sys.argv[2])]))
        peak()
    elif sys.argv[1:2] == ["--table"]:
        told("the table of seeworthy bench", lambda: run_results(RunFolder(Path(sys.argv[2]))))
        peak()
    elif sys.argv[1:2] == ["--write"]:
        measure(Path(sys.argv[2]))
    else:
        benchmark(int(sys.argv[1]) if sys.argv[1:] else RECORDS)
