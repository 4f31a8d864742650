"""Questions about one picture come in numbers; a batch of them has the picture through the vision tower once."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import torch

from .library import Inputs, Model

__all__ = ["generation_inputs"]

_PIXELS = "pixel_values"
_SHAREABLE = frozenset({_PIXELS, "input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids"})
"""Anything else that a processor gives may tell of the pictures one by one, and would no longer fit."""


class _ImageFeatures(Protocol):
    """``pooler_output``: one entry a picture, as `generate` wants it."""

    pooler_output: Sequence[torch.Tensor] | torch.Tensor


class _Encoder(Protocol):
    def get_image_features(self, pixel_values: torch.Tensor, *, return_dict: bool) -> _ImageFeatures: ...


def generation_inputs(model: Model, inputs: Inputs, pictures: Sequence[str]) -> Mapping[str, object]:
    """What ``model.generate`` takes for a batch: pixels, or the features of pictures that are shown more than once.

    Features replace pixels only where each picture is one entry of ``pixel_values`` and the model takes features that
    were made before (``mm_encoder_outputs``); the replies are the same, up to the order of sums in a batch.

    Args:
        model: on the device of ``inputs``.
        inputs: as the processor gives them.
        pictures: SHA-256 of every picture of the batch, in order.
    """
    plain = {name: inputs[name] for name in inputs.keys()}  # noqa: SIM118 - the library's batch iterates differently
    pixels = inputs.get(_PIXELS)
    first: dict[str, int] = {}
    places = [first.setdefault(picture, len(first)) for picture in pictures]
    if len(first) == len(pictures) or not isinstance(pixels, torch.Tensor) or not _one_each(pixels, plain, pictures):
        return plain
    if "mm_encoder_outputs" not in inspect.signature(model.forward).parameters:
        return plain
    distinct = [places.index(place) for place in range(len(first))]
    features = cast("_Encoder", model).get_image_features(pixels[distinct], return_dict=True)
    found = features.pooler_output
    if len(found) != len(distinct):
        return plain
    features.pooler_output = found[places] if isinstance(found, torch.Tensor) else [found[place] for place in places]
    del plain[_PIXELS]
    return {**plain, "mm_encoder_outputs": {"image": features}}


def _one_each(pixels: torch.Tensor, plain: Mapping[str, object], pictures: Sequence[str]) -> bool:
    """Whether the pixels are (pictures, channels, height, width), and nothing else tells of pictures."""
    return pixels.ndim == 4 and len(pixels) == len(pictures) and plain.keys() <= _SHAREABLE
