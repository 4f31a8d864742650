"""Names of conditions, and settings."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from seeworthy.bench_data.building import BuildSettings, Condition, parse_conditions
from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY
from seeworthy.bench_data.degrade.mixtures import RECIPES, recipes_from_yaml
from seeworthy.bench_data.errors import BenchDataError, RegistryError


def test_names_levels_and_mixtures() -> None:
    found = parse_conditions("clean, haze,low_light@5,rain@bench,night_capture")
    assert [one.label for one in found] == ["clean", "haze-3", "low_light-5", "rain-bench", "night_capture"]
    assert found[0].degradations(1) == []
    assert found[1].degradations(1) == [("haze", 3)]
    assert found[3].degradations(1) == [("rain", "bench")]


def test_a_mixture_is_drawn_as_the_recipe_itself_draws_it() -> None:
    for seed in range(5):
        (found,) = parse_conditions("night_capture")
        assert found.degradations(seed) == RECIPES.get("night_capture").degradations(seed)


def test_all_is_clean_and_every_degradation() -> None:
    assert len(parse_conditions("all")) == 1 + len(DEGRADATION_REGISTRY.names())


def test_own_mixtures(tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "own.yaml"
    file.write_text("my_fog:\n  parts:\n    haze: 4\n    jpeg_compression: [1, 2]\n")
    (found,) = parse_conditions("my_fog", recipes_from_yaml(file))
    assert found.label == "my_fog"
    assert dict(found.degradations(0))["haze"] == 4
    assert Condition.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("clean,,haze", "empty"),
        ("hase", "did you mean 'haze'"),
        ("haze@9", "severity"),
        ("haze@", "severity"),
        ("haze@-1", "severity"),
        ("haze@٣", "severity"),
        ("clean@3", "unknown condition"),
        ("night_capture@3", "own levels"),
        ("haze,haze@3", "twice"),
        ("all,clean", "twice"),
    ],
)
def test_what_is_no_condition(text: str, says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        parse_conditions(text)


@pytest.mark.parametrize("label", ["../up", "a/b", "", "Clean", "a b", "x" * 81])
def test_labels_are_names_of_folders(label: str) -> None:
    with pytest.raises(ValidationError):
        Condition(label=label, parts=parse_conditions("haze")[0].parts)


def test_scenes_have_their_own_seeds_and_mixed_takes_turns() -> None:
    specs = BuildSettings(scenes=5, kind="mixed", seed=7).scene_specs()
    assert [one.id for one in specs] == ["room-000", "street-001", "room-002", "street-003", "room-004"]
    assert len({one.seed for one in specs}) == 5
    assert BuildSettings(scenes=3, kind="mixed", seed=7).scene_specs() == specs[:3]
    assert BuildSettings(scenes=1, seed=8).scene_specs()[0].seed != specs[0].seed
    assert len(BuildSettings(scenes=1200).scene_specs()[0].id) == len("room-0000")


def test_differences_name_what_differs() -> None:
    one, other = BuildSettings(seed=1, views=3), BuildSettings(seed=2, views=3)
    assert one.differences(other) == ("seed: 1, not 2",)
    assert one.differences(one) == ()


@pytest.mark.parametrize("wrong", [{"scenes": 0}, {"views": 0}, {"conditions": ()}, {"suites": ("crisp", "crisp")}])
def test_settings_out_of_range(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        BuildSettings.model_validate(wrong)


def test_unknown_suite() -> None:
    with pytest.raises(RegistryError, match="did you mean 'crisp'"):
        BuildSettings(suites=("crips",)).check_suites()
