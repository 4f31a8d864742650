"""How the weights begin: with what a network of this size would otherwise take hours to find.

The first skill is to find, for a word of the question, the patch that it speaks of. So attention begins as "look at
what is like me, and take it over" (mimetic initialisation, arXiv 2305.09828), and the symbols of patches begin as the
words for them: a patch with a 3 drawn on it resembles the word "3", and one of a sofa the word "sofa".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np

from ...bench_data.scenes.procedural import ROOM_CATEGORIES
from .network import WIDTH
from .symbols import BINS, COLOURS, GROUPS, MOST_MARKS, SYMBOLS
from .tokenizer import token_id

if TYPE_CHECKING:
    import torch
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

__all__ = ["begin_by_likeness", "symbol_embedding"]

_WORD_STD: Final = 0.06
_LIKENESS_STD, _UNLIKENESS_STD = 0.1, 0.02
_TAKEN_OVER: Final = 0.7
_SYMBOL_STD: Final = 0.05
_OWNER, _PRESENT, _MARK = 2.0, 0.5, 3.0
"""How loud a patch says these words."""


def begin_by_likeness(network: LlavaForConditionalGeneration) -> None:
    """Sets words and attention of the decoder, with torch's generator."""
    import torch
    from torch import nn

    decoder = network.model.language_model
    nn.init.normal_(decoder.embed_tokens.weight, std=_WORD_STD)
    for layer in decoder.layers:
        attention = layer.self_attn
        with torch.no_grad():
            query = torch.randn_like(attention.q_proj.weight) * _LIKENESS_STD
            attention.q_proj.weight.copy_(query)
            attention.k_proj.weight.copy_(query + torch.randn_like(query) * _UNLIKENESS_STD)
            value = torch.linalg.qr(torch.randn_like(attention.v_proj.weight))[0]
            attention.v_proj.weight.copy_(value)
            attention.o_proj.weight.copy_(_TAKEN_OVER * value.T)


def symbol_embedding(network: LlavaForConditionalGeneration, tokenizer: PreTrainedTokenizerFast) -> torch.nn.Module:
    """A linear embedding of symbols for the decoder, which begins with its words and with smooth numbers."""
    import torch
    from torch import nn

    words = cast("torch.Tensor", network.get_input_embeddings().weight)
    embedding = nn.Linear(SYMBOLS, WIDTH, bias=False)
    nn.init.normal_(embedding.weight, std=_SYMBOL_STD)

    def say(group: str, place: int, word: str, volume: float) -> None:
        embedding.weight[:, GROUPS[group].start + place] = volume * words[token_id(tokenizer, word)]

    with torch.no_grad():
        for place, label in enumerate(ROOM_CATEGORIES):
            say("owner", place, label, _OWNER)
            say("present", place, label, _PRESENT)
        for place, colour in enumerate(COLOURS):
            say("colour", place, colour, 1.0)
        for number in range(1, MOST_MARKS + 1):
            say("mark", number, str(number), _MARK)
            say("owned", number, str(number), 1.0)
        for group, bins in BINS.items():
            waves = _smooth(len(bins))
            embedding.weight[:, GROUPS[group]] = (waves @ (torch.randn(waves.shape[1], WIDTH) * _SYMBOL_STD)).T
    return embedding


def _smooth(count: int) -> torch.Tensor:
    """(count, 8) slow waves along the bins, so that neighbours begin alike."""
    import torch

    place = torch.linspace(0, 1, count)[:, None]
    turns = torch.tensor([[1.0, 2.0, 4.0]]) * np.pi
    return torch.cat([place, (place * turns).cos(), (place * turns).sin(), torch.ones_like(place)], dim=1)
