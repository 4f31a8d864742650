"""``seeworthy bench`` and ``seeworthy diff``: tables on stdout, talk on stderr, exit codes as documented."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from tests.diagnostics.runs.small_runs import small_suite
from tests.tools.models.fault_server import FaultServer, answer, error

MODEL_FILE = """
def right(request):
    return "B" if "A. the lamp" in request.messages[-1].text else "3"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and a model module, which is the current one."""
    small_suite(tmp_path / "suite", questions=10, conditions=("clean", "haze-3"))
    (tmp_path / "bench_models.py").write_text(MODEL_FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def bench(monkeypatch: pytest.MonkeyPatch, *arguments: str, model: str = "python/bench_models:right") -> int:
    return run(monkeypatch, "bench", "--suite", "suite", "--model", model, *arguments)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", *arguments])
    return int(run_app(build_app()))


def test_a_run_and_the_same_command_again(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("-o", "run", "--parquet", "records.parquet")
    assert bench(monkeypatch, *command) == ExitCode.OK
    first = capsys.readouterr()
    assert re.search(r"haze-3 +all +20 +20|haze-3 +all +10 +10 +1\.000", first.out)
    assert "20 questions asked now, 0 failed" in first.err
    assert pq.read_table("records.parquet").num_rows == 20
    assert bench(monkeypatch, *command) == ExitCode.OK
    second = capsys.readouterr()
    assert second.out == first.out == (here / "run/table.txt").read_text()
    assert "0 questions asked now" in second.err
    assert json.loads((here / "run/results.json").read_text())["left"] == 0


def test_a_dry_run_says_what_it_will_take_and_writes_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = '{"right": {"input": 1, "output": 2}, "bench_models:right": {"input": 1, "output": 2}}'
    assert bench(monkeypatch, "--dry-run", "-o", "run", "--limit", "8", "--prices", prices) == ExitCode.OK
    said = capsys.readouterr()
    assert said.out == ""
    for words in ("items   8 (4 questions)", "runs    2", "calls   8", "tokens  about", "money   about $", "time    "):
        assert words in said.err
    assert not (here / "run").exists()


def test_conditions_prompts_and_limits(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(monkeypatch, "-o", "run", "--conditions", "haze-3", "--prompt", "blind", "--limit", "4") == 0
    assert "clean" not in capsys.readouterr().out
    assert bench(monkeypatch, "-o", "run", "--conditions", "haze-3", "--prompt", "blind", "--limit", "6") == 0
    assert "limit: 4 -> 6" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name the run's folder"),
        (("-o", "run", "--conditions", "fog"), "no item has the condition 'fog'; the suites have: clean, haze-3"),
        (("-o", "run", "--conditions", "clean,"), "an item is empty"),
        (("-o", "run", "--prompt", "plane"), "did you mean 'plain'"),
        (("-o", "run", "--budget-usd", "1"), "--budget-usd needs the price of python/bench_models:right"),
        (("-o", "run", "--budget-tokens", "0"), "--budget-tokens"),
        (("-o", "run", "--suite", "suite"), "a suite is named twice"),
        (("-o", "run", "--suite", "nowhere"), "no such file or folder"),
        (("-o", "run", "--model", "python/bench_models:right"), "is given twice"),
        (("-o", "run", "--model-option", "colour=blue"), "no option 'colour'"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    assert bench(monkeypatch, *arguments) in (ExitCode.USAGE, ExitCode.FAILED)
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said
    assert not (here / "run").exists()


def test_other_settings_are_refused_and_diff_names_them(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(monkeypatch, "-o", "run") == ExitCode.OK
    assert bench(monkeypatch, "-o", "run", "--temperature", "0.5") == ExitCode.FAILED
    assert "settings.generation.temperature: 0.0 -> 0.5" in capsys.readouterr().err
    assert bench(monkeypatch, "-o", "other", "--temperature", "0.5", "--limit", "4") == ExitCode.OK
    capsys.readouterr()
    assert run(monkeypatch, "diff", "run", "other") == ExitCode.FAILED
    named = capsys.readouterr().out.splitlines()
    assert "settings.generation.temperature: 0.0 -> 0.5" in named and "limit: nothing -> 4" in named
    assert run(monkeypatch, "diff", "run", "run") == ExitCode.OK
    assert run(monkeypatch, "diff", "run", "nowhere") == ExitCode.FAILED


def test_exit_codes_of_a_budget_and_of_a_server_that_refuses(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FaultServer(lambda body: answer("B")) as server:
        model = f"openai/test-model@{server.base_url}"
        assert bench(monkeypatch, "-o", "run", "--budget-tokens", "30", model=model) == ExitCode.BUDGET_SPENT
        said = capsys.readouterr()
        assert "stopped: the budget of 30 tokens is used up" in said.err
        assert "calls have no reply yet" in said.out
        prices = '{"test-model": {"input": 1, "output": 1}}'
        assert bench(monkeypatch, "-o", "run", "--budget-usd", "9", "--prices", prices, model=model) == ExitCode.OK
    with FaultServer([error(401, "Incorrect API key")]) as server:
        model = f"openai/test-model@{server.base_url}"
        assert bench(monkeypatch, "-o", "other", model=model) == ExitCode.MODEL_UNAVAILABLE
        assert "authentication" in capsys.readouterr().err


def test_a_model_beside_the_same_model_made_robust(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FaultServer(lambda body: answer("B")) as server:
        name = f"openai/test-model@{server.base_url}"
        both = ("-o", "run", "--model", f"robust({name})", "--limit", "4", "--profile", "off")
        assert bench(monkeypatch, *both, model=name) == ExitCode.OK
        assert f"robust({name})" in capsys.readouterr().out
        asked = len(server.chats)
        assert asked == 8
        assert bench(monkeypatch, *both, model=name) == ExitCode.OK
        assert len(server.chats) == asked


def test_a_robust_question_pays_for_all_its_calls_and_once(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FaultServer(lambda body: answer("B")) as server:
        name = f"robust(openai/test-model@{server.base_url})"
        assert bench(monkeypatch, "-o", "run", "--limit", "2", model=name) == ExitCode.OK
        records = [json.loads(line) for line in (here / "run/records.jsonl").read_text().splitlines()]
        assert sum(one["spent"]["calls"] for one in records) == len(server.chats)
        assert sum(one["spent"]["input_tokens"] for one in records) == 11 * len(server.chats)
        asked = len(server.chats)
        # The records are lost, what the solver has paid for is not.
        (here / "run/records.jsonl").unlink()
        assert bench(monkeypatch, "-o", "run", "--limit", "2", model=name) == ExitCode.OK
        assert len(server.chats) == asked
