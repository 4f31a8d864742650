"""Processors (chat template, tokenizer, picture preparation), also where torchvision is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ...errors import ModelError
from ..extras import is_installed
from .library import Processor, ProcessorLoader, Tokenizer

if TYPE_CHECKING:
    from transformers import ProcessorMixin

__all__ = ["image_only_processor", "load_processor"]

# Families whose processor owns a video processor, which needs torchvision, but prepares pictures without it.
_IMAGE_ONLY_FAMILIES = {
    "qwen2_vl": "Qwen2VLProcessor",
    "qwen2_5_vl": "Qwen2_5_VLProcessor",
    "qwen3_vl": "Qwen3VLProcessor",
    "qwen3_vl_moe": "Qwen3VLProcessor",
    "qwen3_5": "Qwen3VLProcessor",
    "qwen3_5_moe": "Qwen3VLProcessor",
}


def image_only_processor(processor_class: type[ProcessorMixin]) -> type[ProcessorMixin]:
    """A processor class that handles text and pictures as ``processor_class`` does, and has no video processor.

    ``ProcessorMixin`` finds the parts of a processor in the parameters of ``__init__``; without the parameter
    ``video_processor`` it neither loads nor demands one. The parent's ``__init__`` still sets the special tokens.

    Args:
        processor_class: of the Qwen-VL kind, whose ``__init__`` takes (image_processor, tokenizer, video_processor).
    """

    class ImageOnly(processor_class):  # type: ignore[misc, valid-type]
        def __init__(
            self, image_processor: object = None, tokenizer: object = None, chat_template: str | None = None
        ) -> None:
            super().__init__(image_processor, tokenizer, None, chat_template=chat_template)

    ImageOnly.__name__ = ImageOnly.__qualname__ = f"{processor_class.__name__}ImageOnly"
    return ImageOnly


def load_processor(source: str, model_type: str, **hub: object) -> ProcessorMixin:
    """The processor of a model folder or hub id.

    Args:
        source: a folder or hub id.
        model_type: of the model's configuration ("qwen3_vl").
        hub: passed on to ``from_pretrained``.

    Raises:
        ModelError: the processor needs torchvision and has no way round, prepares no pictures, or has no chat
            template.
    """
    import transformers

    family = _IMAGE_ONLY_FAMILIES.get(model_type)
    loader = cast("ProcessorLoader", transformers.AutoProcessor)
    if family is not None and not is_installed("torchvision"):
        loader = cast("ProcessorLoader", image_only_processor(getattr(transformers, family)))
    try:
        processor = loader.from_pretrained(source, **hub)
    except ImportError as error:
        raise ModelError(_missing_package(source, model_type, error)) from error
    if getattr(processor, "image_processor", None) is None:
        raise ModelError(f"{source}: its processor prepares no pictures; use a vision-language model")
    if _chat_template(processor) is None:
        raise ModelError(
            f"{source}: its processor has no chat template, so nobody can say how a question must be written; "
            "use an instruction-tuned checkpoint, or put its chat_template.jinja into the folder"
        )
    return cast("ProcessorMixin", processor)


def _chat_template(processor: Processor) -> object:
    """The processor's chat template; older checkpoints keep it with the tokenizer, from where it is taken over."""
    tokenizer: Tokenizer | None = getattr(processor, "tokenizer", None)
    if processor.chat_template is None and tokenizer is not None:
        processor.chat_template = tokenizer.chat_template
    return processor.chat_template


def _missing_package(source: str, model_type: str, error: ImportError) -> str:
    if "torchvision" not in str(error).lower():
        return f"{source}: its processor needs a package that is missing: {error}"
    return (
        f"{source}: the processor of {model_type} models needs torchvision for videos, even for pictures alone. "
        "Either run: pip install torchvision (the release that belongs to your torch), or use a model whose processor "
        f"does not need it (Qwen-VL, LLaVA, Idefics3, PaliGemma, Gemma3), or serve {source} elsewhere and use "
        "openai/NAME@http://host:port/v1"
    )
