"""Tiny random models: real architectures that load, batch and serve in seconds, and whose answers mean nothing.

They exercise the whole path (chat template, picture processing, generation, servers) on a machine without a network.
Nothing about accuracy may be concluded from them.
"""

# The configuration classes of transformers are annotated for their defaults, not for what they take.
# mypy: disable-error-code="no-untyped-call, call-arg, arg-type"

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError
from .extras import require_transformers

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

__all__ = ["build_tiny_llava", "build_tiny_qwen3_vl"]

_IMAGE_SIDE_PX = 32
_PATCH_PX = 8
_TEXT_WIDTH = 64
_VISION_WIDTH = 32
_VOCABULARY = 512
_CONTEXT_TOKENS = 4096
_EMBEDDING_STD = 1.0
# Found by trial: with these, greedy replies differ for twelve of twelve pictures and questions.
_GAIN = {"attn": 2.0, "projector": 2.0, "merger": 2.0}
_EOS_BOOST_AFTER_TOKENS = 12
_EOS_BOOST_FACTOR = 1.5

# What the byte-pair tokenizer is trained on; it decides which words the random models can say.
_CORPUS = """
the a an is are there it on in of to from and or not no yes left right above below behind front near far between
closest farthest nearest larger smaller taller same different how many which what where does object objects picture
chair table lamp sofa plant book shelf door window car street person bicycle tree building red green blue yellow white
black distance metres centimetres degrees clock north south east west answer option cannot tell visible hidden
zero one two three four five six seven eight nine ten 0 1 2 3 4 5 6 7 8 9 A B C D
"""

_LLAVA_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% elif part['type'] == 'text' %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_QWEN_TEMPLATE = _LLAVA_TEMPLATE.replace("<image>", "<|vision_start|><|image_pad|><|vision_end|>")

_PAD, _END = "<|pad|>", "<|end|>"
_LLAVA_SPECIAL = (_PAD, _END, "<|system|>", "<|user|>", "<|assistant|>", "<image>")
_QWEN_SPECIAL = (
    *_LLAVA_SPECIAL[:-1],
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)

_MODEL_CARD = """---
license: apache-2.0
tags: [random-weights, test]
---
# {title}

**Random weights, seed {seed}. Its answers mean nothing.** It has never been trained on anything.

It has the architecture `{architecture}` with {parameters:,} parameters, its own byte-level tokenizer, a chat template
and a picture processor, so that loading, batching, serving and error handling can be tried in seconds and offline. Any
accuracy measured with it is chance. Replies are printable ASCII by construction (`suppress_tokens`) and end by
themselves (`exponential_decay_length_penalty`); sampling by default is **{sampling}** (`generation_config.json`).

Made by `seeworthy.tools.models.tiny.{builder}`.
"""


def build_tiny_llava(directory: Path, *, seed: int = 0, do_sample: bool = False) -> Path:
    """Writes a random LLaVA (CLIP tower, Llama decoder, about 0.16 M parameters) that loads without torchvision.

    Args:
        directory: created when missing; must be empty otherwise.
        seed: decides the weights. The same seed and library versions give the same files.
        do_sample: what ``generation_config.json`` says. ``transformers serve`` ignores the temperature of a request
            unless this is true; Seeworthy's own ``hf/`` adapter does not need it.

    Returns:
        ``directory``.

    Raises:
        ModelError: torch or transformers is missing, or the directory holds something.
    """
    require_transformers()
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    target = _empty_directory(directory)
    tokenizer = _train_tokenizer(_LLAVA_SPECIAL)
    image_token_id = tokenizer.convert_tokens_to_ids("<image>")
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(
            hidden_size=_VISION_WIDTH,
            intermediate_size=2 * _VISION_WIDTH,
            num_hidden_layers=2,
            num_attention_heads=2,
            image_size=_IMAGE_SIDE_PX,
            patch_size=_PATCH_PX,
        ),
        text_config=LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=_TEXT_WIDTH,
            intermediate_size=2 * _TEXT_WIDTH,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=_CONTEXT_TOKENS,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        ),
        image_token_index=image_token_id,
        image_seq_length=(_IMAGE_SIDE_PX // _PATCH_PX) ** 2,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = _random_model(LlavaForConditionalGeneration, config, seed)
    _set_generation(model, tokenizer, do_sample=do_sample)
    side = {"height": _IMAGE_SIDE_PX, "width": _IMAGE_SIDE_PX}
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size=side, crop_size=side, do_center_crop=False),
        tokenizer=tokenizer,
        patch_size=_PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=_LLAVA_TEMPLATE,
    )
    with _no_progress_bars():
        model.save_pretrained(target)
    processor.save_pretrained(target)
    _write_card(target, "Tiny random LLaVA", model, seed, do_sample=do_sample, builder="build_tiny_llava")
    return target


