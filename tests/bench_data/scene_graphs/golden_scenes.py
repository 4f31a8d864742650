"""The recorded CRISP scenes, as objects placed in the camera's frame and as truths of whole scenes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.questions import SceneTruth, Sight, ViewTruth
from seeworthy.bench_data.scene_graphs import PlacedObject
from seeworthy.bench_data.scenes import Instance, OrientedBox, SceneKind

FOLDER = Path(__file__).parents[2] / "golden" / "crisp"
CAMERA_HEIGHT_M = 1.5


@cache
def golden(name: str) -> Any:
    """A recorded file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def scenes() -> dict[str, dict[str, Any]]:
    """Name -> record."""
    return {one["scene"]: one for one in golden("scenes")["scenes"]}


def placed(name: str) -> tuple[PlacedObject, ...]:
    """The objects of a recorded scene."""
    return tuple(
        PlacedObject(
            id=one["id"],
            label="thing",
            right_m=one["x"],
            up_m=-one["y"],
            forward_m=one["z_cam"],
            bottom_m=one["z_world"] - one["h"] / 2,
            top_m=one["z_world"] + one["h"] / 2,
            length_m=one["l"],
            width_m=one["w"],
            height_m=one["h"],
        )
        for one in scenes()[name]["objects"]
    )


def truth(name: str) -> SceneTruth:
    """A recorded scene as a whole: a level camera 1.5 m high that looks along the world's y (so x is right)."""
    record = scenes()[name]
    pose = np.eye(4)
    pose[:3, :3] = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]).T
    pose[2, 3] = CAMERA_HEIGHT_M
    camera = Camera(width=640, height=480, fx=500, fy=500, cx=320, cy=240, world_from_camera=pose)
    instances = tuple(
        Instance(
            id=one["id"],
            label="thing",
            box=OrientedBox.upright((one["x"], one["z_cam"], one["z_world"]), (one["l"], one["w"], one["h"])),
        )
        for one in record["objects"]
    )
    seen = {one.id: Sight(4000, 0.0, 0.0, (100.0, 100.0, 200.0, 200.0), (150.5, 150.5)) for one in instances}
    kind = SceneKind.STREET if record["config"]["dataset"] == "nuscenes" else SceneKind.ROOM
    return SceneTruth(scene=name, kind=kind, instances=instances, views=(ViewTruth("front", camera, seen),))
