"""The published graph scores come out exactly as recorded, faults and crashes included."""

from __future__ import annotations

from typing import Any

import pytest

from seeworthy.bench_data.scene_graphs import published_star_graph, published_target_form
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.replies.published.crisp import extract_graph
from seeworthy.diagnostics.scene_graph import (
    SceneGraph,
    SceneObject,
    from_relation_graph,
    grade_graph_reply,
    published_distance_score,
    published_relation_score,
    published_scores,
    published_size_score,
    published_target,
)

from ...bench_data.scene_graphs.golden_scenes import placed
from .graphs import golden, targets

CASES = golden("sgc_scores")["cases"]


@pytest.mark.parametrize("case", CASES, ids=[f"{one['scene']}-{one['case']}" for one in CASES])
def test_recorded_replies_score_exactly_as_published(case: dict[str, Any]) -> None:
    found = published_scores(extract_graph(case["model_output"]), targets()[case["scene"]])
    if "raises" in case["scores"]:
        assert found.raises == case["scores"]["raises"]
        assert found.sgc == 0
        return
    assert found.raises is None
    assert {
        "S_size": found.size,
        "S_dist_cam": found.camera_distance,
        "S_dist": found.edge_distance,
        "S_est": found.estimation,
        "S_rel": found.relation,
        "SGC_Score": found.sgc,
        "json_valid": found.json_valid,
    } == case["scores"]


def test_recorded_elements_score_exactly_as_published() -> None:
    rows = golden("element_scores")
    for row in rows["relation_score"]:
        assert published_relation_score(row["predicted"], row["target"]) == row["score"]
    for row in rows["distance_score"]:
        assert published_distance_score(row["predicted"], row["target"]) == row["score"]
    for row in rows["node_score"]:
        told, true = row["predicted"], row["target"]
        assert published_size_score(told.get("size", {}), true["size"]) == row["scores"]["size"]
        distance = published_distance_score(told.get("dist_to_cam", 0.0), true["dist_to_cam"])
        assert distance == row["scores"]["dist_to_cam"]


@pytest.mark.parametrize("scene", ["A_street5", "D_indoor6"])
def test_the_target_of_a_graph_is_the_published_one(scene: str) -> None:
    strict = published_star_graph(placed(scene))
    target = published_target(from_relation_graph(strict))
    assert target == published_target_form(strict)
    case = next(one for one in CASES if one["scene"] == scene and one["case"] in ("exact", "fenced_json"))
    grade = grade_graph_reply(case["model_output"], from_relation_graph(strict), scoring="published")
    assert grade.sgc == pytest.approx(case["scores"]["SGC_Score"], abs=1e-4)
    assert (grade.scoring, grade.read) == ("published", True)


@pytest.mark.parametrize("value", [None, 3, "text", [], [{}], {"objects": 3}, {"edges": 3}, {"objects": [{"id": {}}]}])
def test_nothing_ends_the_evaluation(value: Any) -> None:
    found = published_scores(value, targets()["A_street5"])
    assert 0 <= found.sgc <= 0.01


def test_a_truth_that_leaves_something_open_is_refused() -> None:
    with pytest.raises(DiagnosticsError, match="is not stated"):
        grade_graph_reply("{}", SceneGraph(objects=(SceneObject(id=1),)), scoring="published")
