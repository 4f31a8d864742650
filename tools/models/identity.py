"""Who answers: what decides a model's replies beside the request, and whose rate limits its calls meet."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import BaseModel

from .declared_options import ProviderOptions
from .protocol import VisionLanguageModel

__all__ = ["model_identity", "server_of"]


def model_identity(model: VisionLanguageModel) -> str:
    """What decides a model's replies beside the request, as text to be hashed or compared.

    That is its name (with the base URL, where one was given), the server, its ``options`` without those that only say
    how a reply is fetched (`ProviderOptions.undeciding`), and its ``versions`` where it is made of parts that have
    some. A model without ``options`` is known by its capabilities instead; those of one with options may change while
    it learns what its server takes.
    """
    parts: dict[str, object] = {"name": model.name, "server": server_of(model)}
    options = getattr(model, "options", None)
    if isinstance(options, BaseModel):
        left_out = options.undeciding if isinstance(options, ProviderOptions) else frozenset[str]()
        parts["options"] = options.model_dump(mode="json", exclude=set(left_out))
    else:
        parts["capabilities"] = model.capabilities.model_dump(mode="json")
    versions = getattr(model, "versions", None)
    if isinstance(versions, Mapping):
        parts["versions"] = dict(versions)
    return json.dumps(parts, sort_keys=True, ensure_ascii=True)


def server_of(model: VisionLanguageModel) -> str:
    """Whose rate limits its calls meet: the server's base URL, or the model's own name where there is no server."""
    base_url = getattr(model, "base_url", None)
    return base_url if isinstance(base_url, str) else model.name
