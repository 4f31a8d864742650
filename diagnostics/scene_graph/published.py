"""CRISP's graph scores as published, faults included; the sound ones are `score_scene_graph`.

Kept so that results stay comparable. Known faults: an empty answer gets about a third of the relation score; nothing is
lost by invented objects and edges; an edge is found by the raw value of its "to" alone, so that a wrong source is right
and a number in quotes is wrong; half a distance scores 0.5 and twice the distance 0; one size that is no number ends
the evaluation of a whole model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...bench_data.scene_graphs import PUBLISHED_WORDS, published_target_form
from ..replies import JsonValue
from ..replies.published.crisp import extract_graph
from .schema import SceneGraph
from .truth import to_relation_graph

__all__ = [
    "PublishedScores",
    "published_distance_score",
    "published_relation_score",
    "published_scores",
    "published_size_score",
    "published_target",
    "score_published_reply",
]

Json = Mapping[str, JsonValue]

_TINY = 1e-6
_AXES = (("left", "right"), ("in front of", "behind"), ("up", "down"))
_ALIASES = {word: word for word in PUBLISHED_WORDS.values()} | {
    "front": "in front of",
    "in front": "in front of",
    "ahead": "in front of",
    "back": "behind",
    "to the left": "left",
    "on the left": "left",
    "to the right": "right",
    "on the right": "right",
    "above": "up",
    "below": "down",
    "under": "down",
}


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """The published scores of one picture; all in [0, 1], higher is better.

    Attributes:
        size, camera_distance, edge_distance: S_size, S_dist_cam, S_dist.
        estimation: S_est, the mean of the three.
        relation: S_rel.
        sgc: SGC, the mean of S_est and S_rel.
        json_valid: 1 when no true node or edge is missing, which is what the public code calls valid JSON.
        raises: the exception with which the public code ends the evaluation on this reply; all scores are 0 then.
    """

    size: float = 0.0
    camera_distance: float = 0.0
    edge_distance: float = 0.0
    estimation: float = 0.0
    relation: float = 0.0
    sgc: float = 0.0
    json_valid: float = 0.0
    raises: str | None = None


def score_published_reply(reply: str, truth: SceneGraph) -> PublishedScores:
    """The published scores of a reply, read by the published parser.

    Raises:
        DiagnosticsError: the truth leaves something open.
    """
    return published_scores(extract_graph(reply), published_target(truth))


def published_target(truth: SceneGraph) -> dict[str, JsonValue]:
    """The true graph in the published form; edges should be those of a star.

    Raises:
        DiagnosticsError: the truth leaves something open.
    """
    form = published_target_form(to_relation_graph(truth))
    objects: list[JsonValue] = [
        {"id": one["id"], "dist_to_cam": one["dist_to_cam"], "size": {"w": size["w"], "l": size["l"], "h": size["h"]}}
        for one in form["objects"]
        for size in (one["size"],)
    ]
    edges: list[JsonValue] = [
        {
            "from": edge["from"],
            "to": edge["to"],
            "distance": edge["distance"],
            "relation": dict[str, JsonValue](edge["relation"]),
        }
        for edge in form["edges"]
    ]
    return {"objects": objects, "edges": edges}


def published_scores(predicted: JsonValue, target: Json) -> PublishedScores:
    """The published scores of a graph as JSON, such as `extract_graph` reads it, against a `published_target`."""
    if not isinstance(predicted, dict):
        return PublishedScores()
    try:
        return _scores(predicted, target)
    except (TypeError, AttributeError, ValueError) as error:
        return PublishedScores(raises=type(error).__name__)


def _scores(predicted: Json, target: Json) -> PublishedScores:
    nodes = {str(_get(one, "id")): one for one in _items(predicted, "objects")}
    edges = {_hashable(_get(one, "to")): one for one in _items(predicted, "edges")}
    true_nodes, true_edges = list(_items(target, "objects")), list(_items(target, "edges"))
    missing = 0
    sizes, distances, lengths, relations = [], [], [], []
    for true in true_nodes:
        node = nodes.get(str(_get(true, "id")))
        missing += node is None
        sizes.append(0.0 if node is None else published_size_score(_get(node, "size", {}), _get(true, "size", {})))
        distances.append(0.0 if node is None else _distance_of(node, true, "dist_to_cam", 0.0))
    for true in true_edges:
        edge = edges.get(_hashable(_get(true, "to")))
        missing += edge is None
        lengths.append(0.0 if edge is None else _distance_of(edge, true, "distance", None))
        relations.append(
            0.0 if edge is None else published_relation_score(_get(edge, "relation", []), _get(true, "relation", {}))
        )
    size, distance, length, relation = (_mean(values) for values in (sizes, distances, lengths, relations))
    estimation = (size + distance + length) / 3
    return PublishedScores(
        size, distance, length, estimation, relation, (estimation + relation) / 2, float(not missing)
    )


def _distance_of(predicted: JsonValue, true: JsonValue, key: str, absent: float | None) -> float:
    """Of a predicted distance; an absent one counts as 0 m in a node and as no number in an edge."""
    return published_distance_score(_get(predicted, key, absent), _get(true, key, 0.0))


def published_distance_score(predicted: JsonValue, target: JsonValue) -> float:
    """1 less the relative error, at least 0; 0 for what is no number.

    >>> [round(published_distance_score(told, 5), 3) for told in (2.5, 10, "4", "4 m")]
    [0.5, 0.0, 0.8, 0.0]
    """
    try:
        p, g = _float(predicted), _float(target)
    except (TypeError, ValueError):
        return 0.0
    if g < _TINY:
        return 1.0 if p < _TINY else 0.0
    score = 1.0 - abs(p - g) / (g + _TINY)
    return score if score > 0 else 0.0


def published_size_score(predicted: JsonValue, target: JsonValue) -> float:
    """The mean ratio of the smaller to the larger value over width, length and height; 0 for one that is not positive.

    Raises:
        TypeError, ValueError, AttributeError: a size that is no number, or no sizes, as the public code does.
    """
    ratios = []
    for side in ("w", "l", "h"):
        p, g = _float(_get(predicted, side, 0.0)), _float(_get(target, side, 0.0))
        ratios.append(min(p, g) / max(p, g) if p > 0 and g > 0 else 0.0)
    return _mean(ratios)


def published_relation_score(predicted: JsonValue, target: JsonValue) -> float:
    """The share of the three axes on which both flags are as in the truth; words of a list by their published aliases.

    >>> published_relation_score([], {"left": 1}), published_relation_score("left", {"left": 1})
    (0.6666666666666666, 0.6666666666666666)
    """
    true, told = _flags(target), _flags(predicted)
    if not target:
        return 0.0
    right = sum(all(told.get(word, 0) == true.get(word, 0) for word in axis) for axis in _AXES)
    return right / len(_AXES)


def _flags(relation: JsonValue) -> Json:
    if isinstance(relation, dict):
        return relation
    if not isinstance(relation, list):
        return {}
    words = (_ALIASES.get(one.strip().lower()) for one in relation if isinstance(one, str))
    return {word: 1 for word in words if word is not None}


def _items(graph: Json, key: str) -> Sequence[JsonValue]:
    """The entries of a list, or of what else Python goes through in a ``for``."""
    value = graph.get(key, [])
    if isinstance(value, list):
        return value
    if isinstance(value, dict | str):
        return list(value)
    raise TypeError(f"{key} cannot be gone through")


def _get(entry: JsonValue, key: str, default: JsonValue = None) -> JsonValue:
    if not isinstance(entry, dict):
        raise AttributeError(f"an entry is no object: {str(entry)[:40]}")
    return entry.get(key, default)


def _float(value: JsonValue) -> float:
    if isinstance(value, int | float | str):
        return float(value)
    raise TypeError("no number")


def _hashable(value: JsonValue) -> str | int | float | bool | None:
    if isinstance(value, list | dict):
        raise TypeError("unhashable")
    return value


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
