"""Batches in which a picture is shown several times: the tower sees it once, and nobody can tell by the replies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.models.local import Loaded, TransformersModel
from seeworthy.tools.models.protocol import Reply, Request

from ..conftest import ask, noise_picture


@pytest.fixture
def encoded(llava: Loaded, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many pictures each call of the vision tower had."""
    counts: list[int] = []
    tower = llava.model.model.vision_tower
    real = tower.forward

    def counting(pixel_values: torch.Tensor, **more: object) -> object:
        counts.append(len(pixel_values))
        return real(pixel_values, **more)

    monkeypatch.setattr(tower, "forward", counting)
    yield counts


async def together(loaded: Loaded, requests: list[Request]) -> list[Reply]:
    model = TransformersModel(loaded, name="tiny", batch_size=len(requests), batch_wait_s=10.0)
    return list(await asyncio.gather(*(model.reply(request) for request in requests)))


async def alone(loaded: Loaded, requests: list[Request]) -> list[str]:
    model = TransformersModel(loaded, name="tiny", batch_wait_s=0.0)
    return [(await model.reply(request)).text for request in requests]


async def test_each_picture_is_encoded_once_and_every_reply_stays(llava: Loaded, encoded: list[int]) -> None:
    pictures = [noise_picture(seed) for seed in (5, 6, 5, 7, 6, 5)]
    requests = [ask(f"Where is chair {number}?", (picture,)) for number, picture in enumerate(pictures)]
    single = await alone(llava, requests)
    encoded.clear()
    replies = await together(llava, requests)
    assert [reply.text for reply in replies] == single
    assert encoded == [3]
    assert [reply.sent_images[0].sha256 for reply in replies] == [picture.sha256 for picture in pictures]
    assert len({reply.sent_images[0].sent_size for reply in replies}) == 1


async def test_several_pictures_a_request_in_any_order(llava: Loaded, encoded: list[int]) -> None:
    one, other = noise_picture(1), noise_picture(2)
    requests = [ask("Compare.", pair) for pair in ((one, other), (other, one), (one, one))]
    single = await alone(llava, requests)
    encoded.clear()
    assert [reply.text for reply in await together(llava, requests)] == single
    assert encoded == [2]


async def test_different_pictures_go_the_usual_way(llava: Loaded, encoded: list[int]) -> None:
    requests = [ask("Where?", (noise_picture(seed),)) for seed in (1, 2, 3)]
    await together(llava, requests)
    assert encoded == [3]


async def test_a_family_whose_pixels_are_not_one_entry_a_picture_is_left_alone(qwen3_vl: Loaded) -> None:
    picture = noise_picture(1, 64, 64)
    requests = [ask(f"Where is chair {number}?", (picture,)) for number in range(3)]
    assert [reply.text for reply in await together(qwen3_vl, requests)] == await alone(qwen3_vl, requests)
