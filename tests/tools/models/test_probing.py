"""The sampling probe tells a model that ignores temperature from one that does not, and says when it cannot tell."""

from __future__ import annotations

import asyncio

import pytest

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.probing import probe_sampling
from seeworthy.tools.models.protocol import Fault, FaultKind, Reply, ReplyStatus, Request
from seeworthy.tools.models.providers.python_callable import CallableModel

FAULT = Fault(kind=FaultKind.RATE_LIMIT, message="slow down", retryable=True)


async def test_each_call_has_its_own_seed_and_a_temperature() -> None:
    seen: list[Request] = []
    model = CallableModel(lambda request: (seen.append(request), "x")[1], name="m")
    await probe_sampling(model, samples=5, temperature=0.8, first_seed=10)
    assert sorted(request.seed or 0 for request in seen) == [10, 11, 12, 13, 14]
    assert {request.settings.temperature for request in seen} == {0.8}
    assert len({request.messages for request in seen}) == 1


async def test_identical_replies_mean_that_temperature_is_ignored() -> None:
    probe = await probe_sampling(CallableModel(lambda request: "lamp chair", name="deaf"))
    assert (probe.samples, probe.distinct, probe.samples_vary) == (4, 1, False)
    assert "deaf: 4 samples at temperature 1 are identical" in probe.note
    assert "seems to ignore temperature" in probe.note


async def test_one_different_reply_is_enough() -> None:
    probe = await probe_sampling(CallableModel(lambda request: "b" if request.seed == 3 else "a", name="m"))
    assert (probe.distinct, probe.samples_vary) == (2, True)


async def test_cut_replies_count_and_failures_do_not() -> None:
    def answer(request: Request) -> Reply:
        if request.seed in (0, 1):
            return Reply(status=ReplyStatus.ERROR, fault=FAULT)
        return Reply(text=f"word {request.seed}", status=ReplyStatus.TRUNCATED)

    probe = await probe_sampling(CallableModel(answer, name="m"))
    assert (probe.samples, probe.distinct, probe.samples_vary) == (2, 2, True)


@pytest.mark.parametrize("answered", [0, 1])
async def test_too_few_replies_tell_nothing(answered: int) -> None:
    def answer(request: Request) -> Reply:
        if (request.seed or 0) < answered:
            return Reply(text="word", status=ReplyStatus.OK)
        return Reply(status=ReplyStatus.ERROR, fault=FAULT)

    probe = await probe_sampling(CallableModel(answer, name="m"), samples=3)
    assert probe.samples_vary is None
    assert f"{answered} of 3 probes were answered" in probe.note
    assert "slow down" in probe.note


async def test_refusals_are_no_samples() -> None:
    probe = await probe_sampling(CallableModel(lambda request: Reply(text="no", status=ReplyStatus.REFUSAL), name="m"))
    assert probe.samples_vary is None


@pytest.mark.parametrize(("samples", "temperature"), [(1, 1.0), (0, 1.0), (4, 0.0), (4, -1.0)])
async def test_senseless_probes_are_refused(samples: int, temperature: float) -> None:
    with pytest.raises(ModelError, match="probe needs"):
        await probe_sampling(CallableModel(lambda request: "", name="m"), samples=samples, temperature=temperature)


async def test_calls_run_at_the_same_time() -> None:
    everyone = asyncio.Barrier(4)

    async def answer(request: Request) -> str:
        await asyncio.wait_for(everyone.wait(), 30)
        return "x"

    assert (await probe_sampling(CallableModel(answer, name="m"))).samples == 4
