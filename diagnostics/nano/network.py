"""The network: a LLaVA of stock parts, small enough to ship."""

# The configuration classes of transformers are annotated for their defaults, not for what they take.
# mypy: disable-error-code="no-untyped-call, call-arg, arg-type"

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from .symbols import GRID
from .tokenizer import ASSISTANT, CHAT_TEMPLATE, CONTEXT_TOKENS, END, IMAGE, PAD

if TYPE_CHECKING:
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

__all__ = ["IMAGE_TOKENS", "SIDE_PX", "WIDTH", "build_network", "save_network"]

SIDE_PX: Final = 192
"""Pictures are resized to a square of this side, whatever their shape."""
_PATCH_PX: Final = SIDE_PX // GRID
IMAGE_TOKENS: Final = GRID * GRID
WIDTH: Final = 160
"""Of tower and decoder."""
_HEADS: Final = 5
_TOWER_LAYERS, _DECODER_LAYERS = (2, 2, 4), 5
_FINEST_PX: Final = 4


def build_network(tokenizer: PreTrainedTokenizerFast) -> LlavaForConditionalGeneration:
    """A network with random weights from torch's generator: FocalNet tower, two-layer projector, Llama decoder.

    The tower is convolutional, since a plain vision transformer needs three times the pictures to learn as much
    (measured after 4,000 and 12,000): numbers and small things are a few pixels wide and lie anywhere.
    """
    from transformers import FocalNetConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    config = LlavaConfig(
        vision_config=FocalNetConfig(
            image_size=SIDE_PX,
            patch_size=_FINEST_PX,
            embed_dim=WIDTH // 4,
            hidden_sizes=[WIDTH // 4, WIDTH // 2, WIDTH],
            depths=list(_TOWER_LAYERS),
            focal_levels=[2, 2, 2],
            focal_windows=[3, 3, 3],
            use_conv_embed=True,
            drop_path_rate=0.0,
            # LLaVA asks for it by this name.
            hidden_size=WIDTH,
        ),
        text_config=LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            intermediate_size=432,
            num_hidden_layers=_DECODER_LAYERS,
            num_attention_heads=_HEADS,
            num_key_value_heads=_HEADS,
            head_dim=WIDTH // _HEADS,
            max_position_embeddings=CONTEXT_TOKENS,
            bos_token_id=None,
            eos_token_id=tokenizer.convert_tokens_to_ids(END),
            pad_token_id=tokenizer.convert_tokens_to_ids(PAD),
            tie_word_embeddings=True,
            # Slow turns, so that a word still resembles its patch a hundred places away.
            rope_parameters={"rope_type": "default", "rope_theta": 300_000.0},
        ),
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE),
        image_seq_length=IMAGE_TOKENS,
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        pad_token_id=tokenizer.convert_tokens_to_ids(PAD),
        tie_word_embeddings=True,
    )
    return LlavaForConditionalGeneration(config)


def save_network(network: LlavaForConditionalGeneration, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Writes a checkpoint in half precision that transformers loads by itself, without torchvision."""
    import torch
    from transformers import GenerationConfig, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokens = tokenizer.convert_tokens_to_ids
    network.generation_config = GenerationConfig(
        do_sample=False,
        eos_token_id=tokens(END),
        pad_token_id=tokens(PAD),
        suppress_tokens=[tokens(token) for token in (PAD, IMAGE, ASSISTANT)],
    )
    side = {"height": SIDE_PX, "width": SIDE_PX}
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size=side,
            crop_size=side,
            do_center_crop=False,
            image_mean=[0.5, 0.5, 0.5],
            image_std=[0.5, 0.5, 0.5],
        ),
        tokenizer=tokenizer,
        patch_size=_PATCH_PX,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
        chat_template=CHAT_TEMPLATE,
    )
    network.to(torch.float16).save_pretrained(folder)
    # Half precision is for the file: servers that take the type from here show a model pictures in full precision.
    network.config.dtype = torch.float32
    network.config.save_pretrained(folder)
    processor.save_pretrained(folder)
