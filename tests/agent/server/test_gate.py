"""Who may come in: loopback by name, everybody else by token; pages for people by password."""

from __future__ import annotations

from pathlib import Path

import httpx
import openai
import pytest
from pydantic import SecretStr, ValidationError

from seeworthy.agent.server import ServeSettings
from seeworthy.agent.server.listening import is_loopback

from ..conftest import ScriptedModel
from .conftest import NAME, Serve, chat

TOKEN = "a-token-of-sixteen-or-more"


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(lambda r: "B")


def test_a_wrong_or_missing_token_is_refused_in_openais_words(serve: Serve, model: ScriptedModel) -> None:
    server = serve(model, token=SecretStr(TOKEN), host_names=None)
    with pytest.raises(openai.AuthenticationError, match="API key is wrong") as caught:
        server.client("sk-wrong").models.list()
    assert caught.value.code == "invalid_api_key"
    assert server.client(TOKEN).models.list().data[0].id == NAME
    for header in ("", "Bearer", f"bearer {TOKEN}x", f"Token {TOKEN}", TOKEN, "Bearer \xff", "Basic !!!"):
        answer = server.post(chat(), headers={"authorization": header.encode("latin-1")})
        assert answer.status_code == 401, header
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in answer.text
    assert model.asked == []
    assert server.post(chat(), headers={"authorization": f"bearer {TOKEN}"}).status_code == 200
    assert httpx.get(f"{server.url}/health").json() == {"status": "ok"}, "health is open and says nothing"


def test_pages_take_the_token_as_a_browsers_password_and_nothing_else_does(serve: Serve, model: ScriptedModel) -> None:
    server = serve(model, token=SecretStr(TOKEN), host_names=None)
    page = f"{server.url}/v1/traces/{'0' * 32}"
    asked = httpx.get(page)
    assert asked.status_code == 401
    assert asked.headers["www-authenticate"].startswith("Basic")
    assert httpx.get(page, auth=("anybody", "wrong")).status_code == 401
    assert httpx.get(page, auth=("anybody", TOKEN)).status_code == 404, "let in; there is no such page"
    assert server.post(chat(), auth=("anybody", TOKEN)).status_code == 401


def test_without_a_token_only_the_names_of_loopback_are_answered(serve: Serve, model: ScriptedModel) -> None:
    """Against web pages that make their own name point to this machine."""
    server = serve(model)
    for host in ("evil.example.org", "127.0.0.1.evil.example.org", "evil.example.org:80", "[::2]:80", ""):
        answer = server.post(chat(), headers={"host": host})
        assert answer.status_code in (400, 403), host
    for host in ("localhost:1234", "127.0.0.1", "[::1]:80", "LOCALHOST"):
        assert server.post(chat(), headers={"host": host}).status_code == 200, host
    assert len(model.asked) == 4


@pytest.mark.parametrize("token", ["", "short", "x" * 15, "with a blank in the middle", "ümlauts-are-not-ascii"])
def test_a_weak_token_is_refused_and_not_shown(tmp_path: Path, token: str) -> None:
    with pytest.raises(ValidationError, match="at least 16 printable") as caught:
        ServeSettings(names=("a",), traces=tmp_path, token=SecretStr(token))
    assert not token or token not in caught.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.2", False),
        ("example.org", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_what_is_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
