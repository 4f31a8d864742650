"""Model names: ``provider/model[@base_url]``, and the providers that build a model from one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...bench_data.registry import Registry
from ..errors import ModelError
from .protocol import VisionLanguageModel

__all__ = [
    "EMBEDDED_MODELS",
    "EMBEDDED_PROVIDER",
    "MODEL_PROVIDERS",
    "ModelName",
    "ProviderSpec",
    "model_provider",
    "parse_model_name",
    "resolve_model",
]

EMBEDDED_PROVIDER = "embedded"
EMBEDDED_MODELS = ("nano", "nano-sft")
"""Models that come with the package. They alone are named without a provider."""

ModelOptions = Mapping[str, object]
Build = Callable[["ModelName", ModelOptions], VisionLanguageModel]


@dataclass(frozen=True)
class ModelName:
    """A parsed model name.

    >>> parse_model_name("openai/qwen3-vl@http://localhost:8000/v1")
    ModelName(provider='openai', model='qwen3-vl', base_url='http://localhost:8000/v1')
    """

    provider: str
    model: str
    base_url: str | None = None

    def __str__(self) -> str:
        if self.provider == EMBEDDED_PROVIDER:
            return self.model
        return f"{self.provider}/{self.model}" + (f"@{self.base_url}" if self.base_url else "")


@dataclass(frozen=True)
class ProviderSpec:
    """A way to build models: its name, one line for people, how a name looks, the builder and its options.

    Attributes:
        options: option name to a line of help, for the command line.
    """

    name: str
    summary: str
    example: str
    build: Build
    options: Mapping[str, str] = field(default_factory=dict)


MODEL_PROVIDERS: Registry[ProviderSpec] = Registry(
    "model provider", package="seeworthy.tools.models.providers", entry_point_group="seeworthy.models"
)


def model_provider(
    name: str, *, summary: str, example: str, options: Mapping[str, str] | None = None
) -> Callable[[Build], Build]:
    """Registers a builder under ``name``; heavy imports belong inside the builder."""

    def register(build: Build) -> Build:
        spec = ProviderSpec(name=name, summary=summary, example=example, build=build, options=dict(options or {}))
        MODEL_PROVIDERS.add(name, spec)
        return build

    return register


def parse_model_name(text: str) -> ModelName:
    """Splits ``provider/model[@base_url]``; only ``@http://`` or ``@https://`` starts a URL.

    >>> parse_model_name("nano").provider, str(parse_model_name("nano"))
    ('embedded', 'nano')
    """
    if text in EMBEDDED_MODELS:
        return ModelName(EMBEDDED_PROVIDER, text)
    provider, slash, rest = text.partition("/")
    if not slash or not provider or not rest:
        raise ModelError(
            f"model name {text!r} is not of the form provider/model[@base_url]; "
            "for example openai/qwen3-vl@http://localhost:8000/v1, or nano for the model that comes with Seeworthy"
        )
    for marker in ("@http://", "@https://"):
        model, found, url = rest.partition(marker)
        if found:
            if not model or not url:
                raise ModelError(
                    f"model name {text!r} has an empty model or base URL; write provider/model@http://host/v1"
                )
            return ModelName(provider, model, marker[1:] + url)
    return ModelName(provider, rest)


def resolve_model(text: str, options: ModelOptions | None = None) -> VisionLanguageModel:
    """Builds the model that ``text`` names.

    Args:
        text: ``provider/model[@base_url]``, or the name of an embedded model.
        options: provider options by name (``api_key_env``, ``timeout_s``, ``prices`` ...); each provider documents
            and checks its own, and an unknown option is an error.

    Raises:
        ModelError: the name is malformed or the model cannot be built.
        RegistryError: no such provider.
    """
    name = parse_model_name(text)
    return MODEL_PROVIDERS.get(name.provider).build(name, options or {})
