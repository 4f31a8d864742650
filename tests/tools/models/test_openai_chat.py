"""The OpenAI adapter against a real server that answers, refuses, stalls and dies."""

import asyncio
import base64
import gc
import io
import threading

import numpy as np
import pytest
from PIL import Image

from seeworthy.tools.models import (
    FaultKind,
    GenerationSettings,
    Message,
    ReplyStatus,
    Request,
    TextPart,
    Usage,
    VisionLanguageModel,
    user_message,
)
from seeworthy.tools.models.conformance import CHECKS, Subject
from seeworthy.tools.models.openai_chat import OpenAIChatModel
from seeworthy.tools.models.registry import resolve_model
from tests.tools.models.fault_server import FaultServer, Step, answer, cut, error, hang, raw, unused_port
from tests.tools.models.openai_subjects import FakeClock, ask, build, noise_picture

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


async def reply_of(script, request: Request | None = None, *, clock: FakeClock | None = None, **options: object):
    """The reply of a model in front of a server with this script, and the server."""
    with FaultServer(script) as server:
        async with build(server.base_url, clock=clock, **options) as model:
            return await model.reply(request or ask()), server


# What is sent


async def test_a_question_with_a_picture_goes_out_whole():
    picture = noise_picture(30, 20)
    request = Request(
        messages=(Message(role="system", parts=(TextPart(text="Be brief."),)), user_message("Which?", (picture,))),
        settings=GenerationSettings(temperature=0.5, top_p=0.9, max_tokens=77, stop=("##",)),
        seed=9,
    )
    reply, server = await reply_of([answer("B")], request, image_detail="high", extra_body={"top_k": 3})
    (sent,) = server.chats
    image_url = sent.body["messages"][1]["content"][0]["image_url"]
    head, data = image_url.pop("url").split(",")
    assert head == "data:image/png;base64"
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))), picture.image_srgb_u8)
    assert sent.body == {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"detail": "high"}}, {"type": "text", "text": "Which?"}],
            },
        ],
        "max_tokens": 77,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["##"],
        "seed": 9,
        "top_k": 3,
    }
    assert reply.text == "B"
    assert reply.status is ReplyStatus.OK
    assert reply.fault is None
    assert reply.attempts == 1
    assert reply.model_reported == "test-model"
    assert reply.usage == Usage(input_tokens=11, output_tokens=3)
    assert [image.sha256 for image in reply.sent_images] == [picture.sha256]


async def test_unset_fields_are_not_sent():
    _, server = await reply_of([answer()])
    assert set(server.chats[0].body) == {"model", "messages", "max_tokens", "temperature"}


