"""The OpenAI adapter under many calls at once, cancelled calls, and several event loops."""

import asyncio
import gc
import threading

import pytest

from seeworthy.tools.models import (
    FaultKind,
)
from tests.tools.models.fault_server import FaultServer, answer, error, hang
from tests.tools.models.openai_subjects import FakeClock, ask, build


async def test_64_calls_at_once_keep_their_answers_apart_and_the_limit():
    def echo(body):
        return answer(body["messages"][0]["content"].upper(), delay_s=0.01)

    with FaultServer(echo) as server:
        async with build(server.base_url, max_concurrency=8) as model:
            replies = await asyncio.gather(*(model.reply(ask(f"question {index}")) for index in range(64)))
    assert [reply.text for reply in replies] == [f"QUESTION {index}" for index in range(64)]
    assert 2 <= server.most_at_once <= 8


async def test_64_calls_go_out_together_when_they_may():
    all_here = threading.Barrier(64)

    def together(body):
        all_here.wait(30)
        return "B"

    with FaultServer(together) as server:
        async with build(server.base_url, max_concurrency=64) as model:
            replies = await asyncio.gather(*(model.reply(ask()) for _ in range(64)))
    assert {reply.text for reply in replies} == {"B"}
    assert server.most_at_once == 64


async def test_a_cancelled_call_ends_and_frees_its_place():
    with FaultServer([hang(), answer("B")]) as server:
        async with build(server.base_url, max_concurrency=1) as model:
            task = asyncio.create_task(model.reply(ask()))
            await asyncio.to_thread(server.wait_for_requests, 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await model.reply(ask())).text == "B"


async def test_a_call_can_be_cancelled_while_it_waits_to_try_again():
    class Asleep(FakeClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(3600)

    with FaultServer([error(503), answer("B")]) as server:
        async with build(server.base_url, clock=Asleep(), max_concurrency=1) as model:
            task = asyncio.create_task(model.reply(ask()))
            await asyncio.to_thread(server.wait_for_requests, 1)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await model.reply(ask())).text == "B"


# Whoever leaves a loop without aclose() leaves its sockets to the garbage collector, which Python reports as such.
@pytest.mark.filterwarnings("error", "ignore::ResourceWarning")
def test_one_model_serves_several_loops_in_turn():
    with FaultServer([answer("B")]) as server:
        model = build(server.base_url)

        async def two_calls() -> list[str]:
            return [reply.text for reply in await asyncio.gather(model.reply(ask()), model.reply(ask()))]

        async def last() -> str:
            text = (await model.reply(ask())).text
            await model.aclose()
            return text

        assert asyncio.run(two_calls()) == ["B", "B"]
        assert asyncio.run(last()) == "B"
        assert asyncio.run(last()) == "B"


def test_one_model_serves_two_loops_at_once_and_closes_both():
    with FaultServer([answer("B", delay_s=0.02)]) as server:
        # One place, so that calls queue: a queue shared by two loops would raise.
        model = build(server.base_url, max_concurrency=1)
        both, here_closed = threading.Barrier(2), threading.Event()
        texts: list[str] = []

        async def three_calls() -> None:
            replies = await asyncio.gather(*(model.reply(ask()) for _ in range(3)))
            texts.extend(reply.text for reply in replies)

        async def elsewhere() -> None:
            both.wait(10)
            await three_calls()
            both.wait(10)
            while not here_closed.is_set():
                await asyncio.sleep(0.01)
            await three_calls()
            await model.aclose()

        async def here() -> None:
            both.wait(10)
            await three_calls()
            both.wait(10)
            await model.aclose()
            here_closed.set()

        thread = threading.Thread(target=asyncio.run, args=(elsewhere(),))
        thread.start()
        asyncio.run(here())
        thread.join()
        assert texts == ["B"] * 9
        assert server.most_at_once == 2


async def test_closing_in_the_middle_of_a_call_ends_it_with_a_fault():
    with FaultServer([hang()]) as server:
        model = build(server.base_url, max_concurrency=1)
        calls = [asyncio.create_task(model.reply(ask())) for _ in range(2)]
        await asyncio.to_thread(server.wait_for_requests, 1)
        await model.aclose()
        replies = await asyncio.wait_for(asyncio.gather(*calls), 10)
    for reply in replies:
        assert reply.fault is not None
        assert (reply.fault.kind, reply.fault.retryable) == (FaultKind.CONNECTION, False)
        assert "aclose() was called" in reply.fault.message


async def test_a_closed_model_opens_again():
    with FaultServer([answer("B")]) as server:
        model = build(server.base_url)
        for _ in range(2):
            assert (await model.reply(ask())).text == "B"
            await model.aclose()
        await model.aclose()


def test_a_model_that_nobody_closed_makes_no_noise(recwarn):
    with FaultServer([answer("B")]) as server:
        assert asyncio.run(build(server.base_url).reply(ask())).text == "B"
        gc.collect()
    assert [str(warning.message) for warning in recwarn if warning.category is not ResourceWarning] == []
