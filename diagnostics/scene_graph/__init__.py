"""Scene graphs: the schema, the truth as a graph, graphs read from replies, and how good they are."""

from .schema import (
    AxesRows,
    CameraPose,
    RelationReading,
    SceneEdge,
    SceneGraph,
    SceneObject,
    Vector,
    ViewSight,
    scene_graph_from_json,
    scene_graph_to_json,
)
from .truth import EdgePlan, from_relation_graph, scene_graph_of, to_relation_graph

__all__ = [
    "AxesRows",
    "CameraPose",
    "EdgePlan",
    "RelationReading",
    "SceneEdge",
    "SceneGraph",
    "SceneObject",
    "Vector",
    "ViewSight",
    "from_relation_graph",
    "scene_graph_from_json",
    "scene_graph_of",
    "scene_graph_to_json",
    "to_relation_graph",
]
