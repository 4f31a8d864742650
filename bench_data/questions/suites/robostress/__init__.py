"""RoboStressBench's multiple-choice kinds: four options about where things are, and in which state they are.

After RoboStressBench (arXiv 2606.00828): its ``spatial`` and ``state`` tasks as far as a scene can support them (what
can be done with things is not asked). Its questions have no published generator. Which stress a picture shows is the
condition's to say; the same question is asked of the clean picture, which the published set cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import BenchDataError
from ...question import Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from ...seen import seen_views
from .kinds import KINDS
from .maker import Maker
from .settings import RoboStressMargins, RoboStressSettings
from .spatial import camera_distances, category_counts, nearer_counts, object_distances, relations, top_heights
from .states import appearances, existence

__all__ = ["KINDS", "RoboStressMargins", "RoboStressSettings", "robostress"]


@question_suite(
    "robostress",
    summary="four options about relations, distances, heights, counts, existence, colours and materials in a picture",
    kinds=tuple(KINDS),
    settings=RoboStressSettings,
)
def robostress(truth: SceneTruth, settings: SuiteSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """All questions of a scene, kind by kind.

    Raises:
        BenchDataError: settings of another suite, or the published rule, of which there is none.
    """
    if not isinstance(settings, RoboStressSettings):
        if type(settings) is not SuiteSettings:
            raise BenchDataError(f"the suite robostress needs RoboStressSettings, got {type(settings).__name__}")
        settings = RoboStressSettings(**settings.model_dump())
    if settings.published:
        raise BenchDataError("the suite robostress has no published rule to follow; leave published off")
    return _generated(truth, settings, Maker(scene=truth.scene, settings=settings, seed=seed, refusals=refusals))


def _generated(truth: SceneTruth, settings: RoboStressSettings, maker: Maker) -> Iterator[Question]:
    views = seen_views(truth, settings)
    margins = settings.margins(truth.kind)
    yield from relations(maker, views, margins)
    yield from camera_distances(maker, views, margins)
    yield from object_distances(maker, views, margins)
    yield from top_heights(maker, views, margins)
    yield from nearer_counts(maker, views, margins)
    yield from category_counts(maker, views)
    yield from existence(maker, views, sorted({one.label for one in truth.objects.values()}))
    yield from appearances(maker, views, "colour")
    yield from appearances(maker, views, "material")
