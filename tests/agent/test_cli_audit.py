"""``seeworthy audit`` and ``seeworthy intervene``: what is written, what is said, exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.building import BuildSettings, build_data_set, parse_conditions

pytestmark = pytest.mark.xdist_group("cli audit")

SMALL = BuildSettings(
    scenes=1,
    suites=("crisp",),
    conditions=parse_conditions("clean"),
    views=3,
    width=96,
    height=72,
    objects=8,
    density=0.05,
    seed=6,
)


def run(*arguments: str) -> int:
    before = sys.argv
    sys.argv = ["seeworthy", *arguments]
    try:
        return int(run_app(build_app()))
    finally:
        sys.argv = before


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("cli audit") / "set"
    build_data_set(SMALL, root, jobs=1)
    return str(root)


def test_an_audit_leaves_replies_page_numbers_and_answers(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("audit", "-m", "sim/shortcut", "--data", data, "-o", str(out)) == ExitCode.OK
    said = capsys.readouterr()
    assert "diagnosis: semantic shortcut" in said.out and "knows the truth" in said.out
    assert "clean: answers" in said.err and "report.html" in said.err
    assert sorted(path.name for path in out.iterdir()) == [
        "answers.jsonl",
        "replies.jsonl",
        "report.html",
        "results.json",
    ]
    (numbers,) = json.loads((out / "results.json").read_text())
    assert numbers["diagnosis"]["mode"] == "semantic shortcut"
    answers = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    assert len(answers) == sum(rates["n"] for rates in numbers["rates"].values())
    assert {one["status"] for one in answers} == {"ok"}


def test_json_goes_to_stdout_alone_and_twice_the_same(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("intervene", "-m", "sim/trusting@0.8", "--data", data, "--json", "-q", "--pictures", "2")
    outputs = []
    for name in ("one", "two"):
        assert run(*command, "-o", str(tmp_path / name)) == ExitCode.OK
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    (summary,) = json.loads(outputs[0])
    assert summary["experiment"] == "interventions" and len(summary["effects"]) == 5


def test_an_experiment_of_ones_own(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("{name: mine, graphs: [], conditions: [{name: plain}, {name: grey, picture: grey}],\n"
                    " effects: [{name: colour, before: grey, after: plain}]}")  # fmt: skip
    arguments = ("intervene", "-m", "sim/grounded", "--data", data, "-e", str(file), "-o", str(tmp_path / "o"))
    assert run(*arguments) == ExitCode.OK
    out = capsys.readouterr().out
    assert "colour" in out and "diagnosis" not in out


def test_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("intervene", "--list") == ExitCode.OK
    assert {line.partition(":")[0] for line in capsys.readouterr().out.splitlines()} >= {"audit", "media", "published"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("intervene",), ExitCode.USAGE, "--model and --data"),
        (("audit", "-m", "sim/lazy", "--data", "{data}"), ExitCode.FAILED, "unknown calibration subject"),
        (("audit", "-m", "sim/blind", "--data", "{data}/nowhere"), ExitCode.USAGE, "nowhere"),
        (("audit", "-m", "sim/blind", "--data", "{data}", "--conditions", ","), ExitCode.USAGE, "--conditions"),
        (("audit", "-m", "sim/blind", "--data", "{data}", "--conditions", "fog"), ExitCode.FAILED, "fog"),
        (("audit", "-m", "sim/blind", "--data", "{data}", "--suite", "chess"), ExitCode.FAILED, "chess"),
        (("intervene", "-m", "sim/blind", "--data", "{data}", "-e", "nothing"), ExitCode.FAILED, "no experiment"),
    ],
)
def test_wrong_use_is_one_line(
    data: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: ExitCode,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*(one.replace("{data}", data) for one in arguments)) == code
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("error:") and words in error


def test_a_silent_model_can_be_gone_on_with(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = tmp_path / "empty.jsonl"
    recording.write_text("")
    arguments = ("audit", "-m", f"recorded/{recording}", "--data", data, "-o", str(tmp_path / "o"))
    assert run(*arguments) == ExitCode.MODEL_UNAVAILABLE
    assert "goes on from there" in capsys.readouterr().err


def test_replies_of_another_model_are_not_mixed_in(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "o")
    assert run("audit", "-m", "sim/blind", "--data", data, "-o", out, "-q") == ExitCode.OK
    assert run("audit", "-m", "sim/grounded", "--data", data, "-o", out, "-q") == ExitCode.FAILED
    assert "use another folder" in capsys.readouterr().err
