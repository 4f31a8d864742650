"""The published rules give the recorded answers, to the letter where these are texts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    Question,
    Refusals,
    SceneFacts,
    SceneTruth,
    Sight,
    Unit,
    ViewTruth,
    evaluate,
)
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.questions.suites.open3dvqa import KINDS, Open3DVQASettings
from seeworthy.bench_data.questions.suites.open3dvqa.kinds import V1, V2
from seeworthy.bench_data.questions.suites.open3dvqa.published_text import clock_hour, length_text, volume_text
from seeworthy.bench_data.scenes import Instance, OrientedBox, SceneKind

GOLDEN = Path(__file__).parents[4] / "golden" / "open3dvqa"
V1_ROWS: dict[str, Any] = json.loads((GOLDEN / "gt_39_types.json").read_text("utf-8"))
V2_ROWS: dict[str, Any] = json.loads((GOLDEN / "gt_46_types.json").read_text("utf-8"))

# A camera at the origin that looks level along the world's y.
POSE = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


def two_boxes(boxes: list[OrientedBox], pose: np.ndarray = POSE) -> SceneTruth:
    """Two objects before a camera with so wide a picture that all of both is in it."""
    camera = Camera(width=40_000, height=40_000, fx=100, fy=100, cx=20_000, cy=20_000, world_from_camera=pose)
    instances = tuple(
        Instance(id=number, label="thing", box=box, description=f"the {name} thing")
        for number, (box, name) in enumerate(zip(boxes, ("first", "second"), strict=True))
    )
    sight = Sight(pixels=10_000, occlusion=0.0, truncation=0.0, box_px=(0, 0, 100, 100), point_px=(50.5, 50.5))
    view = ViewTruth("a", camera, {one.id: sight for one in instances})
    return SceneTruth(scene="golden", kind=SceneKind.STREET, instances=instances, views=(view,))


def box_of_corners(corners: list[list[float]]) -> OrientedBox:
    """From (right, down, forward) of the camera."""
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    right, down, forward = (low + high) / 2
    width, height, depth = high - low
    # The smallest number of digits stands for what was written down.
    return OrientedBox.upright(
        (round(right, 6), round(forward, 6), round(-down, 6)), (round(width, 6), round(depth, 6), round(height, 6))
    )


def box_of_points(points: list[list[float]]) -> OrientedBox:
    """Around points in (forward, left, up)."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    forward, left, up = (low + high) / 2
    depth, width, height = high - low
    return OrientedBox.upright((-left, forward, up), (width, depth, height))


def asked(truth: SceneTruth, version: str) -> dict[str, Question]:
    settings = Open3DVQASettings.model_validate(
        {"published": True, "published_version": version, "published_least_side_px": 0.0}
    )
    found = list(QUESTION_SUITES.get("open3dvqa").generate(truth, settings, 0, Refusals()))
    assert audit_keys(found, [truth]).ok, audit_keys(found, [truth]).as_text()
    assert all(one.published for one in found)
    return {one.kind: one for one in found}


def sound(truth: SceneTruth) -> list[Question]:
    settings = Open3DVQASettings(least_picture_share=0.0)
    return list(QUESTION_SUITES.get("open3dvqa").generate(truth, settings, 0, Refusals()))


def answer(one: Question) -> dict[str, object]:
    """The answer in the form of the records."""
    if "answer_text" in one.tags:
        return {"gt_text": one.tags["answer_text"]}
    if one.kind.endswith("_multichoice"):
        return {"gt": one.letter}
    if one.kind.endswith("_tfqa"):
        text = next(option.text for option in one.options if option.key == one.truth)
        return {"gt": f"{one.letter}.{text}"}
    return {"gt": one.truth}


@pytest.mark.parametrize("name", V1_ROWS["scenes"])
def test_the_39_types(name: str) -> None:
    scene = V1_ROWS["scenes"][name]
    found = asked(two_boxes([box_of_corners(scene[one]["corners"]) for one in ("first", "second")]), "v1")
    assert {kind: answer(one) for kind, one in found.items()} == scene["gt"]
    assert len(found) == V1_ROWS["n_types"] == len(V1) == 39


@pytest.mark.parametrize("name", V2_ROWS["scenes"])
def test_the_46_types(name: str) -> None:
    scene = V2_ROWS["scenes"][name]
    found = asked(two_boxes([box_of_points(scene[f"{one}_points"]) for one in ("first", "second")]), "v2")
    assert {kind: answer(one) for kind, one in found.items()} == scene["gt"]
    assert len(found) == V2_ROWS["n_types"] == len(V2) == 46


