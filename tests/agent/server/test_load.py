"""Many clients at once, more than there is room for, and clients that go away."""

from __future__ import annotations

import asyncio
import json
import socket
import threading

import httpx
import openai
import pytest

from seeworthy.agent.server import ServeLimits
from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import Capabilities, CoordinateSpace, Reply, ReplyStatus, Request

from ..conftest import AddTool, ScriptedModel
from ..test_editors import good
from .conftest import NAME, Running, Serve, chat, data_uri, noise, user, wait_until


class Held:
    """Answers with the hash of its picture, or the text, when it is let go; remembers who gave up before."""

    name = "held"
    capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)

    def __init__(self, *, free: bool = False) -> None:
        self.free = threading.Event()
        self.started = 0
        self.cancelled = 0
        self.at_once = 0
        self.most_at_once = 0
        if free:
            self.free.set()

    async def reply(self, request: Request) -> Reply:
        self.started += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(0.01)
            while not self.free.is_set():
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.at_once -= 1
        text = request.pictures[0].sha256 if request.pictures else request.messages[-1].text
        return Reply(text=text, status=ReplyStatus.OK)


async def test_64_clients_at_once_each_get_their_own_answer(serve: Serve) -> None:
    model = Held(free=True)
    server = serve(model, limits=ServeLimits(max_running=8, max_waiting=56))
    pictures = [noise(seed) for seed in range(64)]

    async def ask(client: openai.AsyncOpenAI, index: int) -> str | None:
        messages = [user(f"{index}?", data_uri(pictures[index]))]
        if index % 2:
            stream = await client.chat.completions.create(model=NAME, messages=messages, stream=True)  # type: ignore[call-overload]
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
        whole = await client.chat.completions.create(model=NAME, messages=messages)  # type: ignore[call-overload]
        return str(whole.choices[0].message.content)

    async with server.asynchronous() as client:
        answers = await asyncio.gather(*(ask(client, index) for index in range(64)))
    assert answers == [picture.sha256 for picture in pictures]
    assert 2 <= model.most_at_once <= 8
    wait_until(lambda: server.inside == 0)


@pytest.mark.usefixtures("always_dark")
async def test_several_solvers_at_once_keep_their_questions_and_bills_apart(
    serve: Serve, dark: Picture, only_tool: AddTool
) -> None:
    only_tool(good)
    letters = "ABCD"
    model = ScriptedModel(lambda r: letters[int(r.messages[-1].text.split("#")[1][0])])
    server = serve(model, profile="fidelity")
    async with httpx.AsyncClient(timeout=60) as client:
        bodies = [chat(user(f"#{i}?\nA. a\nB. b\nC. c\nD. d", data_uri(dark))) for i in range(4)]
        found = await asyncio.gather(*(client.post(f"{server.base_url}/chat/completions", json=b) for b in bodies))
    choices = [answer.json()["choices"][0] for answer in found]
    assert [choice["message"]["content"] for choice in choices] == list(letters)
    assert [choice["seeworthy"]["spent"]["calls"] for choice in choices] == [3, 3, 3, 3]
    assert len({choice["seeworthy"]["trace_id"] for choice in choices}) == 4


def ask_in_thread(server: Running, text: str, statuses: list[int]) -> threading.Thread:
    def ask() -> None:
        statuses.append(server.post(chat(user(text))).status_code)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    return thread


def test_when_all_places_are_taken_the_next_is_told_to_come_back(serve: Serve) -> None:
    model, statuses = Held(), list[int]()
    server = serve(model, limits=ServeLimits(max_running=1, max_waiting=1))
    threads = [ask_in_thread(server, str(index), statuses) for index in range(2)]
    wait_until(lambda: server.inside == 2)
    busy = server.post(chat())
    assert (busy.status_code, busy.json()["error"]["code"]) == (429, "server_busy")
    assert (busy.json()["error"]["type"], busy.headers["retry-after"]) == ("rate_limit_error", "1")
    assert httpx.get(f"{server.url}/health").status_code == 200, "it is busy, not ill"
    model.free.set()
    for thread in threads:
        thread.join(20)
    assert statuses == [200, 200]
    assert model.most_at_once == 1
    retried = server.client(max_retries=2).chat.completions.create(
        model=NAME, messages=[{"role": "user", "content": "now?"}]
    )
    assert retried.choices[0].message.content == "now?"


def test_bodies_share_one_amount_of_memory(serve: Serve) -> None:
    model, statuses = Held(), list[int]()
    server = serve(model, limits=ServeLimits(max_buffered_bytes=3_000))
    thread = ask_in_thread(server, "x" * 2_000, statuses)
    wait_until(lambda: model.started == 1)
    refused = server.post(chat(user("y" * 2_000)))
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "server_busy")
    model.free.set()
    thread.join(20)
    assert statuses == [200]
    assert server.post(chat(user("y" * 2_000))).status_code == 200, "the memory was given back"


def sent(server: Running, body: dict[str, object]) -> socket.socket:
    """A request on a bare connection, which can then be cut."""
    data = json.dumps(body).encode()
    address = httpx.URL(server.url)
    connection = socket.create_connection((address.host, address.port or 80))
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(data)}\r\n"
    connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + data)
    return connection


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("choices", [1, 3])
def test_a_client_that_goes_away_ends_the_work(serve: Serve, stream: bool, choices: int) -> None:
    model = Held()
    server = serve(model, limits=ServeLimits(heartbeat_seconds=0.05))
    connection = sent(server, chat(stream=stream, n=choices))
    wait_until(lambda: model.started == choices)
    if stream:
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    connection.close()
    wait_until(lambda: model.cancelled == choices)
    wait_until(lambda: server.inside == 0)


def test_a_client_that_goes_away_while_it_waits_never_costs_a_call(serve: Serve) -> None:
    model, statuses = Held(), list[int]()
    server = serve(model, limits=ServeLimits(max_running=1))
    thread = ask_in_thread(server, "first", statuses)
    wait_until(lambda: model.started == 1)
    connection = sent(server, chat(user("second")))
    wait_until(lambda: server.inside == 2)
    connection.close()
    wait_until(lambda: server.inside == 1)
    model.free.set()
    thread.join(20)
    assert (statuses, model.started) == ([200], 1)


@pytest.mark.usefixtures("always_dark")
def test_a_client_that_goes_away_ends_the_solver(serve: Serve, dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    model = Held()
    server = serve(model, profile="fidelity")
    connection = sent(server, chat(user("Where?\nA. left\nB. right", data_uri(dark))))
    wait_until(lambda: model.started >= 1)
    connection.close()
    wait_until(lambda: model.cancelled == model.started and server.inside == 0)
    assert model.cancelled >= 1


def test_a_body_that_never_ends_is_not_waited_for(serve: Serve) -> None:
    server = serve(Held(free=True), limits=ServeLimits(body_seconds=0.2))
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 80), timeout=20) as connection:
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        connection.sendall(f'{head}Content-Length: 1000\r\n\r\n{{"model'.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 408")
    wait_until(lambda: server.inside == 0)


def test_a_body_that_breaks_off_leaves_nothing_behind(serve: Serve) -> None:
    server = serve(Held(free=True))
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 80), timeout=20) as connection:
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode())
        wait_until(lambda: server.inside == 1)
    wait_until(lambda: server.inside == 0)
    assert server.post(chat()).status_code == 200
