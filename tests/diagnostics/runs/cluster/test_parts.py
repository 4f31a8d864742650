"""The parts of a run on a cluster, without a cluster."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import RunSettings, Source, plan_run
from seeworthy.diagnostics.runs.cluster import ArmsRecipe
from seeworthy.diagnostics.runs.cluster.admission import MirroredGate
from seeworthy.diagnostics.runs.cluster.turnstile import Turnstile
from seeworthy.diagnostics.runs.cluster.worker import call_as_sent, call_of
from tests.diagnostics.runs.cluster.cluster_models import arms, recipe
from tests.diagnostics.runs.small_runs import small_suite


def test_a_recipe_makes_arms() -> None:
    assert list(recipe(name="other").build()) == ["other"]


@pytest.mark.parametrize(
    ("builder", "words"),
    [
        ("tests.nowhere:arms", "cannot be imported"),
        ("tests.diagnostics.runs.cluster.cluster_models:nothing", "cannot be imported"),
        ("tests.diagnostics.runs.cluster.cluster_models:not_arms", "gave list; it must give a mapping"),
    ],
)
def test_what_is_no_recipe(builder: str, words: str) -> None:
    with pytest.raises(DiagnosticsError, match=words):
        ArmsRecipe(builder=builder).build()


def test_calls_arrive_as_they_were_sent(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=4, conditions=("clean", "haze-3"))
    settings = RunSettings.of([Source.at(suite)], list(arms().values()), prompts=["plain", "blind"], repeats=2)
    for call in plan_run(settings).calls:
        arrived = call_of(call_as_sent(call))
        pictures = tuple(picture.model_copy(update={"image": None}) for picture in call.item.pictures)
        assert arrived == replace(call, item=call.item.model_copy(update={"pictures": pictures}))


async def started(task: asyncio.Task[float]) -> asyncio.Task[float]:
    for _ in range(5):
        await asyncio.sleep(0)
    return task


def entering(turnstile: Turnstile, ticket: str) -> asyncio.Task[float]:
    return asyncio.create_task(turnstile.enter("server", ticket))


async def test_the_slots_of_a_buried_worker_go_to_others() -> None:
    turnstile = Turnstile(["server"], most=2)
    await turnstile.enter("server", "a/0")
    await turnstile.enter("server", "a/1")
    waiting = await started(entering(turnstile, "b/0"))
    assert not waiting.done()
    await turnstile.bury("a")
    async with asyncio.timeout(5):
        await waiting
        # A late call of the dead is let through to nobody: both slots stay with the living.
        await turnstile.enter("server", "a/2")
        await turnstile.enter("server", "b/1")
    third = await started(entering(turnstile, "b/2"))
    assert not third.done()
    third.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await third


async def test_who_gives_up_waiting_takes_no_slot() -> None:
    turnstile = Turnstile(["server"], most=1)
    await turnstile.enter("server", "a/0")
    gives_up = await started(entering(turnstile, "a/1"))
    patient = await started(entering(turnstile, "b/0"))
    await turnstile.leave("a/1")
    await turnstile.leave("a/0")
    async with asyncio.timeout(5):
        await asyncio.gather(gives_up, patient)
    await turnstile.leave("a/0")  # freed before: nothing happens
    last = await started(entering(turnstile, "b/1"))
    assert not last.done()
    await turnstile.leave("b/0")
    async with asyncio.timeout(5):
        await last


async def test_a_busy_server_is_busy_for_everybody() -> None:
    turnstile = Turnstile(["server", "other"], most=8)
    began_s = await turnstile.enter("server", "a/0")
    await turnstile.overloaded("server", began_s, 30.0)
    state = await turnstile.state()
    assert state["server"][0] == 4 and 29 < state["server"][1] <= 30
    assert state["other"] == (8, 0.0)


async def test_questions_are_handed_out_as_the_turnstile_says() -> None:
    gate = MirroredGate(most=16, first=8)
    await gate.admitted(7)
    ninth = asyncio.create_task(gate.admitted(8))
    last = asyncio.create_task(gate.admitted(15))
    gate.heard(4, 2.5)
    await asyncio.sleep(0)
    assert (gate.limit, gate.pause_left_s, ninth.done()) == (4, 2.5, False)
    gate.heard(9, 0.0)
    async with asyncio.timeout(5):
        await ninth
    assert not last.done()
    gate.open_to_all()
    async with asyncio.timeout(5):
        await last
