"""Callers of the local adapter: event loops, cancellation, and models that are closed or forgotten."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import cast

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.local import Loaded, TransformersModel

from ..conftest import ask
from .transformers_subjects import Generate, build, one_by_one, questions, texts


class TestCallers:
    async def test_the_event_loop_stays_free(self, loaded: Loaded, generate: Generate) -> None:
        gate = threading.Event()
        generate.before = lambda rows: cast("None", gate.wait(timeout=30))
        task = asyncio.ensure_future(build(loaded).reply(ask()))
        await asyncio.sleep(0.05)
        # Reached only when generation, which waits for this very line, does not block the loop.
        gate.set()
        assert texts([await task])

    async def test_a_cancelled_caller_does_not_disturb_its_company(self, loaded: Loaded, generate: Generate) -> None:
        gate, entered = threading.Event(), threading.Event()

        def before(rows: int) -> None:
            entered.set()
            gate.wait(timeout=30)

        requests = questions(3)
        expected = texts(await one_by_one(build(loaded), requests))
        generate.before = before
        model = build(loaded, batch_size=3)
        tasks = [asyncio.ensure_future(model.reply(request)) for request in requests]
        await asyncio.to_thread(entered.wait, 30)
        tasks[1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[1]
        gate.set()
        assert [(await tasks[0]).text, (await tasks[2]).text] == [expected[0], expected[2]]

    async def test_generation_ends_early_when_nobody_waits(
        self, loaded: Loaded, generate: Generate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate, entered = threading.Event(), threading.Event()
        lengths: list[int] = []
        real = generate.real

        def record(**options: object) -> object:
            output = cast("torch.Tensor", real(**options))
            lengths.append(output.shape[1] - cast("torch.Tensor", options["input_ids"]).shape[1])
            return output

        def before(rows: int) -> None:
            entered.set()
            gate.wait(timeout=30)

        generate.real, generate.before = record, before  # type: ignore[assignment]
        model = build(loaded)
        task = asyncio.ensure_future(model.reply(ask(max_tokens=24)))
        await asyncio.to_thread(entered.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        generate.before = lambda rows: None
        await model.reply(ask(max_tokens=24))
        assert lengths[0] == 1
        assert lengths[1] > 5

    def test_one_event_loop_after_another(self, loaded: Loaded) -> None:
        model = build(loaded)
        assert len({asyncio.run(model.reply(ask())).text for _ in range(3)}) == 1

    async def test_a_closed_model_refuses(self, loaded: Loaded) -> None:
        model = build(loaded)
        assert texts([await model.reply(ask())])
        model.close()
        with pytest.raises(ModelError, match="closed"):
            await model.reply(ask())

    async def test_a_forgotten_model_ends_its_thread(self, loaded: Loaded) -> None:
        model = TransformersModel(loaded, name="forget me", batch_wait_s=0.0)
        await model.reply(ask())
        thread = next(thread for thread in threading.enumerate() if thread.name == "model forget me")
        del model
        gc.collect()
        await asyncio.to_thread(thread.join, 30)
        assert not thread.is_alive()

    def test_own_objects_can_be_wrapped(self, loaded: Loaded) -> None:
        wrapped = TransformersModel(Loaded(loaded.model, loaded.processor), name="mine")
        assert wrapped.name == "mine"
        assert asyncio.run(wrapped.reply(ask())).model_reported == "mine"
