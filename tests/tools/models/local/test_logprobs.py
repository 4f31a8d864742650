"""How likely a reply was, against a plain forward pass over the same tokens."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.models.local import Loaded
from seeworthy.tools.models.local.decoding import RowLogprobs
from seeworthy.tools.models.protocol import Request

from .transformers_subjects import build, one_by_one, questions, together


def telling(request: Request) -> Request:
    return request.model_copy(update={"settings": request.settings.model_copy(update={"logprobs": True})})


async def test_it_is_told_only_when_it_is_asked_for(loaded: Loaded) -> None:
    model = build(loaded)
    request = questions(1)[0]
    plain, told = await one_by_one(model, [request, telling(request)])
    assert plain.logprob is None
    assert told.logprob is not None
    assert told.logprob < 0
    assert told.text == plain.text


async def test_a_batch_says_the_same_as_single_calls(loaded: Loaded) -> None:
    requests = [telling(request) for request in questions(3, max_tokens=12)]
    alone = await one_by_one(build(loaded), requests)
    batched = await together(build(loaded, batch_size=3), requests)
    assert [reply.text for reply in batched] == [reply.text for reply in alone]
    assert [reply.logprob for reply in batched] == pytest.approx([reply.logprob for reply in alone], abs=1e-3)


async def test_it_is_of_the_reply_up_to_its_end(loaded: Loaded) -> None:
    """Of replies in a batch the one that ends first is padded; what fills its row up is not said by the model."""
    requests = [telling(request) for request in questions(3, max_tokens=16)]
    first = await build(loaded).reply(requests[0])
    stop = {"stop": (first.text[2:5],)}
    requests = [one.model_copy(update={"settings": one.settings.model_copy(update=stop)}) for one in requests]
    alone = await one_by_one(build(loaded), requests)
    batched = await together(build(loaded, batch_size=3), requests)
    assert len({reply.usage.output_tokens for reply in alone}) > 1
    assert [reply.logprob for reply in batched] == pytest.approx([reply.logprob for reply in alone], abs=1e-3)
    assert alone[0].logprob is not None
    assert first.logprob is not None
    assert first.logprob < alone[0].logprob < 0


async def test_sampling_does_not_change_how_likely_a_reply_is(loaded: Loaded) -> None:
    """A hot model says unlikely things; how likely they are is told at temperature 1 all the same."""
    greedy, hot = questions(1)[0], questions(1, temperature=5.0)[0]
    usual, wild = await one_by_one(build(loaded), [telling(greedy), telling(hot)])
    assert usual.logprob is not None
    assert wild.logprob is not None
    assert wild.logprob < usual.logprob


def test_the_watcher_adds_up_what_was_chosen() -> None:
    """Three steps of a chain with known probabilities, in two rows."""
    steps = torch.tensor(
        [
            [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]],
            [[0.9, 0.05, 0.05], [0.2, 0.2, 0.6]],
            [[0.3, 0.3, 0.4], [0.7, 0.2, 0.1]],
        ]
    ).log()
    chosen = torch.tensor([[1, 0, 2], [1, 2, 0]])
    watcher = RowLogprobs()
    for step in range(3):
        seen = torch.cat([torch.zeros(2, 4, dtype=torch.long), chosen[:, :step]], dim=1)
        # Any constant may be added to scores before they become probabilities.
        assert torch.equal(watcher(seen, steps[step] + 7), steps[step] + 7)  # type: ignore[arg-type]
    told = watcher.finish(torch.cat([torch.zeros(2, 4, dtype=torch.long), chosen], dim=1))
    assert told.exp().tolist() == [pytest.approx([0.25, 0.9, 0.4]), pytest.approx([0.8, 0.6, 0.7])]


async def test_it_is_the_probability_of_the_tokens_by_a_forward_pass(loaded: Loaded) -> None:
    request = telling(questions(1, max_tokens=1)[0])
    reply = (await one_by_one(build(loaded), [request]))[0]
    captured: list[torch.Tensor] = []

    def keep(module: torch.nn.Module, arguments: object, output: object) -> None:
        captured.append(output.logits[0, -1].float())  # type: ignore[attr-defined]

    hook = loaded.model.register_forward_hook(keep)
    try:
        again = (await one_by_one(build(loaded), [request.model_copy(update={"seed": 999})]))[0]
    finally:
        hook.remove()
    assert again.text == reply.text
    scores = captured[0].clone()
    # What the checkpoint forbids has no chance.
    scores[loaded.model.generation_config.suppress_tokens or []] = -math.inf
    likeliest = float(scores.log_softmax(-1).max())
    assert reply.logprob == pytest.approx(likeliest, abs=1e-4)
    assert math.exp(likeliest) <= 1
