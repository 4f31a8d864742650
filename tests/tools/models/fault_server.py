"""A real HTTP server on loopback that speaks the OpenAI chat protocol and misbehaves on request.

    with FaultServer([error(503), answer("B")]) as server:
        model = resolve_model(f"openai/test-model@{server.base_url}")
        ...
        assert len(server.requests) == 2

A script is a list of steps, one a chat request in order of arrival; the last step repeats. A step may also be a
function of the request body, and a function may stand for the whole script. Requests are recorded as they come in.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

__all__ = ["FaultServer", "RecordedRequest", "Step", "answer", "cut", "error", "hang", "raw", "unused_port"]

Json = dict[str, object]


@dataclass(frozen=True)
class Step:
    """One reply of the server.

    Args:
        status, headers: of the HTTP response.
        body: JSON value, or bytes that are sent as they are.
        content_type: of the body.
        delay_s: wait before the answer.
        hang: never answer; the connection stays open until the server closes.
        cut_after: send the header with the full length, this many bytes of the body, then close the connection.
        drop: close the connection without any answer.
    """

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    hang: bool = False
    cut_after: int | None = None
    drop: bool = False

    def payload(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Reaction = Callable[[Json], "Step | str"]
"""From the parsed request body to a step, or to the text of a plain answer."""
Script = Sequence[Step | Reaction] | Reaction


def answer(
    content: object = "ok",
    *,
    finish_reason: str | None = "stop",
    message: Mapping[str, object] | None = None,
    usage: Mapping[str, object] | None = None,
    model: str = "test-model",
    delay_s: float = 0.0,
    cut_after: int | None = None,
) -> Step:
    """A chat completion. ``message`` adds fields to the message, or replaces them (``refusal``, ``reasoning`` ...)."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **(message or {})},
                "finish_reason": finish_reason,
            }
        ],
        "usage": dict(usage or {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}),
    }
    return Step(body=body, delay_s=delay_s, cut_after=cut_after)


def error(
    status: int,
    message: str = "scripted error",
    *,
    code: str | None = None,
    kind: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Step:
    """An error in OpenAI's form."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return Step(status=status, body=body, headers=headers or {})


def raw(body: bytes, *, status: int = 200, content_type: str = "text/html") -> Step:
    """Any bytes at all."""
    return Step(status=status, body=body, content_type=content_type)


def hang() -> Step:
    """Silence after the request was read."""
    return Step(hang=True)


def cut(after: int = 40) -> Step:
    """A server that dies in the middle of a good answer."""
    return answer("this text never arrives in full", cut_after=after)


@dataclass(frozen=True)
class RecordedRequest:
    """A request as it came in. ``body`` is {} when it was no JSON object."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Json
    size_bytes: int


class FaultServer:
    """See the module's text.

    Args:
        script: steps for POST /v1/chat/completions.
        models: what GET /v1/models lists.
        body_limit_bytes: larger requests get ``over_limit`` and use up no step.
        over_limit: 413 unless told otherwise.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        models: Sequence[str] = ("test-model",),
        body_limit_bytes: int | None = None,
        over_limit: Step | None = None,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.most_at_once = 0
        """The largest number of chat requests that were under way together."""
        self.abandoned = 0
        """Requests whose client had gone when the answer was ready."""
        self._script = script if callable(script) else tuple(script) or (answer(),)
        self._models = tuple(models)
        self._body_limit_bytes = body_limit_bytes
        self._over_limit = over_limit or error(413, "Request Entity Too Large")
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._steps_used = 0
        self._at_once = 0
        self._closing = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def chats(self) -> list[RecordedRequest]:
        """The chat requests among ``requests``."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    def wait_for_requests(self, count: int, timeout_s: float = 10.0) -> None:
        """Blocks until ``count`` requests have come in."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_s):
                raise TimeoutError(f"{len(self.requests)} of {count} requests came within {timeout_s} s")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def record(self, request: RecordedRequest) -> None:
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()

    def respond(self, handler: _Handler, request: RecordedRequest) -> None:
        """Answers one request."""
        if request.method == "GET" and request.path == "/v1/models":
            handler.send(
                Step(body={"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]})
            )
            return
        if request.method != "POST" or request.path != "/v1/chat/completions":
            handler.send(error(404, f"no such path: {request.path}"))
            return
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            self._play(handler, self._next_step(request))
        finally:
            with self._lock:
                self._at_once -= 1

    def _next_step(self, request: RecordedRequest) -> Step:
        if self._body_limit_bytes is not None and request.size_bytes > self._body_limit_bytes:
            return self._over_limit
        if callable(self._script):
            step: Step | Reaction = self._script
        else:
            with self._lock:
                step = self._script[min(self._steps_used, len(self._script) - 1)]
                self._steps_used += 1
        if isinstance(step, Step):
            return step
        made = step(request.body)
        return answer(made) if isinstance(made, str) else made

    def _play(self, handler: _Handler, step: Step) -> None:
        if step.hang:
            self._closing.wait()
            handler.drop()
            return
        if step.delay_s:
            self._closing.wait(step.delay_s)
        if step.drop:
            handler.drop()
        elif not handler.send(step):
            with self._lock:
                self.abandoned += 1


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    owner: FaultServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients of this server go away in the middle all the time; that is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Quiet."""

    def _handle(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {}
        request = RecordedRequest(
            method=self.command,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body if isinstance(body, dict) else {},
            size_bytes=len(data),
        )
        self.server.owner.record(request)
        self.server.owner.respond(self, request)

    def send(self, step: Step) -> bool:
        """Writes a response; False when nobody was there to read it."""
        data = step.payload()
        try:
            self.send_response(step.status)
            self.send_header("Content-Type", step.content_type)
            self.send_header("Content-Length", str(len(data)))
            for name, value in step.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if step.cut_after is not None:
                self.wfile.write(data[: step.cut_after])
                self.drop()
                return True
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            self.close_connection = True
            return False
        return True

    def drop(self) -> None:
        """Closes the connection as a crashed process would."""
        self.close_connection = True
        try:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


def unused_port() -> int:
    """A loopback port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
