"""Graphs for tests: random ones, recorded ones, and the scene rebuilt from nothing but a graph."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.questions import SceneFacts
from seeworthy.bench_data.scene_graphs import RELATIONS
from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.diagnostics.scene_graph import SceneEdge, SceneGraph, SceneObject, read_scene_graph

GOLDEN = Path(__file__).parents[2] / "golden" / "crisp"


@cache
def golden(name: str) -> Any:
    """A recorded file."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def targets() -> dict[str, Any]:
    """Scene -> the graph that models were scored against."""
    return {one["scene"]: one["sgc_target"] for one in golden("gt_graphs")["scenes"]}


def target_graphs() -> dict[str, SceneGraph]:
    """Scene -> the same as a `SceneGraph`."""
    read = {scene: read_scene_graph(target).graph for scene, target in targets().items()}
    return {scene: graph for scene, graph in read.items() if graph is not None}


LENGTHS = st.none() | st.floats(0, 500).map(lambda value: round(value, 3))
SIGNED = st.floats(-500, 500).map(lambda value: round(value, 3))
LABELS = st.sampled_from(["", "chair", 'the "big" lamp', "man's hat", "brace } and ]", "back\\slash", "椅子", "a, b"])


@st.composite
def scene_graphs(draw: st.DrawFn, *, most: int = 6) -> SceneGraph:
    """Any valid graph without cameras and sights."""
    ids = draw(st.lists(st.integers(0, 999), min_size=1, max_size=most, unique=True))
    vectors = st.none() | st.tuples(SIGNED, SIGNED, SIGNED)
    objects = tuple(
        SceneObject(
            id=number,
            label=draw(LABELS),
            distance_to_camera_m=draw(LENGTHS),
            length_m=draw(LENGTHS),
            width_m=draw(LENGTHS),
            height_m=draw(LENGTHS),
            position_m=draw(vectors),
            heading_deg=draw(st.none() | st.integers(-180, 180).map(float)),
        )
        for number in ids
    )
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)).filter(lambda p: p[0] != p[1]), unique=True)
        if len(ids) > 1
        else st.just([])
    )
    relations = st.none() | st.sets(st.sampled_from(RELATIONS)).map(
        lambda held: tuple(r for r in RELATIONS if r in held)
    )
    edges = tuple(SceneEdge(source=a, target=b, distance_m=draw(LENGTHS), relations=draw(relations)) for a, b in pairs)
    return SceneGraph(objects=objects, edges=edges, centre=draw(st.none() | st.sampled_from(ids)))


def facts_of(graph: SceneGraph) -> SceneFacts:
    """The truth rebuilt from a graph alone, in a world of its own: z up, the first camera above the origin."""
    world = _world_from_graph(graph)
    eye = np.array([0.0, 0.0, graph.camera_height_m or 0.0])
    boxes = {}
    for one in graph.objects:
        assert one.own_axes is not None
        right, up, forward = (world @ np.array(row) for row in one.own_axes)
        boxes[one.id] = OrientedBox(
            eye + world @ np.array(one.position_m),
            np.array([one.length_m, one.width_m, one.height_m], dtype=np.float64),
            np.stack([forward, -right, up], axis=1),
        )
    cameras = []
    for camera in sorted(graph.cameras, key=lambda one: one.view):
        right, up, forward = (world @ np.array(row) for row in camera.axes)
        pose = np.eye(4)
        pose[:3, :3] = np.stack([right, -up, forward], axis=1)
        pose[:3, 3] = eye + world @ np.array(camera.position_m)
        cameras.append(Camera(width=640, height=480, fx=500, fy=500, cx=320, cy=240, world_from_camera=pose))
    views = range(len(cameras))
    sights = {one.id: {sight.view: sight for sight in one.sights or ()} for one in graph.objects}
    return SceneFacts(
        boxes=boxes,
        labels={one.id: one.label for one in graph.objects},
        cameras=tuple(cameras),
        visible=tuple(frozenset(number for number, seen in sights.items() if view in seen) for view in views),
        image_boxes=tuple(
            {number: box for number, seen in sights.items() if view in seen and (box := seen[view].box_px)}
            for view in views
        ),
        image_points=tuple(
            {number: spot for number, seen in sights.items() if view in seen and (spot := seen[view].point_px)}
            for view in views
        ),
        attributes={one.id: one.attributes for one in graph.objects},
    )


def _world_from_graph(graph: SceneGraph) -> NDArray[np.float64]:
    """(3, 3) a rotation that takes (right, up, forward) to a world whose z is up."""
    up = np.array(graph.world_up)
    forward = np.array([0.0, 0.0, 1.0]) - up[2] * up
    if np.linalg.norm(forward) < 1e-6:
        forward = np.array([0.0, 1.0, 0.0]) - up[1] * up
    forward /= np.linalg.norm(forward)
    right = -np.cross(forward, up)  # (right, up, forward) is a left-handed order of axes
    return np.stack([right, forward, up])
