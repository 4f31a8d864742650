"""The OpenAI adapter learns what a server does not take, once, and tells."""

import asyncio

from seeworthy.tools.models import (
    FaultKind,
)
from tests.tools.models.fault_server import FaultServer, answer, error
from tests.tools.models.openai_subjects import ask, build, reply_of

RENAME = error(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code="unsupported_parameter",
    param="max_tokens",
)
NO_TEMPERATURE = error(
    400,
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    code="unsupported_value",
    param="temperature",
)


async def test_the_budget_is_renamed_once_and_remembered():
    with FaultServer([RENAME, answer("A"), answer("B")]) as server:
        async with build(server.base_url) as model:
            first, second = await model.reply(ask()), await model.reply(ask())
    assert (first.text, first.attempts, second.text, second.attempts) == ("A", 2, "B", 1)
    assert [set(chat.body) - {"model", "messages", "temperature"} for chat in server.chats] == [
        {"max_tokens"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]
    assert "the output budget was sent as max_completion_tokens" in first.notes
    assert "the output budget was sent as max_completion_tokens" in second.notes


async def test_a_stated_name_of_the_budget_is_not_changed():
    reply, server = await reply_of([RENAME, answer()], max_tokens_parameter="max_tokens")
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.BAD_REQUEST
    assert len(server.chats) == 1
    _, server = await reply_of([answer()], max_tokens_parameter="max_completion_tokens")
    assert "max_completion_tokens" in server.chats[0].body


async def test_a_server_that_takes_neither_name_does_not_send_us_to_and_fro():
    def neither(body):
        name = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
        return error(400, f"Unsupported parameter: '{name}'", code="unsupported_parameter", param=name)

    reply, server = await reply_of(neither)
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.BAD_REQUEST
    assert len(server.chats) == 2


async def test_what_the_server_refuses_is_left_out_and_told():
    def picky(body):
        for name in ("temperature", "seed"):
            if name in body:
                return error(400, f"Unsupported parameter: '{name}'", code="unsupported_parameter", param=name)
        return "B"

    with FaultServer(picky) as server:
        async with build(server.base_url) as model:
            assert model.capabilities.honours_temperature is None
            assert model.capabilities.honours_seed is None
            reply = await model.reply(ask(seed=4))
            assert (reply.text, reply.attempts) == ("B", 3)
            assert reply.notes == (
                "temperature was not sent: the server does not take it",
                "seed was not sent: the server does not take it",
            )
            assert model.capabilities.honours_temperature is False
            assert model.capabilities.honours_seed is False
            assert (await model.reply(ask(seed=4))).attempts == 1


async def test_temperature_that_may_only_be_1_is_left_out():
    reply, server = await reply_of([NO_TEMPERATURE, answer("B")])
    assert reply.text == "B"
    assert "temperature" not in server.chats[1].body


async def test_many_calls_learn_the_same_lesson_together():
    def picky(body):
        return RENAME if "max_tokens" in body else "B"

    with FaultServer(picky) as server:
        async with build(server.base_url) as model:
            replies = await asyncio.gather(*(model.reply(ask()) for _ in range(16)))
    assert {reply.text for reply in replies} == {"B"}
    assert all(reply.attempts <= 2 for reply in replies)


async def test_a_parameter_out_of_range_is_the_callers_mistake():
    reply, server = await reply_of([error(400, "max_tokens is too large: 100000", param="max_tokens"), answer()])
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.BAD_REQUEST
    assert len(server.chats) == 1


async def test_how_likely_the_reply_was_is_asked_for_only_when_wanted():
    told = answer("B")
    told.body["choices"][0]["logprobs"] = {"content": [{"token": "B", "logprob": -0.125}]}
    with FaultServer([answer("B"), told]) as server:
        async with build(server.base_url) as model:
            plain, sure = await model.reply(ask()), await model.reply(_telling(ask()))
    assert ["logprobs" in chat.body for chat in server.chats] == [False, True]
    assert server.chats[1].body["logprobs"] is True
    assert (plain.logprob, sure.logprob) == (None, -0.125)


async def test_a_server_that_does_not_tell_how_likely_its_replies_are_still_answers():
    refuses = error(400, "Unsupported parameter: 'logprobs'", code="unsupported_parameter", param="logprobs")
    reply, _ = await reply_of([refuses, answer("B")], _telling(ask()))
    assert (reply.text, reply.logprob) == ("B", None)
    assert "logprobs was not sent: the server does not take it" in reply.notes


def _telling(request):
    return request.model_copy(update={"settings": request.settings.model_copy(update={"logprobs": True})})
