"""What the tests of the local adapter share: models, requests, and a stand-in for ``model.generate``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.models.local import Loaded, TransformersModel
from seeworthy.tools.models.protocol import (
    Reply,
    Request,
)

from ..conftest import ask, noise_picture


def build(
    loaded: Loaded, *, batch_size: int | None = None, batch_wait_s: float | None = None, **more: bool
) -> TransformersModel:
    """Waits long for a batch of a given size, and not at all otherwise."""
    if batch_wait_s is None:
        batch_wait_s = 0.0 if batch_size is None else 10.0
    return TransformersModel(loaded, name="tiny", batch_size=batch_size or 8, batch_wait_s=batch_wait_s, **more)


def questions(count: int, *, temperature: float = 0.0, max_tokens: int = 24) -> list[Request]:
    """Different lengths and picture sizes, so that a batch needs padding."""
    return [
        ask(
            "Where is the chair? " * (1 + 3 * index),
            (noise_picture(index, 32 + 16 * index, 64),),
            temperature=temperature,
            max_tokens=max_tokens,
            seed=100 + index,
        )
        for index in range(count)
    ]


async def one_by_one(model: TransformersModel, requests: list[Request]) -> list[Reply]:
    return [await model.reply(request) for request in requests]


async def together(model: TransformersModel, requests: list[Request]) -> list[Reply]:
    return list(await asyncio.gather(*(model.reply(request) for request in requests)))


def texts(replies: list[Reply]) -> list[str]:
    assert [reply.fault for reply in replies] == [None] * len(replies)
    return [reply.text for reply in replies]


class Generate:
    """Stands in front of ``model.generate``: counts rows, and fails or waits when told to."""

    def __init__(self, loaded: Loaded) -> None:
        self.real = loaded.model.generate
        self.rows: list[int] = []
        self.before: Callable[[int], None] = lambda rows: None
        self.before_width: Callable[[int], None] = lambda width: None

    def __call__(self, **options: object) -> object:
        rows, width = cast("torch.Tensor", options["input_ids"]).shape
        self.rows.append(rows)
        self.before(rows)
        self.before_width(width)
        return self.real(**options)
