"""The OpenAI adapter against a real server that is busy, stalls or dies: what is tried again, when, and how often."""

import pytest

from seeworthy.tools.models import (
    FaultKind,
    ReplyStatus,
)
from tests.tools.models.fault_server import Step, answer, cut, error, hang, unused_port
from tests.tools.models.openai_subjects import FakeClock, ask, build, reply_of


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
