"""How replies of the local adapter end: at the budget, a stop text, the context, or in silence."""

from __future__ import annotations

from typing import cast

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.models.local import Loaded
from seeworthy.tools.models.protocol import (
    FaultKind,
    ReplyStatus,
    Request,
)

from ..conftest import ask
from .transformers_subjects import build, one_by_one, questions, texts, together


class TestEndings:
    async def test_the_budget_truncates(self, loaded: Loaded) -> None:
        whole = await build(loaded).reply(ask())
        cut = await build(loaded).reply(ask(max_tokens=5))
        assert (whole.status, whole.finish_reason) == (ReplyStatus.OK, "stop")
        assert (cut.status, cut.finish_reason) == (ReplyStatus.TRUNCATED, "length")
        assert cut.usage.output_tokens == 5
        assert whole.text.startswith(cut.text)
        assert len(cut.text) < len(whole.text)

    async def test_a_stop_text_ends_and_is_not_part_of_the_reply(self, loaded: Loaded) -> None:
        whole = (await build(loaded).reply(ask())).text
        stop = whole[6:9]
        reply = await build(loaded).reply(ask(stop=(stop, "never said")))
        assert reply.text == whole[: whole.index(stop)]
        assert (reply.status, reply.finish_reason) == (ReplyStatus.OK, "stop")

    async def test_rows_of_a_batch_stop_on_their_own(self, loaded: Loaded) -> None:
        requests = [with_stops(request) for request in questions(4)]
        single = await one_by_one(build(loaded), requests)
        batch = await together(build(loaded, batch_size=4), requests)
        assert texts(batch) == texts(single)
        assert [reply.usage for reply in batch] == [reply.usage for reply in single]
        assert [reply.status for reply in batch] == [reply.status for reply in single]

    async def test_a_prompt_beyond_the_context_is_refused(self, loaded: Loaded) -> None:
        reply = await build(loaded).reply(ask("\x01" * 5000))
        assert reply.fault is not None
        assert reply.fault.kind is FaultKind.TOO_LARGE
        assert not reply.fault.retryable
        assert "4096" in reply.fault.message

    async def test_a_long_prompt_shortens_the_reply_and_says_so(self, loaded: Loaded) -> None:
        reply = await build(loaded).reply(ask("\x01" * 4085, max_tokens=500))
        assert reply.status is ReplyStatus.TRUNCATED
        assert reply.usage.input_tokens is not None
        assert reply.usage.output_tokens is not None
        assert reply.usage.input_tokens + reply.usage.output_tokens == 4096
        assert "of 500 tokens fit" in reply.notes[0]

    async def test_silence_is_a_reply(self, loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
        end = loaded.processor.tokenizer.eos_token_id

        def silent(**options: object) -> torch.Tensor:
            ids = cast("torch.Tensor", options["input_ids"])
            return torch.cat([ids, torch.full((len(ids), 1), end)], dim=1)

        monkeypatch.setattr(loaded.model, "generate", silent)
        reply = await build(loaded).reply(ask())
        assert (reply.status, reply.text, reply.usage.output_tokens) == (ReplyStatus.OK, "", 1)
        assert reply.notes == ("the model said nothing",)


def with_stops(request: Request) -> Request:
    return request.model_copy(update={"settings": request.settings.model_copy(update={"stop": ("o", "h", "9")})})
