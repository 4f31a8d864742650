"""``--ray``: a run on a cluster of its own, seen from the terminal."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from tests.diagnostics.runs.small_runs import small_suite

MODEL_FILE = """
import os, pathlib, signal, time

def right(request):
    if pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return "B" if "A. the lamp" in request.messages[-1].text else "3"
"""
COMMAND = ["bench", "--suite", "suite", "--model", "python/ray_models:right", "--slots", "2"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and a model module, which is the current one."""
    small_suite(tmp_path / "suite", questions=150)
    (tmp_path / "ray_models.py").write_text(MODEL_FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", *arguments])
    return int(run_app(build_app()))


@pytest.mark.xdist_group("ray")
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray: pip install 'seeworthy[ray]'")
def test_a_run_on_its_own_cluster_is_quiet_ends_at_ctrl_c_and_goes_on_here(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "deadly").touch()
    command = [sys.executable, "-m", "seeworthy.agent.cli", *COMMAND, "-o", "run", "--ray", "local", "--workers", "1"]
    records = here / "run/records.jsonl"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        end_s = time.monotonic() + 240
        while not (records.exists() and records.stat().st_size) and process.poll() is None:
            assert time.monotonic() < end_s, "no record came"
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
    assert process.returncode == ExitCode.INTERRUPTED, err
    assert not (here / "deadly").exists()
    assert "the Ray cluster has 1 worker for this" in err and "stopped: interrupted" in err
    assert " done, " in err  # the progress line
    for noise in ("raylet", "Traceback", "WARNING", "INFO", "usage stats"):
        assert noise not in out + err
    assert out == (here / "run/table.txt").read_text()
    assert run(monkeypatch, *COMMAND, "-o", "run") == ExitCode.OK
    there = capsys.readouterr().out
    assert run(monkeypatch, *COMMAND, "-o", "whole") == ExitCode.OK
    assert capsys.readouterr().out == there
    assert (here / "run/results.json").read_text() == (here / "whole/results.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--workers", "2"), ExitCode.USAGE, "--workers are of a Ray cluster"),
        (("--gpus", "1"), ExitCode.USAGE, "--gpus is of the workers of a Ray cluster"),
        (("--ray", "ray://head:10001"), ExitCode.FAILED, "is an address of Ray Client"),
    ],
)
def test_options_that_do_not_fit(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: ExitCode,
    words: str,
) -> None:
    if "--ray" in arguments:
        ray = pytest.importorskip("ray", reason="needs ray: pip install 'seeworthy[ray]'")
        monkeypatch.setattr(ray, "is_initialized", lambda: False)
    assert run(monkeypatch, *COMMAND, "-o", "run", *arguments) == code
    assert words in capsys.readouterr().err


def test_a_build_takes_the_same_options(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "data", "build", "-o", "set", "--scenes", "1", "--gpus", "1") == ExitCode.USAGE
    assert "name one with --ray" in capsys.readouterr().err
    assert not (here / "set").exists()
