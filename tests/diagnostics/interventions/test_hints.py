"""Hints name what was done, exactly or wrongly on purpose; names are read whole."""

import pytest

from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY
from seeworthy.diagnostics.interventions import (
    CLEAN_NAME,
    ToldDegradation,
    degradation_choices,
    hint_text,
    read_named_degradation,
    wrong_degradation,
)

HAZE = ToldDegradation("haze", 4, {"density": 3.512, "airlight": (0.8, 0.8, 0.9)})


def test_a_true_hint_says_severity_and_parameters() -> None:
    text = hint_text([HAZE, ToldDegradation("jpeg_compression", "bench", {"quality": 3})])
    assert "haze, severity 4 (density 3.51, airlight [0.8, 0.8, 0.9]); then jpeg compression, severity bench" in text
    assert hint_text([]) == "The picture is not degraded."


@pytest.mark.parametrize("seed", range(40))
def test_a_wrong_hint_is_wrong_equally_severe_and_repeatable(seed: int) -> None:
    wrong = wrong_degradation([HAZE], seed=seed)
    assert wrong.name != "haze" and wrong.name in DEGRADATION_REGISTRY.names()
    assert wrong.severity == 4 and wrong.parameters
    assert wrong == wrong_degradation([HAZE], seed=seed)
    assert hint_text([wrong]) != hint_text([HAZE])


def test_wrong_hints_are_of_many_kinds() -> None:
    assert len({wrong_degradation([HAZE], seed=seed).name for seed in range(60)}) > 8


@pytest.mark.parametrize("name", [*DEGRADATION_REGISTRY.names(), CLEAN_NAME])
def test_every_name_that_is_offered_is_read(name: str) -> None:
    assert f"- {name}:" in degradation_choices()
    for reply in (name, name.replace("_", " ").title(), f"**{name}**", f"It is {name.replace('_', '-')}."):
        assert read_named_degradation(reply) == name


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("motion", None),
        ("rain or snow", None),
        ("The picture suffers from low resolution.", "low_res"),
        ("hazelnut", None),
        ("", None),
        ("None of these, except haze", "haze"),
        ("overexposed", "over_exposure"),
    ],
)
def test_names_are_read_whole(reply: str, name: str | None) -> None:
    assert read_named_degradation(reply) == name
