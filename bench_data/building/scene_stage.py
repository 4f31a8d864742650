"""Makes one scene and looks at it from everywhere: the scene, its poses, its depth, its ids, and the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..camera_formats import NamedCamera
from ..camera_formats.nerfstudio import nerfstudio_json
from ..errors import BenchDataError
from ..questions.truth_file import truth_to_json
from ..scenes import Scene, SceneKind
from ..scenes.folder import cloud_as_npz, scene_as_json
from ..views import Observer
from .layout import (
    METRES_PER_UNIT,
    NOMINAL,
    depth_file,
    instance_file,
    pose_file,
    scene_folder,
    truth_file,
)
from .output import FileSink, png_bytes
from .settings import BuildSettings, SceneSpec
from .sights import scene_truth

__all__ = ["SceneCache", "depth_png", "instance_png", "make_scene", "write_truth"]

_MOST_IDS = 65534
_ROOM_OBJECTS, _STREET_OBJECTS = 15, 30


class SceneCache:
    """Keeps the scene that was made last: both stages of a scene need it, and making it takes seconds."""

    def __init__(self) -> None:
        self._key: tuple[BuildSettings, SceneSpec] | None = None
        self._scene: Scene | None = None

    def scene(self, settings: BuildSettings, spec: SceneSpec) -> Scene:
        """The scene, made when it is not the last one."""
        if self._scene is None or self._key != (settings, spec):
            self._scene = None  # before the next one takes memory
            self._scene = make_scene(settings, spec)
            self._key = (settings, spec)
        return self._scene


def make_scene(settings: BuildSettings, spec: SceneSpec) -> Scene:
    """The scene of a data set, with its views; from settings and seed alone.

    Raises:
        BenchDataError: more objects than such a place holds.
    """
    from ..scenes.procedural import Lens, make_room, make_street

    lens = Lens(settings.width, settings.height, settings.fov_deg)
    if spec.kind is SceneKind.ROOM:
        return make_room(
            spec.seed,
            objects=settings.objects or _ROOM_OBJECTS,
            views=settings.views,
            lens=lens,
            density=settings.density,
            scene_id=spec.id,
        )
    return make_street(
        spec.seed,
        objects=settings.objects or _STREET_OBJECTS,
        views=settings.views,
        lens=lens,
        density=settings.density,
        scene_id=spec.id,
    )


def write_truth(settings: BuildSettings, scene: Scene, output: FileSink) -> None:
    """Writes everything about a scene that does not depend on conditions. Renders with one thread."""
    folder = scene_folder(scene.id)
    output.write(f"{folder}/scene.json", scene_as_json(scene).encode())
    if settings.keep_clouds:
        output.write(f"{folder}/cloud.npz", cloud_as_npz(scene.cloud))
    cameras = [NamedCamera(f"{view.name}.png", view.camera) for view in scene.views]
    output.write(pose_file(scene.id), nerfstudio_json(cameras).encode())
    observer = Observer(scene)
    observations = []
    for view in scene.views:
        seen = observer.observe(view, threads=1)
        output.write(depth_file(NOMINAL, scene.id, view.name), depth_png(seen.render.depth_m, scene.kind))
        output.write(instance_file(NOMINAL, scene.id, view.name), instance_png(seen.instance_ids))
        observations.append(seen)
    output.write(truth_file(scene.id), truth_to_json(scene_truth(scene, observations)).encode())


def depth_png(depth_m: NDArray[np.float32], kind: SceneKind) -> bytes:
    """(H, W) depth as a 16-bit PNG in the unit of its kind of scene; unknown and too far depths become 0."""
    units = np.rint(depth_m.astype(np.float64) / METRES_PER_UNIT[kind])
    known = np.isfinite(units) & (units >= 0) & (units <= np.iinfo(np.uint16).max)
    return png_bytes(np.where(known, units, 0).astype(np.uint16))


def instance_png(instance_ids: NDArray[np.int32]) -> bytes:
    """(H, W) ids, -1 for none, as a 16-bit PNG of id + 1.

    Raises:
        BenchDataError: an id that does not fit.
    """
    if int(instance_ids.max()) > _MOST_IDS:
        raise BenchDataError(f"ids above {_MOST_IDS} do not fit into 16 bits; number the objects anew")
    return png_bytes((instance_ids + 1).astype(np.uint16))
