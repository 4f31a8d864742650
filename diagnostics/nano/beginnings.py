"""How the weights begin: with what a network of this size would otherwise take hours to find.

The first skill is to find, for a word of the question, the patch that it speaks of. So attention begins as "look at
what is like me, and take it over" (mimetic initialisation, arXiv 2305.09828), and the symbols of patches begin as the
words for them: a patch with a 3 drawn on it resembles the word "3", and one of a sofa the word "sofa".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np

from ...bench_data.scenes.procedural import ROOM_CATEGORIES
from .mentions import LAYERS_TO_FIND
from .network import WIDTH
from .symbols import BINS, COLOURS, GROUPS, MOST_MARKS, SYMBOLS
from .tokenizer import category_forms, token_id

if TYPE_CHECKING:
    import torch
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast
    from transformers.models.llama.modeling_llama import LlamaAttention

__all__ = ["begin_by_likeness", "begin_by_names", "symbol_embedding"]

_WORD_STD: Final = 0.06
_LIKENESS_STD, _UNLIKENESS_STD = 0.1, 0.02
_TAKEN_OVER: Final = 0.7
_SYMBOL_STD: Final = 0.05
_OWNER, _PRESENT, _MARK = 2.0, 0.5, 3.0
"""How loud a patch says these words."""
_PLACES: Final = ("right", "forward", "up", "distance")
_PLACE_VOLUME: Final = 3.5
"""Where things are must not drown in what they are: most questions ask about it."""
_FORM_STD: Final = 0.01
_NAME_VOLUME, _LOOKING = 0.5, 1.3


def begin_by_likeness(network: LlavaForConditionalGeneration, tokenizer: PreTrainedTokenizerFast) -> None:
    """Sets words and attention of the decoder, with torch's generator; a plural begins like its singular.

    The first layers find what words speak of, the later ones begin as "look at the other names".
    """
    import torch
    from torch import nn

    decoder = network.model.language_model
    words = decoder.embed_tokens.weight
    nn.init.normal_(words, std=_WORD_STD)
    with torch.no_grad():
        for label in ROOM_CATEGORIES:
            singular, *plurals = (token_id(tokenizer, form) for form in category_forms(label))
            for plural in plurals:
                words[plural] = words[singular] + torch.randn(WIDTH) * _FORM_STD
        for layer in decoder.layers[:LAYERS_TO_FIND]:
            _look_for_likeness(layer.self_attn)


def begin_by_names(network: LlavaForConditionalGeneration, tokenizer: PreTrainedTokenizerFast) -> None:
    """Gives words that can name things something in common, by which the later layers begin to find them.

    Without it they would go on looking at the hundred patches, and a name would not find the other name that it is to
    be compared with. Symbols shall not have it: call this after `symbol_embedding`.
    """
    import torch

    decoder = network.model.language_model
    words = decoder.embed_tokens.weight
    common = torch.nn.functional.normalize(torch.randn(WIDTH), dim=0)
    numbers = [str(number) for number in range(1, MOST_MARKS + 1)]
    names = [*numbers, *(form for label in ROOM_CATEGORIES for form in category_forms(label))]
    with torch.no_grad():
        words[[token_id(tokenizer, name) for name in names]] += _NAME_VOLUME * common
        for layer in decoder.layers[LAYERS_TO_FIND:]:
            _look_for(layer.self_attn, common)


def _look_for_likeness(attention: LlamaAttention) -> None:
    """Look at what is like me, and take it over."""
    import torch

    query = torch.randn_like(attention.q_proj.weight) * _LIKENESS_STD
    attention.q_proj.weight.copy_(query)
    attention.k_proj.weight.copy_(query + torch.randn_like(query) * _UNLIKENESS_STD)
    value = torch.linalg.qr(torch.randn_like(attention.v_proj.weight))[0]
    attention.v_proj.weight.copy_(value)
    attention.o_proj.weight.copy_(_TAKEN_OVER * value.T)


def _look_for(attention: LlamaAttention, common: torch.Tensor) -> None:
    """Look at what has this in it if you have it yourself, and keep it apart from what you know of yourself."""
    import torch

    size = attention.head_dim
    slowest = [size // 2 - 1 + head * size for head in range(WIDTH // size)]
    for projection in (attention.q_proj, attention.k_proj):
        projection.weight.copy_(torch.randn_like(projection.weight) * _UNLIKENESS_STD)
        # In the dimension that position turns least.
        projection.weight[slowest] += _LOOKING * common
    attention.v_proj.weight.copy_(torch.linalg.qr(torch.randn_like(attention.v_proj.weight))[0])
    attention.o_proj.weight.copy_(_TAKEN_OVER * torch.linalg.qr(torch.randn_like(attention.o_proj.weight))[0])


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
            std = _SYMBOL_STD * (_PLACE_VOLUME if group in _PLACES else 1.0)
            embedding.weight[:, GROUPS[group]] = (waves @ (torch.randn(waves.shape[1], WIDTH) * std)).T
    return embedding


def _smooth(count: int) -> torch.Tensor:
    """(count, 8) slow waves along the bins, so that neighbours begin alike."""
    import torch

    place = torch.linspace(0, 1, count)[:, None]
    turns = torch.tensor([[1.0, 2.0, 4.0]]) * np.pi
    return torch.cat([place, (place * turns).cos(), (place * turns).sin(), torch.ones_like(place)], dim=1)
