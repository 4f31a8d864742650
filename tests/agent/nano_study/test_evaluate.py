"""The study's page: from a whole small study, and from a run whose numbers are known."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import run_app
from seeworthy.agent.nano_study import evaluate, study_settings
from seeworthy.agent.nano_study.goals import goals
from seeworthy.agent.nano_study.page import results_page
from seeworthy.agent.nano_study.tables import Numbers
from seeworthy.bench_data.building import DataSet
from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY
from seeworthy.bench_data.degrade.mixtures import RECIPES
from seeworthy.diagnostics.report import report_summary
from seeworthy.diagnostics.runs import Call
from tests.diagnostics.report.made_runs import item, write_run

from .conftest import SMALL, Sighted

pytestmark = pytest.mark.xdist_group("nano study")

ARMS = ("nano", "robust(nano)", "nano-sft", "robust(nano-sft)")
CONDITIONS = ("clean", "haze-bench", "low_light-bench")
RIGHT = {
    # (arm, condition) -> the first so many of ten questions are right.
    ("nano", "clean"): 10,
    ("nano", "haze-bench"): 2,
    ("nano", "low_light-bench"): 6,
    ("robust(nano)", "clean"): 10,
    ("robust(nano)", "haze-bench"): 8,
    ("robust(nano)", "low_light-bench"): 5,
    ("nano-sft", "clean"): 9,
    ("nano-sft", "haze-bench"): 9,
    ("nano-sft", "low_light-bench"): 9,
    ("robust(nano-sft)", "clean"): 9,
    ("robust(nano-sft)", "haze-bench"): 9,
    ("robust(nano-sft)", "low_light-bench"): 9,
}


@pytest.fixture
def made(tmp_path: Path) -> Numbers:
    items = [item(number, condition, kind="left_choice") for condition in CONDITIONS for number in range(10)]

    def answer(call: Call) -> str:
        number = int(call.item.question_id.removeprefix("q"))
        right = 4 if call.prompt == "blind" else RIGHT[call.arm, call.item.condition]
        return "B" if number < right else "A"

    write_run(tmp_path / "run", items, answer, arms=ARMS, prompts=("plain", "blind"))
    return Numbers(report_summary([tmp_path / "run"]), ("nano", "nano-sft"))


def test_what_is_won_back_is_a_share_of_what_was_taken(made: Numbers) -> None:
    assert made.won_back("nano", "haze-bench") == pytest.approx(6 / 8)
    assert made.won_back("nano", "low_light-bench") == pytest.approx(-1 / 4)
    assert made.won_back("nano-sft", "haze-bench") is None
    assert made.won_back("nano", "fog") is None


def test_goals_are_met_or_not_by_the_numbers(made: Numbers) -> None:
    *found, trained = [(goal.measured, goal.met) for goal in goals(made, {"left_choice"})]
    assert found == [
        ("1 of 1 kinds", True),
        ("left_choice 100%", True),
        ("not asked", None),
        ("-25%", False),  # low light: what the solver did was worse than nothing
        ("10.0%", False),
        ("75%", True),  # haze
        ("0.0%", True),
    ]
    # (9 + 9) - (2 + 6) of 20.
    assert trained[0].startswith("+50.0 points [") and trained[1] is True


def test_a_kind_that_is_guessed_as_well_without_the_picture_is_named(tmp_path: Path) -> None:
    items = [
        item(number, "clean", kind=kind) for kind, start in (("a", 0), ("b", 10)) for number in range(start, start + 10)
    ]

    def answer(call: Call) -> str:
        number = int(call.item.question_id.removeprefix("q"))
        return "B" if call.prompt == "plain" or number >= 10 else "A"

    write_run(tmp_path / "run", items, answer, arms=("nano", "robust(nano)"), prompts=("plain", "blind"))
    numbers = Numbers(report_summary([tmp_path / "run"]), ("nano",))
    first, *_ = goals(numbers, {"a", "b"})
    assert (first.measured, first.met) == ("1 of 2 kinds; short: b +0", False)
    # The kind that is no choice has no blind baseline to be held against.
    only, *_ = goals(numbers, {"a"})
    assert only.met is True


def test_the_page_has_every_arm_and_condition(made: Numbers, small_data: DataSet) -> None:
    page = results_page(
        made.summary, ("nano", "nano-sft"), small_data.manifest, choices={"left_choice"}, command="do it"
    )
    assert page == results_page(
        made.summary, ("nano", "nano-sft"), small_data.manifest, choices={"left_choice"}, command="do it"
    )
    [haze] = [line for line in page.splitlines() if line.startswith("| haze-bench | 10 | 0.200 \\[")]
    assert [cell.split()[0] for cell in haze.strip("| ").split(" | ")[2:]] == ["0.200", "0.800", "0.900", "0.900"]
    [pair] = [line for line in page.splitlines() if line.startswith("| haze-bench | 10 | 0.200 | 0.800 |")]
    assert pair.split(" | ")[5:8] == ["6", "0", "0.0 %"]
    [kind] = [line for line in page.splitlines() if line.startswith("| left\\_choice |")]
    assert kind.split(" | ")[1:4] == ["10", "0.500", "0.400"]
    for words in (
        "`do it`",
        "nano and nano-sft come with Seeworthy: small models",
        "## What this cannot show",
        "- data ",
    ):
        assert words in page


def test_a_whole_small_study(folder: Path, truths: dict[str, str]) -> None:
    models = [Sighted("nano", truths), Sighted("nano-sft", truths, needs_light=False)]
    written = evaluate(folder, SMALL, models, command="seeworthy nano evaluate -o DIR", jobs=1)
    page = written.page.read_text()
    assert written.report.is_file()
    assert "nano-sft against nano, both alone" in page
    assert "| nano: at least 99 % of the scene graphs can be read | 1 of 1 | yes |" in page
    assert "nothing to win back" in page or "wins back half of what low\\_light-bench takes |" in page
    for card, name in zip(written.cards, ("nano", "nano-sft"), strict=True):
        text = card.read_text()
        assert text.startswith("---\nlicense: apache-2.0") and f"# {name}\n" in text
        assert f"| kind | n | chance | {name}, blind | {name} |" in text
        assert f"| condition | n | {name} | robust({name}) |" in text and "| low\\_light-bench |" in text
    asked = [len(model.asked) for model in models]
    evaluate(folder, SMALL, models, command="seeworthy nano evaluate -o DIR", jobs=1)
    assert [len(model.asked) for model in models] == asked
    assert written.page.read_text() == page


def test_the_whole_study_has_all_degradations_and_mixtures() -> None:
    labels = {condition.label for condition in study_settings().build.conditions}
    levels = {f"{name}-bench" for name in DEGRADATION_REGISTRY.names()}
    # Plain sensor noise is a part of low light, and none of the thirteen.
    assert labels == {"clean", *RECIPES.names(), *levels} - {"noise-bench"}
    assert len(labels) == 1 + 13 + 6


def test_quick_asks_less_of_the_same() -> None:
    quick, whole = study_settings(quick=True), study_settings()
    assert {one.label for one in quick.build.conditions} < {one.label for one in whole.build.conditions}
    assert quick.build.seed == whole.build.seed and quick.build.scenes < whole.build.scenes
    assert (quick.build.width, quick.build.height) == (whole.build.width, whole.build.height) == (192, 144)


def test_the_command_says_what_it_makes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "nano", "evaluate", "--help"])
    assert run_app(build_app()) == 0
    assert "--quick" in capsys.readouterr().out


def test_going_on_from_a_folder_without_models_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = ["seeworthy", "nano", "train", "-o", str(tmp_path / "out"), "--from", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", command)
    assert run_app(build_app()) != 0
    assert "name a folder that holds both models" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
