"""``hf/<folder or hub id>``: a model of the transformers library in this process."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from ...errors import ModelError
from ..declared_options import ProviderOptions, option_help, read_options
from ..extras import require_transformers
from ..protocol import CoordinateSpace, VisionLanguageModel
from ..registry import ModelName, model_provider

__all__ = ["TransformersOptions"]


class TransformersOptions(ProviderOptions):
    """Options of ``hf/``."""

    device: str = Field(default="auto", description="auto, cpu, cuda, cuda:N, mps, or spread over all accelerators")
    dtype: str = Field(default="auto", description="auto (float32 on the CPU, else as stored), float32, bfloat16 ...")
    revision: str | None = Field(default=None, description="branch, tag or commit on the hub")
    local_files_only: bool = Field(default=False, description="never ask the network")
    trust_remote_code: bool = Field(default=False, description="run Python code that comes with the checkpoint")
    coordinate_space: CoordinateSpace | None = Field(
        default=None, description="what boxes are measured in; looked up for known families"
    )
    batch_size: int = Field(default=8, ge=1, description="calls computed together at most")
    batch_wait_s: float = Field(
        default=0.02, ge=0, allow_inf_nan=False, description="seconds a call waits for others to join its batch"
    )
    allow_control_tokens: bool = Field(
        default=False, description="let special tokens in a question act as such instead of being plain text"
    )


@model_provider(
    "hf",
    summary="a Hugging Face model folder or hub id, run in this process with transformers",
    example="hf/./my-model or hf/Qwen/Qwen3-VL-2B-Instruct",
    options=option_help(TransformersOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    if name.base_url is not None:
        raise ModelError(f"{name}: a local model has no base URL; use openai/{name.model}@{name.base_url} for a server")
    chosen = read_options(TransformersOptions, options, provider="hf")
    require_transformers()
    from ..local import TransformersModel, load

    loaded = load(
        name.model,
        device=chosen.device,
        dtype=chosen.dtype,
        revision=chosen.revision,
        local_files_only=chosen.local_files_only,
        trust_remote_code=chosen.trust_remote_code,
    )
    return TransformersModel(
        loaded,
        name=str(name),
        coordinate_space=chosen.coordinate_space,
        batch_size=chosen.batch_size,
        batch_wait_s=chosen.batch_wait_s,
        allow_control_tokens=chosen.allow_control_tokens,
    )
