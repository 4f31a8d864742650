"""Mixtures: the published six, what a recipe may be, and how it acts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from pydantic import ValidationError

from seeworthy.bench_data.degrade import compose, replay
from seeworthy.bench_data.degrade.mixtures import (
    RECIPES,
    Recipe,
    RecipePart,
    SeverityChoice,
    check_recipe,
    degrade_recipe,
)
from seeworthy.bench_data.errors import BenchDataError, RegistryError

from ..scenes import photographs, psnr_db, texture

# Table 6 of the paper, written out again.
PUBLISHED = {
    "night_capture": ["low_light", "motion_blur", "low_res"],
    "hazy_long_range": ["haze", "low_res", "motion_blur"],
    "wet_lens_motion": ["water_droplets", "motion_blur", "low_light"],
    "backlit_motion": ["over_exposure", "motion_blur"],
    "motion_defocus": ["motion_blur", "defocus", "low_res"],
    "compressed_portrait": ["defocus", "jpeg_compression"],
}
ABBREVIATED = {
    "LL": "low_light", "MB": "motion_blur", "LR": "low_res", "HZ": "haze", "WD": "water_droplets",
    "OE": "over_exposure", "DF": "defocus", "JPEG": "jpeg_compression",
}  # fmt: skip
# Light from the scene to the file.
FORMATION = [
    "haze", "water_droplets", "defocus", "motion_blur", "low_light", "over_exposure", "low_res", "jpeg_compression",
]  # fmt: skip


def a_recipe(**parts: SeverityChoice) -> Recipe:
    return Recipe(
        name="mine", parts=tuple(RecipePart(degradation=name, severity=value) for name, value in parts.items())
    )


def test_the_registry_holds_the_six() -> None:
    assert set(RECIPES.names()) >= set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_six_are_as_published(name: str) -> None:
    recipe = RECIPES.get(name)
    assert [part.degradation for part in recipe.parts] == PUBLISHED[name]
    assert [ABBREVIATED[short] for short in recipe.published.split("+")] == PUBLISHED[name]
    check_recipe(recipe)
    primary, *others = recipe.degradations(seed=0)
    assert primary[1] == "bench"
    drawn = {recipe.degradations(seed)[1 + at][1] for seed in range(30) for at in range(len(others))}
    assert drawn == {1, 2}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_mixture_acts_in_the_order_of_image_formation_and_replays(name: str) -> None:
    picture = photographs()[0]
    result = degrade_recipe(picture, name, seed=3)
    names = [record.name for record in result.records]
    assert sorted(names) == sorted(PUBLISHED[name])
    lens = ("water_droplets", "defocus")
    assert [n for n in names if n not in lens] == [n for n in FORMATION if n in names and n not in lens]
    assert replay(picture, result.records).sha256 == result.picture.sha256
    assert psnr_db(picture, result.picture) < 25


def test_a_mixture_is_the_composition_of_its_parts() -> None:
    picture = texture(1)
    recipe = RECIPES.get("night_capture")
    by_hand = compose(picture, recipe.degradations(7), seed=7)
    assert degrade_recipe(picture, recipe, seed=7).picture.sha256 == by_hand.picture.sha256
    assert degrade_recipe(picture, "night_capture", seed=7).records == by_hand.records


def test_listing_order_plays_no_role() -> None:
    picture = texture(2)
    forward, backward = a_recipe(haze=2, low_res=[1, 3]), a_recipe(low_res=(1, 3), haze=2)  # type: ignore[arg-type]
    assert degrade_recipe(picture, forward, seed=1).records == degrade_recipe(picture, backward, seed=1).records


def test_a_part_draws_for_itself() -> None:
    short, long = a_recipe(haze=(1, 5)), a_recipe(haze=(1, 5), low_res=(1, 5))
    for seed in range(20):
        assert short.degradations(seed)[0] == long.degradations(seed)[0]
    both = [tuple(severity for _, severity in long.degradations(seed)) for seed in range(40)]
    assert len(set(both)) > 12, "the two parts must not draw the same"


def test_the_draw_is_the_same_in_another_process() -> None:
    code = (
        "from seeworthy.bench_data.degrade.mixtures import RECIPES\n"
        "print([RECIPES.get(name).degradations(5) for name in RECIPES.names()])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([RECIPES.get(name).degradations(5) for name in RECIPES.names()])


def test_depth_reaches_the_parts() -> None:
    picture = texture(3)
    depth = np.full((48, 64), 3.0, dtype=np.float32)
    result = degrade_recipe(picture, "hazy_long_range", seed=0, depth_m=depth)
    assert all(record.depth_sha256 for record in result.records)
    assert result.picture.sha256 != degrade_recipe(picture, "hazy_long_range", seed=0).picture.sha256


def test_two_sensors_are_refused_before_anything_is_done() -> None:
    for severity in (1, "bench", (0, 1)):
        with pytest.raises(BenchDataError, match="low_light and noise are both models of the sensor"):
            degrade_recipe(texture(4), a_recipe(low_light=2, noise=severity), seed=0)  # type: ignore[arg-type]
    degrade_recipe(texture(4), a_recipe(low_light=2, noise=0), seed=0)


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(RegistryError, match="did you mean 'night_capture'"):
        degrade_recipe(texture(5), "night_captur", seed=0)
    with pytest.raises(RegistryError, match="did you mean 'haze'"):
        degrade_recipe(texture(5), a_recipe(haz=1), seed=0)


@pytest.mark.parametrize("severity", [-1, 6, True, 2.0, "3", "hard", (3, 1), (1, 2, 3), (1, 9), None])
def test_a_severity_is_a_level_bench_or_a_span(severity: object) -> None:
    with pytest.raises(ValidationError, match="severity"):
        RecipePart(degradation="haze", severity=severity)  # type: ignore[arg-type]


def test_a_recipe_has_parts_and_each_once() -> None:
    part = RecipePart(degradation="haze", severity=1)
    with pytest.raises(ValidationError, match="parts"):
        Recipe(name="empty", parts=())
    with pytest.raises(ValidationError, match="twice"):
        Recipe(name="twice", parts=(part, part))
    with pytest.raises(ValidationError, match="frozen"):
        a_recipe(haze=1).name = "other"  # type: ignore[misc]
