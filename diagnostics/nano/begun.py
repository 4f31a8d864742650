"""The finished models from which a training goes on: kept in its folder, so that they cannot change under it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from ..errors import DiagnosticsError

if TYPE_CHECKING:
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

__all__ = ["begun_folder", "begun_network", "begun_tokenizer", "digests_of", "keep_begun"]

_WEIGHTS: Final = "model.safetensors"


def digests_of(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Model -> SHA-256 of its weights.

    Args:
        folder: with one folder for each model.
        names: of the models.

    Raises:
        DiagnosticsError: one is not there.
    """
    return {name: _digest(folder / name / _WEIGHTS) for name in names}


def begun_folder(out: Path, name: str) -> Path:
    """Where a training keeps the model that it goes on from."""
    return out / "begun" / name


def keep_begun(out: Path, source: Path | None, digests: Mapping[str, str]) -> None:
    """Copies the models into a training's folder, where they are not there yet.

    Raises:
        DiagnosticsError: the source holds other weights than it should, or there is none.
    """
    for name, digest in digests.items():
        kept = begun_folder(out, name)
        if kept.is_dir():
            if _digest(kept / _WEIGHTS) != digest:
                raise DiagnosticsError(f"{kept} holds other weights than those of the plan; name a new folder")
            continue
        if source is None:
            raise DiagnosticsError(f"{out} goes on from {name}, which is not there; say from which folder")
        if _digest(source / name / _WEIGHTS) != digest:
            raise DiagnosticsError(f"{source / name} holds other weights than those of the plan; name a new folder")
        kept.parent.mkdir(parents=True, exist_ok=True)
        # The folder appears whole or not at all.
        part = kept.with_name(f".{name}-{os.getpid()}")
        shutil.copytree(source / name, part)
        part.rename(kept)


def begun_network(out: Path, name: str) -> LlavaForConditionalGeneration:
    """The model in full precision.

    Raises:
        DiagnosticsError: it does not load.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import LlavaForConditionalGeneration

    folder = begun_folder(out, name)
    try:
        network = LlavaForConditionalGeneration.from_pretrained(folder, dtype=torch.float32)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise DiagnosticsError(f"{folder} is no model to go on from: {error}; name another folder") from error
    return cast("LlavaForConditionalGeneration", network.train())


def begun_tokenizer(out: Path, name: str) -> PreTrainedTokenizerFast:
    """The model's tokenizer, which stays."""
    from transformers import PreTrainedTokenizerFast

    return cast("PreTrainedTokenizerFast", PreTrainedTokenizerFast.from_pretrained(begun_folder(out, name)))


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise DiagnosticsError(f"cannot read {file}: {error}; name a folder that holds both models") from error
