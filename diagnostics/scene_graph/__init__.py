"""Scene graphs: the schema, the truth as a graph, graphs asked for, read from replies, scored and shown."""

from .birds_eye import birds_eye_image, birds_eye_svg
from .corruption import corrupt_graph, shuffle_ids
from .findings import Finding, FindingKind, GraphStatus
from .grading import GraphGrade, Scoring, grade_graph_reply
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
from .rendering import TextMedium, graph_text, prompt_json, prose
from .request import PROMPT_VERSION, GraphMedium, GraphRequest, graph_legend
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
    "PROMPT_VERSION",
    "AxesRows",
    "AxisName",
    "AxisTally",
    "CameraPose",
    "EdgePlan",
    "Finding",
    "FindingKind",
    "Found",
    "GraphGrade",
    "GraphMedium",
    "GraphRequest",
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
    "Scoring",
    "TextMedium",
    "Vector",
    "ViewSight",
    "birds_eye_image",
    "birds_eye_svg",
    "corrupt_graph",
    "from_relation_graph",
    "grade_graph_reply",
    "graph_legend",
    "graph_text",
    "parse_scene_graph",
    "pool_scores",
    "prompt_json",
    "prose",
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
    "shuffle_ids",
    "to_relation_graph",
]
