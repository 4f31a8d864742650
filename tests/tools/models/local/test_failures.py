"""Failures of the local adapter stay where they belong: a batch is halved, a crash is reported."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.models.local import Loaded, engine
from seeworthy.tools.models.local.engine import is_out_of_memory
from seeworthy.tools.models.protocol import (
    FaultKind,
)

from ..conftest import ask
from .transformers_subjects import Generate, build, one_by_one, questions, texts, together

CPU_MEMORY = RuntimeError("[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory: you tried")


class TestFailures:
    @pytest.fixture(autouse=True)
    def collections(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Counts full garbage collections instead of paying for them."""
        calls: list[str] = []
        monkeypatch.setattr(engine, "gc", SimpleNamespace(collect=lambda: calls.append("collected")))
        return calls

    @pytest.mark.parametrize(
        ("error", "fits"), [(torch.cuda.OutOfMemoryError("CUDA out of memory"), 1), (CPU_MEMORY, 2), (MemoryError(), 4)]
    )
    async def test_a_batch_that_does_not_fit_is_halved_until_it_does(
        self, loaded: Loaded, generate: Generate, collections: list[str], error: Exception, fits: int
    ) -> None:
        def before(rows: int) -> None:
            if rows > fits:
                raise error

        requests = questions(8, max_tokens=6)
        single = texts(await one_by_one(build(loaded), requests))
        generate.before = before
        generate.rows.clear()
        assert texts(await together(build(loaded, batch_size=8), requests)) == single
        assert generate.rows[0] == 8
        assert [rows for rows in generate.rows if rows <= fits] == [fits] * (8 // fits)
        assert len(collections) == len(generate.rows) - 8 // fits

    async def test_one_that_does_not_fit_alone_is_an_error_and_the_others_are_served(
        self, loaded: Loaded, generate: Generate
    ) -> None:
        requests = questions(4, max_tokens=6)
        prompt_tokens = [reply.usage.input_tokens or 0 for reply in await one_by_one(build(loaded), requests)]
        assert max(prompt_tokens) == prompt_tokens[-1] > prompt_tokens[-2]

        # A batch is as wide as its longest prompt, so exactly those with the last request do not fit.
        def before_batch(width: int) -> None:
            if width > prompt_tokens[-2]:
                raise torch.cuda.OutOfMemoryError("CUDA out of memory")

        generate.before_width = before_batch
        replies = await together(build(loaded, batch_size=4), requests)
        assert [reply.fault is None for reply in replies] == [True, True, True, False]
        fault = replies[-1].fault
        assert fault is not None
        assert fault.kind is FaultKind.OUT_OF_MEMORY
        assert "out of memory with this request alone" in fault.message

    async def test_a_crash_is_isolated_and_reported(self, loaded: Loaded, generate: Generate) -> None:
        def before(rows: int) -> None:
            raise ValueError("Image features and image tokens do not match")

        generate.before = before
        replies = await together(build(loaded, batch_size=2), questions(2))
        for reply in replies:
            assert reply.fault is not None
            assert reply.fault.kind is FaultKind.CRASHED
            assert "do not match" in reply.fault.message
        assert generate.rows == [2, 1, 1]
        generate.before = lambda rows: None
        assert texts([await build(loaded).reply(ask())])

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (MemoryError(), True),
            (torch.cuda.OutOfMemoryError("CUDA out of memory."), True),
            (CPU_MEMORY, True),
            (RuntimeError("not enough memory: you tried to allocate 123 bytes."), True),
            (RuntimeError("shape mismatch"), False),
            (ValueError("not enough memory"), False),
        ],
    )
    def test_memory_errors_are_told_apart(self, error: Exception, expected: bool) -> None:
        assert is_out_of_memory(error) is expected
        wrapped = ValueError("while preparing")
        wrapped.__cause__ = error
        assert is_out_of_memory(wrapped) is expected
