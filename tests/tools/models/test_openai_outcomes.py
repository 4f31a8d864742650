"""The OpenAI adapter in front of refusals, moderation, silence and garbage: none of them passes for an answer."""

import pytest

from seeworthy.tools.models import (
    FaultKind,
    ReplyStatus,
)
from tests.tools.models.fault_server import FaultServer, Step, answer, error, raw
from tests.tools.models.openai_subjects import ask, build, reply_of


@pytest.mark.parametrize(
    ("step", "status"),
    [
        (answer("", finish_reason="content_filter"), ReplyStatus.REFUSAL),
        (answer(None, message={"refusal": "I can't help"}), ReplyStatus.REFUSAL),
        (error(400, "The response was filtered", code="content_filter"), ReplyStatus.REFUSAL),
        (answer("", finish_reason="length"), ReplyStatus.TRUNCATED),
        (answer("", finish_reason="length", message={"reasoning_content": "Let me"}), ReplyStatus.TRUNCATED),
        (answer("I do not have access to the image, therefore I cannot give the distance."), ReplyStatus.OK),
        (answer("I can't see the lamp because it is occluded, but the answer is B."), ReplyStatus.OK),
        (answer("The lamp", finish_reason="content_filter"), ReplyStatus.FILTERED),
        (answer(None, message={"reasoning": "B"}), ReplyStatus.OK),
    ],
)
async def test_refusals_and_silence_keep_their_names_and_are_not_retried(step, status):
    reply, server = await reply_of([step])
    assert reply.status is status
    assert reply.fault is None
    assert reply.attempts == len(server.chats) == 1


async def test_one_refused_item_does_not_end_a_run():
    script = [answer("A"), error(400, "filtered", code="content_filter"), answer("C")]
    with FaultServer(script) as server:
        async with build(server.base_url) as model:
            replies = [await model.reply(ask()) for _ in range(3)]
    assert [reply.status.value for reply in replies] == ["ok", "refusal", "ok"]
    assert replies[1].text == ""
    assert replies[1].notes == ("refused by the server's content filter (HTTP 400): filtered",)


async def test_thinking_that_ate_the_budget_names_the_setting():
    reply, _ = await reply_of([answer("", finish_reason="length", message={"reasoning_content": "Let me see"})])
    assert reply.reasoning == "Let me see"
    assert any("raise the output budget (max_tokens)" in note for note in reply.notes)


async def test_a_failing_server_gives_an_error_and_no_text():
    reply, server = await reply_of([error(500, "boom")], max_attempts=3)
    assert reply.status is ReplyStatus.ERROR
    assert reply.text == ""
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.http_status, reply.fault.retryable) == (FaultKind.SERVER, 500, True)
    assert "boom" in reply.fault.message
    assert server.base_url in reply.fault.message
    assert "gave up after 3 attempts" in reply.fault.message
    assert reply.attempts == len(server.chats) == 3
    assert reply.notes == ("failed calls: HTTP 500, HTTP 500, HTTP 500",)


@pytest.mark.parametrize("text", ["x" * 70_000, "http://a.b/c", "=1+1", "nul \x00 end", "👩‍👩‍👧 é", "null", ""])
async def test_any_text_comes_through(text):
    reply, _ = await reply_of([answer(text)])
    assert reply.status is ReplyStatus.OK
    assert reply.text == text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<html><title>Log in</title></html>", "text/html"),
        (b'{"choices": [{"mess', "application/json"),
        (b"", "application/json"),
        (b"[1, 2]", "application/json"),
        (b'{"object": "list", "data": []}', "application/json"),
        (b'{"choices": []}', "application/json"),
        (b'{"choices": [{"message": {"content": 7}}]}', "application/json"),
        (b"\xff\x00", "application/octet-stream"),
    ],
)
async def test_garbage_with_status_200_is_malformed_and_not_repeated(body, content_type):
    reply, server = await reply_of([raw(body, content_type=content_type)])
    assert reply.status is ReplyStatus.ERROR
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.MALFORMED
    assert len(server.chats) == 1


async def test_a_body_that_lies_about_its_compression_is_malformed():
    reply, server = await reply_of([Step(body=b"plain", headers={"Content-Encoding": "gzip"})])
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.MALFORMED
    assert len(server.chats) == 1