def build_tiny_qwen3_vl(directory: Path, *, seed: int = 0, do_sample: bool = False) -> Path:
    """Writes a random Qwen3-VL (about 0.24 M parameters), the family whose own processor wants torchvision.

    Arguments, result and errors are those of ``build_tiny_llava``.
    """
    require_transformers()
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    target = _empty_directory(directory)
    tokenizer = _train_tokenizer(_QWEN_SPECIAL)
    token_id = tokenizer.convert_tokens_to_ids
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": _TEXT_WIDTH,
            "intermediate_size": 2 * _TEXT_WIDTH,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_position_embeddings": _CONTEXT_TOKENS,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 2, 2]},
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={
            "depth": 2,
            "hidden_size": _VISION_WIDTH,
            "intermediate_size": 2 * _VISION_WIDTH,
            "num_heads": 2,
            "patch_size": _PATCH_PX,
            "out_hidden_size": _TEXT_WIDTH,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
        },
        image_token_id=token_id("<|image_pad|>"),
        video_token_id=token_id("<|video_pad|>"),
        vision_start_token_id=token_id("<|vision_start|>"),
        vision_end_token_id=token_id("<|vision_end|>"),
    )
    model = _random_model(Qwen3VLForConditionalGeneration, config, seed)
    _set_generation(model, tokenizer, do_sample=do_sample)
    with _no_progress_bars():
        model.save_pretrained(target)
    tokenizer.chat_template = _QWEN_TEMPLATE
    tokenizer.save_pretrained(target)
    area = {"shortest_edge": (4 * _PATCH_PX) ** 2, "longest_edge": (16 * _PATCH_PX) ** 2}
    Qwen2VLImageProcessorPil(patch_size=_PATCH_PX, merge_size=2, size=area).save_pretrained(target)
    _write_card(target, "Tiny random Qwen3-VL", model, seed, do_sample=do_sample, builder="build_tiny_qwen3_vl")
    return target


def _empty_directory(directory: Path) -> Path:
    target = Path(directory)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ModelError(f"cannot build a tiny model in {target}: it exists and is not empty; name a new folder")
    target.mkdir(parents=True, exist_ok=True)
    return target


def _train_tokenizer(special_tokens: tuple[str, ...]) -> PreTrainedTokenizerFast:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        min_frequency=1,
        special_tokens=[AddedToken(token, special=True, normalized=False) for token in special_tokens],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([" ".join(_CORPUS.split())], trainer=trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=_PAD,
        eos_token=_END,
        model_max_length=_CONTEXT_TOKENS,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def _random_model(model_class: type[PreTrainedModel], config: PretrainedConfig, seed: int) -> PreTrainedModel:
    """Own initialisation: independent of library versions, of the global generator, and wide enough that every token
    and every pixel changes the reply (the stock 0.02 makes replies that ignore the picture)."""
    import torch

    with torch.random.fork_rng(devices=[]):
        model = model_class(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if parameter.ndim == 1 and "class_embedding" not in name:
                parameter.fill_(1.0 if name.endswith("weight") else 0.0)
                continue
            fan_in = parameter[0].numel() if parameter.ndim > 1 else parameter.numel()
            gain = math.prod(factor for part, factor in _GAIN.items() if part in name)
            std = _EMBEDDING_STD if "embed" in name else gain * fan_in**-0.5
            parameter.normal_(0.0, std, generator=generator)
    return model


def _set_generation(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, *, do_sample: bool) -> None:
    from transformers import GenerationConfig

    special = set(tokenizer.all_special_ids) | {
        token_id for token_id, token in tokenizer.added_tokens_decoder.items() if token.special
    }
    speakable = {
        token_id
        for token_id in range(len(tokenizer))
        if token_id not in special and (text := str(tokenizer.decode([token_id]))).isascii() and text.isprintable()
    }
    speakable.add(tokenizer.eos_token_id)
    model.generation_config = GenerationConfig(
        do_sample=do_sample,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        suppress_tokens=sorted(set(range(len(tokenizer))) - speakable),
        exponential_decay_length_penalty=(_EOS_BOOST_AFTER_TOKENS, _EOS_BOOST_FACTOR),
    )


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """A bar for writing 0.7 MB is noise in a demo."""
    from transformers.utils import logging

    were_shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if were_shown:
            logging.enable_progress_bar()


def _write_card(target: Path, title: str, model: PreTrainedModel, seed: int, *, do_sample: bool, builder: str) -> None:
    card = _MODEL_CARD.format(
        title=title,
        seed=seed,
        architecture=type(model).__name__,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        sampling="on" if do_sample else "off",
        builder=builder,
    )
    (target / "README.md").write_text(card, encoding="utf-8")
