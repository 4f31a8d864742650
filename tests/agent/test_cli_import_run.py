"""``seeworthy import-run``: from another tool's file to a table, a comparison, and a run that other commands read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from tests.diagnostics.importing.making import items_in, suite_in, table, vlmeval_row


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and predictions about it, which is the current one."""
    suite_in(tmp_path / "suite")
    replies = ("**B**", "A", "3", "Failed to obtain answer via API.")
    rows = [vlmeval_row(item, text, hit=0) for item, text in zip(items_in(tmp_path / "suite"), replies, strict=True)]
    table(tmp_path / "m_suite.tsv", [*rows, {**rows[0], "index": "gone"}])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", *arguments])
    return int(run_app(build_app()))


COMMON = ("import-run", "m_suite.tsv", "--data", "suite/suite.jsonl", "-o", "run")


def test_import_compare_and_diff(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *COMMON, "--format", "vlmeval", "--compare") == ExitCode.OK
    out, err = capsys.readouterr()
    assert "5 rows gave 4 replies to 4 items; 1 of them failed" in err
    assert "no item has its id (m_suite.tsv line 6: gone)" in err
    assert "same command makes them" not in out
    assert "m, hit: 3 of 4 scores changed; mean 0.000 there, 0.667 here" in out
    assert "2: a right answer was not found there (2 up, 0 down)" in out
    assert "1: a failed call was scored" in out
    assert [one["changed"] for one in json.loads((here / "run/comparison.json").read_text())] == [3]
    assert run(monkeypatch, "diff", "run", "run") == ExitCode.OK
    capsys.readouterr()
    assert run(monkeypatch, *COMMON, "--format", "vlmeval") == ExitCode.FAILED
    assert "exists; choose another -o" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "vlmeva"), "did you mean 'vlmeval'"),
        (("--format", "vlmeval", "--space", "miles"), "permille"),
        (("--format", "vlmeval", "--conditions", "clean,"), "an item is empty"),
        (("--format", "vlmeval", "--model", " "), "--model is empty"),
    ],
)
def test_wrong_arguments_say_what_would_be_right(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    assert run(monkeypatch, *COMMON, *arguments) == ExitCode.USAGE
    assert message in capsys.readouterr().err
    assert not (here / "run").exists()
