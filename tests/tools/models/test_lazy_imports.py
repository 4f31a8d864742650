"""Listing providers and importing helpers must stay quick: no heavy package is imported for it."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import seeworthy.tools.models.conformance, seeworthy.tools.models.probing, seeworthy.tools.models.recording
import seeworthy.tools.models.serving, seeworthy.tools.models.tiny
from seeworthy.tools.models.registry import MODEL_PROVIDERS
names = set(MODEL_PROVIDERS.names())
assert {"hf", "langchain", "python", "recorded"} <= names, names
assert all(spec.options is not None and spec.summary and spec.example for _, spec in MODEL_PROVIDERS.specs())
heavy = {"torch", "transformers", "langchain", "langchain_core", "openai", "cv2", "scipy", "huggingface_hub"}
print(sorted(heavy & set(sys.modules)))
"""


def test_providers_are_listed_without_heavy_imports() -> None:
    result = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"
