"""Going on from a finished network: new readers learn to read it before it changes for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import seeworthy.tools.models.nano as package
from seeworthy.diagnostics.nano.alike import alike_head
from seeworthy.diagnostics.nano.beginnings import symbol_embedding
from seeworthy.diagnostics.nano.begun import begun_network, begun_tokenizer, keep_begun
from seeworthy.diagnostics.nano.choices import choice_head
from seeworthy.diagnostics.nano.comparisons import comparison_head
from seeworthy.diagnostics.nano.corpus import Corpus
from seeworthy.diagnostics.nano.dense import symbol_head
from seeworthy.diagnostics.nano.mentions import mention_head
from seeworthy.diagnostics.nano.network import WIDTH
from seeworthy.diagnostics.nano.packing import Speller
from seeworthy.diagnostics.nano.rooms import RoomSettings, make_shard, shard_file
from seeworthy.diagnostics.nano.stages import Parts, joint_stage, tower_stage


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Parts, Corpus]:
    out = tmp_path_factory.mktemp("further")
    keep_begun(out, Path(package.__path__[0]), ("nano",))
    tokenizer, network = begun_tokenizer(out, "nano"), begun_network(out, "nano")
    settings = RoomSettings(seed=3, views=2, density=0.1, numberings=1, degraded=False)
    (out / "rooms").mkdir()
    make_shard(shard_file(out / "rooms", 0), 0, settings, {"chair": 0.5, "lamp": 0.5})
    readers = {
        "mentions": mention_head(WIDTH),
        "comparisons": comparison_head(WIDTH),
        "choices": choice_head(WIDTH),
        "alike": alike_head(WIDTH),
    }
    symbols = symbol_embedding(network, tokenizer)
    parts = Parts(network, symbol_head(WIDTH), symbols, torch.nn.ModuleDict(readers), tokenizer, 2)
    return parts, Corpus(out / "rooms", range(1), Speller(tokenizer))


def slopes(parts: Parts, losses: dict[str, torch.Tensor], name: str) -> dict[str, bool]:
    """Whether a loss reaches a part of the network."""
    for module in (parts.network, parts.head, parts.readers):
        module.zero_grad(set_to_none=True)
    losses[name].backward()  # type: ignore[no-untyped-call]
    modules = {"tower": parts.tower, "decoder": parts.decoder, "head": parts.head, "readers": parts.readers}
    return {
        part: any(one.grad is not None and bool(one.grad.abs().sum() > 0) for one in module.parameters())
        for part, module in modules.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("done", "reached"), [(0.0, False), (0.19, False), (0.21, True)])
def test_the_tower_waits_for_its_new_head(begun: tuple[Parts, Corpus], done: float, reached: bool) -> None:
    parts, corpus = begun
    stage = tower_stage(parts, corpus, corpus, batch=2, head_first=True)
    found = slopes(parts, dict(stage.loss(np.random.default_rng(0), done)), "dense")
    assert found["head"]
    assert found["tower"] is reached


@pytest.mark.slow
@pytest.mark.parametrize(("done", "reached"), [(0.0, False), (0.11, True)])
def test_words_wait_for_their_new_readers_and_answers_do_not(
    begun: tuple[Parts, Corpus], done: float, reached: bool
) -> None:
    parts, corpus = begun
    stage = joint_stage(parts, corpus, corpus, batch=2, room_tokens=200, readers_first=True)
    for name in ("mentions", "comparisons", "alike", "answers"):
        found = slopes(parts, dict(stage.loss(np.random.default_rng(1), done)), name)
        assert found["readers"] is (name != "answers")
        assert found["decoder"] is (reached or name == "answers")
