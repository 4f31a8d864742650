"""``seeworthy report``: tables on stdout, talk on stderr, files beside the run, exit codes as documented."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.diagnostics.report import ReportSummary
from tests.diagnostics.report.made_runs import item, write_run


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "report", *arguments])
    return int(run_app(build_app()))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs over the same data and one over other data, in the current folder."""
    items = [item(number, condition) for number in range(6) for condition in ("clean", "haze-3")]
    write_run(tmp_path / "one", items, lambda call: "B" if call.item.condition == "clean" else "A")
    write_run(tmp_path / "two", items, lambda call: "B", seed=3)
    write_run(tmp_path / "other", items[1:], lambda call: "B")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_report_lies_beside_its_run(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "one", "--examples", "2") == ExitCode.OK
    said = capsys.readouterr()
    assert "Scores: m" in said.out and "-1.000" in said.out and "one/report/report.html" in said.err
    assert {file.name for file in (here / "one/report").iterdir()} == {
        "report.html",
        "report.md",
        "report.tex",
        "report.json",
        "tables",
    }
    summary = ReportSummary.model_validate_json((here / "one/report/report.json").read_bytes())
    assert len(summary.examples) == 2 and summary.runs[0].first_call is not None
    assert run(monkeypatch, "one", "--no-times", "-q", "-o", "again") == ExitCode.OK
    assert capsys.readouterr().out == ""
    assert ReportSummary.model_validate_json((here / "again/report.json").read_bytes()).runs[0].first_call is None


def test_runs_side_by_side_and_what_differs(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "one", "two") == ExitCode.USAGE
    assert "-o FOLDER" in capsys.readouterr().err
    assert run(monkeypatch, "one", "two", "-o", "both") == ExitCode.OK
    said = capsys.readouterr()
    assert "two differs in settings.seed" in said.err and "One run against another" in said.out


def test_other_data_are_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "one", "other", "-o", "both") == ExitCode.FAILED
    assert "1 items only in one (q0000@clean)" in capsys.readouterr().err
    assert not (here / "both").exists()


def test_what_is_no_run_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "nowhere") == ExitCode.FAILED
    assert "is nowhere the folder of a run?" in capsys.readouterr().err
    (here / "file").write_text("")
    assert run(monkeypatch, "one", "-o", "file") == ExitCode.FAILED
    assert "cannot write" in capsys.readouterr().err
