"""Tiny models, loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from seeworthy.tools.models.local import Loaded, load


@pytest.fixture(scope="session")
def llava(tiny_llava: Path) -> Loaded:
    return load(str(tiny_llava), device="cpu")


@pytest.fixture(scope="session")
def qwen3_vl(tiny_qwen3_vl: Path) -> Loaded:
    return load(str(tiny_qwen3_vl), device="cpu")
