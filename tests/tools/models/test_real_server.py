"""The OpenAI adapter and the local adapter against one real server with one tiny model."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("transformers")
pytest.importorskip("fastapi")
pytest.importorskip("seeworthy.tools.models.providers.openai_compatible")

from seeworthy.tools.models.conformance import check_model
from seeworthy.tools.models.openai_chat import OpenAIChatModel
from seeworthy.tools.models.probing import probe_sampling
from seeworthy.tools.models.protocol import FaultKind, ReplyStatus, Request, VisionLanguageModel
from seeworthy.tools.models.registry import resolve_model
from seeworthy.tools.models.serving import LocalServer
from seeworthy.tools.models.tiny import build_tiny_llava

from .conftest import ask, noise_picture

pytestmark = pytest.mark.server

QUESTIONS = {
    "text": ask("Which is closer, the chair or the lamp?"),
    "one picture": ask("Where is the chair?", (noise_picture(1, 90, 60),)),
    "two pictures": ask("What changed?", (noise_picture(1), noise_picture(2, 64, 64))),
    "unicode": ask("Où est la chaise ? 椅子在哪里 😀", (noise_picture(3),)),
    "cut": ask("Where is the table?", (noise_picture(4),), max_tokens=4),
}


@pytest.fixture(scope="module")
def local(tiny_llava: Path) -> VisionLanguageModel:
    return resolve_model(f"hf/{tiny_llava}", {"device": "cpu"})


@asynccontextmanager
async def at(server: LocalServer, **options: object) -> AsyncIterator[VisionLanguageModel]:
    """The server's model through the OpenAI adapter, closed at the end."""
    model = resolve_model(server.model_name, options)
    async with cast("AbstractAsyncContextManager[VisionLanguageModel]", model):
        yield model


@pytest.mark.parametrize("name", QUESTIONS)
async def test_server_and_local_model_say_the_same(
    name: str, local_server: LocalServer, local: VisionLanguageModel
) -> None:
    """Two ways through the library (JSON, data URI and HTTP; and none of them) to one greedy text."""
    request = QUESTIONS[name]
    async with at(local_server) as model:
        served, here = await model.reply(request), await local.reply(request)
    assert served.fault is None
    assert here.fault is None
    assert here.text.strip()
    assert served.usage.input_tokens == here.usage.input_tokens
    assert served.text == here.text
    assert served.status is here.status is (ReplyStatus.TRUNCATED if name == "cut" else ReplyStatus.OK)
    assert served.usage.output_tokens == here.usage.output_tokens


async def test_pictures_reach_the_server_bit_for_bit(local_server: LocalServer) -> None:
    async with at(local_server) as model:
        replies = [await model.reply(ask("Where?", (noise_picture(seed, 64, 64),))) for seed in range(4)]
    assert len({reply.text for reply in replies}) == 4
    for seed, reply in enumerate(replies):
        (sent,) = reply.sent_images
        assert (sent.sha256, sent.media_type) == (noise_picture(seed, 64, 64).sha256, "image/png")
        assert sent.sent_size == sent.original_size == (64, 64)


async def test_concurrent_calls_are_told_apart(local_server: LocalServer, local: VisionLanguageModel) -> None:
    requests = [ask(f"Where is number {index}?", (noise_picture(index),)) for index in range(6)]
    async with at(local_server) as model:
        served = await asyncio.gather(*(model.reply(request) for request in requests))
    here = await asyncio.gather(*(local.reply(request) for request in requests))
    assert [reply.text for reply in served] == [reply.text for reply in here]


def test_the_server_conforms(local_server: LocalServer) -> None:
    built = []

    def build() -> VisionLanguageModel:
        built.append(resolve_model(local_server.model_name, {"max_attempts": 1}))
        return built[-1]

    report = check_model(build)
    for model in built:
        asyncio.run(cast("OpenAIChatModel", model).aclose())
    # transformers 5.24 answers HTTP 500 to any stop text for a vision-language model.
    assert set(report.failures) <= {"settings"}, report.failures
    if report.failures:
        assert "HTTP 500" in report.failures["settings"]


async def test_this_server_ignores_temperature_and_the_probe_says_so(
    local_server: LocalServer, local: VisionLanguageModel
) -> None:
    async with at(local_server) as model:
        probe = await probe_sampling(model)
    assert (probe.samples, probe.samples_vary) == (4, False)
    assert "seems to ignore temperature" in probe.note
    assert (await probe_sampling(local)).samples_vary is True


async def _sample(model: VisionLanguageModel, seed: int, temperature: float = 1.2) -> str:
    request: Request = ask("Write five words.", temperature=temperature, seed=seed)
    reply = await model.reply(request)
    assert reply.fault is None
    return reply.text


@pytest.mark.slow
async def test_a_server_that_samples_and_then_dies(tmp_path: Path) -> None:
    """One more server, with sampling on: it varies, repeats a seed, and its death is a fault and no exception."""
    folder = build_tiny_llava(tmp_path / "sampling", do_sample=True)
    with LocalServer(folder) as server:
        async with at(server, max_attempts=1) as model:
            assert (await probe_sampling(model)).samples_vary is True
            assert await _sample(model, 1) == await _sample(model, 1)
            assert await _sample(model, 1, temperature=0.0) == await _sample(model, 2, temperature=0.0)

            process = server._process
            assert process is not None
            under_way = asyncio.ensure_future(model.reply(ask("A long story.", max_tokens=4000)))
            await asyncio.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
            await asyncio.to_thread(process.wait)
            assert not server.is_running
            replies = [await under_way, await model.reply(ask("Anybody there?"))]
    # The reply that was under way may just have arrived; the second call found nobody.
    assert replies[1].status is ReplyStatus.ERROR
    for reply in replies:
        if reply.fault is not None:
            assert reply.fault.kind is FaultKind.CONNECTION
            assert reply.text == ""
