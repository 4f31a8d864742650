"""Scene graphs: the schema, the truth as a graph, graphs read from replies, and how good they are."""

from .findings import Finding, FindingKind, GraphStatus
from .parsing import ParsedGraph, parse_scene_graph, read_scene_graph
from .published import (
    PublishedScores,
    published_distance_score,
    published_relation_score,
    published_scores,
    published_size_score,
    published_target,
    score_published_reply,
)
from .scale import ScaleError, scale_error
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
from .score_parts import AXES, AxisName, AxisTally, Found, RatioTally
from .scores import GraphScores, LengthKind, MirrorSlip, pool_scores, score_scene_graph
from .truth import EdgePlan, from_relation_graph, scene_graph_of, to_relation_graph
from .words import RelationWords, read_relation_words

__all__ = [
    "AXES",
    "AxesRows",
    "AxisName",
    "AxisTally",
    "CameraPose",
    "EdgePlan",
    "Finding",
    "FindingKind",
    "Found",
    "GraphScores",
    "GraphStatus",
    "LengthKind",
    "MirrorSlip",
    "ParsedGraph",
    "PublishedScores",
    "RatioTally",
    "RelationReading",
    "RelationWords",
    "ScaleError",
    "SceneEdge",
    "SceneGraph",
    "SceneObject",
    "Vector",
    "ViewSight",
    "from_relation_graph",
    "parse_scene_graph",
    "pool_scores",
    "published_distance_score",
    "published_relation_score",
    "published_scores",
    "published_size_score",
    "published_target",
    "read_relation_words",
    "read_scene_graph",
    "scale_error",
    "scene_graph_from_json",
    "scene_graph_of",
    "scene_graph_to_json",
    "score_published_reply",
    "score_scene_graph",
    "to_relation_graph",
]
