"""Every command runs; results go to stdout, talk to stderr; exit codes mean what the docs say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app, say
from seeworthy.agent.cli.solve import answer_format_of
from seeworthy.bench_data.errors import SeeworthyError
from seeworthy.bench_data.images import Picture

MODEL_FILE = """
from seeworthy.tools.models import Fault, FaultKind, Reply, ReplyStatus

def always_b(request):
    return "B"

def unsure(request):
    return "I do not know."

def down(request):
    fault = Fault(kind=FaultKind.CONNECTION, message="connection refused", retryable=True)
    return Reply(status=ReplyStatus.ERROR, fault=fault)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, photograph: Picture, dark: Picture) -> Path:
    """A folder with pictures and a model module, which is the current one."""
    (tmp_path / "clean.png").write_bytes(photograph.png())
    (tmp_path / "dark.png").write_bytes(dark.png())
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "cli_models.py").write_text(MODEL_FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", *arguments])
    return int(run_app(build_app()))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("solve", "--help"),
        ("detect", "--help"),
        ("rectify", "--help"),
        ("tools", "--help"),
        ("tools", "list", "--help"),
        ("replies", "--help"),
        ("replies", "check", "--help"),
        ("doctor", "--help"),
    ],
)
def test_help_is_there(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(*arguments, monkeypatch=monkeypatch) == 0
    assert capsys.readouterr().out.strip()


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['seeworthy', '--help']\n"
        "from seeworthy.agent.cli.app import build_app\n"
        "from seeworthy.agent.cli.common import run_app\n"
        "run_app(build_app())\n"
        "heavy = {'torch', 'transformers', 'cv2', 'langgraph', 'openai', 'scipy', 'numba', 'matplotlib', 'PIL'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_solve_answers_with_the_option_and_keeps_stdout_clean(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = run(
        "solve", "clean.png", "Where?", "--model", "python/cli_models:always_b", "--options", "left|right",
        "--trace", "trace.html", monkeypatch=monkeypatch,
    )  # fmt: skip
    captured = capsys.readouterr()
    assert code == ExitCode.OK
    assert captured.out.startswith("B. right\n")
    assert "detect:" in captured.err
    assert (here / "trace.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list((here / "cache").rglob("*.png")) == [], "a finished question leaves nothing behind"


def test_solve_json_is_one_object(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--options", "left|right", "--json", "-q",
        monkeypatch=monkeypatch)  # fmt: skip
    captured = capsys.readouterr()
    row = json.loads(captured.out)
    assert (row["outcome"], row["answer"], row["support"]) == ("answered", "B", 1.0)
    assert captured.err == ""


def test_an_abstention_has_its_own_exit_code(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = run(
        "solve", "clean.png", "Where?", "-m", "python/cli_models:unsure", "--options", "left|right",
        monkeypatch=monkeypatch,
    )  # fmt: skip
    assert code == ExitCode.ABSTAINED
    assert capsys.readouterr().out.startswith("Cannot tell.")


def test_a_dead_model_is_a_clear_error_and_the_same_command_goes_on(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("solve", "clean.png", "Where?", "-m", "python/cli_models:down", "--options", "left|right")
    assert run(*command, monkeypatch=monkeypatch) == ExitCode.MODEL_UNAVAILABLE
    error = capsys.readouterr().err
    assert "connection refused" in error
    assert "goes on from there" in error
    assert list((here / "cache").rglob("unfinished/*.sqlite"))
    monkeypatch.setattr("cli_models.down", lambda request: "A")
    assert run(*command, monkeypatch=monkeypatch) == ExitCode.OK
    assert "A. left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", "clean.png", "-m", "python/cli_models:always_b"), "at least one picture"),
        (("solve", "missing.png", "Where?", "-m", "python/cli_models:always_b"), "missing.png"),
        (("solve", "empty.png", "Where?", "-m", "python/cli_models:always_b"), "empty.png"),
        (("solve", "clean.png", "Where?", "-m", "nothing"), "provider/model"),
        (("solve", "clean.png", "Where?", "-m", "opnai/x"), "did you mean 'openai'"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:nobody"), "nobody"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--profile", "fast"), "unknown profile"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--options", "one"), "--options"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--answer", "number:parsec"), "parsec"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--answer", "number"), "--answer"),
        (("solve", "clean.png", "Where?", "-m", "openai/x@http://127.0.0.1:9", "--model-option", "x"), "key=value"),
        (("solve", "clean.png", "Where?", "-m", "openai/x@http://127.0.0.1:9", "--model-option", "nope=3"), "nope"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--experience", "no.json"), "no.json"),
        (("solve", "clean.png", "dark.png", "-m", "python/cli_models:always_b"), "question must come last"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--options", "a|a"), "different texts"),
        (("solve", "clean.png", "Where?", "-m", "python/cli_models:always_b", "--trace", "."), "is a folder"),
        (("rectify", "clean.png", "-o", "clean.png"), "is the input"),
        (("detect", "missing.png"), "missing.png"),
        (("rectify", "clean.png", "--tool", "dehase", "-o", "x.png"), "did you mean 'dehaze'"),
        (("rectify", "clean.png", "--tool", "dehaze", "--option", "a=b", "-o", "x.png"), "a number is needed"),
        (("rectify", "clean.png", "--tool", "dehaze", "--option", "nothing=1", "-o", "x.png"), "nothing"),
        (("rectify", "clean.png", "-o", "x.gif"), "x.gif"),
        (("rectify", "clean.png", "-o", "no/such/x.png"), "no/such"),
        (("rectify", "clean.png", "--severity", "3", "-o", "x.png"), "auto measures"),
        (("replies", "check", "missing.jsonl"), "missing.jsonl"),
        (("solve",), "IMAGE"),
        (("nonsense",), "nonsense"),
    ],
)  # fmt: skip
def test_mistakes_are_one_clear_line_and_not_a_traceback(
    arguments: tuple[str, ...],
    words: str,
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = run(*arguments, monkeypatch=monkeypatch)
    captured = capsys.readouterr()
    assert code in (ExitCode.USAGE, ExitCode.FAILED)
    assert words.lower() in captured.err.lower()
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_detect_names_the_stress(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("detect", "dark.png", "clean.png", "--json", monkeypatch=monkeypatch) == 0
    dark_row, clean_row = map(json.loads, capsys.readouterr().out.splitlines())
    assert dark_row["findings"][0]["stress"] == "low_light"
    assert clean_row["findings"] == []
    assert run("detect", "dark.png", "clean.png", monkeypatch=monkeypatch) == 0
    text = capsys.readouterr().out
    assert "low light" in text
    assert "clean.png: no stress found" in text


def test_rectify_brightens_the_dark_and_leaves_the_clean_alone(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, photograph: Picture, dark: Picture
) -> None:
    from seeworthy.bench_data.images import load_image
    from seeworthy.tools.measure.fidelity import psnr_db

    assert run("rectify", "dark.png", "-o", "out.png", monkeypatch=monkeypatch) == 0
    repaired = load_image("out.png")
    before = psnr_db(photograph.image_srgb_u8, dark.image_srgb_u8)
    assert psnr_db(photograph.image_srgb_u8, repaired.image_srgb_u8) > before + 3
    assert run("rectify", "clean.png", "-o", "same.png", monkeypatch=monkeypatch) == 0
    assert np.array_equal(load_image("same.png").image_srgb_u8, photograph.image_srgb_u8)
    assert "left alone" in capsys.readouterr().err
    assert run("rectify", "dark.png", "--tool", "none", "-o", "none.jpg", monkeypatch=monkeypatch) == 0


def test_tools_list(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("tools", "list", "--json", monkeypatch=monkeypatch) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert "haze" in rows["dehaze"]["treats"]
    assert run("tools", "list", monkeypatch=monkeypatch) == 0
    assert "dehaze" in capsys.readouterr().out


def test_doctor_finds_nothing_wrong_here(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("doctor", monkeypatch=monkeypatch) == ExitCode.OK
    assert run("doctor", "--model", "python/cli_models:always_b", monkeypatch=monkeypatch) == ExitCode.OK
    assert "ignore the temperature" in capsys.readouterr().out
    assert run("doctor", "--model", "python/cli_models:down", monkeypatch=monkeypatch) == ExitCode.FAILED
    assert "BAD" in capsys.readouterr().out


@pytest.mark.parametrize("options", ["a|", "|", "a||b", "|".join("x" * 27)])
def test_bad_option_lists(options: str) -> None:
    with pytest.raises(SeeworthyError, match="--options"):
        answer_format_of(options, None)


def test_what_a_server_says_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("stopped: \x1b[31mred\x07 \u009b, naïve 木 👩‍🚀\tor\nso")
    assert capsys.readouterr().err == "stopped: \\x1b[31mred\\x07 \\x9b, naïve 木 👩‍🚀\tor\nso\n"