@pytest.mark.parametrize("row", V1_ROWS["clock_sweep_egocentric"], ids=lambda row: row["bearing_deg_right_positive"])
def test_clock(row: dict[str, float]) -> None:
    bearing = math.radians(row["bearing_deg_right_positive"])
    right, forward = 7 * math.sin(bearing), 7 * math.cos(bearing)
    assert clock_hour(right, forward) == row["clock"]
    camera = Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=POSE)
    facts = SceneFacts(
        boxes={0: OrientedBox.upright((right, forward, 1), (1, 1, 1))}, labels={0: "thing"}, cameras=(camera,)
    )
    sector = q.Sector(q.CameraRef(0), q.ObjectRef(0), q.CameraFrame(0), "floored_clock")
    assert evaluate(sector, facts).value == row["clock"]


@pytest.mark.parametrize("row", V1_ROWS["distance_text"], ids=lambda row: row["text"])
def test_lengths(row: dict[str, Any]) -> None:
    assert length_text(row["metres"]) == row["text"]


@pytest.mark.parametrize("row", V1_ROWS["volume_text"], ids=lambda row: row["text"])
def test_volumes(row: dict[str, Any]) -> None:
    assert volume_text(row["cubic_metres"]) == row["text"]


def test_tags() -> None:
    for name, tags in V1_ROWS["record_tags"].items():
        kind = KINDS[name]
        assert kind.tags["type"] == tags["type"], name
        assert kind.tags["is_embodied"] == str(tags["is_embodied"]).lower(), name
        assert (kind.unit is Unit.CUBIC_METRE) == (name == "volume_data")


def tilted_down(degrees: float, height_m: float) -> np.ndarray:
    """A camera above the origin that looks along y and so far down."""
    angle = math.radians(degrees)
    pose = np.eye(4)
    pose[:3, :3] = [
        [1, 0, 0],
        [0, -math.sin(angle), math.cos(angle)],
        [0, -math.cos(angle), -math.sin(angle)],
    ]
    pose[2, 3] = height_m
    return pose


def test_the_faults_are_kept_by_the_published_rule_and_mended_by_ours() -> None:
    # A drone 10 m above two cubes, one of them turned by 45 degrees: by its own tilted axes they are above it.
    boxes = [
        OrientedBox.upright((-4, 20, 1), (2, 2, 2), heading_rad=math.pi / 4),
        OrientedBox.upright((5, 30, 1.5), (3, 3, 3)),
    ]
    truth = two_boxes(boxes, tilted_down(30, 11))
    published = asked(truth, "v1")
    # The first thing is named first in the published order.
    assert published["above_relationship2agent"].truth is True
    assert published["width_data"].truth == pytest.approx(2 * math.sqrt(2))
    assert published["volume_data"].truth != pytest.approx(8, rel=0.2)
    level = asked(truth, "v2")
    assert level["above_relationship2agent"].truth is False
    assert level["width_data"].truth == pytest.approx(2 * math.sqrt(2))
    found = sound(truth)
    widths = {name: one.truth for one in found if one.kind == "width_data" for name in one.names.values()}
    assert widths == {"the first thing": pytest.approx(2), "the second thing": pytest.approx(3)}
    volumes = {name: one.truth for one in found if one.kind == "volume_data" for name in one.names.values()}
    assert volumes == {"the first thing": pytest.approx(8), "the second thing": pytest.approx(27)}
    apparent = {name: one.truth for one in found if one.kind == "apparent_width_data" for name in one.names.values()}
    assert apparent["the first thing"] == pytest.approx(2 * math.sqrt(2))
    heights = [one.truth for one in found if one.kind == "vertical_distance2agent"]
    assert sorted(heights) == pytest.approx([9.5, 10])  # type: ignore[type-var]


def test_what_lies_behind_the_camera_is_mirrored_into_the_published_v1_only() -> None:
    boxes = [OrientedBox.upright((0, -20, 0), (2, 2, 2)), OrientedBox.upright((3, 20, 0), (2, 2, 2))]
    truth = two_boxes(boxes)
    # Its truth says that it is seen; a scene of ours never says so of what lies behind the camera.
    assert len(asked(truth, "v1")) == 39
    found = sound(truth)
    assert found
    assert all("first" not in one.text.replace("the former", "") for one in found)


def test_published_gates() -> None:
    near, far = OrientedBox.upright((0, 20, 0), (2, 2, 2)), OrientedBox.upright((3, 51, 0), (2, 2, 2))
    truth = two_boxes([near, far])
    suite = QUESTION_SUITES.get("open3dvqa")

    def count(**settings: object) -> int:
        values = {"published": True, "published_least_side_px": 0.0, **settings}
        return len(list(suite.generate(truth, Open3DVQASettings.model_validate(values), 0, Refusals())))

    assert count(published_version="v1") == 0
    assert count(published_version="v1", published_reach_m=60.0) == 39
    assert count(published_version="v2") == 46
    assert count(published_version="v2", published_least_side_px=4.5) == 0
