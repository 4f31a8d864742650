"""The names of the embedded models."""

from __future__ import annotations

import pytest

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.registry import EMBEDDED_MODELS, ModelName, parse_model_name, resolve_model


@pytest.mark.parametrize("name", EMBEDDED_MODELS)
def test_an_embedded_model_is_named_without_a_provider(name: str) -> None:
    parsed = parse_model_name(name)
    assert parsed == ModelName("embedded", name)
    assert str(parsed) == name


@pytest.mark.parametrize("name", ["nan", "nano-xl", "nano/", ""])
def test_other_bare_names_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match="provider/model"):
        parse_model_name(name)


@pytest.mark.parametrize("name", ["embedded/nano-xl", "embedded/nano@http://127.0.0.1:1/v1"])
def test_what_is_not_embedded_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="no embedded model"):
        resolve_model(name)


@pytest.mark.parametrize("name", EMBEDDED_MODELS)
def test_without_weights_it_is_said_how_to_make_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seeworthy.tools.models.providers.embedded._WEIGHTS", "nowhere.safetensors")
    with pytest.raises(ModelError, match="seeworthy nano train"):
        resolve_model(name)
