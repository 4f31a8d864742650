"""Tiny models, loaded once, and a stand-in for their ``generate``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from seeworthy.tools.models.local import Loaded, load

from .transformers_subjects import Generate


@pytest.fixture(scope="session")
def llava(tiny_llava: Path) -> Loaded:
    return load(str(tiny_llava), device="cpu")


@pytest.fixture(scope="session")
def qwen3_vl(tiny_qwen3_vl: Path) -> Loaded:
    return load(str(tiny_qwen3_vl), device="cpu")


@pytest.fixture(params=["llava", "qwen3_vl"])
def loaded(request: pytest.FixtureRequest) -> Loaded:
    return cast("Loaded", request.getfixturevalue(request.param))


@pytest.fixture
def generate(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> Iterator[Generate]:
    stand_in = Generate(loaded)
    monkeypatch.setattr(loaded.model, "generate", stand_in)
    yield stand_in
