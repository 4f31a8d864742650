"""What the study is made of."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.building import BuildSettings, parse_conditions
from ...bench_data.degrade.mixtures import RECIPES
from ...tools.models import GenerationSettings

__all__ = ["ANSWER", "GRAPH", "PROFILE", "SUITES", "StudySettings", "room_settings", "study_settings"]

SUITES: Final = ("spacedg", "crisp", "open3dvqa")
PROFILE: Final = "surest"
"""Of the solver: the models take one picture, know no words about repairs, and tell how sure they are."""
ANSWER: Final = GenerationSettings(max_tokens=16)
"""The longest answer has nine words of the models' own vocabulary."""
GRAPH: Final = GenerationSettings(max_tokens=512)
"""A scene graph of twelve objects has about 240."""

_WIDTH, _HEIGHT, _DENSITY = 192, 144, 0.3
"""Of the pictures that the models were made for."""
_DEGRADATIONS: Final = (
    *("low_light", "over_exposure", "haze", "rain", "snow", "water_droplets", "lens_flare"),
    *("defocus", "motion_blur", "rolling_shutter", "distortion", "low_res", "jpeg_compression"),
)
_QUICK: Final = "clean,low_light@bench,haze@bench"
_SEED: Final = 830_417
"""Scenes of data sets and rooms for training are drawn from differently named streams, so no seed gives a room that
the models have seen."""


class StudySettings(BaseModel):
    """The study.

    Args:
        build: the benchmark's data set.
        clean: questions about clean pictures, evenly over the kinds that the models claim; None for all.
        degraded: the same for each other condition; of the questions that are asked about clean pictures, the first.
        audited: conditions under which scene graphs are asked for.
        audited_pictures: of each of them, at most.
        seed: of the selection, the requests and the intervals.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    build: BuildSettings
    clean: int | None = Field(default=None, ge=1)
    degraded: int | None = Field(default=None, ge=1)
    audited: tuple[str, ...] = Field(min_length=1)
    audited_pictures: int | None = Field(default=None, ge=1)
    seed: int = 0


def room_settings(*, scenes: int, views: int, conditions: str, seed: int, questions_factor: int = 1) -> BuildSettings:
    """Rooms in pictures of the models' size, with the questions of all suites that they know.

    Args:
        conditions: see `parse_conditions`.
        questions_factor: see `BuildSettings`.

    Raises:
        BenchDataError: an unknown condition.
    """
    return BuildSettings(
        scenes=scenes,
        views=views,
        suites=SUITES,
        conditions=parse_conditions(conditions),
        width=_WIDTH,
        height=_HEIGHT,
        density=_DENSITY,
        questions_factor=questions_factor,
        seed=seed,
    )


def study_settings(*, quick: bool = False, seed: int = _SEED) -> StudySettings:
    """The whole study, or one of some minutes that shows whether everything works.

    The whole one has clean pictures, thirteen degradations at the published strength, and the six mixtures.
    """
    if quick:
        build = room_settings(scenes=16, views=1, conditions=_QUICK, seed=seed, questions_factor=3)
        return StudySettings(build=build, clean=600, degraded=300, audited=("clean",), audited_pictures=None, seed=seed)
    everything = ",".join(("clean", *(f"{name}@bench" for name in _DEGRADATIONS), *RECIPES.names()))
    # One view of each, so that few repairs serve many rooms, and many questions about it.
    build = room_settings(scenes=64, views=1, conditions=everything, seed=seed, questions_factor=5)
    return StudySettings(
        build=build,
        clean=2_000,
        degraded=300,
        audited=("clean", "low_light-bench", "haze-bench"),
        audited_pictures=None,
        seed=seed,
    )
