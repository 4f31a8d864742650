"""What the tests of the OpenAI adapter share: a clock that does not wait, and models in front of fault servers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import numpy as np

from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import GenerationSettings, Reply, Request, user_message
from seeworthy.tools.models.declared_options import read_options
from seeworthy.tools.models.openai_chat import OpenAIChatModel, OpenAIChatOptions
from seeworthy.tools.models.openai_chat.keys import read_api_key
from tests.tools.models.fault_server import FaultServer, Script

__all__ = ["EPOCH", "FakeClock", "ask", "build", "noise_picture", "reply_of"]

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)


class FakeClock:
    """Time that passes only in sleep, at once."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept_s: list[float] = []

    def monotonic_s(self) -> float:
        return self.now_s

    def utc_now(self) -> datetime:
        return EPOCH + timedelta(seconds=self.now_s)

    async def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds
        await asyncio.sleep(0)


def build(
    base_url: str,
    *,
    clock: FakeClock | None = None,
    model: str = "test-model",
    environ: dict[str, str] | None = None,
    **options: object,
) -> OpenAIChatModel:
    """A model whose waits take no time."""
    chosen = read_options(OpenAIChatOptions, options, provider="openai")
    return OpenAIChatModel(
        name=f"openai/{model}@{base_url}",
        model=model,
        base_url=base_url,
        api_key=read_api_key(chosen.api_key_env, base_url, environ or {}),
        options=chosen,
        rng=np.random.default_rng(1),
        clock=clock or FakeClock(),
    )


def ask(text: str = "Which?", *pictures: Picture, max_tokens: int = 64, seed: int | None = None) -> Request:
    return Request(
        messages=(user_message(text, pictures),), settings=GenerationSettings(max_tokens=max_tokens), seed=seed
    )


def noise_picture(width: int, height: int, seed: int = 0) -> Picture:
    """Noise, which no file format can make smaller."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Picture(pixels)


async def reply_of(
    script: Script, request: Request | None = None, *, clock: FakeClock | None = None, **options: object
) -> tuple[Reply, FaultServer]:
    """The reply of a model in front of a server with this script, and the server."""
    with FaultServer(script) as server:
        async with build(server.base_url, clock=clock, **options) as model:
            return await model.reply(request or ask()), server
