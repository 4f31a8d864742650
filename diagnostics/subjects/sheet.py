"""What a subject is told behind the scenes: the truth of the picture, and what a request was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...bench_data.questions import Question, SceneTruth
from ..scene_graph import SceneGraph

__all__ = ["KnownPicture", "Sheet"]


@dataclass(frozen=True, kw_only=True)
class KnownPicture:
    """A picture with its truth.

    Args:
        id: names scene and view.
        truth: the scene.
        view: the place of the view in it.
        marks: number of an object in the scene -> the number drawn on it.
        graph: the true graph in the form that models are asked for, under the numbers drawn.
    """

    id: str
    truth: SceneTruth = field(repr=False)
    view: int
    marks: Mapping[int, int]
    graph: SceneGraph = field(repr=False)

    @cached_property
    def with_positions(self) -> bool:
        """Whether the graph states places."""
        return any(one.position_m is not None for one in self.graph.objects)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a request asks.

    Args:
        picture: the one that it is about.
        question: what is asked; None for its scene graph.
        sees: the picture is shown, and not withheld or grey.
        given: the scene graph beside it, if any.
        degradation: what was done to the picture, where its name is asked for; "" in all other requests.
    """

    picture: KnownPicture
    question: Question | None = None
    sees: bool = True
    given: SceneGraph | None = None
    degradation: str = ""
