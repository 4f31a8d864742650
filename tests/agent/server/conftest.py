"""A real uvicorn on loopback around a small model, in a thread of this process."""

from __future__ import annotations

import base64
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx
import numpy as np
import openai
import pytest
import uvicorn
from fastapi import FastAPI
from PIL import Image

from seeworthy.agent import RobustVLM
from seeworthy.agent.server import ServeLimits, ServeSettings, create_app
from seeworthy.agent.server.listening import address_of, listen
from seeworthy.agent.server.remote_images import Resolve
from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import VisionLanguageModel

Json = dict[str, object]
NAME = "tiny"


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    url: str
    app: FastAPI

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def client(self, key: str = "unused", *, max_retries: int = 0) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.base_url, api_key=key, max_retries=max_retries, timeout=30)

    def asynchronous(self, key: str = "unused") -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(base_url=self.base_url, api_key=key, max_retries=0, timeout=60)

    def post(self, body: object = None, **how: object) -> httpx.Response:
        """A chat request, raw."""
        if "content" not in how:
            how["json"] = body
        return httpx.post(f"{self.base_url}/chat/completions", timeout=30, **how)  # type: ignore[arg-type]

    @property
    def inside(self) -> int:
        """Requests that were let in and have not left."""
        return int(self.app.state.seats.inside)


class Serve(Protocol):
    def __call__(self, model: VisionLanguageModel, **how: object) -> Running: ...


@contextmanager
def running(
    model: VisionLanguageModel,
    traces: Path,
    *,
    profile: str = "off",
    limits: ServeLimits | None = None,
    resolve: Resolve | None = None,
    **settings: object,
) -> Iterator[Running]:
    chosen = ServeSettings(names=(NAME,), traces=traces, limits=limits or ServeLimits(), **settings)  # type: ignore[arg-type]
    app = create_app(RobustVLM(model, profile=profile), chosen, resolve=resolve, now_s=lambda: 1_800_000_000.0)
    door = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield Running(address_of(door), app)
    finally:
        server.should_exit = True
        thread.join(10)
        door.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers that end with the test."""
    with ExitStack() as stack:

        def start(model: VisionLanguageModel, **how: object) -> Running:
            return stack.enter_context(running(model, tmp_path / "traces", **how))  # type: ignore[arg-type]

        yield start


def wait_until(condition: Callable[[], bool], timeout_s: float = 20.0) -> None:
    """Waits for what must come soon; fails when it does not come at all."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not happen")
        time.sleep(0.005)


def data_uri(picture: Picture | bytes, media_type: str = "image/png") -> str:
    data = picture if isinstance(picture, bytes) else picture.png()
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def image_part(url: str) -> Json:
    return {"type": "image_url", "image_url": {"url": url}}


def user(text: str, *urls: str) -> Json:
    """A message of the user, pictures first."""
    return {"role": "user", "content": [*(image_part(url) for url in urls), {"type": "text", "text": text}]}


def chat(*messages: Json, **fields: object) -> Json:
    return {"model": NAME, "messages": list(messages or (user("Where?"),)), **fields}


def png(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 30)).save(buffer, format="PNG")
    return buffer.getvalue()


def noise(seed: int, width: int = 24, height: int = 16) -> Picture:
    return Picture(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))
