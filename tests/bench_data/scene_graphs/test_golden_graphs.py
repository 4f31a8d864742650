"""Graphs by the published rule agree with the recorded ones, number by number."""

from __future__ import annotations

import math
from typing import Any

import pytest

from seeworthy.bench_data.scene_graphs import (
    PUBLISHED_WORDS,
    PlacedObject,
    PlacedScene,
    opposites,
    published_camera_edges,
    published_injected_form,
    published_star_graph,
    published_target_form,
    relations_between,
    star_graph,
)

from .golden_scenes import golden, placed, scenes, truth

WORDS = list(PUBLISHED_WORDS.values())


@pytest.mark.parametrize("case", golden("edges")["cases"], ids=lambda c: f"{c['scene']}-{c['eps']}-{c['max_distance']}")
def test_edges(case: dict[str, Any]) -> None:
    objects = placed(case["scene"])
    graph = published_star_graph(
        objects,
        zone_m=case["eps"],
        centre_tolerance_m=case["centroid_tol"],
        longest_edge_m=case["max_distance"],
    )
    assert graph.centre == case["centre"]
    assert bool(graph.edges) == case["image_kept"]
    found = [
        {
            "to": edge.target,
            "distance": round(edge.distance_m, 4),
            "angle_deg": round(edge.bearing_deg or 0.0, 4),
            "relation": [PUBLISHED_WORDS[name] for name in PUBLISHED_WORDS if name in edge.relations],
        }
        for edge in graph.edges
    ]
    assert found == case["center_edges"]
    height = scenes()[case["scene"]]["ego_z_world"] or 0.0
    assert published_camera_edges(objects, camera_height_m=height, zone_m=case["eps"]) == case["ego_edges"]


@pytest.mark.parametrize("row", golden("relation_flags")["rel_flags"])
def test_flags(row: dict[str, Any]) -> None:
    def thing(number: int, right_m: float, forward_m: float, z_world: float, height_m: float) -> PlacedObject:
        bottom, top = z_world - height_m / 2, z_world + height_m / 2
        return PlacedObject(number, "", right_m, 0.0, forward_m, bottom, top, 1.0, 1.0, height_m)

    target = thing(1, row["dx"], row["dz"], row["target_z_world"], row["target_h"] or 0.0)
    centre = thing(0, 0.0, 0.0, row["center_z_world"], row["center_h"] or 0.0)
    found = relations_between(target, centre, row["eps"], exclusive=False)
    assert sorted(PUBLISHED_WORDS[name] for name in found) == sorted(row["flags"])


@pytest.mark.parametrize("row", golden("relation_flags")["invert_relation"])
def test_inverted_flags(row: dict[str, Any]) -> None:
    names = {word: name for name, word in PUBLISHED_WORDS.items()}
    turned = opposites(tuple(names[word] for word in row["flags"]))
    assert sorted(PUBLISHED_WORDS[name] for name in turned) == sorted(row["inverted"])


@pytest.mark.parametrize("row", golden("gt_graphs")["scenes"], ids=lambda row: row["scene"])
@pytest.mark.parametrize("whole", [False, True], ids=["placed", "from a truth"])
def test_published_forms(row: dict[str, Any], whole: bool) -> None:
    objects = placed(row["scene"])
    if whole:
        scene = truth(row["scene"])
        objects = PlacedScene(scene).seen_from(
            scene.views[0].camera, [one.id for one in objects], frame="camera", sides="heading"
        )
    graph = published_star_graph(objects, longest_edge_m=row["config"]["max_distance"])
    injected = dict(row["injected_graph"])
    injected.pop("image")
    assert published_injected_form(graph) == injected
    target = published_target_form(graph)
    assert target["edges"] == row["sgc_target"]["edges"]
    for found, wanted in zip(target["objects"], row["sgc_target"]["objects"], strict=True):
        assert found["dist_to_cam"] == pytest.approx(wanted["dist_to_cam"], rel=1e-14)
        assert {**found, "dist_to_cam": 0} == {**wanted, "dist_to_cam": 0}


@pytest.mark.parametrize("row", golden("geometry")["object_scalars"])
def test_sizes_and_distances(row: dict[str, Any]) -> None:
    one = next(one for one in placed(row["scene"]) if one.id == row["id"])
    assert one.distance_m == pytest.approx(row["camera_distance"], rel=1e-15)
    assert one.volume_m3 == pytest.approx(row["volume"], rel=1e-15)


@pytest.mark.parametrize("row", golden("geometry")["headings"])
def test_bearings(row: dict[str, Any]) -> None:
    graph = star_graph(placed(row["scene"]), centre=row["origin"], frame="camera")
    edge = graph.edge(row["origin"], row["target"])
    assert edge is not None
    assert math.radians(edge.bearing_deg or 0.0) == pytest.approx(row["heading_rad"], rel=1e-14)
    back = edge.reversed()
    assert math.cos(math.radians((back.bearing_deg or 0.0) - (edge.bearing_deg or 0.0))) == pytest.approx(-1)
