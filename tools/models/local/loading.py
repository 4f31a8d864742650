"""Loading a vision-language model from a folder or the hub's cache, with errors that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ....bench_data.memory import tune_glibc_malloc
from ...errors import ModelError
from ..extras import require_transformers
from .processors import load_processor

if TYPE_CHECKING:
    import torch
    from transformers import PretrainedConfig, PreTrainedModel, ProcessorMixin

__all__ = ["SPREAD", "Loaded", "load"]

SPREAD = "spread"
"""Device option: layers are spread over all accelerators, and over the CPU when they are full."""


@dataclass(frozen=True)
class Loaded:
    """A model in evaluation mode with its processor.

    Args:
        model: on its device.
        processor: with a chat template and a picture processor.
    """

    model: PreTrainedModel
    processor: ProcessorMixin

    @property
    def model_type(self) -> str:
        return str(self.model.config.model_type)


def load(
    source: str,
    *,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    local_files_only: bool = False,
    trust_remote_code: bool = False,
) -> Loaded:
    """Loads ``source`` for generation.

    Args:
        source: a folder, or a hub id (``Qwen/Qwen3-VL-2B-Instruct``), which is downloaded unless it is cached.
        device: "auto" (the first CUDA device, else Apple's, else the CPU), a torch device, or "spread".
        dtype: "auto" (as stored on an accelerator, float32 on the CPU), or a torch type such as "bfloat16".
        revision: branch, tag or commit on the hub.
        local_files_only: never ask the network.
        trust_remote_code: run Python code that comes with the checkpoint. Only for sources that you trust.

    Raises:
        ModelError: a package is missing; the folder or hub id is not there; the checkpoint is no vision-language
            model, is incomplete or unreadable; the device or type does not exist.
    """
    require_transformers()
    tune_glibc_malloc()
    import torch
    import transformers

    place = _existing_source(source)
    hub: dict[str, object] = {"local_files_only": local_files_only, "trust_remote_code": trust_remote_code}
    if revision is not None:
        hub["revision"] = revision
    target = _torch_device(device)
    with _explained(source, place):
        config = transformers.AutoConfig.from_pretrained(place, **hub)
        _require_vision_language(source, config, trust_remote_code=trust_remote_code)
        processor = load_processor(place, config.model_type, **hub)
        answer: object = transformers.AutoModelForImageTextToText.from_pretrained(
            place,
            dtype=_torch_dtype(dtype, on_cpu=target is not None and target.type == "cpu"),
            device_map="auto" if target is None else None,
            output_loading_info=True,
            **hub,
        )
        model, info = cast("tuple[PreTrainedModel, dict[str, set[str]]]", answer)
        _require_all_weights(source, sorted(info["missing_keys"]))
        if target is not None:
            torch.nn.Module.to(model, target)
    torch.nn.Module.eval(model)
    return Loaded(model, processor)


def _existing_source(source: str) -> str:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    folder = Path(source).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelError(f"{source}: the folder has no config.json; name the folder that save_pretrained() wrote")
        return str(folder)
    # A hub id is "name" or "owner/name"; anything else can only have been meant as a path.
    if folder.exists() or source.startswith((".", "/", "~")) or source.count("/") > 1 or "\\" in source:
        raise ModelError(f"{source}: no such folder; name a model folder or a hub id such as owner/name")
    try:
        validate_repo_id(source)
    except HFValidationError as error:
        raise ModelError(f"{source}: neither an existing folder nor a hub id such as owner/name") from error
    return source


@contextmanager
def _explained(source: str, place: str) -> Iterator[None]:
    """Turns whatever the library raises while loading into one ``ModelError`` with advice."""
    try:
        yield
    except ModelError:
        raise
    except OSError as error:
        if Path(place).is_dir():
            raise ModelError(f"{source}: cannot be loaded: {error}") from error
        raise ModelError(
            f"{source}: not in the local cache, and the hub did not give it (offline, private, or no such id). "
            f"Where there is a network run: hf download {source}; then copy the folder here and name it as "
            f"hf/FOLDER. The library said: {_first_line(error)}"
        ) from error
    except Exception as error:
        raise ModelError(f"{source}: cannot be loaded: {type(error).__name__}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _require_vision_language(source: str, config: PretrainedConfig, *, trust_remote_code: bool) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    has_own_code = trust_remote_code and "AutoModelForImageTextToText" in getattr(config, "auto_map", {})
    if type(config) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING and not has_own_code:
        raise ModelError(
            f"{source}: a {config.model_type!r} model does not answer questions about pictures in this version of "
            "transformers; name a vision-language model, or update transformers"
        )


def _require_all_weights(source: str, missing: list[str]) -> None:
    if missing:
        raise ModelError(
            f"{source}: the checkpoint lacks {len(missing)} weights (the first is {missing[0]}); they would be random "
            "numbers. Download it again"
        )


def _torch_device(device: str) -> torch.device | None:
    """None stands for "spread"."""
    import torch

    if device == SPREAD:
        return None
    if device == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda", 0)
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        chosen = torch.device(device)
        torch.empty(0, device=chosen)
    # A CPU-only build raises AssertionError for "cuda", and RuntimeError for a device number that does not exist.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelError(
            f"device {device!r} is not there ({_first_line(error)}); use auto, cpu, cuda, cuda:N, mps or {SPREAD}"
        ) from error
    return chosen


def _torch_dtype(dtype: str, *, on_cpu: bool) -> torch.dtype | str:
    import torch

    if dtype == "auto":
        return torch.float32 if on_cpu else "auto"
    chosen = getattr(torch, dtype, None)
    if not isinstance(chosen, torch.dtype) or not chosen.is_floating_point:
        raise ModelError(f"dtype {dtype!r} is unknown; use auto, float32, bfloat16 or float16")
    return chosen
