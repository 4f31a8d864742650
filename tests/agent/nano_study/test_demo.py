"""The demo from end to end, with a model that cannot see in the dark in the place of the embedded one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seeworthy.agent.demo.run import run_demo
from seeworthy.agent.errors import SolverError
from seeworthy.agent.nano_study.steps import Show
from seeworthy.diagnostics.report import ReportSummary
from seeworthy.diagnostics.runs import RunFolder, read_records

from .conftest import SMALL, Sighted

pytestmark = pytest.mark.xdist_group("nano study")


def demo(folder: Path, model: Sighted) -> str:
    said: list[str] = []
    assert run_demo(folder, SMALL, model, Show(), jobs=1, tell=said.append) == folder / "report.html"
    return "\n".join(said)


def numbers(folder: Path) -> ReportSummary:
    return ReportSummary.model_validate_json((folder / "report.json").read_bytes())


def test_the_dark_takes_answers_and_the_solver_returns_them(folder: Path, truths: dict[str, str]) -> None:
    said = demo(folder, Sighted("nano", truths))
    rows = {
        (row.condition_after, row.category): row
        for row in numbers(folder).paired
        if row.contrast == "arm" and row.by in ("all", "suite")
    }
    arm, clean = rows["low_light-bench", "all"], rows["clean", "all"]
    assert (arm.before.arm, arm.after.arm) == ("nano", "robust(nano)")
    assert arm.score_before < 0.1
    assert arm.flips is not None and arm.flips.gained > 3 and arm.flips.lost == 0
    # Things by their names; numbers drawn brightly on a dark picture hide from the detector that it is dark.
    assert min(rows["low_light-bench", suite].score_after for suite in ("spacedg", "open3dvqa")) > 0.8
    assert clean.score_before == clean.score_after > 0.9
    for words in ("Against clean pictures", "One model against another", "McNemar p", "negative flips"):
        assert words in said
    assert re.search(r"nano +low_light-bench +\d+ +0\.9\d\d|nano +low_light-bench +\d+ +1\.000", said)


def test_it_says_what_the_model_is_and_where_the_one_report_lies(folder: Path, truths: dict[str, str]) -> None:
    said = demo(folder, Sighted("nano", truths))
    assert said.startswith("nano is a small model that comes with Seeworthy.")
    assert f"Open {folder / 'report.html'}" in said
    page = (folder / "report.html").read_text()
    assert "small model that comes with Seeworthy" in page
    assert "grounded" in page  # the audit's verdict stands in the same page
    assert re.search(r"Audit of nano on clean pictures: answers (9\d|100)% right .*\(1 of 1 readable\).*Verdict:", said)


def test_another_model_is_not_called_small(folder: Path, truths: dict[str, str]) -> None:
    said = demo(folder, Sighted("hers", truths))
    assert "small model" not in said and said.startswith("The pictures are rendered rooms")


def test_the_same_command_again_asks_nothing_and_writes_the_same_bytes(folder: Path, truths: dict[str, str]) -> None:
    said = demo(folder, Sighted("nano", truths))
    before = {name: (folder / name).read_bytes() for name in ("report.html", "report.json", "audit/results.json")}
    again = Sighted("nano", truths)
    assert demo(folder, again) == said
    assert again.asked == []
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_a_demo_that_was_stopped_goes_on_and_pays_nothing_twice(folder: Path, truths: dict[str, str]) -> None:
    with pytest.raises(SolverError, match="calls have no reply: .*no more"):
        demo(folder, Sighted("nano", truths, falls_silent_after=20))
    kept = sum(record.reply.status == "ok" for record in read_records(RunFolder(folder / "run").records))
    assert 0 < kept <= 20
    whole = Sighted("nano", truths)
    demo(folder, whole)
    asked_in_the_run = [request for request in whole.asked if request.seed == SMALL.seed]
    fingerprints = [(request.messages[-1].text, *(one.sha256 for one in request.pictures)) for request in whole.asked]
    assert len(asked_in_the_run) > 0
    # Alone, within the solver (another picture, or kept apart), and in the audit: never more than three times.
    assert max(fingerprints.count(one) for one in set(fingerprints)) <= 3
    assert numbers(folder).runs[0].calls_left == 0
