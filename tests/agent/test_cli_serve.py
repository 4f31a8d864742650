"""``seeworthy serve`` starts a real server, stops cleanly, and refuses what would be unsafe."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import openai
import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.tools.models import extras

MODEL_FILE = """
from seeworthy.tools.models import Reply, ReplyStatus

def always_b(request):
    return Reply(text="B", status=ReplyStatus.OK)
"""
MODEL = "python/serve_models:always_b"
TOKEN = "a-token-of-sixteen-or-more"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "serve_models.py").write_text(MODEL_FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("SEEWORTHY_SERVE_TOKEN", raising=False)
    return tmp_path


@contextmanager
def serving(here: Path, *arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and its base URL."""
    (here / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "seeworthy.agent.cli", "serve", "--model", MODEL, "--port", "0", *arguments],
        env={**os.environ, "PYTHONPATH": str(here), "TMPDIR": str(here / "tmp"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "base URL http://127.0.0.1:" in line, line
        yield process, line.partition("base URL ")[2].partition(";")[0]
    finally:
        process.kill()
        process.wait()


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "serve", *arguments])
    return int(run_app(build_app()))


def test_it_serves_and_stops_without_leaving_anything(here: Path) -> None:
    with serving(here, "--profile", "off") as (process, base_url):
        client = openai.OpenAI(base_url=base_url, api_key="unused", max_retries=5)
        names = [model.id for model in client.models.list()]
        assert names == ["serve_models:always_b", MODEL, f"robust({MODEL})"]
        for name in names:
            answer = client.chat.completions.create(model=name, messages=[{"role": "user", "content": "?"}])
            assert answer.choices[0].message.content == "B"
        assert [path.name.startswith("seeworthy-traces-") for path in (here / "tmp").iterdir()] == [True]
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED
    assert out == "", "stdout is for results"
    assert '"POST /v1/chat/completions HTTP/1.1" 200' in err
    assert "Traceback" not in err
    assert list((here / "tmp").iterdir()) == []


def test_a_token_from_the_environment_is_asked_for(here: Path) -> None:
    with serving(here, "--quiet", "--name", "mine", SEEWORTHY_SERVE_TOKEN=TOKEN) as (_, base_url):
        assert httpx.get(f"{base_url}/models").status_code == 401
        client = openai.OpenAI(base_url=base_url, api_key=TOKEN)
        assert [model.id for model in client.models.list()] == ["mine"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", MODEL, "--host", "0.0.0.0"), "put a token into SEEWORTHY_SERVE_TOKEN"),
        (("--model", MODEL, "--token-env", "NOT_SET_AT_ALL"), "which is not set"),
        (("--model", MODEL, "--profile", "magic"), "unknown profile"),
        (("--model", MODEL, "--image-host", "a.org/path"), "names no host"),
        (("--model", MODEL, "--name", ""), "--name"),
        (("--model", MODEL, "--host", "no.such.host.invalid", "--token-env", "GOOD"), "cannot listen on"),
        (("--model", MODEL, "--token-env", "WEAK"), "at least 16"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.setenv("WEAK", "hunter2")
    monkeypatch.setenv("GOOD", TOKEN)
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert "hunter2" not in said.err


def test_a_port_that_is_taken_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert run("--model", MODEL, "--port", port, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert f"port {port}" in capsys.readouterr().err


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda package: package != "uvicorn")
    assert run("--model", MODEL, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "pip install 'seeworthy[serve]'" in capsys.readouterr().err


def test_a_wrapped_name_is_wrapped_once() -> None:
    from seeworthy.agent.cli.serve import _names_of, _unwrapped

    assert _unwrapped("robust(robust(openai/a))") == "openai/a"
    assert _names_of("robust(openai/org/m@http://inside:8000/v1)") == ["org/m", "openai/org/m", "robust(openai/org/m)"]
