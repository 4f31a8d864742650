"""``openai/<model>[@base_url]``: any server that speaks the OpenAI chat protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from ..declared_options import option_help, read_options
from ..openai_chat import OpenAIChatModel, OpenAIChatOptions
from ..openai_chat.keys import DEFAULT_BASE_URL, check_base_url, read_api_key
from ..protocol import VisionLanguageModel
from ..registry import ModelName, model_provider

__all__: list[str] = []


@model_provider(
    "openai",
    summary="a server with the OpenAI chat protocol: OpenAI, vLLM, SGLang, llama.cpp, Ollama, transformers serve",
    example="openai/qwen3-vl@http://localhost:8000/v1",
    options=option_help(OpenAIChatOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    chosen = read_options(OpenAIChatOptions, options, provider=name.provider)
    base_url = check_base_url(name.base_url or DEFAULT_BASE_URL)
    return OpenAIChatModel(
        name=str(name),
        model=name.model,
        base_url=base_url,
        api_key=read_api_key(chosen.api_key_env, base_url, os.environ),
        options=chosen,
        # From the operating system on purpose: jitter must differ between processes, and it decides no result.
        rng=np.random.default_rng(),
    )
