"""Scene graphs in runs: the true graph of an item, and what a reply to a graph task is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...tools.models import Reply, ReplyStatus
from ..errors import DiagnosticsError
from ..replies import JsonValue, parse_graph_json
from ..replies.published.crisp import extract_graph
from ..scene_graph import (
    FindingKind,
    GraphRequest,
    ParsedGraph,
    SceneGraph,
    published_scores,
    read_scene_graph,
    scene_graph_from_json,
    score_scene_graph,
)

__all__ = ["GraphScore", "read_true_graph", "score_graph_reply"]

_OK, _REFUSAL, _TRUNCATED = "ok", "refusal", "truncated"


@dataclass(frozen=True, slots=True)
class GraphScore:
    """What a reply to a graph task is worth.

    Attributes:
        status: a parse status.
        score: the mean of ``estimation`` and ``relation``, 0 to 1. Of a graph that was cut, what is whole counts.
        parts: "estimation" and "relation", each where it was asked; and, of a truth in CRISP's published form, its
            published scores: "published_sgc", "published_estimation", "published_relation", "published_json_valid".
    """

    status: str
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Truth:
    graph: SceneGraph
    published: Mapping[str, JsonValue] | None


def read_true_graph(text: str) -> SceneGraph | None:
    """The true graph of an item, in Seeworthy's form or in CRISP's; None for a text that holds none with an object."""
    truth = _truth_of(text)
    return None if truth is None else truth.graph


def score_graph_reply(truth_text: str, reply: Reply) -> GraphScore:
    """Scores a reply against the true graph: soundly, and beside it as published.

    Args:
        truth_text: as the item has it.
        reply: of a call that did not fail.

    Raises:
        DiagnosticsError: the truth is no graph.
    """
    truth = _truth_of(truth_text)
    if truth is None:
        raise DiagnosticsError(f"the true scene graph cannot be read: {truth_text[:80]!r}")
    refused = reply.status in (ReplyStatus.REFUSAL, ReplyStatus.FILTERED)
    cut = reply.status is ReplyStatus.TRUNCATED
    parsed = GraphRequest.of(truth.graph).parse("" if refused else reply.text, cut=cut)
    scores = score_scene_graph(parsed.graph, truth.graph)
    sound = {"estimation": scores.estimation, "relation": scores.relation}
    parts = {name: value for name, value in sound.items() if value is not None}
    if truth.published is not None:
        published = published_scores(extract_graph(reply.text), truth.published)
        parts |= {
            "published_sgc": published.sgc,
            "published_estimation": published.estimation,
            "published_relation": published.relation,
            "published_json_valid": published.json_valid,
        }
    return GraphScore(_status_of(parsed, reply, refused=refused, cut=cut), scores.sgc or 0.0, parts)


def _status_of(parsed: ParsedGraph, reply: Reply, *, refused: bool, cut: bool) -> str:
    if refused:
        return _REFUSAL
    if cut or FindingKind.TRUNCATED in parsed.counts:
        return _TRUNCATED
    if parsed.graph is not None and parsed.graph.objects:
        return _OK
    return parse_graph_json(reply.text).status.value


@lru_cache(maxsize=4096)
def _truth_of(text: str) -> _Truth | None:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    try:
        return _Truth(scene_graph_from_json(text), None) if value.get("objects") else None
    except DiagnosticsError:
        return _published_truth(value)


def _published_truth(value: dict[str, JsonValue]) -> _Truth | None:
    """A truth as CRISP's graph task has it: a star in the camera's own frame; all edges start from its centre."""
    parsed = read_scene_graph(value, frame="camera", sides="heading")
    graph = parsed.graph
    if graph is None or not graph.objects:
        return None
    sources = {edge.source for edge in graph.edges}
    return _Truth(graph.changed(centre=sources.pop()) if len(sources) == 1 else graph, value)