async def test_a_model_without_system_messages_gets_them_in_the_first_user_message():
    messages = (
        user_message("First", (noise_picture(8, 8, 1),)),
        Message(role="assistant", parts=(TextPart(text="yes"),)),
        Message(role="system", parts=(TextPart(text="Be brief."),)),
        user_message("Second", (noise_picture(8, 8, 2),)),
    )
    reply, server = await reply_of([answer()], Request(messages=messages), honours_system_message=False)
    sent = server.chats[0].body["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [part["type"] for part in sent[0]["content"]] == ["text", "image_url", "text"]
    assert sent[0]["content"][0]["text"] == "Be brief."
    assert "the system message was put before the first user message" in reply.notes


async def test_half_characters_in_a_prompt_do_no_harm():
    reply, server = await reply_of([answer()], ask("cut \ud83d here"))
    assert reply.status is ReplyStatus.OK
    assert server.chats[0].body["messages"][0]["content"] == "cut \ufffd here"
    assert any("U+FFFD" in note for note in reply.notes)


# Refusal, moderation and silence dressed as success


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


# A failed call stored as an answer


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


# Waiting and calling again


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (408, FaultKind.TIMEOUT),
        (409, FaultKind.SERVER),
        (425, FaultKind.SERVER),
        (429, FaultKind.RATE_LIMIT),
        (500, FaultKind.SERVER),
        (502, FaultKind.SERVER),
        (503, FaultKind.SERVER),
        (504, FaultKind.SERVER),
        (529, FaultKind.SERVER),
    ],
)
async def test_passing_troubles_are_tried_again(status, kind):
    reply, server = await reply_of([error(status), error(status), answer("B")])
    assert (reply.status, reply.text, reply.attempts) == (ReplyStatus.OK, "B", 3)
    assert reply.notes == (f"failed calls: HTTP {status}, HTTP {status}",)
    reply, server = await reply_of([error(status)], max_attempts=2)
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable, len(server.chats)) == (kind, True, 2)


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (error(400), FaultKind.BAD_REQUEST),
        (error(401), FaultKind.AUTHENTICATION),
        (error(402), FaultKind.QUOTA),
        (error(403), FaultKind.AUTHENTICATION),
        (error(404), FaultKind.BAD_REQUEST),
        (error(413), FaultKind.TOO_LARGE),
        (error(422), FaultKind.BAD_REQUEST),
        (error(429, code="insufficient_quota", kind="insufficient_quota"), FaultKind.QUOTA),
        (error(400, "maximum context length is 4096 tokens", code="context_length_exceeded"), FaultKind.TOO_LARGE),
    ],
)
async def test_lasting_troubles_are_not_tried_again(step, kind):
    clock = FakeClock()
    reply, server = await reply_of([step, answer("B")], clock=clock)
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable) == (kind, False)
    assert reply.fault.http_status == step.status
    assert reply.attempts == len(server.chats) == 1
    assert clock.slept_s == []


@pytest.mark.parametrize("header", ["20", "Tue, 01 Jan 2030 00:00:20 GMT"])
async def test_both_forms_of_retry_after_are_obeyed(header):
    clock = FakeClock()
    reply, _ = await reply_of([error(429, headers={"Retry-After": header}), answer("B")], clock=clock)
    assert reply.text == "B"
    assert len(clock.slept_s) == 1
    assert 20 <= clock.slept_s[0] <= 20.5
    assert reply.latency_s == clock.slept_s[0]


async def test_a_wait_beyond_the_deadline_is_not_begun():
    clock = FakeClock()
    script = [error(429, headers={"Retry-After": "3600"}), answer("B")]
    reply, server = await reply_of(script, clock=clock, deadline_s=600)
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable) == (FaultKind.RATE_LIMIT, True)
    assert "asks to wait 3600 s" in reply.fault.message
    assert clock.slept_s == []
    assert len(server.chats) == 1


async def test_pauses_grow_within_their_bounds_and_the_deadline_ends_them():
    clock = FakeClock()
    options = {"max_attempts": 1000, "backoff_base_s": 1, "backoff_cap_s": 16, "deadline_s": 200}
    reply, _ = await reply_of([error(503)], clock=clock, **options)
    assert reply.fault is not None
    assert "deadline of 200 s" in reply.fault.message
    assert sum(clock.slept_s) < 200
    assert all(slept <= min(16, 2.0**k) for k, slept in enumerate(clock.slept_s))
    assert max(clock.slept_s) > 8


@pytest.mark.parametrize("step", [cut(), Step(drop=True)])
async def test_a_server_that_dies_is_called_again(step):
    reply, server = await reply_of([step, step, answer("B")])
    assert (reply.text, reply.attempts) == ("B", 3)
    reply, server = await reply_of([step], max_attempts=2)
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable) == (FaultKind.CONNECTION, True)
    assert reply.fault.http_status is None
    assert len(server.chats) == 2


async def test_a_port_where_nobody_listens():
    url = f"http://127.0.0.1:{unused_port()}/v1"
    async with build(url, max_attempts=2) as model:
        reply = await model.reply(ask())
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.CONNECTION
    assert url in reply.fault.message
    assert "is the server running?" in reply.fault.message
    assert reply.attempts == 2


