"""Items come from suite files and from built data sets, alone and together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seeworthy.bench_data.building import BuildSettings, DataSet, build_data_set, parse_conditions
from seeworthy.bench_data.building.conditions import Condition
from seeworthy.bench_data.degrade.mixtures.recipe import RecipePart, SeverityChoice
from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs.items import Unasked
from seeworthy.diagnostics.runs.sources import Source, own_mixture, read_sources
from seeworthy.diagnostics.runs.stress import DEGRADATIONS_TAG, true_stress

from .small_runs import CountedModel, planned, run_in, small_items, small_suite, table_in, written


@pytest.fixture(scope="module")
def data_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built") / "set"
    settings = BuildSettings(
        width=64,
        height=48,
        scenes=1,
        suites=("spacedg",),
        conditions=parse_conditions("clean,low_light@5"),
        views=2,
        density=0.05,
        most_per_kind=1,
    )
    build_data_set(settings, root, jobs=1)
    return root


def read(*paths: Path, conditions: tuple[str, ...] | None = None) -> tuple[set[str], Unasked]:
    unasked = Unasked()
    sources = [Source.at(path) for path in paths]
    return {one.id for one in read_sources(sources, conditions=conditions, unasked=unasked)}, unasked


async def test_a_data_set_is_asked_under_the_conditions_that_it_has(data_set: Path, tmp_path: Path) -> None:
    questions = [question.id for question in DataSet(data_set).questions("spacedg")]
    both, _ = read(data_set)
    dark, _ = read(data_set, conditions=("low_light-5",))
    assert both == {*questions, *(f"{one}@low_light-5" for one in questions)}
    assert dark == {f"{one}@low_light-5" for one in questions}
    with pytest.raises(DiagnosticsError, match="'haze-3'; the suites have: clean, low_light-5"):
        read(data_set, conditions=("haze-3",))
    model = CountedModel()
    outcome = await run_in(tmp_path / "run", planned(data_set, [model.arm]), [model.arm])
    assert (outcome.asked, outcome.failed) == (2 * len(questions), 0)
    assert "low_light-5" in table_in(tmp_path / "run")


def test_several_suites_keep_their_items_apart(tmp_path: Path) -> None:
    one = small_suite(tmp_path / "a", questions=2)
    other = small_suite(tmp_path / "b", questions=2)
    ids, _ = read(one, other)
    assert ids == {"suite/q0@clean", "suite/q1@clean", "suite-2/q0@clean", "suite-2/q1@clean"}
    with pytest.raises(DiagnosticsError, match="named twice"):
        read(one, one)


def test_what_a_run_cannot_ask_is_counted_and_said(tmp_path: Path) -> None:
    items = small_items(tmp_path, questions=3)
    graph = replace(items[0], answer_format=AnswerFormat(answer_type=AnswerType.GRAPH), truth='{"objects": []}')
    ids, unasked = read(written(tmp_path, [graph, *items[1:]]))
    assert ids == {"q1@clean", "q2@clean"}
    assert unasked.describe() == "1 left out: asks for a scene graph, and the true one is withheld or cannot be read"
    with pytest.raises(DiagnosticsError, match=r"nothing to ask in .*1 left out"):
        read(written(tmp_path, [graph]))


@pytest.mark.parametrize(
    ("label", "parts", "words"),
    [
        ("clean", [], ""),
        ("haze-3", [("haze", 3)], ""),
        ("night_capture", [("low_light", "bench"), ("motion_blur", (1, 2)), ("low_res", (1, 2))], ""),
        ("my_evening", [("low_light", 2), ("haze", (1, 3)), ("noise", "bench")], "low_light@2,haze@1-3,noise@bench"),
    ],
)
def test_a_mixture_of_the_data_sets_own_is_told_by_its_parts(
    label: str, parts: list[tuple[str, SeverityChoice]], words: str
) -> None:
    condition = Condition(label=label, parts=tuple(RecipePart(degradation=name, severity=at) for name, at in parts))
    assert own_mixture(condition) == words
    told = true_stress(label, {DEGRADATIONS_TAG: words} if words else {})
    assert told is not None
    assert [one.stress.value for one in told] == [name for name, _ in parts]
