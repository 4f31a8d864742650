"""seeworthy data validate and convert, run as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seeworthy.agent.cli import main
from seeworthy.bench_data.suites import read_suite, write_suite
from tests.bench_data.suites.making import items, questions


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["seeworthy", "data", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "source" / "suite.jsonl"
    write_suite(items(tmp_path / "source", questions(most=20)), path, "native")
    return path


def test_a_sound_suite_is_said_to_be_sound(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "validate", suite) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "(native)" in shown.err
    assert "0 errors, 0 warnings" in shown.err


def test_every_bad_record_is_named(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = suite.read_text().splitlines()
    record = json.loads(lines[1])
    (suite.parent / record["images"][0]).unlink()
    lines[2] = "{"
    suite.write_text("\n".join(lines) + "\n")
    assert run(monkeypatch, "validate", suite) == 1
    shown = capsys.readouterr().out.splitlines()
    assert any("line 2" in line and record["id"] in line and "[missing_image]" in line for line in shown)
    assert any("line 3" in line and "[bad_json]" in line for line in shown)
    assert run(monkeypatch, "validate", suite, "--json", "--pictures", "no") == 1
    table = json.loads(capsys.readouterr().out)
    assert [finding["code"] for finding in table["findings"]] == ["bad_json"]


def test_warnings_fail_when_asked(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.write_text("\n".join(suite.read_text().splitlines()[:-1]) + "\n")
    assert run(monkeypatch, "validate", suite) == 0
    assert run(monkeypatch, "validate", suite, "--strict") == 1


def test_a_suite_in_another_format(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out" / "bench.tsv"
    assert run(monkeypatch, "convert", suite, "--to", "spacedg", "-o", out) == 0
    assert "structured questions" in capsys.readouterr().err
    assert {item.id for item in read_suite(out)} == {item.id for item in read_suite(suite)}
    assert run(monkeypatch, "convert", suite, "--to", "spacedg", "-o", out) == 2
    assert "exists already" in capsys.readouterr().err
    assert run(monkeypatch, "convert", suite, "--to", "spacedg", "-o", out, "--force") == 0
    assert run(monkeypatch, "validate", out) == 0


def test_what_a_format_cannot_hold_stops_or_is_counted(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "qa.jsonl"
    assert run(monkeypatch, "convert", suite, "--to", "crisp", "-o", out) == 2
    assert "cannot hold" in capsys.readouterr().err
    assert run(monkeypatch, "convert", suite, "--to", "crisp", "-o", out, "--skip-refused") == 0
    assert "left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("convert",), "--list"),
        (("convert", "none.jsonl", "--to", "crisp", "-o", "x.jsonl"), "no such file"),
        (("validate", "none.jsonl"), "no such file"),
    ],
)
def test_misuse_is_answered(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, *arguments) == 2
    assert message in capsys.readouterr().err


def test_formats_are_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "convert", "--list") == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("native", "spacedg", "crisp", "vlmeval", "lmms_eval", "parquet"))


def test_an_unknown_format_is_answered_with_the_nearest(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "convert", suite, "--to", "spacdg", "-o", tmp_path / "x") == 2
    assert "did you mean 'spacedg'" in capsys.readouterr().err


def test_training_data_without_the_held_out_scene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [item for seed in (1, 2) for item in items(tmp_path, questions(seed=seed, most=10))]
    write_suite(made, tmp_path / "suite.jsonl", "native")
    out = tmp_path / "sft"
    command = ("sft", tmp_path / "suite.jsonl", "--suite", "crisp", "-o", out)
    assert run(monkeypatch, *command, "--holdout-scenes", "made-room-2", "--licence", "CC0") == 0
    assert "held out:" in capsys.readouterr().err
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["licence"], manifest["held_out"]["scenes"]) == ("CC0", ["made-room-2"])
    assert {(item.scene, item.suite) for item in read_suite(out / "held-out")} == {("made-room-2", "crisp")}
    lines = (out / "train.jsonl").read_text().splitlines()
    assert {json.loads(line)["scene"] for line in lines} == {"made-room-1"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--holdout-scenes", "1,"), "one comma between them"),
        (("--holdout-scenes", "9"), "9 of 1 scenes cannot be held out"),
        (("--holdout-scenes", "1", "--suite", "none"), "no question has the suite 'none'; there are: crisp, spacedg"),
    ],
)
def test_a_bad_split_is_answered(
    options: tuple[str, ...],
    message: str,
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, "sft", suite, "-o", tmp_path / "sft", *options) == 2
    assert message in capsys.readouterr().err