@pytest.mark.parametrize("options", [{"timeout_s": 0.1}, {"read_timeout_s": 0.1}])
async def test_silence_ends_in_a_timeout(options):
    reply, _ = await reply_of([hang()], max_attempts=2, **options)
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable) == (FaultKind.TIMEOUT, True)
    assert reply.attempts == 2
    assert "raise" in reply.fault.message


async def test_the_deadline_cuts_a_call_short():
    reply, _ = await reply_of([hang()], deadline_s=0.1)
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.TIMEOUT
    assert "deadline of 0.1 s" in reply.fault.message
    assert reply.attempts == 1


async def test_an_error_dressed_as_success_is_tried_again():
    busy = Step(body={"error": {"message": "upstream is busy", "code": 503}})
    reply, _ = await reply_of([busy, answer("B")])
    assert (reply.text, reply.attempts) == ("B", 2)


# Many calls, many loops


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


# What the server does not take


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


# Request size and pixel limits


def picture_bytes(chat) -> list[int]:
    parts = [part for message in chat.body["messages"] for part in message["content"] if part["type"] == "image_url"]
    return [len(part["image_url"]["url"].split(",")[1]) for part in parts]


async def test_stated_limits_are_kept_at_the_first_try():
    picture = noise_picture(400, 300)
    reply, server = await reply_of(
        [answer("B")], ask("?", picture), max_image_base64_bytes=100_000, max_image_side_px=350
    )
    (sent,) = reply.sent_images
    assert picture_bytes(server.chats[0]) == [sent.base64_bytes]
    assert sent.base64_bytes <= 100_000
    assert max(sent.sent_size) <= 350
    assert (reply.status, reply.attempts) == (ReplyStatus.OK, 1)


@pytest.mark.parametrize("over_limit", [error(413), error(400, "image exceeds 5 MB maximum")])
async def test_a_request_that_is_too_large_is_sent_smaller_never_the_same(over_limit):
    pair = noise_picture(400, 300, 1), noise_picture(400, 300, 2)
    with FaultServer([answer("B")], body_limit_bytes=300_000, over_limit=over_limit) as server:
        async with build(server.base_url) as model:
            reply = await model.reply(ask("?", *pair))
    assert (reply.text, reply.attempts) == ("B", 2)
    first, second = server.chats
    assert second.size_bytes < first.size_bytes / 3
    assert {image.sent_size for image in reply.sent_images} == {(200, 150)}
    assert picture_bytes(second) == [image.base64_bytes for image in reply.sent_images]
    assert reply.notes == (f"HTTP {over_limit.status}: the pictures were sent again at 0.5 of their size",)
    assert all("downscaled" in image.note for image in reply.sent_images)


async def test_a_server_that_never_has_enough_gets_two_smaller_tries():
    with FaultServer([answer("B")], body_limit_bytes=1000) as server:
        async with build(server.base_url) as model:
            reply = await model.reply(ask("?", noise_picture(400, 300)))
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable, reply.fault.http_status) == (FaultKind.TOO_LARGE, False, 413)
    sizes = [chat.size_bytes for chat in server.chats]
    assert len(sizes) == reply.attempts == 3
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3
    assert reply.sent_images[0].sent_size == (100, 75)


async def test_a_picture_that_cannot_get_smaller_is_not_sent_again():
    reply, server = await reply_of([error(413)], ask("?", noise_picture(1, 1)))
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.TOO_LARGE
    assert len(server.chats) == 1


async def test_refuse_means_no_smaller_pictures():
    picture = noise_picture(200, 100)
    reply, server = await reply_of([error(413), answer()], ask("?", picture), oversize_policy="refuse")
    assert reply.fault is not None
    assert "'refuse' forbids" in reply.fault.message
    assert len(server.chats) == 1
    reply, server = await reply_of([answer()], ask("?", picture), oversize_policy="refuse", max_image_side_px=100)
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.TOO_LARGE
    assert server.chats == []
    assert reply.attempts == 0


