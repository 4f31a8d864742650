"""CRISP's graphs as published: fixed dead zone in the tilted camera's frame, star cut short, up and down not exclusive.

Kept so that results stay comparable; the faults are the reason why it is not the default (thin things are above *and*
below each other, what stands on the floor beside a rug is "up" of it, a tilted camera's left is not level).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypedDict

from .build import choose_centre, star_graph
from .graph import RelationGraph
from .placed import PlacedObject
from .relations import Relation, relations_between

__all__ = [
    "PUBLISHED_WORDS",
    "PUBLISHED_ZONE_M",
    "CameraEdge",
    "InjectedForm",
    "TargetForm",
    "published_camera_edges",
    "published_injected_form",
    "published_star_graph",
    "published_target_form",
]

PUBLISHED_ZONE_M = 0.2

PUBLISHED_WORDS: dict[Relation, str] = {
    "right": "right",
    "left": "left",
    "front": "in front of",
    "behind": "behind",
    "above": "up",
    "below": "down",
}
"""The published words, in the published order."""


class SizeForm(TypedDict):
    """Metres."""

    w: float
    l: float  # noqa: E741 - the published key
    h: float


class ObjectForm(TypedDict):
    """A node as published."""

    id: int
    dist_to_cam: float
    size: SizeForm


EdgeForm = TypedDict("EdgeForm", {"from": int, "to": int, "distance": float, "relation": list[str]})
FlaggedEdgeForm = TypedDict("FlaggedEdgeForm", {"from": int, "to": int, "distance": float, "relation": dict[str, int]})


class InjectedForm(TypedDict):
    """The graph that is put into a prompt."""

    objects: list[ObjectForm]
    edges: list[EdgeForm]


class TargetForm(TypedDict):
    """The graph that a model is scored against."""

    objects: list[ObjectForm]
    edges: list[FlaggedEdgeForm]


class CameraEdge(TypedDict):
    """An edge from the camera to an object."""

    to: int
    distance: float
    angle_deg: float
    relation: list[str]


def published_star_graph(
    objects: Sequence[PlacedObject],
    *,
    zone_m: float = PUBLISHED_ZONE_M,
    centre_tolerance_m: float = 0.5,
    longest_edge_m: float | None = None,
) -> RelationGraph:
    """The star as published, of objects placed in the camera's frame; without edges when all were dropped."""
    return star_graph(
        objects,
        zone=zone_m,
        centre=choose_centre(objects, tolerance_m=centre_tolerance_m),
        frame="camera",
        longest_edge_m=longest_edge_m,
        keep_unrelated=False,
        exclusive=False,
    )


def published_camera_edges(
    objects: Sequence[PlacedObject], *, camera_height_m: float = 0.0, zone_m: float = PUBLISHED_ZONE_M
) -> list[CameraEdge]:
    """Edges from the camera, which counts as a point at that height; whatever it looks at is "in front of" it."""
    camera = PlacedObject(-1, "", 0.0, 0.0, 0.0, camera_height_m, camera_height_m, 0.0, 0.0, 0.0)
    swapped: dict[Relation, Relation] = {"front": "behind", "behind": "front"}
    edges: list[CameraEdge] = []
    for one in objects:
        held = {swapped.get(name, name) for name in relations_between(one, camera, zone_m, exclusive=False)}
        angle = round(math.degrees(math.atan2(one.right_m, one.forward_m)), 4)
        words = [word for name, word in PUBLISHED_WORDS.items() if name in held]
        edges.append({"to": one.id, "distance": round(one.distance_m, 4), "angle_deg": angle, "relation": words})
    return edges


def published_injected_form(graph: RelationGraph) -> InjectedForm:
    """As it is put into a prompt: relations as words, distances rounded."""
    return {
        "objects": _objects(graph, 6),
        "edges": [
            {
                "from": edge.source,
                "to": edge.target,
                "distance": round(edge.distance_m, 4),
                "relation": [word for name, word in PUBLISHED_WORDS.items() if name in edge.relations],
            }
            for edge in graph.edges
        ],
    }


def published_target_form(graph: RelationGraph) -> TargetForm:
    """As a model's graph is scored against it: relations as flags, distances of nodes not rounded."""
    return {
        "objects": _objects(graph, None),
        "edges": [
            {
                "from": edge.source,
                "to": edge.target,
                "distance": round(edge.distance_m, 4),
                "relation": {word: int(name in edge.relations) for name, word in PUBLISHED_WORDS.items()},
            }
            for edge in graph.edges
        ],
    }


def _objects(graph: RelationGraph, digits: int | None) -> list[ObjectForm]:
    return [
        {
            "id": node.id,
            "dist_to_cam": node.distance_m if digits is None else round(node.distance_m, digits),
            "size": {"w": node.width_m, "l": node.length_m, "h": node.height_m},
        }
        for node in graph.nodes
    ]
