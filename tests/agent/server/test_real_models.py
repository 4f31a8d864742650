"""Real models behind the server: a local one with random weights, and replies that were recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from seeworthy.tools.models.providers.recorded import Recorder
from seeworthy.tools.models.registry import resolve_model
from seeworthy.tools.models.tiny import build_tiny_llava

from ..conftest import ScriptedModel
from .conftest import NAME, Running, Serve, chat, data_uri, noise, user


def ask(server: Running, text: str, picture: int, **fields: object) -> str:
    found = server.post(chat(user(text, data_uri(noise(picture, 48, 40))), **fields))
    assert found.status_code == 200, found.text
    return str(found.json()["choices"][0]["message"]["content"])


def test_what_was_recorded_through_the_server_is_replayed_through_it(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    questions = [("Which?", 1, {"seed": 3}), ("Which?", 2, {}), ("Where?", 2, {"temperature": 0.5, "max_tokens": 5})]
    model = ScriptedModel(lambda request: f"reply {len(model.asked)}")
    recording = serve(Recorder(model, path))
    said = [ask(recording, text, picture, **fields) for text, picture, fields in questions]
    assert said == ["reply 1", "reply 2", "reply 3"]
    replaying = serve(resolve_model(f"recorded/{path}"))
    assert [ask(replaying, text, picture, **fields) for text, picture, fields in reversed(questions)] == said[::-1]
    missing = replaying.post(chat(user("Who?")))
    assert (missing.status_code, missing.json()["error"]["code"]) == (502, "upstream_not_recorded")


@pytest.mark.slow
def test_a_local_model_sees_the_picture_and_counts_tokens(serve: Serve, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    server = serve(resolve_model(f"hf/{build_tiny_llava(tmp_path / 'model')}"))
    client = server.client()

    def answer(seed: int) -> tuple[str | None, int]:
        found = client.chat.completions.create(
            model=NAME,
            messages=[user("Where is the chair?", data_uri(noise(seed, 48, 40)))],  # type: ignore[list-item]
            max_tokens=12,
        )
        assert found.usage is not None
        return found.choices[0].message.content, found.usage.completion_tokens

    first, second = answer(1), answer(2)
    assert first[0] != second[0], "the picture matters"
    assert answer(1) == first
    assert 1 <= first[1] <= 12
