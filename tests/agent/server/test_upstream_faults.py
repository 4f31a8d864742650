"""What goes wrong behind the server reaches the client with the right status, and is not tried again in vain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import openai
import pytest

from seeworthy.agent.server import ServeLimits
from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import Fault, FaultKind, Reply, ReplyStatus, Request
from seeworthy.tools.models.registry import resolve_model

from ...tools.models.fault_server import FaultServer, Step, answer, error, hang, raw, unused_port
from ..conftest import AddTool, ScriptedModel
from ..test_editors import good
from .conftest import NAME, Running, Serve, chat, data_uri, user


def failing(kind: FaultKind, **more: object) -> ScriptedModel:
    fault = Fault(kind=kind, message="scripted", **{"retryable": False, **more})  # type: ignore[arg-type]
    return ScriptedModel(lambda r: Reply(status=ReplyStatus.ERROR, fault=fault))


FAULTS: list[tuple[FaultKind, dict[str, object], int, str]] = [
    (FaultKind.AUTHENTICATION, {"http_status": 401}, 502, "upstream_authentication"),
    (FaultKind.BAD_REQUEST, {"http_status": 400}, 400, "upstream_bad_request"),
    (FaultKind.BAD_REQUEST, {}, 400, "upstream_bad_request"),
    (FaultKind.BAD_REQUEST, {"http_status": 404}, 502, "upstream_bad_request"),
    (FaultKind.TOO_LARGE, {}, 413, "upstream_too_large"),
    (FaultKind.RATE_LIMIT, {}, 429, "rate_limit_exceeded"),
    (FaultKind.QUOTA, {}, 429, "insufficient_quota"),
    (FaultKind.SERVER, {}, 502, "upstream_server"),
    (FaultKind.CONNECTION, {}, 502, "upstream_connection"),
    (FaultKind.TIMEOUT, {}, 504, "upstream_timeout"),
    (FaultKind.MALFORMED, {}, 502, "upstream_malformed"),
    (FaultKind.OUT_OF_MEMORY, {}, 502, "upstream_out_of_memory"),
    (FaultKind.NOT_RECORDED, {}, 502, "upstream_not_recorded"),
    (FaultKind.CRASHED, {}, 502, "upstream_crashed"),
]


def test_every_kind_of_fault_stands_in_the_table() -> None:
    assert {kind for kind, *_ in FAULTS} == set(FaultKind)


@pytest.mark.parametrize(("kind", "more", "status", "code"), FAULTS)
def test_a_fault_has_a_status_and_is_not_repeated_by_the_client(
    serve: Serve, kind: FaultKind, more: dict[str, object], status: int, code: str
) -> None:
    model = failing(kind, **more)
    client = serve(model).client(max_retries=2)
    with pytest.raises(openai.APIStatusError, match="scripted") as caught:
        client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": "?"}])
    assert (caught.value.status_code, caught.value.code) == (status, code)
    assert len(model.asked) == 1


def test_a_server_that_names_a_time_is_tried_again_after_it(serve: Serve) -> None:
    server = serve(failing(FaultKind.RATE_LIMIT, retry_after_s=7.4))
    headers = server.post(chat()).headers
    assert (headers["retry-after"], headers["x-should-retry"]) == ("7", "true")


UPSTREAM: dict[str, tuple[Step | None, int]] = {
    "busy": (error(429, "slow down", headers={"retry-after": "0"}), 429),
    "no credit": (error(429, "pay", code="insufficient_quota"), 429),
    "wrong key": (error(401, "bad key"), 502),
    "down": (error(503, "loading"), 502),
    "silent": (hang(), 504),
    "a page": (raw(b"<html>Bad gateway</html>"), 502),
    "nobody there": (None, 502),
}


@pytest.mark.parametrize("case", UPSTREAM)
def test_a_real_server_behind_this_one_misbehaves(serve: Serve, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step, status = UPSTREAM[case]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-operator")
    options = {"max_attempts": 1, "timeout_s": 0.5 if case == "silent" else 20, "backoff_base_s": 0.01}
    with FaultServer([step or answer()]) as upstream:
        base_url = upstream.base_url if step else f"http://127.0.0.1:{unused_port()}/v1"
        server = serve(resolve_model(f"openai/test-model@{base_url}", options))
        found = server.post(chat())
    assert found.status_code == status, found.text
    assert "sk-secret" not in found.text


def test_refusals_and_usage_of_a_real_server_come_through(serve: Serve) -> None:
    script = [answer("Left."), error(400, "filtered", code="content_filter"), answer("", finish_reason="length")]
    with FaultServer(script) as upstream:
        client = serve(resolve_model(f"openai/test-model@{upstream.base_url}")).client()
        replies = [
            client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": "?"}], max_tokens=9)
            for _ in script
        ]
        assert [chat.body["max_tokens"] for chat in upstream.chats] == [9, 9, 9]
    assert replies[0].usage is not None
    assert (replies[0].choices[0].message.content, replies[0].usage.total_tokens) == ("Left.", 14)
    assert replies[1].choices[0].message.refusal
    assert replies[2].choices[0].finish_reason == "length"


@pytest.mark.usefixtures("always_dark")
def test_a_model_that_dies_under_the_solver_is_an_error_and_no_answer(
    serve: Serve, dark: Picture, only_tool: AddTool
) -> None:
    only_tool(good)
    server = serve(failing(FaultKind.CONNECTION), profile="fidelity")
    found = server.post(chat(user("Where?\nA. left\nB. right", data_uri(dark))))
    assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_connection")


def raising(error: Exception) -> ScriptedModel:
    def answer(request: Request) -> str:
        raise error

    return ScriptedModel(answer)


@pytest.mark.parametrize("choices", [1, 3])
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_raises_is_a_bad_gateway_without_its_words(serve: Serve, choices: int, stream: bool) -> None:
    server = serve(raising(RuntimeError("the password is swordfish")))
    found = server.post(chat(n=choices, stream=stream))
    assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_crashed")
    assert "swordfish" not in found.text
    assert server.inside == 0


class Slow:
    """Answers after a while, and can fail then."""

    name = "slow"
    capabilities = ScriptedModel(lambda r: "").capabilities

    def __init__(self, seconds: float, then: Callable[[], Reply]) -> None:
        self.seconds = seconds
        self.then = then

    async def reply(self, request: Request) -> Reply:
        await asyncio.sleep(self.seconds)
        return self.then()


def ok() -> Reply:
    return Reply(text="B", status=ReplyStatus.OK)


def test_what_takes_too_long_is_ended_here(serve: Serve) -> None:
    server = serve(Slow(30, ok), limits=ServeLimits(request_seconds=0.2))
    found = server.post(chat())
    assert (found.status_code, found.json()["error"]["code"]) == (504, "timeout")


def impatient(serve: Serve, then: Callable[[], Reply]) -> Running:
    return serve(Slow(0.4, then), limits=ServeLimits(heartbeat_seconds=0.1))


def test_a_long_stream_shows_signs_of_life_that_clients_skip(serve: Serve) -> None:
    server = impatient(serve, ok)
    with httpx.stream("POST", f"{server.base_url}/chat/completions", json=chat(stream=True)) as stream:
        lines = [line for line in stream.iter_lines() if line]
    assert lines.count(": still working") >= 1
    assert lines[-1] == "data: [DONE]"
    chunks = server.client().chat.completions.create(
        model=NAME, messages=[{"role": "user", "content": "?"}], stream=True
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "B"


def test_an_error_after_the_stream_began_is_an_event_that_the_client_raises(serve: Serve) -> None:
    def fail() -> Reply:
        return Reply(
            status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.SERVER, message="scripted late", retryable=False)
        )

    client = impatient(serve, fail).client()
    with pytest.raises(openai.APIError, match="scripted late"):
        list(client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": "?"}], stream=True))
