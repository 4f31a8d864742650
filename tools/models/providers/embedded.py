"""``nano`` and ``nano-sft``: the small models that come with the package."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import as_file, files

from pydantic import Field

from ...errors import ModelError
from ..declared_options import ProviderOptions, option_help, read_options
from ..extras import require_transformers
from ..protocol import VisionLanguageModel
from ..registry import EMBEDDED_MODELS, EMBEDDED_PROVIDER, ModelName, model_provider

__all__ = ["EmbeddedOptions"]

_BATCH_SIZE = 32
_WEIGHTS = "model.safetensors"


class EmbeddedOptions(ProviderOptions):
    """Options of the embedded models."""

    device: str = Field(default="cpu", description="cpu, cuda, cuda:N, mps, or auto")
    batch_size: int = Field(default=_BATCH_SIZE, ge=1, description="calls computed together at most")
    batch_wait_s: float = Field(
        default=0.02, ge=0, allow_inf_nan=False, description="seconds a call waits for others to join its batch"
    )


@model_provider(
    EMBEDDED_PROVIDER,
    summary="small models that come with Seeworthy: nano saw clean pictures, nano-sft degraded ones too",
    example="nano or nano-sft",
    options=option_help(EmbeddedOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    if name.model not in EMBEDDED_MODELS or name.base_url is not None:
        raise ModelError(f"{name}: no embedded model; there are {', '.join(EMBEDDED_MODELS)}")
    chosen = read_options(EmbeddedOptions, options, provider=EMBEDDED_PROVIDER)
    require_transformers()
    from ..local import TransformersModel, load

    held = files("seeworthy.tools.models.nano").joinpath(name.model)
    if not held.joinpath(_WEIGHTS).is_file():
        raise ModelError(
            f"{name}: this installation holds no weights for it; "
            "train them with: seeworthy nano train -o FOLDER, and name the result as hf/FOLDER/" + name.model
        )
    with as_file(held) as folder:
        loaded = load(str(folder), device=chosen.device, local_files_only=True)
        with (folder / _WEIGHTS).open("rb") as file:
            weights = hashlib.file_digest(file, "sha256").hexdigest()
    return TransformersModel(
        loaded,
        name=name.model,
        batch_size=chosen.batch_size,
        batch_wait_s=chosen.batch_wait_s,
        # They were taught with one picture a question.
        max_images=1,
        versions={"weights": weights},
    )
