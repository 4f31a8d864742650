"""The local server: what happens before and instead of a good start, with a stand-in for the server's program."""

from __future__ import annotations

import gc
import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models import extras, serving
from seeworthy.tools.models.serving import LocalServer

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Looks like a model folder; the stand-ins never read it."""
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python script that is started instead of ``transformers serve``; its text is up to the test."""
    script = tmp_path / "program.py"
    starter = tmp_path / "starter"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    starter.chmod(0o755)
    monkeypatch.setattr(serving, "sys", type("Sys", (), {"executable": str(starter)}))
    monkeypatch.setattr(serving, "require_transformers", lambda: None)
    monkeypatch.setattr(serving, "is_installed", lambda package: True)
    return script


def write(script: Path, body: str) -> None:
    head = "import http.server, os, signal, subprocess, sys, time\nport = int(sys.argv[sys.argv.index('--port') + 1])\n"
    script.write_text(head + textwrap.dedent(body), encoding="utf-8")


HEALTHY = """
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()
    def log_message(self, *arguments):
        pass
"""
SERVE = HEALTHY + "print('ready', flush=True)\nhttp.server.HTTPServer(('127.0.0.1', port), Handler).serve_forever()\n"


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie was killed and only waits to be collected by whoever adopted it.
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def wait_until_dead(pid: int) -> None:
    deadline = time.monotonic() + 30
    while is_alive(pid):
        assert time.monotonic() < deadline, f"process {pid} is still alive"
        time.sleep(0.01)


def test_it_starts_answers_and_ends(folder: Path, program: Path) -> None:
    write(program, "print(sys.argv[1:], flush=True)\n" + SERVE)
    server = LocalServer(folder)
    assert not server.is_running
    assert server.log() == ""
    with server as entered:
        assert entered is server
        assert server.is_running
        process = server._process
        assert process is not None
        assert server.model_name == f"openai/{folder}@{server.base_url}"
        arguments = server.log().splitlines()[0]
        for word in ("serve", str(folder), "--host", "127.0.0.1", "--device", "cpu"):
            assert repr(word) in arguments
        with pytest.raises(ModelError, match="already running"):
            server.__enter__()
        log_path = server._log_path
    assert not server.is_running
    assert process.returncode is not None
    assert log_path is not None
    assert not log_path.exists()
    server.stop()


def test_one_object_can_start_again(folder: Path, program: Path) -> None:
    write(program, SERVE)
    server = LocalServer(folder)
    for _ in range(2):
        with server:
            assert server.is_running


def test_its_children_end_with_it(folder: Path, program: Path) -> None:
    child = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    write(program, child + "print(child.pid, flush=True)\n" + SERVE)
    with LocalServer(folder) as server:
        pid = int(server.log().splitlines()[0])
        assert is_alive(pid)
    wait_until_dead(pid)


def test_one_that_ignores_the_polite_signal_is_killed(
    folder: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_STOP_S", 0.1)
    write(program, "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SERVE)
    with LocalServer(folder) as server:
        process = server._process
        assert process is not None
    assert process.returncode == -signal.SIGKILL


def test_an_exception_in_the_block_ends_it_too(folder: Path, program: Path) -> None:
    write(program, SERVE)
    server = LocalServer(folder)
    with pytest.raises(ZeroDivisionError), server:
        process = server._process
        raise ZeroDivisionError
    assert process is not None
    assert process.returncode is not None


def test_a_forgotten_server_ends(folder: Path, program: Path) -> None:
    write(program, SERVE)
    server = LocalServer(folder).__enter__()
    process = server._process
    assert process is not None
    del server
    gc.collect()
    assert process.returncode is not None


def test_an_early_end_is_reported_with_the_log(folder: Path, program: Path) -> None:
    write(program, "for i in range(40): print('line', i)\nprint('OSError: no tokenizer')\nsys.exit(3)\n")
    with pytest.raises(ModelError) as caught:
        LocalServer(folder).__enter__()
    message = str(caught.value)
    assert "exit code 3" in message
    assert "OSError: no tokenizer" in message
    assert "line 39" in message
    assert "line 5\n" not in message


def test_one_that_never_answers_is_given_up(folder: Path, program: Path) -> None:
    write(program, "print('loading', os.getpid(), flush=True)\ntime.sleep(600)\n")
    with pytest.raises(ModelError, match=r"did not answer within 1 s(.|\n)*loading") as caught:
        LocalServer(folder, start_within_s=1.0).__enter__()
    wait_until_dead(int(str(caught.value).split()[-1]))


def test_an_interrupt_while_waiting_leaves_nothing_behind(
    folder: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(program, "time.sleep(600)\n")
    processes: list[int] = []
    server = LocalServer(folder)

    def interrupt(url: str) -> bool:
        assert server._process is not None
        processes.append(server._process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "_is_healthy", interrupt)
    with pytest.raises(KeyboardInterrupt):
        server.__enter__()
    wait_until_dead(processes[0])
    assert not server.is_running


def test_one_that_is_unwell_is_given_up(folder: Path, program: Path) -> None:
    write(program, SERVE.replace("200 if", "503 if"))
    with pytest.raises(ModelError, match="did not answer"):
        LocalServer(folder, start_within_s=1.0).__enter__()


def test_a_port_that_was_snatched_is_tried_again(folder: Path, program: Path) -> None:
    marker = folder / "tried"
    snatched = f"""
    if not os.path.exists({str(marker)!r}):
        open({str(marker)!r}, "w").close()
        sys.exit("[Errno 98] Address already in use")
    """
    write(program, textwrap.dedent(snatched) + SERVE)
    with LocalServer(folder) as server:
        assert server.is_running
    assert marker.exists()


def test_a_port_that_is_always_taken_is_given_up(folder: Path, program: Path) -> None:
    tries = folder / "tries"
    write(program, f"open({str(tries)!r}, 'a').write('x')\nsys.exit('address already in use')\n")
    with pytest.raises(ModelError, match="address already in use"):
        LocalServer(folder).__enter__()
    assert tries.read_text(encoding="utf-8") == "xxx"


def test_a_proxy_of_the_environment_is_not_asked(folder: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    write(program, SERVE)
    with LocalServer(folder, start_within_s=30.0) as server:
        assert server.is_running


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_missing_server_packages(folder: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr(serving, "require_transformers", lambda: None)
    monkeypatch.setattr(serving, "is_installed", lambda package: package != missing)
    with pytest.raises(ModelError, match=rf"needs {missing}; run: pip install 'transformers\[serving\]'"):
        LocalServer(folder).__enter__()


def test_missing_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda package: package != "torch")
    with pytest.raises(ModelError, match="need torch"):
        LocalServer(folder).__enter__()


def test_a_folder_that_is_no_model(tmp_path: Path, program: Path) -> None:
    with pytest.raises(ModelError, match=r"no config\.json"):
        LocalServer(tmp_path / "nothing").__enter__()
