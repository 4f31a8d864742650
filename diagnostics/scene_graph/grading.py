"""One reply to the graph task, graded: soundly, or as published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .published import score_published_reply
from .request import GraphRequest
from .schema import SceneGraph
from .scores import score_scene_graph

__all__ = ["GraphGrade", "Scoring", "grade_graph_reply"]

Scoring = Literal["sound", "published"]


@dataclass(frozen=True, slots=True)
class GraphGrade:
    """The three scores that a diagnosis needs, in [0, 1], higher is better; None where nothing of the kind was asked.

    Attributes:
        estimation, relation, sgc: S_est, S_rel and their mean.
        read: whether there was a graph to score; without one all scores are 0.
        scoring: by which rules.
    """

    estimation: float | None
    relation: float | None
    sgc: float | None
    read: bool
    scoring: Scoring


def grade_graph_reply(reply: str, truth: SceneGraph, *, scoring: Scoring = "sound", cut: bool = False) -> GraphGrade:
    """The grade of a reply against the true graph of its picture.

    Args:
        reply: as it came.
        truth: what was asked for; published scores expect a star whose every value is stated.
        scoring: by which rules it is read and scored.
        cut: the server stopped the reply at its token limit; the published rules do not look at that.

    Raises:
        DiagnosticsError: published scores of a truth that leaves something open.

    >>> from .schema import SceneObject
    >>> truth = SceneGraph(objects=(SceneObject(id=1, height_m=1.0),))
    >>> grade_graph_reply('{"objects": [{"id": 1, "height": "50 cm"}]}', truth).estimation
    0.5
    """
    if scoring == "published":
        published = score_published_reply(reply, truth)
        return GraphGrade(
            published.estimation, published.relation, published.sgc, published.raises is None, "published"
        )
    parsed = GraphRequest.of(truth).parse(reply, cut=cut)
    scores = score_scene_graph(parsed.graph, truth)
    return GraphGrade(scores.estimation, scores.relation, scores.sgc, parsed.ok, "sound")
