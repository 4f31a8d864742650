"""``seeworthy data``: build, show and audit; exit codes and what is said."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.agent.cli.data.progress import shown_progress
from seeworthy.bench_data.building import DataSet, Progress
from seeworthy.bench_data.suites import read_suite, validate_suite
from tests.bench_data.building.small import contents

pytestmark = pytest.mark.xdist_group("cli data")

SMALL = (
    *("--scenes", "1", "--views", "2", "--size", "64x48", "--objects", "3", "--density", "0.05", "--suite", "crisp"),
    *("--conditions", "clean,jpeg_compression@5", "--jobs", "1", "--seed", "2"),
)


def run(*arguments: str) -> int:
    before = sys.argv
    sys.argv = ["seeworthy", "data", *arguments]
    try:
        return int(run_app(build_app()))
    finally:
        sys.argv = before


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("cli") / "set"
    assert run("build", *SMALL, "-o", str(root)) == ExitCode.OK
    return root


class TestBuild:
    def test_options_become_settings(self, built: Path) -> None:
        settings = DataSet(built).settings
        assert (settings.scenes, settings.views, settings.width, settings.height) == (1, 2, 64, 48)
        assert (settings.objects, settings.density, settings.seed, settings.suites) == (3, 0.05, 2, ("crisp",))
        assert [one.label for one in settings.conditions] == ["clean", "jpeg_compression-5"]

    def test_again_says_that_it_is_finished(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("build", *SMALL, "-o", str(built)) == ExitCode.OK
        assert "was finished already: 4 pictures" in capsys.readouterr().err

    def test_another_command_is_refused(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("build", *SMALL, "--published", "-o", str(built)) == ExitCode.USAGE
        assert "(published: True, not False)" in capsys.readouterr().err

    def test_progress_and_report(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("build", *SMALL, "-o", str(tmp_path / "set")) == ExitCode.OK
        out, err = capsys.readouterr()
        assert out == ""
        for text in ("scenes 1/1", "questions 1/1", "pictures 4/4", "4 pictures drawn", "a second", "wrote "):
            assert text in err

    def test_from_a_manifest(self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        again = tmp_path / "again"
        manifest = str(built / "manifest.json")
        assert run("build", "--manifest", manifest, "--jobs", "1", "-o", str(again)) == ExitCode.OK
        assert contents(again) == contents(built)
        count = len(DataSet(built).manifest.files)
        assert f"{count} of {count} files are the same, byte for byte" in capsys.readouterr().err

    def test_a_manifest_of_other_bytes(self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        manifest = json.loads((built / "manifest.json").read_text())
        manifest["files"]["truth/room-000.json"] = "0" * 64
        manifest["versions"]["numpy"] = "1.0"
        (tmp_path / "m.json").write_text(json.dumps(manifest))
        copy = shutil.copytree(built, tmp_path / "copy")
        assert run("build", "--manifest", str(tmp_path / "m.json"), "-o", str(copy)) == ExitCode.FAILED
        err = capsys.readouterr().err
        assert "made with numpy 1.0" in err
        assert "differs: truth/room-000.json" in err

    def test_an_interrupt_leaves_something_to_go_on_from(
        self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from seeworthy.bench_data.building import picture_stage

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        target = tmp_path / "set"
        with monkeypatch.context() as patch:
            patch.setattr(picture_stage._SceneWork, "write", interrupted)
            assert run("build", *SMALL, "-o", str(target)) == ExitCode.INTERRUPTED
        assert f"what is done stays in {target}" in capsys.readouterr().err
        assert run("build", *SMALL, "-o", str(target)) == ExitCode.OK
        assert contents(target) == contents(built)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--size", "640"), "--size '640' is not WIDTHxHEIGHT"),
            (("--size", "4x4"), "--width: Input should be greater"),
            (("--suite", "crisp,"), "--suite 'crisp,': an item is empty"),
            (("--suite", "crips"), "did you mean 'crisp'"),
            (("--suite", "crisp,crisp"), "suite crisp is asked for twice"),
            (("--conditions", "fog"), "unknown condition 'fog'"),
            (("--density", "99"), "--density: Input should be less"),
            (("--recipes", "none.yaml"), "cannot read none.yaml"),
            (("--manifest", "none.json"), "cannot read none.json"),
        ],
    )
    def test_what_cannot_be_built(
        self, arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = tmp_path / "set"
        assert run("build", *SMALL, *arguments, "-o", str(target)) == ExitCode.USAGE
        assert says in capsys.readouterr().err
        assert not target.exists()


class TestShow:
    def test_a_sheet(self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from PIL import Image

        out = tmp_path / "sheet.png"
        assert run("show", str(built), "--condition", "clean", "-o", str(out)) == ExitCode.OK
        assert Image.open(out).width == 340
        assert str(out) in capsys.readouterr().err

    def test_what_cannot_be_shown(self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("show", str(built), "-o", str(tmp_path / "sheet.pdf")) == ExitCode.USAGE
        assert run("show", str(tmp_path)) == ExitCode.USAGE
        assert run("show", str(built), "--scene", "attic", "-o", str(tmp_path / "s.png")) == ExitCode.USAGE
        err = capsys.readouterr().err
        assert "must end in .png" in err
        assert "manifest.json" in err
        assert "no scene 'attic'" in err


class TestAudit:
    def test_tables(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("audit", str(built)) == ExitCode.OK
        out = capsys.readouterr().out
        assert "crisp: guessers that see no picture" in out
        assert "0 faults" in out
        assert "files are as the manifest says" in out

    def test_json(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("audit", str(built), "--json") == ExitCode.OK
        report = json.loads(capsys.readouterr().out)
        assert report["ok"] is True
        assert report["changed"] == []
        assert report["keys"]["crisp"]["faults"] == []
        assert report["leaks"]["crisp"]["questions"] == DataSet(built).manifest.questions["crisp"]
        assert report["leaks"]["crisp"]["too_few"]["all kinds"].endswith("of 7 scenes")
        assert report["whole"]["questions"] == sum(DataSet(built).manifest.questions.values())
        assert all(one["interval_95"] is None for one in report["whole"]["guesses"])

    def test_files_of_questions(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = str(built / "questions/crisp.jsonl")
        assert run("audit", file) == ExitCode.OK
        assert "keys were not checked" in capsys.readouterr().out
        assert run("audit", file, "--truth", str(built / "truth")) == ExitCode.OK
        assert "0 faults" in capsys.readouterr().out

    def test_what_is_wrong_gives_exit_code_1(
        self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        copy = shutil.copytree(built, tmp_path / "copy")
        (copy / "images/clean/room-000/view-00.png").unlink()
        assert run("audit", str(copy)) == ExitCode.FAILED
        assert "missing or changed: images/clean/room-000/view-00.png" in capsys.readouterr().out
        assert run("audit", str(copy), "--no-files") == ExitCode.OK

    def test_one_data_set_at_a_time(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("audit", str(built), str(built)) == ExitCode.USAGE
        assert "one data set at a time" in capsys.readouterr().err


class TestAsASuite:
    def test_a_data_set_is_validated_as_a_whole(self, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("validate", str(built)) == ExitCode.OK
        err = capsys.readouterr().err
        assert "(data_set)" in err
        assert f"seeworthy data audit {built}" in err
        assert run("validate", str(built / "questions/crisp.jsonl")) == ExitCode.OK
        assert "(native)" in capsys.readouterr().err

    def test_a_missing_picture_is_named(self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        copy = shutil.copytree(built, tmp_path / "copy")
        asked = {path for one in DataSet(copy).asked("crisp", "jpeg_compression-5") for path in one.pictures}
        gone = sorted(asked)[0]
        gone.unlink()
        assert run("validate", str(copy)) == ExitCode.FAILED
        assert f"{gone.relative_to(copy).as_posix()}: there is no such file" in capsys.readouterr().out

    def test_one_condition_of_one_suite_in_a_published_format(
        self, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "bench.jsonl"
        chosen = ("--condition", "jpeg_compression-5", "--suite", "crisp")
        assert run("convert", str(built), *chosen, "--to", "crisp", "--skip-refused", "-o", str(out)) == ExitCode.OK
        items = list(read_suite(out))
        assert items
        assert {item.condition for item in items} == {"jpeg_compression-5"}
        assert validate_suite(out).errors == ()

    @pytest.mark.parametrize(
        ("option", "name", "there"), [("--condition", "fog-1", "clean, jpeg_compression-5"), ("--suite", "x", "crisp")]
    )
    def test_what_no_question_has(
        self, option: str, name: str, there: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "bench.jsonl"
        assert run("convert", str(built), option, name, "--to", "native", "-o", str(out)) == ExitCode.USAGE
        assert f"there are: {there}" in capsys.readouterr().err
        assert not out.exists()


def test_progress_without_a_terminal_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress() as show:
        for done in range(1001):
            show(Progress("pictures", done, 1000))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "pictures 0/1000"
    assert lines[-1].startswith("pictures 1000/1000")
    assert len(lines) == 11


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with shown_progress() as show:
        show(Progress("scenes", 0, 4))
        show(Progress("scenes", 4, 4))
        show(Progress("pictures", 50, 100, before=50))
    err = capsys.readouterr().err
    assert "scenes" in err
    assert "50/100" in err
