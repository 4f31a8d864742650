"""SpaceDG: eleven types of questions about how a camera moved, where things are, and how large they are.

After SpaceDG (arXiv 2605.22536, appendices C and E). By default its rules are followed where they are sound and mended
where they are not; ``published=True`` follows the published generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....errors import BenchDataError
from ...question import Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from . import camera_kinds, comparisons, object_directions, object_kinds, published, visible_kinds
from .kinds import KINDS
from .maker import Maker
from .settings import SpaceDGSettings
from .tables import SceneTables

__all__ = ["KINDS", "SpaceDGSettings", "spacedg"]

_Family = Callable[[Maker], Iterator[Question]]

_FAMILIES: tuple[tuple[_Family, _Family], ...] = (
    (camera_kinds.moves, published.moves),
    (camera_kinds.distances, camera_kinds.distances),
    (camera_kinds.thresholds, published.thresholds),
    (camera_kinds.rotations, published.rotations),
    (object_kinds.camera_distances, object_kinds.camera_distances),
    (object_directions.camera_directions, published.camera_directions),
    (object_directions.directions_in_view, object_directions.directions_in_view),
    (object_directions.relative_positions, published.relative_positions),
    (object_directions.cross_view_compass, published.cross_view_compass),
    (object_kinds.between_objects, object_kinds.between_objects),
    (object_directions.object_compass, published.object_compass),
    (comparisons.comparisons, published.comparisons),
    (object_kinds.extents, object_kinds.extents),
    (visible_kinds.counts, visible_kinds.counts),
    (visible_kinds.existence, visible_kinds.existence),
)
"""By the sound rule, and by the published one."""


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
    if not isinstance(settings, SpaceDGSettings):
        if type(settings) is not SuiteSettings:
            raise BenchDataError(f"the suite spacedg needs SpaceDGSettings, got {type(settings).__name__}")
        settings = SpaceDGSettings(**settings.model_dump())
    maker = Maker(SceneTables(truth, settings), seed, refusals)
    for sound, by_the_paper in _FAMILIES:
        yield from (by_the_paper if settings.published else sound)(maker)
