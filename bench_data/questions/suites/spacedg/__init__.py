"""SpaceDG: eleven types of questions about how a camera moved, where things are, and how large they are.

After SpaceDG (arXiv 2605.22536, appendices C and E). By default its rules are followed where they are sound and mended
where they are not; ``published=True`` follows the published generator.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import BenchDataError
from ...question import Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from .kinds import KINDS
from .settings import SpaceDGSettings

__all__ = ["KINDS", "SpaceDGSettings", "spacedg"]


@question_suite(
    "spacedg",
    summary="camera motion, distances, directions and sizes over one or two pictures: SpaceDG's eleven types",
    kinds=tuple(kind.name for kind in KINDS.values()),
    settings=SpaceDGSettings,
)
def spacedg(truth: SceneTruth, settings: SuiteSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """All questions of a scene, kind by kind.

    Raises:
        BenchDataError: settings of another suite.
    """
    from . import camera_kinds, comparisons, object_directions, object_kinds, visible_kinds
    from .maker import Maker
    from .tables import SceneTables

    if not isinstance(settings, SpaceDGSettings):
        if type(settings) is not SuiteSettings:
            raise BenchDataError(f"the suite spacedg needs SpaceDGSettings, got {type(settings).__name__}")
        settings = SpaceDGSettings(**settings.model_dump())
    maker = Maker(SceneTables(truth, settings), seed, refusals)
    yield from camera_kinds.translations(maker)
    yield from camera_kinds.rotations(maker)
    yield from object_kinds.camera_distances(maker)
    yield from object_directions.camera_directions(maker)
    yield from object_directions.relative_positions(maker)
    yield from object_directions.cross_view_compass(maker)
    yield from object_kinds.between_objects(maker)
    yield from object_directions.object_compass(maker)
    yield from comparisons.comparisons(maker)
    yield from object_kinds.extents(maker)
    yield from visible_kinds.counts(maker)
    yield from visible_kinds.existence(maker)
