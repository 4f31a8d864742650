"""Scene graphs as data: how the objects of a picture stand to each other; the truth that graphs are judged by."""

from .build import choose_centre, full_graph, star_graph
from .graph import GraphEdge, GraphFrame, GraphNode, RelationGraph
from .placed import PlacedObject, PlacedScene
from .published import (
    PUBLISHED_WORDS,
    published_camera_edges,
    published_injected_form,
    published_star_graph,
    published_target_form,
)
from .relations import OPPOSITE, RELATIONS, Relation, opposites, relation_scores, relations_between

__all__ = [
    "OPPOSITE",
    "PUBLISHED_WORDS",
    "RELATIONS",
    "GraphEdge",
    "GraphFrame",
    "GraphNode",
    "PlacedObject",
    "PlacedScene",
    "Relation",
    "RelationGraph",
    "choose_centre",
    "full_graph",
    "opposites",
    "published_camera_edges",
    "published_injected_form",
    "published_star_graph",
    "published_target_form",
    "relation_scores",
    "relations_between",
    "star_graph",
]
