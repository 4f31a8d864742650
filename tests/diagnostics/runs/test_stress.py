"""What is wrong with an item's pictures is read off its condition and tags, and a wrong one is never right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY
from seeworthy.bench_data.degrade.mixtures import RECIPES
from seeworthy.bench_data.stress import ROBOSTRESS_TAGS, Stress, robostress_tag
from seeworthy.diagnostics.runs import ItemStress, true_stress, wrong_stress


def told(condition: str, suite: str = "", **tags: str) -> list[tuple[str, object, object]] | None:
    found = true_stress(condition, tags, suite=suite)
    return None if found is None else [(one.stress.value, one.level, one.up_to) for one in found]


@pytest.mark.parametrize(
    ("condition", "tags", "expected"),
    [
        ("clean", {}, []),
        ("as_found", {}, None),
        ("haze", {}, [("haze", None, None)]),
        ("haze-3", {}, [("haze", 3, None)]),
        ("haze@5", {}, [("haze", 5, None)]),
        ("low_light:bench", {}, [("low_light", "bench", None)]),
        ("haze-0", {}, []),
        ("haze-7", {}, None),
        ("fog", {}, None),
        ("", {}, None),
        ("HAZE-3", {}, None),
        ("haze-3-", {}, None),
        ("my_mixture", {}, None),
        ("my_mixture", {"degradations": "haze@3,motion_blur@1-2"}, [("haze", 3, None), ("motion_blur", 1, 2)]),
        ("my_mixture", {"degradations": "haze@3,mist@2"}, None),
        (
            "as_found",
            {"stress": "M__transparent,G__occlusion"},
            [("transparent", None, None), ("occlusion", None, None)],
        ),
        ("as_found", {"stress": ""}, []),
        ("as_found", {"stress": "M__shiny"}, None),
        ("clean", {"stress": "G__occlusion"}, [("occlusion", None, None)]),
        ("haze-3", {"stress": "G__occlusion"}, [("haze", 3, None), ("occlusion", None, None)]),
        ("fog", {"stress": "G__occlusion"}, None),
    ],
)
def test_condition_and_tags_tell(
    condition: str, tags: dict[str, str], expected: list[tuple[str, object, object]] | None
) -> None:
    assert told(condition, **tags) == expected


def test_every_registered_mixture_and_degradation_is_known() -> None:
    for name, recipe in RECIPES.specs():
        found = told(name)
        assert found is not None
        assert [one[0] for one in found] == [part.degradation for part in recipe.parts]
    for name in DEGRADATION_REGISTRY.names():
        assert told(f"{name}-2") == [(name, 2, None)]


def test_a_published_suite_has_the_published_strength() -> None:
    assert told("haze", suite="spacedg") == [("haze", "bench", None)]


@pytest.mark.parametrize(("text", "severity"), [("haze-4", 4.0), ("haze@bench", 5.0), ("haze@1-2", 1.5), ("haze", 3.0)])
def test_severities(text: str, severity: float) -> None:
    stress = ItemStress.parse(text)
    assert stress is not None
    finding = stress.finding()
    assert (finding.severity, finding.confidence, finding.source) == (severity, 1.0, "told")


STRESSES = st.lists(
    st.builds(ItemStress, stress=st.sampled_from(list(Stress)), level=st.none() | st.integers(1, 5) | st.just("bench")),
    max_size=5,
    unique_by=lambda one: one.stress,
).map(tuple)


@given(true=STRESSES, question=st.text(max_size=20), seed=st.integers(0, 2**31))
def test_a_wrong_stress_is_wrong_as_strong_and_always_the_same(
    true: tuple[ItemStress, ...], question: str, seed: int
) -> None:
    wrong = wrong_stress(true, question=question, seed=seed)
    assert wrong == wrong_stress(true, question=question, seed=seed)
    assert len(wrong) == max(1, len(true))
    names = {one.stress for one in wrong}
    assert len(names) == len(wrong)
    assert not names & {one.stress for one in true}
    assert not {robostress_tag(one) for one in names} & {robostress_tag(one.stress) for one in true} - {None}
    for mistaken, one in zip(wrong, true, strict=False):
        assert (mistaken.level, mistaken.up_to) == (one.level, one.up_to)
        assert (mistaken.stress in ROBOSTRESS_TAGS) == (one.stress in ROBOSTRESS_TAGS)


def test_another_seed_or_question_draws_another_one() -> None:
    true = true_stress("haze-3", {}) or ()
    drawn = {wrong_stress(true, question=f"q{number}", seed=0)[0].stress for number in range(40)}
    assert len(drawn) > 5
    assert len({wrong_stress(true, question="q", seed=seed)[0].stress for seed in range(40)}) > 5
