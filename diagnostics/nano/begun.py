"""The finished models from which a training goes on: kept in its folder, so that they cannot change under it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..errors import DiagnosticsError
from .network import build_network
from .record import read_record

if TYPE_CHECKING:
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

    from .plans import FurtherPlan

__all__ = ["begun_folder", "begun_network", "begun_tokenizer", "check_begun", "digests_of", "keep_begun"]

_WEIGHTS, _TOKENIZER = "model.safetensors", "tokenizer.json"


def digests_of(source: Path, names: Sequence[str], *, out: Path | None = None) -> dict[str, str]:
    """Model -> SHA-256 of the weights that a training goes on from.

    Args:
        source: a folder with one folder for each model.
        names: of the models.
        out: the folder of the training; what it has kept already counts, since the source may be gone by now.

    Raises:
        DiagnosticsError: a model is not there, or the source holds others than those kept.
    """
    if out is None or not all(begun_folder(out, name).is_dir() for name in names):
        return {name: _digest(source / name / _WEIGHTS) for name in names}
    kept = {name: _digest(begun_folder(out, name) / _WEIGHTS) for name in names}
    for name in names:
        file = source / name / _WEIGHTS
        if file.is_file() and _digest(file) != kept[name]:
            raise DiagnosticsError(f"{out} went on from other weights than those in {source / name}; name a new folder")
    return kept


def begun_folder(out: Path, name: str) -> Path:
    """Where a training keeps the model that it goes on from."""
    return out / "begun" / name


def check_begun(out: Path, source: Path | None, plan: FurtherPlan) -> None:
    """Sees to it that a training can go on from its models, before anything is made for it.

    Raises:
        DiagnosticsError: a model is missing, does not load, or has other weights than the plan says, another shape, or
            another tokenizer than the others; or one was taught on the plan's rooms.
    """
    tokenizers = {}
    for name, digest in plan.begun.items():
        folder = begun_folder(out, name)
        if not folder.is_dir():
            if source is None:
                raise DiagnosticsError(f"{out} does not hold {name} to go on from; say from which folder")
            folder = source / name
        if _digest(folder / _WEIGHTS) != digest:
            raise DiagnosticsError(f"{folder} holds other weights than those of the plan; name a new folder")
        shapes = {key: tuple(value.shape) for key, value in _network(folder).state_dict().items()}
        usual = build_network(_tokenizer(folder)).state_dict()
        if shapes != {key: tuple(value.shape) for key, value in usual.items()}:
            raise DiagnosticsError(f"{folder} holds a network of another shape; name the folder of a training")
        tokenizers[name] = (folder / _TOKENIZER).read_bytes()
        if plan.room.seed in set(_seeds(read_record(folder))):
            raise DiagnosticsError(f"{folder} was taught on rooms of seed {plan.room.seed}; give another room seed")
    if len(set(tokenizers.values())) > 1:
        raise DiagnosticsError(f"{' and '.join(tokenizers)} have tokenizers of their own; name models of one training")


def keep_begun(out: Path, source: Path | None, names: Sequence[str]) -> None:
    """Copies the models into a training's folder, where they are not there yet."""
    for name in names:
        kept = begun_folder(out, name)
        if kept.is_dir() or source is None:
            continue
        # The folder appears whole or not at all.
        part = kept.with_name(f".{name}")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(source / name, part)
        part.rename(kept)


def begun_network(out: Path, name: str) -> LlavaForConditionalGeneration:
    """The model in full precision, to be trained.

    Raises:
        DiagnosticsError: it does not load.
    """
    return cast("LlavaForConditionalGeneration", _network(begun_folder(out, name)).train())


def begun_tokenizer(out: Path, name: str) -> PreTrainedTokenizerFast:
    """The model's tokenizer, which stays.

    Raises:
        DiagnosticsError: it does not load.
    """
    return _tokenizer(begun_folder(out, name))


def _network(folder: Path) -> LlavaForConditionalGeneration:
    import torch
    from safetensors import SafetensorError
    from transformers import LlavaForConditionalGeneration

    try:
        return LlavaForConditionalGeneration.from_pretrained(folder, dtype=torch.float32)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise DiagnosticsError(f"{folder} is no model to go on from: {error}; name another folder") from error


def _tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    from transformers import PreTrainedTokenizerFast

    try:
        return cast("PreTrainedTokenizerFast", PreTrainedTokenizerFast.from_pretrained(folder))
    except (OSError, ValueError) as error:
        raise DiagnosticsError(f"{folder} holds no tokenizer: {error}; name another folder") from error


def _seeds(record: Mapping[str, object] | None) -> Iterator[object]:
    """Of the rooms of a training and of all before it."""
    while isinstance(record, Mapping):
        plan = record.get("plan")
        room = plan.get("room") if isinstance(plan, Mapping) else None
        if isinstance(room, Mapping):
            yield room.get("seed")
        before = record.get("before")
        record = before if isinstance(before, Mapping) else None


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise DiagnosticsError(f"cannot read {file}: {error}; name a folder that holds both models") from error
