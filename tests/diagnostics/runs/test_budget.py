"""Money, tokens and seconds: a run stops there, all starts together, and goes on with more."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.runs import (
    EngineSettings,
    RunBudget,
    RunFolder,
    Spent,
    StopReason,
    estimate_run,
    read_stored,
)
from seeworthy.diagnostics.runs.budget import Meter
from seeworthy.diagnostics.runs.paced_model import price_of
from seeworthy.tools.models import CoordinateSpace, Reply, ReplyStatus, Request, Usage
from seeworthy.tools.models.prices import Price
from seeworthy.tools.models.providers.python_callable import CallableModel

from .small_runs import QUICK, Arm, CountedModel, planned, run_in, served, small_suite

PRICES = {"priced": Price(input=10.0, output=100.0)}


def answer(request: Request) -> Reply:
    """1000 tokens in and 100 out: 2 cents at the prices above."""
    return Reply(text="B", status=ReplyStatus.OK, usage=Usage(input_tokens=1000, output_tokens=100))


def with_budget(**limits: float) -> EngineSettings:
    return EngineSettings(retry=QUICK, slots=4, budget=RunBudget.model_validate(limits), prices=PRICES)


@pytest.mark.parametrize(("limits", "spent"), [({"usd": 0.2}, 10), ({"tokens": 11_000}, 10), ({"tokens": 1}, 1)])
async def test_a_budget_stops_the_run_and_counts_all_starts(
    tmp_path: Path, limits: dict[str, float], spent: int
) -> None:
    suite = small_suite(tmp_path / "suite", questions=40)
    model = CountedModel(answer, "priced")
    plan = planned(suite, [model.arm])
    expected = Spent(input_tokens=1000, output_tokens=100, usd=0.02)
    settings = with_budget(**limits)
    settings = EngineSettings(**{**vars(settings), "expected": expected})
    outcome = await run_in(tmp_path / "run", plan, [model.arm], settings=settings)
    assert outcome.stop is StopReason.BUDGET and "budget of" in outcome.detail
    assert len(model.asked) == spent
    assert outcome.spent.usd == pytest.approx(0.02 * spent)
    again = await run_in(tmp_path / "run", plan, [model.arm], settings=settings)
    assert (again.asked, again.stop) == (0, StopReason.BUDGET)
    rest = await run_in(tmp_path / "run", plan, [model.arm], settings=with_budget(usd=100.0))
    assert (rest.stop, rest.asked, rest.left) == (StopReason.FINISHED, 40 - spent, 0)


async def test_seconds_end_a_run_even_while_every_call_waits(tmp_path: Path) -> None:
    async def never(request: Request) -> str:
        await asyncio.Event().wait()
        return ""

    arm = Arm(CallableModel(never, name="slow"))
    plan = planned(small_suite(tmp_path / "suite"), [arm])
    outcome = await run_in(tmp_path / "run", plan, [arm], settings=with_budget(seconds=0.05))
    assert (outcome.stop, outcome.asked, outcome.left) == (StopReason.BUDGET, 0, 6)


async def test_a_money_budget_cannot_be_kept_where_the_price_of_a_call_is_unknown(tmp_path: Path) -> None:
    model = CountedModel(lambda r: "B", "priced")  # it counts no tokens
    plan = planned(small_suite(tmp_path / "suite", questions=40), [model.arm])
    outcome = await run_in(tmp_path / "run", plan, [model.arm], settings=with_budget(usd=5.0))
    assert outcome.stop is StopReason.BUDGET and "cost is unknown" in outcome.detail
    assert len(model.asked) <= 5


@given(
    budget=st.floats(0.01, 5.0),
    costs=st.lists(st.floats(0.001, 0.1), min_size=1, max_size=80),
    at_once=st.integers(1, 16),
)
def test_the_overshoot_is_what_questions_under_way_cost_beyond_the_mean(
    budget: float, costs: list[float], at_once: int
) -> None:
    meter = Meter(RunBudget(usd=budget), expected=Spent(usd=0.1))
    waiting = list(costs)
    under_way: list[float] = []
    while waiting or under_way:
        while waiting and len(under_way) < at_once and meter.exhausted() is None:
            under_way.append(waiting.pop())
            meter.under_way += 1
        if not under_way:
            break
        meter.finish(Spent(calls=1, usd=under_way.pop(0)))
        meter.under_way -= 1
    assert meter.spent.usd <= budget + at_once * max(costs)


def test_a_price_is_found_by_each_name_of_a_model() -> None:
    price = Price(input=1, output=2)
    model = served("http://127.0.0.1:9/v1", "qwen")
    for name in ("qwen", "openai/qwen", "openai/qwen@http://127.0.0.1:9/v1"):
        assert price_of(model, {name: price}) == price
    assert price_of(served("http://127.0.0.1:9/v1", "qwen", prices={"qwen": {"input": 1, "output": 2}}), {}) == price
    assert price_of(model, {"other": price}) is None


async def test_an_estimate_counts_calls_tokens_money_and_then_uses_what_is_known(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=10, conditions=("clean", "haze-3"))
    model = CountedModel(answer, "priced")
    plan = planned(suite, [model.arm], prompts=["plain", "blind"], repeats=2)
    first = estimate_run(plan, prices=PRICES, slots=4)
    assert (first.items, first.questions, first.runs, first.calls, first.done) == (20, 10, 8, 80, 0)
    # Pictures of 32 x 24 pixels are two patches of 28 x 28.
    turns = [call.parts(CoordinateSpace.PERMILLE) for call in plan.calls]
    words = sum(-(-len(part) // 4) for turn in turns for part in turn if isinstance(part, str))
    assert first.input_tokens == words + 2 * 40
    assert first.usd == pytest.approx((first.input_tokens * 10 + 80 * 100 * 100) / 1e6)
    await run_in(tmp_path / "run", planned(suite, [model.arm], prompts=["plain", "blind"], repeats=2), [model.arm])
    after = estimate_run(plan, prices=PRICES, slots=4, stored=read_stored(RunFolder(tmp_path / "run").records))
    assert (after.done, after.input_tokens, after.usd, after.measured) == (80, 0, 0.0, True)
    unpriced = estimate_run(plan, prices={"priced": None}, slots=4)
    assert unpriced.usd is None and "no price for priced" in "\n".join(unpriced.lines())


async def test_a_plan_is_written_down_before_the_first_call(tmp_path: Path) -> None:
    seen: list[dict[str, object]] = []

    def look(request: Request) -> str:
        seen.append(json.loads((tmp_path / "run/plan.json").read_text()))
        return "B"

    arm = Arm(CallableModel(look, name="looking"))
    plan = planned(small_suite(tmp_path / "suite", questions=1), [arm])
    await run_in(tmp_path / "run", plan, [arm])
    assert seen == [plan.plan.model_dump(mode="json")]
