"""Open3DVQA: ``rgb/``, ``depth/`` (.npy), ``state/`` (.json), and boxes in the game engine's world.

| what | axes | unit |
|---|---|---|
| boxes (``{"actor": {"p1": {x, y, z}, "p2": {x, y, z}}}``) | x forward, y right, z up, left-handed | cm |
| state (``translation``, ``rotation`` as w, x, y, z) | AirSim: x forward, y right, z down; camera body the same | m |
| here | x forward, y left, z up | m |

So ``(x, y, z)`` of a box is ``(x, -y, z) / 100`` here, and of a state ``(x, -y, -z)``. Pictures have a field of view of
90 degrees across (f = W / 2), the principal point in the middle. Depth is taken along the axis; beyond 500 m it is sky.
A box has no front. Objects are named after their actors ("SM_StreetLamp_12": street lamp).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, RootModel

from ....cameras import Camera
from ....errors import BenchDataError
from ....images import load_image
from ....rotations import matrix_from_quat
from ...box import OrientedBox
from ...scene import Instance, SceneKind, SceneView
from ..back_projection import ColourDepth, back_projected
from ..boxes_file import with_descriptions
from ..files import files_in, picture_suffixes, read_array, read_json, validated
from ..importing import finished, spread_over
from ..objects import box_from_axes, is_structure_label, plain_label
from ..options import ImportedScene, ImportOptions
from ..registry import scene_importer

__all__ = ["load_open3dvqa", "pose_from_state"]

_FIELD_OF_VIEW_DEG = 90.0
_SKY_M = 500.0
_CM = 0.01
_MOST_JSON_FILES = 20
_MOST_ACTORS = 1000
"""Cities hold tens of thousands; the nearest to the cameras are kept."""

_WORLD_FROM_AIRSIM = np.diag([1.0, -1.0, -1.0])
_BODY_FROM_CAMERA = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Forward is the camera's z, right its x, down its y."""

_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]


class _State(BaseModel):
    translation: tuple[_Finite, _Finite, _Finite]
    rotation: tuple[_Finite, _Finite, _Finite, _Finite]


class _Corner(BaseModel):
    x: _Finite
    y: _Finite
    z: _Finite


class _Actor(BaseModel):
    p1: _Corner
    p2: _Corner


class _Actors(RootModel[dict[str, _Actor]]):
    pass


class _Frame(NamedTuple):
    name: str
    picture: Path
    depth: Path
    state: Path


def _detect(path: Path) -> bool:
    return all((path / name).is_dir() for name in ("rgb", "depth", "state"))


@scene_importer(
    "open3dvqa",
    convention="AirSim states (camera-to-world, z down, metres), boxes in engine centimetres (left-handed, z up)",
    detect=_detect,
)
def load_open3dvqa(path: Path, options: ImportOptions) -> ImportedScene:
    """A scene's folder of Open3DVQA."""
    options.allow("open3dvqa", "boxes", "max_depth_m")
    notes: list[str] = []
    frames = _frames(path, notes)
    chosen = [frames[k] for k in spread_over(len(frames), options.max_views)]
    views = [_view(frame) for frame in chosen]
    boxes = options.boxes or _boxes_file(path, notes)
    cloud = back_projected(views, most=options.max_gaussians, max_depth_m=min(options.max_depth_m or _SKY_M, _SKY_M))
    return finished(
        path,
        options,
        kind=SceneKind.STREET,
        cloud=cloud,
        instances=() if boxes is None else with_descriptions(_instances(boxes, views, notes)),
        views=[SceneView(view.name, view.camera) for view in views],
        source=f"Open3DVQA scene {path.resolve().name} (AirSim states, z down, metres; boxes in engine centimetres, "
        "y right; depth along the axis; 90 degrees across)",
        pictures={frame.name: frame.picture for frame in chosen},
        notes=notes,
    )


