"""The OpenAI adapter keeps to the size limits of requests and pictures, stated or found out."""

import pytest

from seeworthy.tools.models import (
    FaultKind,
    ReplyStatus,
)
from tests.tools.models.fault_server import FaultServer, answer, error, raw
from tests.tools.models.openai_subjects import ask, build, noise_picture, reply_of


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
