"""Open3DVQA: where things are and how large they are in one picture, in 39 published types of v1 and 46 of v2.

After Open3DVQA (arXiv 2503.11094). By default in a level frame, with sizes along an object's own sides, nearest hours,
margins, and answers that are even; ``published=True`` follows one of the published generators.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import BenchDataError
from ...question import Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from .kinds import KINDS
from .published import generate_published
from .settings import Open3DVQAMargins, Open3DVQASettings
from .sound import generate_sound

__all__ = ["KINDS", "Open3DVQAMargins", "Open3DVQASettings", "open3dvqa"]


@question_suite(
    "open3dvqa",
    summary="relations, sizes, distances and directions of one or two objects in a picture: Open3DVQA's types",
    kinds=tuple(KINDS),
    settings=Open3DVQASettings,
)
def open3dvqa(truth: SceneTruth, settings: SuiteSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """All questions of a scene; the sound ones kind by kind, the published ones pair by pair.

    Raises:
        BenchDataError: settings of another suite.
    """
    if not isinstance(settings, Open3DVQASettings):
        if type(settings) is not SuiteSettings:
            raise BenchDataError(f"the suite open3dvqa needs Open3DVQASettings, got {type(settings).__name__}")
        settings = Open3DVQASettings(**settings.model_dump())
    return (generate_published if settings.published else generate_sound)(truth, settings, seed, refusals)
