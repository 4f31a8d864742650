"""Experiments are data: what the package brings is sound, and what a file says wrongly is named."""

from pathlib import Path

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.interventions import Condition, Experiment, experiment_names, load_experiment


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_of_the_package_loads(name: str) -> None:
    experiment = load_experiment(name)
    assert experiment.name == name and experiment.summary
    assert experiment.in_role("plain") is not None
    for effect in experiment.effects:
        assert effect.meaning
        assert experiment.condition(effect.before) != experiment.condition(effect.after)


def test_the_standard_experiment_tests_all_that_a_diagnosis_uses() -> None:
    experiment = load_experiment("interventions")
    for role in ("plain", "blind", "true", "own", "shuffled"):
        assert experiment.in_role(role) is not None  # type: ignore[arg-type]


def test_roles() -> None:
    assert Condition(name="a").role == "plain"
    assert Condition(name="a", picture="grey").role == "blind"
    assert Condition(name="a", graph="own").role == "own"
    assert Condition(name="a", graph="own", media=("prose",)).role is None
    assert Condition(name="a", graph="true", picture="none").role is None
    assert Condition(name="a", hint="wrong").role is None
    assert Condition(name="a", graph="corrupted", level=0.5).role is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "no YAML"),
        ("just text", "no experiment"),
        ("name: x", "conditions"),
        ("{name: x, conditions: [{name: plain, graph: mine}]}", "graph"),
        ("{name: x, conditions: [{name: plain, colour: red}]}", "colour"),
        ("{name: x, conditions: [{name: a}, {name: a}]}", "twice"),
        ("{name: x, conditions: [{name: a, graph: corrupted}]}", "level"),
        ("{name: x, conditions: [{name: a, level: 0.5}]}", "level"),
        ("{name: x, conditions: [{name: a, graph: corrupted, level: .nan}]}", "level"),
        ("{name: x, conditions: [{name: a, chain: true, picture: none}]}", "with the picture"),
        ("{name: x, conditions: [{name: a, media: [json, json], graph: own}]}", "twice"),
        ("{name: x, conditions: [{name: a, media: [birds_eye], graph: 'true'}]}", "positions"),
        ("{name: x, graphs: [], conditions: [{name: a, graph: own}]}", "own graph"),
        ("{name: x, conditions: [{name: a}], effects: [{name: e, before: a, after: b}]}", "'b'"),
        ("!!python/object/apply:os.system ['true']", "no YAML"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(content)
    with pytest.raises(DiagnosticsError, match=complaint):
        load_experiment(path)


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(DiagnosticsError, match="interventions"):
        load_experiment("intervention")


def test_json_is_read_too(tmp_path: Path) -> None:
    experiment = load_experiment("interventions")
    path = tmp_path / "copy.json"
    path.write_text(experiment.model_dump_json())
    assert load_experiment(path) == experiment
    assert isinstance(experiment, Experiment)
