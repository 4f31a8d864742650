"""Small suites, plans and models for the tests of runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.bench_data.suites import SuiteImage, SuiteItem, write_suite
from seeworthy.diagnostics.runs import (
    Arm,
    EngineSettings,
    PlannedRun,
    RunFolder,
    RunOutcome,
    RunSettings,
    Source,
    plan_run,
    results_table,
    run_calls,
    run_results,
)
from seeworthy.tools.models import Reply, Request, VisionLanguageModel
from seeworthy.tools.models.providers.python_callable import CallableModel
from seeworthy.tools.models.registry import resolve_model
from seeworthy.tools.models.retry import RetryPolicy

CHOICE = AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "the lamp", "B": "the sofa"})
COUNT = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.COUNT)
QUICK = RetryPolicy(max_attempts=3, backoff_base_s=0.01, backoff_cap_s=0.02, deadline_s=60.0)


def small_items(
    root: Path, *, questions: int = 6, conditions: Sequence[str] = ("clean",), pictures: int = 2
) -> list[SuiteItem]:
    """Questions in turn of two kinds, over a few pictures; the truth is B, or 3."""
    (root / "images").mkdir(parents=True, exist_ok=True)
    items = []
    for place, condition in enumerate(conditions):
        for view in range(pictures):
            rng = np.random.default_rng([place, view])
            pixels = rng.integers(0, 256, (24, 32, 3), dtype=np.uint8)
            (root / f"images/{condition}-{view}.png").write_bytes(Picture(pixels).png())
        for number in range(questions):
            choice = number % 2 == 0
            items.append(
                SuiteItem(
                    id=f"q{number}@{condition}",
                    text=f"Question {number} of {condition}?",
                    images=(SuiteImage(f"images/{condition}-{number % pictures}.png", root=root),),
                    answer_format=CHOICE if choice else COUNT,
                    truth="B" if choice else 3,
                    question_id=f"q{number}",
                    kind="closer" if choice else "how many",
                    scene=f"scene {number % 3}",
                    condition=condition,
                )
            )
    return items


def small_suite(root: Path, **how: object) -> Path:
    """The items of `small_items` as a suite file."""
    items = small_items(root, **how)  # type: ignore[arg-type]
    return written(root, items)


def written(root: Path, items: Sequence[SuiteItem]) -> Path:
    write_suite(items, root / "suite.jsonl", "native", overwrite=True)
    return root / "suite.jsonl"


def words_of(request: Request) -> str:
    return request.messages[-1].text


def right_answer(request: Request) -> str:
    return "B" if "A. the lamp" in words_of(request) else "3"


class CountedModel:
    """A function as a model that counts what it is asked."""

    def __init__(self, answer: Callable[[Request], Reply | str] = right_answer, name: str = "counted") -> None:
        async def count(request: Request) -> Reply | str:
            self.asked.append(words_of(request).split("?")[0])
            return answer(request)

        self.asked: list[str] = []
        self.model = CallableModel(count, name=name)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def arm(self) -> Arm:
        return Arm(self.model)


def served(base_url: str, name: str = "test-model", **options: object) -> VisionLanguageModel:
    """A model behind a test server, whose own retries are off."""
    return resolve_model(f"openai/{name}@{base_url}", {"max_attempts": 1, "max_concurrency": 64, **options})


def planned(suite: Path, arms: Sequence[Arm], *, limit: int | None = None, **how: object) -> PlannedRun:
    return plan_run(RunSettings.of([Source.at(suite)], arms, **how), limit=limit)  # type: ignore[arg-type]


def by_name(arms: Sequence[Arm]) -> dict[str, Arm]:
    return {arm.name: arm for arm in arms}


async def run_in(
    root: Path,
    plan: PlannedRun,
    arms: Sequence[Arm],
    *,
    settings: EngineSettings | None = None,
    interrupted: asyncio.Event | None = None,
) -> RunOutcome:
    """One start of a run in a folder, with short pauses."""
    folder = RunFolder(root)
    with folder.begun(plan):
        return await run_calls(
            plan, by_name(arms), folder, settings or EngineSettings(retry=QUICK), interrupted=interrupted, seed=0
        )


def table_in(root: Path) -> str:
    return results_table(run_results(RunFolder(root)))
