"""Tiny models and a real server, built once a session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

# Read when huggingface_hub is imported, so they stand before everything that imports it. No test may use the network.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from seeworthy.bench_data.images import Picture
from seeworthy.tools.models.protocol import GenerationSettings, Request, user_message
from seeworthy.tools.models.serving import LocalServer
from seeworthy.tools.models.tiny import build_tiny_llava, build_tiny_qwen3_vl


@pytest.fixture(scope="session")
def tiny_llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    return build_tiny_llava(tmp_path_factory.mktemp("models") / "llava")


@pytest.fixture(scope="session")
def tiny_qwen3_vl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    return build_tiny_qwen3_vl(tmp_path_factory.mktemp("models") / "qwen3-vl")


@pytest.fixture(scope="session")
def local_server(tiny_llava: Path) -> Iterator[LocalServer]:
    """A real ``transformers serve`` with the tiny LLaVA; use it with the marker ``server``."""
    with LocalServer(tiny_llava) as server:
        yield server


def noise_picture(seed: int, width: int = 48, height: int = 40) -> Picture:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Picture(pixels, source=f"noise {seed}")


def ask(
    text: str = "Where is the chair?",
    pictures: tuple[Picture, ...] = (),
    *,
    max_tokens: int = 32,
    temperature: float = 0.0,
    top_p: float | None = None,
    stop: tuple[str, ...] = (),
    seed: int | None = None,
) -> Request:
    settings = GenerationSettings(temperature=temperature, top_p=top_p, max_tokens=max_tokens, stop=stop)
    return Request(messages=(user_message(text, pictures),), settings=settings, seed=seed)
