"""CRISP's questions: 27 kinds in 7 abilities about numbered objects in one picture, after its scene graph."""

from __future__ import annotations

from collections.abc import Iterator

from ...question import Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from .kinds import KINDS
from .settings import CrispMargins, CrispSettings

__all__ = ["CrispMargins", "CrispSettings", "generate"]


@question_suite(
    "crisp",
    summary="27 kinds of questions in 7 abilities about numbered objects in one picture, answerable from a scene graph",
    kinds=tuple(KINDS),
    settings=CrispSettings,
)
def generate(truth: SceneTruth, settings: SuiteSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """The questions of a scene, picture by picture, in a fixed order.

    Args:
        truth: the scene and its pictures.
        settings: `CrispSettings`; any other gives its two common values to the defaults.
        seed: of everything that is drawn.
        refusals: counts what was not asked, and why.
    """
    if not isinstance(settings, CrispSettings):
        settings = CrispSettings(published=settings.published, most_per_kind=settings.most_per_kind)
    if settings.published:
        from .generate_published import generate_published

        return generate_published(truth, settings, seed, refusals)
    from .generate import generate_sound

    return generate_sound(truth, settings, seed, refusals)
