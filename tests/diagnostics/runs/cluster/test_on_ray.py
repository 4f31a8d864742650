"""Runs on real Ray workers: the results of one machine, whoever is killed, in whatever mode a run goes on."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from seeworthy.bench_data.cluster import ClusterSettings, connected
from seeworthy.bench_data.errors import ClusterError
from seeworthy.diagnostics.runs import (
    EngineSettings,
    PlannedRun,
    RunBudget,
    RunFolder,
    RunOutcome,
    StopReason,
    read_records,
    run_results,
)
from seeworthy.diagnostics.runs.cluster import ArmsRecipe, run_on_cluster
from seeworthy.tools.models import FaultKind
from seeworthy.tools.models.prices import Price
from tests.diagnostics.runs.cluster.cluster_models import arms, asked_in, processes_in, recipe
from tests.diagnostics.runs.small_runs import QUICK, by_name, planned, run_in, small_suite, table_in
from tests.tools.models.fault_server import FaultServer, Json, Step, answer, error

pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.usefixtures("ray_cluster")]

PRICES = {"counted": Price(input=0.7, output=1.3)}
QUICKLY = EngineSettings(retry=QUICK, prices=PRICES)


def plan_for(suite: Path, made_by: ArmsRecipe) -> PlannedRun:
    return planned(suite, list(made_by.build().values()))


async def run_on_ray(
    root: Path,
    plan: PlannedRun,
    made_by: ArmsRecipe,
    *,
    workers: int = 2,
    settings: EngineSettings = QUICKLY,
    interrupted: asyncio.Event | None = None,
) -> RunOutcome:
    folder = RunFolder(root)
    with connected(ClusterSettings(workers=workers)) as cluster, folder.begun(plan):
        return await run_on_cluster(
            plan,
            made_by.build(),
            folder,
            settings,
            cluster=cluster,
            recipe=made_by,
            interrupted=interrupted,
            seed=0,
        )


def results_in(root: Path) -> str:
    """All numbers of a run, to the last bit, and its table."""
    return json.dumps(run_results(RunFolder(root)).model_dump(mode="json"), sort_keys=True) + table_in(root)


def keys_in(root: Path) -> list[str]:
    return [record.key for record in read_records(root / "records.jsonl")]


async def until(condition: Callable[[], object], *, within_s: float = 120.0) -> None:
    end_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end_s, "it never came to that"
        await asyncio.sleep(0.02)


async def test_one_two_and_four_workers_give_the_bytes_of_one_machine(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=12, conditions=("clean", "haze-3"))
    # One picture that is none, and one that is gone: their calls fail in the same words everywhere.
    (tmp_path / "suite/images/haze-3-1.png").write_bytes(b"no picture")
    (tmp_path / "suite/images/clean-1.png").unlink()
    made_by = recipe()
    plan = plan_for(suite, made_by)
    await run_in(tmp_path / "here", plan, list(made_by.build().values()), settings=QUICKLY)
    expected = results_in(tmp_path / "here")
    assert '"errors": 6' in expected
    for workers in (1, 2, 4):
        outcome = await run_on_ray(tmp_path / f"ray-{workers}", plan, made_by, workers=workers)
        assert (outcome.stop, outcome.asked, outcome.failed) == (StopReason.FINISHED, 24, 12)
        assert results_in(tmp_path / f"ray-{workers}") == expected
    assert said_in(tmp_path / "ray-2") == said_in(tmp_path / "here")


def said_in(root: Path) -> dict[str, tuple[object, ...]]:
    """What came of each call, but for times."""
    return {
        record.key: (record.item, record.sent, record.reply.text, record.reply.fault, record.spent)
        for record in read_records(root / "records.jsonl")
    }


async def test_of_two_workers_one_is_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=40)
    asked = tmp_path / "asked"
    asked.mkdir()
    made_by = recipe(folder=str(asked), pause_s=0.1)
    plan = plan_for(suite, made_by)
    run = asyncio.create_task(run_on_ray(tmp_path / "run", plan, made_by))
    await until(lambda: len(processes_in(asked)) == 2)
    os.kill(processes_in(asked).pop(), signal.SIGKILL)
    outcome = await run
    assert (outcome.stop, outcome.failed, outcome.left) == (StopReason.FINISHED, 0, 0)
    assert len(processes_in(asked)) >= 2
    keys = keys_in(tmp_path / "run")
    assert len(keys) == len(set(keys)) == 40
    assert set(asked_in(asked)) == {f"Question {number} of clean" for number in range(40)}


async def test_a_deadly_question_becomes_one_error_and_is_asked_again_at_the_next_start(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=14)
    asked = tmp_path / "asked"
    asked.mkdir()
    made_by = recipe(folder=str(asked), deadly="Question 5 ")
    plan = plan_for(suite, made_by)
    outcome = await run_on_ray(tmp_path / "run", plan, made_by)
    assert (outcome.stop, outcome.asked, outcome.failed, outcome.left) == (StopReason.FINISHED, 14, 1, 1)
    (failed,) = [record for record in read_records(tmp_path / "run/records.jsonl") if not record.is_done]
    fault = failed.reply.fault
    assert fault is not None and (failed.item, fault.kind) == ("q5@clean", FaultKind.CRASHED)
    assert fault.message == (
        "item q5@clean: its worker ended each of the 3 times that it was tried alone: its process ended"
    )
    assert asked_in(asked).count("Question 5 of clean") in (3, 4)
    (asked / "cured").touch()
    # The next start is on this machine.
    again = await run_in(tmp_path / "run", plan, list(made_by.build().values()))
    assert (again.asked, again.failed, again.left) == (1, 0, 0)


async def test_a_run_goes_on_across_modes_and_its_budget_holds_over_all(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=30)
    made_by = recipe()
    plan, here = plan_for(suite, made_by), list(made_by.build().values())
    per_question = 7 * len("Question 10 of clean") + 3
    bounds = [9, 19]
    for on_ray, bound in zip((False, True), bounds, strict=True):
        tokens = bound * per_question
        settings = EngineSettings(retry=QUICK, prices=PRICES, slots=4, budget=RunBudget(tokens=tokens))
        if on_ray:
            outcome = await run_on_ray(tmp_path / "run", plan, made_by, settings=settings)
        else:
            outcome = await run_in(tmp_path / "run", plan, here, settings=settings)
        assert outcome.stop is StopReason.BUDGET and "tokens is used up" in outcome.detail
        # Four questions were under way at most when the first had shown what one costs.
        assert 0 < tokens - outcome.spent.tokens + 4 * per_question < 8 * per_question
    done = len(keys_in(tmp_path / "run"))
    assert 15 <= done <= 24
    last = await run_in(tmp_path / "run", plan, here, settings=QUICKLY)
    assert (last.stop, last.asked, last.left) == (StopReason.FINISHED, 30 - done, 0)
    keys = keys_in(tmp_path / "run")
    assert len(keys) == len(set(keys)) == 30
    await run_in(tmp_path / "whole", plan, here, settings=QUICKLY)
    assert results_in(tmp_path / "run") == results_in(tmp_path / "whole")


async def test_an_interrupt_ends_the_run_soon_and_what_was_kept_is_not_asked_again(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=60)
    made_by = recipe(pause_s=0.2)
    plan = plan_for(suite, made_by)
    interrupted = asyncio.Event()
    records = tmp_path / "run/records.jsonl"
    run = asyncio.create_task(run_on_ray(tmp_path / "run", plan, made_by, interrupted=interrupted))
    await until(lambda: records.exists() and records.stat().st_size > 0)
    interrupted.set()
    outcome = await run
    kept = len(keys_in(tmp_path / "run"))
    assert outcome.stop is StopReason.INTERRUPTED and 0 < kept < 60 and outcome.left == 60 - kept
    again = await run_in(tmp_path / "run", plan, list(recipe().build().values()))
    assert (again.stop, again.asked) == (StopReason.FINISHED, 60 - kept)


async def test_a_server_s_limits_hold_for_all_workers_together(tmp_path: Path) -> None:
    """A server that turns one caller away names a pause, and sees never more calls at once than there are slots."""
    times_s: list[float] = []
    lock = threading.Lock()

    def react(body: Json) -> Step:
        with lock:
            times_s.append(time.monotonic())
            return error(429, headers={"Retry-After": "2"}) if len(times_s) == 10 else answer("B", delay_s=0.05)

    suite = small_suite(tmp_path / "suite", questions=30)
    with FaultServer(react) as server:
        made_by = ArmsRecipe(
            builder="seeworthy.agent.cli.bench_arms:bench_arms",
            arguments={
                "models": [f"openai/test@{server.base_url}"],
                "options": [],
                "slots": 4,
                "profile": "fidelity",
            },
        )
        plan = plan_for(suite, made_by)
        outcome = await run_on_ray(
            tmp_path / "run", plan, made_by, settings=EngineSettings(retry=QUICK, slots=4, keep_pictures=False)
        )
    assert (outcome.stop, outcome.failed, len(keys_in(tmp_path / "run"))) == (StopReason.FINISHED, 0, 30)
    assert server.most_at_once <= 4
    longest_s = max(after - before for before, after in itertools.pairwise(times_s))
    assert longest_s >= 1.9, "somebody called before the pause was over"
    assert not (tmp_path / "run/images").exists()


@pytest.mark.parametrize(
    ("made_by", "words"),
    [
        (recipe(here=os.getpid()), r"cannot be made on the workers.*the model 'counted' is another one there: .*space"),
        (ArmsRecipe(builder="tests.nowhere:arms"), r"tests\.nowhere:arms cannot be imported: No module named"),
        (recipe(name="other"), r"the model 'counted' was not made; made were other"),
    ],
)
async def test_models_that_workers_cannot_make_are_told_before_anything_is_asked(
    tmp_path: Path, made_by: ArmsRecipe, words: str
) -> None:
    suite = small_suite(tmp_path / "suite", questions=3)
    here = by_name(list(arms().values()))
    plan = planned(suite, list(here.values()))
    folder = RunFolder(tmp_path / "run")
    with (
        connected(ClusterSettings(workers=1)) as cluster,
        folder.begun(plan),
        pytest.raises(ClusterError, match=words),
    ):
        await run_on_cluster(plan, here, folder, QUICKLY, cluster=cluster, recipe=made_by)
    assert keys_in(tmp_path / "run") == []
