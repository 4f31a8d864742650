"""CRISP's questions: 27 kinds in 7 abilities about numbered objects in one picture, after its scene graph."""

from __future__ import annotations

from collections.abc import Iterator

from ....scene_graphs import RelationGraph
from ...question import Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from .kinds import KINDS
from .settings import CrispMargins, CrispSettings

__all__ = ["CrispMargins", "CrispSettings", "generate", "picture_graphs"]


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
    from .generate_sound import generate_sound

    return generate_sound(truth, settings, seed, refusals)


def picture_graphs(truth: SceneTruth, settings: CrispSettings, seed: int) -> dict[str, RelationGraph]:
    """The star graph of each picture that is asked about, under the numbers of its marks: what a model is to build.

    Args:
        truth: the scene and its pictures.
        settings, seed: the same as for `generate`, so that numbers and pictures are the same.

    Returns:
        View name -> graph, with positions; see `RelationGraph.without_positions`.
    """
    from .table import distinct_tables

    return {
        table.view: table.graph.renumbered(table.marks) for table in distinct_tables(truth, settings, seed, Refusals())
    }
