"""The few members of transformers objects that are used here, as types.

The library's own annotations change from release to release and leave most of these untyped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import torch

__all__ = ["Inputs", "Model", "Processor", "ProcessorLoader", "Tokenizer"]


class Tokenizer(Protocol):
    padding_side: str
    pad_token: str | None
    eos_token: str | None
    pad_token_id: int | None
    chat_template: str | dict[str, str] | None


class Processor(Protocol):
    tokenizer: Tokenizer
    image_processor: object
    chat_template: str | dict[str, str] | None

    def apply_chat_template(self, conversation: object, **options: object) -> object: ...

    def decode(self, token_ids: Sequence[int], *, skip_special_tokens: bool) -> str: ...


class ProcessorLoader(Protocol):
    def from_pretrained(self, source: str, **options: object) -> Processor: ...


class Inputs(Protocol):
    """A batch: ``input_ids`` and ``attention_mask`` of shape (rows, tokens), and what the vision tower takes."""

    def __getitem__(self, name: str) -> torch.Tensor: ...

    def keys(self) -> Iterable[str]: ...

    def get(self, name: str) -> torch.Tensor | None: ...

    def to(self, device: torch.device, dtype: torch.dtype) -> Inputs: ...


class GenerationDefaults(Protocol):
    top_p: float | None
    top_k: int | None
    eos_token_id: int | list[int] | None

    def update(self, **values: object) -> object: ...


class TextConfig(Protocol):
    max_position_embeddings: int | None


class Config(Protocol):
    def get_text_config(self) -> TextConfig: ...


class Model(Protocol):
    config: Config
    generation_config: GenerationDefaults
    device: torch.device
    dtype: torch.dtype

    def forward(self, **options: object) -> object: ...

    def generate(self, **options: object) -> torch.Tensor: ...
