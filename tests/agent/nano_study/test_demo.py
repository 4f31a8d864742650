"""The demo from end to end, with a model that cannot see in the dark in the place of the embedded one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from seeworthy.agent.demo.run import run_demo
from seeworthy.agent.errors import SolverError
from seeworthy.agent.nano_study.page import remark
from seeworthy.agent.nano_study.steps import Show, ask_arms, plan_claimed
from seeworthy.bench_data.building import DataSet
from seeworthy.diagnostics.report import ReportSummary
from seeworthy.diagnostics.runs import Arm, RunFolder, read_records

from .conftest import SMALL, Sighted

pytestmark = pytest.mark.xdist_group("nano study")


def demo(folder: Path, model: Sighted) -> str:
    said: list[str] = []
    assert run_demo(folder, SMALL, model, Show(), jobs=1, tell=said.append) == folder / "report.html"
    return "\n".join(said)


def numbers(folder: Path) -> ReportSummary:
    return ReportSummary.model_validate_json((folder / "report.json").read_bytes())


@pytest.fixture(scope="module")
def done(small_data: DataSet, truths: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A demo that ran to its end, and what it said; nobody may change the folder."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    shutil.copytree(small_data.root, folder / "data")
    return folder, demo(folder, Sighted("nano", truths))


def test_the_dark_takes_answers_and_the_solver_returns_them(done: tuple[Path, str]) -> None:
    folder, said = done
    rows = {
        (row.condition_after, row.category): row
        for row in numbers(folder).paired
        if row.contrast == "arm" and row.by in ("all", "suite")
    }
    arm, clean = rows["low_light-bench", "all"], rows["clean", "all"]
    assert (arm.before.arm, arm.after.arm) == ("nano", "robust(nano)")
    assert arm.score_before < 0.1
    assert arm.flips is not None and arm.flips.gained > 3 and arm.flips.lost == 0
    # On pictures with numbers, drawn brightly on the dark, as on those without.
    assert min(rows["low_light-bench", suite].score_after for suite in ("spacedg", "open3dvqa", "crisp")) > 0.8
    assert clean.score_before == clean.score_after > 0.9
    for words in ("Against clean pictures", "One model against another", "McNemar p", "negative flips"):
        assert words in said
    assert re.search(r"nano +low_light-bench +\d+ +0\.9\d\d|nano +low_light-bench +\d+ +1\.000", said)


def test_it_says_what_the_model_is_and_where_the_one_report_lies(done: tuple[Path, str]) -> None:
    folder, said = done
    assert said.startswith("nano is a small model that comes with Seeworthy.")
    assert f"Open {folder / 'report.html'}" in said
    page = (folder / "report.html").read_text()
    assert "small model that comes with Seeworthy" in page
    assert "grounded" in page  # the audit's verdict stands in the same page
    assert re.search(r"Audit of nano on clean pictures: answers (9\d|100)% right .*\(1 of 1 readable\).*Verdict:", said)


def test_another_model_is_not_called_small() -> None:
    assert "small model" not in remark(["hers"]) and remark(["hers"]).startswith("The pictures are rendered rooms")


def test_the_same_command_again_asks_nothing_and_writes_the_same_bytes(
    done: tuple[Path, str], truths: dict[str, str]
) -> None:
    folder, said = done
    before = {name: (folder / name).read_bytes() for name in ("report.html", "report.json", "audit/results.json")}
    again = Sighted("nano", truths)
    assert demo(folder, again) == said
    assert again.asked == []
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_a_demo_that_was_cut_short_goes_on_and_asks_nothing_twice(folder: Path, truths: dict[str, str]) -> None:
    short = Sighted("nano", truths)
    few = SMALL.model_copy(update={"clean": 6, "degraded": 6})
    run_demo(folder, few, short, Show(), jobs=1, tell=lambda line: None)
    before = [record.key for record in read_records(RunFolder(folder / "run").records)]
    whole = Sighted("nano", truths)
    demo(folder, whole)
    after = [record.key for record in read_records(RunFolder(folder / "run").records)]
    assert after[: len(before)] == before and len(set(after)) == len(after) > len(before) == 24
    # The audit was done before; every new record is one call, or two where the solver shows both pictures.
    new = len(after) - len(before)
    assert new <= len(whole.asked) <= 2 * new
    assert numbers(folder).runs[0].calls_left == 0


def test_a_model_that_falls_silent_is_an_error_that_says_what_to_do(small_data: DataSet, tmp_path: Path) -> None:
    arms = {"nano": Arm(Sighted("nano", {}, falls_silent_after=0))}
    planned = plan_claimed(small_data, arms, prompts=("plain",), clean=6, degraded=6, seed=1)
    with pytest.raises(SolverError, match="12 calls have no reply: authentication: no more; give the same command"):
        ask_arms(planned, arms, RunFolder(tmp_path), Show())
