"""What serving a model through Seeworthy adds to a request under the profile ``off``.

Prints, for a question in words and one with a photograph, the median time of a request to Seeworthy's server and to the
plainest server that does the same: FastAPI, one route, the picture decoded, the model called, the answer in OpenAI's
form. Both have the same model, which answers at once, and are asked in turn over one kept connection each. Below it,
what 64 clients get through at once.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import uvicorn
from fastapi import FastAPI
from PIL import Image

from seeworthy.agent import RobustVLM
from seeworthy.agent.server import ServeSettings, create_app
from seeworthy.agent.server.listening import address_of, listen
from seeworthy.bench_data.images import picture_from_bytes
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    GenerationSettings,
    ImagePart,
    Message,
    Reply,
    ReplyStatus,
    Request,
    TextPart,
    Usage,
)

REQUESTS = 150
WARM_UP = 20
CLIENTS = 64
PER_CLIENT = 8
NAME = "instant"

Json = dict[str, object]


class Instant:
    """A model that answers at once."""

    name = NAME
    capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)

    async def reply(self, request: Request) -> Reply:
        return Reply(text="B", status=ReplyStatus.OK, usage=Usage(input_tokens=1, output_tokens=1))


def plain_app(model: Instant) -> FastAPI:
    """The least that a server can do and still speak the protocol."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def chat(body: Json) -> Json:
        messages = []
        for message in body["messages"]:  # type: ignore[attr-defined]
            parts: list[TextPart | ImagePart] = []
            for part in message["content"]:
                if part["type"] == "text":
                    parts.append(TextPart(text=part["text"]))
                else:
                    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                    parts.append(ImagePart(picture=await asyncio.to_thread(picture_from_bytes, data)))
            messages.append(Message(role=message["role"], parts=tuple(parts)))
        reply = await model.reply(Request(messages=tuple(messages), settings=GenerationSettings()))
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": reply.text},
            "finish_reason": "stop",
        }
        return {"id": "1", "object": "chat.completion", "created": 1, "model": NAME, "choices": [choice]}

    return app


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    door = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"{address_of(door)}/v1/chat/completions"
    finally:
        server.should_exit = True
        thread.join()
        door.close()


def question(data: bytes | None) -> Json:
    content: list[Json] = [{"type": "text", "text": "Which is closer?\nA. the lamp\nB. the sofa"}]
    if data is not None:
        url = f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
        content.insert(0, {"type": "image_url", "image_url": {"url": url}})
    return {"model": NAME, "messages": [{"role": "user", "content": content}], "max_tokens": 16}


def photograph() -> bytes:
    """640×480, as compressible as photographs are: smooth noise."""
    small = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(small).resize((640, 480), Image.Resampling.BICUBIC).save(buffer, format="JPEG", quality=90)
    return buffer.getvalue()


def medians_ms(urls: list[str], body: Json) -> list[float]:
    """Asked in turn, so that whatever else the machine does falls on all alike."""
    times: dict[str, list[float]] = {url: [] for url in urls}
    with httpx.Client() as client:
        for number in range(WARM_UP + REQUESTS):
            for url in urls if number % 2 else reversed(urls):
                started = time.perf_counter()
                client.post(url, json=body).raise_for_status()
                if number >= WARM_UP:
                    times[url].append(time.perf_counter() - started)
    return [1000 * statistics.median(times[url]) for url in urls]


async def per_second(url: str, body: Json) -> float:
    """Over bare connections: a client library with 64 of them costs more than either server."""
    target, data = httpx.URL(url), json.dumps(body).encode()
    head = f"POST {target.path} HTTP/1.1\r\nHost: {target.host}\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data

    async def one() -> None:
        reader, writer = await asyncio.open_connection(target.host, target.port)
        for _ in range(PER_CLIENT):
            writer.write(request)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            if not answer.startswith(b"http/1.1 200"):
                raise RuntimeError(answer.decode("latin-1"))
            await reader.readexactly(int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0]))
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(CLIENTS)))
    return CLIENTS * PER_CLIENT / (time.perf_counter() - started)


def main() -> None:
    model = Instant()
    bodies = {"words": question(None), "a photograph of 640x480": question(photograph())}
    with tempfile.TemporaryDirectory() as folder:
        settings = ServeSettings(names=(NAME,), traces=Path(folder))
        served = create_app(RobustVLM(model, profile="off"), settings)
        with running(plain_app(model)) as plain, running(served) as ours:
            print(f"{'one client, median ms':<28}{'plain server':>14}{'seeworthy':>12}{'added':>9}")
            for name, body in bodies.items():
                one, other = medians_ms([plain, ours], body)
                print(f"{name:<28}{one:>14.2f}{other:>12.2f}{other - one:>9.2f}")
            print(f"{f'{CLIENTS} clients, requests/s':<28}{'plain server':>14}{'seeworthy':>12}")
            for name, body in bodies.items():
                one, other = asyncio.run(per_second(plain, body)), asyncio.run(per_second(ours, body))
                print(f"{name:<28}{one:>14.0f}{other:>12.0f}")


if __name__ == "__main__":
    main()
