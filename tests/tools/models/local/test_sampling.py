"""Sampling of the local adapter repeats with a seed, and only with that."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.models.local import Loaded

from ..conftest import ask
from .transformers_subjects import build


class TestSampling:
    async def test_a_seed_repeats_and_another_does_not(self, loaded: Loaded) -> None:
        model = build(loaded)
        said = [(await model.reply(ask(temperature=1.0, seed=seed))).text for seed in (1, 1, 2, -1, 2**70)]
        assert said[0] == said[1]
        assert len(set(said)) == 4

    async def test_without_a_seed_one_is_drawn_and_noted(self, loaded: Loaded) -> None:
        model = build(loaded)
        free = [await model.reply(ask(temperature=1.0)) for _ in range(3)]
        assert len({reply.text for reply in free}) > 1
        drawn = _number(free[0].notes[0])
        assert (await model.reply(ask(temperature=1.0, seed=drawn))).text == free[0].text

    async def test_a_very_low_temperature_and_a_tiny_top_p_are_greedy(self, loaded: Loaded) -> None:
        model = build(loaded)
        greedy = (await model.reply(ask())).text
        for temperature in (1e-4, 1e-5, 1e-30, 5e-324):
            assert (await model.reply(ask(temperature=temperature, seed=1))).text == greedy
        assert (await model.reply(ask(temperature=1.0, top_p=1e-6, seed=1))).text == greedy

    async def test_the_checkpoints_top_k_is_kept(self, loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
        model = build(loaded)
        greedy = (await model.reply(ask())).text
        monkeypatch.setattr(loaded.model.generation_config, "top_k", 1)
        assert (await model.reply(ask(temperature=1.5, seed=1))).text == greedy

    async def test_sampling_leaves_the_global_generator_alone(self, loaded: Loaded) -> None:
        torch.manual_seed(3)
        expected = torch.rand(2)
        torch.manual_seed(3)
        await build(loaded).reply(ask(temperature=1.0, seed=1))
        assert torch.equal(torch.rand(2), expected)


def _number(note: str) -> int:
    return int("".join(letter for letter in note if letter.isdigit()))