def pose_from_state(translation_m: Sequence[float], quat_wxyz: Sequence[float]) -> NDArray[np.float64]:
    """(4, 4) ``world_from_camera`` of an AirSim state, in this project's world.

    >>> pose_from_state((1, 2, -3), (1, 0, 0, 0))[:3, 3].tolist()
    [1.0, -2.0, 3.0]
    """
    pose = np.eye(4)
    pose[:3, :3] = _WORLD_FROM_AIRSIM @ matrix_from_quat(quat_wxyz) @ _BODY_FROM_CAMERA
    pose[:3, 3] = _WORLD_FROM_AIRSIM @ np.asarray(translation_m, dtype=np.float64)
    return pose


def _frames(path: Path, notes: list[str]) -> list[_Frame]:
    """Pictures that have a depth and a state of the same name."""
    pictures = {one.stem: one for one in files_in(path / "rgb", picture_suffixes)}
    depths = {one.stem: one for one in files_in(path / "depth", (".npy",))}
    states = {one.stem: one for one in files_in(path / "state", (".json",))}
    names = sorted(pictures.keys() & depths.keys() & states.keys())
    if not names:
        raise BenchDataError(
            f"{path}: no picture in rgb has a depth (.npy) and a state (.json) of the same name; found "
            f"{len(pictures)}, {len(depths)} and {len(states)} files"
        )
    if len(names) < len(pictures):
        notes.append(f"{len(pictures) - len(names)} of {len(pictures)} pictures have no depth or no state: left out")
    return [_Frame(name, pictures[name], depths[name], states[name]) for name in names]


def _view(frame: _Frame) -> ColourDepth:
    image = np.ascontiguousarray(load_image(frame.picture).image_srgb_u8)
    depth = np.squeeze(read_array(frame.depth))
    height, width = image.shape[:2]
    if depth.shape != (height, width):
        raise BenchDataError(f"cannot use {frame.depth}: its shape is {depth.shape}, the picture's {(height, width)}")
    state = validated(_State, read_json(frame.state), str(frame.state))
    focal = width / 2 / np.tan(np.radians(_FIELD_OF_VIEW_DEG) / 2)
    camera = Camera(
        width=width,
        height=height,
        fx=focal,
        fy=focal,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=pose_from_state(state.translation, state.rotation),
    )
    known = np.isfinite(depth) & (depth > 0)
    return ColourDepth(
        name=frame.name,
        camera=camera,
        image_srgb_u8=image,
        depth_m=np.where(known, depth, np.nan).astype(np.float32),
    )


def _boxes_file(path: Path, notes: list[str]) -> Path | None:
    """The one JSON file of the folder that holds boxes of actors.

    Raises:
        BenchDataError: several.
    """
    found = [file for file in files_in(path, (".json",))[:_MOST_JSON_FILES] if _holds_actors(read_json(file))]
    if len(found) > 1:
        raise BenchDataError(f"{path}: {found[0].name} and {found[1].name} both hold boxes; say which (boxes=)")
    if not found:
        notes.append("no file of boxes (actor: p1, p2): the scene has no objects")
    return next(iter(found), None)


def _holds_actors(content: object) -> bool:
    return (
        isinstance(content, dict)
        and bool(content)
        and all(isinstance(one, dict) and {"p1", "p2"} <= one.keys() for one in content.values())
    )


def _instances(file: Path, views: Sequence[ColourDepth], notes: list[str]) -> list[Instance]:
    """The actors in the order of their names; of many those nearest to a camera."""
    actors = validated(_Actors, read_json(file), str(file)).root
    instances = []
    for number, (name, actor) in enumerate(sorted(actors.items())):
        corners = np.array([[corner.x, -corner.y, corner.z] for corner in (actor.p1, actor.p2)]) * _CM
        label = plain_label(name)
        box: OrientedBox = box_from_axes(corners.mean(axis=0), np.abs(corners[1] - corners[0]), np.eye(3))
        instances.append(Instance(id=number, label=label, box=box, is_structure=is_structure_label(label)))
    if len(instances) <= _MOST_ACTORS:
        return instances
    notes.append(f"of {len(instances):,} actors the {_MOST_ACTORS:,} nearest to a camera are kept")
    eyes = [view.camera.centre_m for view in views]
    away = [min(one.box.distance_to(eye) for eye in eyes) for one in instances]
    nearest = sorted(range(len(instances)), key=lambda k: (away[k], k))[:_MOST_ACTORS]
    return [instances[k] for k in sorted(nearest)]