async def test_404_to_large_bodies_only_is_told_from_a_wrong_address():
    picture = noise_picture(700, 500)
    with FaultServer([answer("B")], body_limit_bytes=500_000, over_limit=raw(b"Not Found", status=404)) as server:
        async with build(server.base_url) as model:
            reply = await model.reply(ask("?", picture))
            assert (reply.text, reply.attempts) == ("B", 2)
            assert "HTTP 404" in reply.notes[0]
        async with build(server.base_url.replace("/v1", "/v2")) as model:
            reply = await model.reply(ask("?", picture))
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.BAD_REQUEST
    assert "check the model's name and that the base URL is right" in reply.fault.message
    assert reply.attempts == 2


async def test_more_pictures_than_the_model_takes_are_not_sent():
    pictures = noise_picture(8, 8, 1), noise_picture(8, 8, 2)
    reply, server = await reply_of([answer()], ask("?", *pictures), max_images=1)
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable, reply.attempts) == (FaultKind.BAD_REQUEST, False, 0)
    assert "2 pictures" in reply.fault.message
    assert server.chats == []


# Cost, capabilities, names


async def test_cost_comes_from_the_users_table_only():
    assert (await reply_of([answer()]))[0].cost_usd is None
    assert (await reply_of([answer()], prices={"other": {"input": 1, "output": 1}}))[0].cost_usd is None
    reply, _ = await reply_of([answer()], prices={"test-model": {"input": 2, "output": 10}})
    assert reply.cost_usd == pytest.approx((11 * 2 + 3 * 10) / 1e6)
    reply, _ = await reply_of([answer(model="dated")], prices={"dated": {"input": 1, "output": 0}})
    assert reply.cost_usd == pytest.approx(11e-6)
    reply, _ = await reply_of([answer(usage={"prompt_tokens": 1})], prices={"test-model": {"input": 2, "output": 10}})
    assert reply.cost_usd is None


def test_capabilities_are_what_is_stated():
    model = build("http://localhost:1/v1", model="qwen2.5-vl-7b", max_images=4, honours_seed=True)
    capabilities = model.capabilities
    assert capabilities.coordinate_space.value == "sent_pixels"
    assert (capabilities.max_images, capabilities.honours_seed, capabilities.honours_temperature) == (4, True, None)
    assert model.coordinate_space_guess.known
    stated = build("http://localhost:1/v1", model="qwen2.5-vl-7b", coordinate_space="fraction")
    assert stated.capabilities.coordinate_space.value == "fraction"
    assert not build("http://localhost:1/v1", model="m").coordinate_space_guess.known


async def test_by_its_name_on_the_command_line(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FaultServer([error(503, headers={"Retry-After": "0"}), answer("B")]) as server:
        name = f"openai/org/model:tag@{server.base_url}"
        model = resolve_model(name, {"backoff_base_s": "0.001", "timeout_s": "30"})
        assert isinstance(model, VisionLanguageModel)
        assert isinstance(model, OpenAIChatModel)
        assert model.name == name
        reply = await model.reply(ask())
        await model.aclose()
    assert (reply.text, reply.attempts) == ("B", 2)
    assert server.chats[0].body["model"] == "org/model:tag"
    assert server.chats[0].headers["authorization"] == "Bearer no-key-needed"


# The suite that every adapter runs


@pytest.fixture(scope="module")
def subject():
    def model(server: FaultServer, **options: object):
        return build(server.base_url, **options)

    says = {"text": "A chair."}
    with (
        FaultServer([answer("A chair.")]) as good,
        FaultServer(lambda body: answer(says["text"])) as saying,
        FaultServer([error(500)]) as failing,
        FaultServer([answer("A chair.", delay_s=0.25)]) as slow,
    ):

        def build_saying(text: str):
            says["text"] = text
            return model(saying)

        yield Subject(
            build=lambda: model(good, max_images=2),
            build_saying=build_saying,
            build_failing=lambda: model(failing),
            build_slow=lambda: model(slow),
        )


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_adapter_conforms(check, subject):
    assert check.applies_to(subject)
    check.run(subject)
