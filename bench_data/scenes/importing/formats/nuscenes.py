"""nuScenes: one key frame (a sample) as a place: its six cameras, its boxes, its lidar sweep. Needs no devkit.

* ``ego_pose``: the map's world from the car; ``calibrated_sensor``: the car from the sensor; quaternions w, x, y, z;
  metres; z up. Camera axes are OpenCV's, pixel centres whole numbers. Each camera has the pose of its own moment, some
  milliseconds from the others', so what moves stands where it was annotated.
* Boxes: ``translation`` is the middle, ``size`` is width, length, height; their x is the front, y left, z up.
* The world's origin is moved to where the car was at the lidar sweep (or the first picture): the map's coordinates run
  to thousands of metres.
* The sweep's points (``LIDAR_TOP``, five float32 each) become Gaussians with the colours of the pictures that see them;
  without a sweep and without ``splats`` the scene has no Gaussians.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ....cameras import Camera
from ....errors import BenchDataError
from ....images import load_image
from ....rotations import matrix_from_quat
from ....splats import GaussianCloud
from ...box import OrientedBox
from ...scene import Instance, SceneKind, SceneView
from ..boxes_file import with_descriptions
from ..files import inside
from ..importing import finished
from ..nuscenes_tables import Annotation, KeyFrame, Pose, SampleData, read_key_frame, tables_folder
from ..objects import plain_label
from ..options import ImportedScene, ImportOptions
from ..registry import scene_importer
from ..splat_files import cloud_of_file, points_as_gaussians

__all__ = ["load_nuscenes"]

_LABELS = {
    "human.pedestrian.adult": "pedestrian",
    "human.pedestrian.child": "child",
    "human.pedestrian.construction_worker": "construction worker",
    "human.pedestrian.police_officer": "police officer",
    "human.pedestrian.personal_mobility": "personal mobility device",
    "human.pedestrian.stroller": "stroller",
    "human.pedestrian.wheelchair": "wheelchair",
    "movable_object.pushable_pullable": "pushable object",
    "movable_object.trafficcone": "traffic cone",
    "static_object.bicycle_rack": "bicycle rack",
    "vehicle.bus.bendy": "articulated bus",
    "vehicle.bus.rigid": "bus",
    "vehicle.construction": "construction vehicle",
    "vehicle.emergency.ambulance": "ambulance",
    "vehicle.emergency.police": "police car",
}
"""Categories whose last word alone says too little."""

_NO_FRONT = ("movable_object.", "static_object.", "animal")
_SWEEP_COLUMNS = 5
_LARGEST_SWEEP_BYTES = 64 * 2**20
_GREY = 0.5
_NEAREST_M = 1.0
"""Points nearer to the lidar are on the car itself."""


def _detect(path: Path) -> bool:
    return tables_folder(path) is not None


@scene_importer(
    "nuscenes",
    convention="map from car from sensor, wxyz, metres, z up; OpenCV camera axes, whole-number pixel centres; w, l, h",
    detect=_detect,
)
def load_nuscenes(path: Path, options: ImportOptions) -> ImportedScene:
    """One key frame: ``options.scene`` is a sample token or a scene's name (its first sample); None for the first."""
    options.allow("nuscenes", "scene", "splats", "max_depth_m")
    tables = tables_folder(path)
    if tables is None:
        raise BenchDataError(f"{path} holds no nuScenes tables (sample.json and its like, in it or in v1.0-*)")
    root = path if tables != path else path.parent
    notes: list[str] = []
    frame = read_key_frame(tables, options.scene)
    cameras = [one for one in frame.data if frame.calibrations[one.calibrated_sensor_token].camera_intrinsic]
    origin = _origin(frame)
    views = [SceneView(_channel(one), _camera(frame, one, origin)) for one in cameras]
    pictures = {_channel(one): inside(root, one.filename) for one in cameras if inside(root, one.filename).is_file()}
    return finished(
        path,
        options,
        kind=SceneKind.STREET,
        cloud=_cloud(root, frame, origin, views, pictures, options, notes),
        instances=with_descriptions([_instance(frame, n, one, origin) for n, one in enumerate(frame.annotations)]),
        views=views[: options.max_views],
        source=f"nuScenes sample {frame.token} (map from car from sensor, metres, z up; whole-number pixel centres; "
        f"box sizes w, l, h), origin at {', '.join(f'{value:.3f}' for value in origin)} of the map",
        pictures=pictures,
        notes=notes,
    )


def _channel(data: SampleData) -> str:
    """CAM_FRONT of ``samples/CAM_FRONT/name.jpg``."""
    return Path(data.filename).parent.name or Path(data.filename).stem


def _matrix(pose: Pose) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = matrix_from_quat(pose.rotation), pose.translation
    return matrix


def _sweep(frame: KeyFrame) -> SampleData | None:
    return next((one for one in frame.data if one.filename.endswith(".pcd.bin") and "LIDAR" in one.filename), None)


def _origin(frame: KeyFrame) -> NDArray[np.float64]:
    first = _sweep(frame) or frame.data[0]
    return np.array(frame.poses[first.ego_pose_token].translation)


def _world_from_sensor(frame: KeyFrame, data: SampleData, origin: NDArray[np.float64]) -> NDArray[np.float64]:
    pose = _matrix(frame.poses[data.ego_pose_token]) @ _matrix(frame.calibrations[data.calibrated_sensor_token])
    pose[:3, 3] -= origin
    return pose


def _camera(frame: KeyFrame, data: SampleData, origin: NDArray[np.float64]) -> Camera:
    try:
        return Camera.from_K(
            np.array(frame.calibrations[data.calibrated_sensor_token].camera_intrinsic, dtype=np.float64),
            width=data.width,
            height=data.height,
            world_from_camera=_world_from_sensor(frame, data, origin),
            pixel_centre=0,
        )
    except (BenchDataError, ValueError) as error:
        raise BenchDataError(f"sample_data {data.token} ({data.filename}): {error}") from error


def _instance(frame: KeyFrame, number: int, one: Annotation, origin: NDArray[np.float64]) -> Instance:
    category = frame.category[one.token]
    width, length, height = one.size
    attributes = {
        "visibility": frame.visibility[one.token],
        "state": ", ".join(text.rpartition(".")[2] for text in frame.attributes[one.token] if text),
        "lidar_points": str(one.num_lidar_pts),
    }
    return Instance(
        id=number,
        label=_LABELS.get(category) or plain_label(category.rpartition(".")[2]),
        box=OrientedBox(
            np.array(one.translation) - origin, np.array([length, width, height]), matrix_from_quat(one.rotation)
        ),
        attributes={key: value for key, value in attributes.items() if value},
        has_front=not category.startswith(_NO_FRONT),
    )


def _cloud(
    root: Path,
    frame: KeyFrame,
    origin: NDArray[np.float64],
    views: list[SceneView],
    pictures: dict[str, Path],
    options: ImportOptions,
    notes: list[str],
) -> GaussianCloud:
    if options.splats is not None:
        notes.append("the splat file is taken to lie in the moved world: origin at the car")
        return cloud_of_file(options.splats, options, notes)
    sweep = _sweep(frame)
    file = None if sweep is None else inside(root, sweep.filename)
    if sweep is None or file is None or not file.is_file():
        notes.append("no lidar sweep and no splat file: the scene has boxes and cameras, but nothing to render")
        return GaussianCloud.empty()
    points = _sweep_points(file)
    reach = np.linalg.norm(points, axis=1)
    points = points[(reach > _NEAREST_M) & (reach <= (options.max_depth_m or np.inf))]
    pose = _world_from_sensor(frame, sweep, origin)
    world = points @ pose[:3, :3].T + pose[:3, 3]
    notes.append(f"the {len(world):,} points of one lidar sweep became Gaussians: surfaces have gaps between its lines")
    return points_as_gaussians(world, _colours(world, views, pictures), options, notes)


def _sweep_points(file: Path) -> NDArray[np.float64]:
    """(N, 3) points in the sensor's axes.

    Raises:
        BenchDataError: not a whole number of rows, too large, or values that are not finite.
    """
    size = file.stat().st_size
    if size > _LARGEST_SWEEP_BYTES or size % (4 * _SWEEP_COLUMNS):
        raise BenchDataError(f"cannot read {file}: {size:,} bytes are no rows of {_SWEEP_COLUMNS} float32")
    rows = np.frombuffer(file.read_bytes(), dtype="<f4").reshape(-1, _SWEEP_COLUMNS)
    if not np.isfinite(rows[:, :3]).all():
        raise BenchDataError(f"cannot read {file}: a point is not finite")
    return rows[:, :3].astype(np.float64)


def _colours(points: NDArray[np.float64], views: list[SceneView], pictures: dict[str, Path]) -> NDArray[np.float64]:
    """(N, 3) of the picture that sees a point; grey where none does."""
    colours = np.full((len(points), 3), _GREY)
    for view in views:
        if view.name not in pictures:
            continue
        image = load_image(pictures[view.name]).image_srgb_u8
        if image.shape[:2] != (view.camera.height, view.camera.width):
            raise BenchDataError(
                f"{pictures[view.name]} is {image.shape[1]}x{image.shape[0]}, sample_data says "
                f"{view.camera.width}x{view.camera.height}"
            )
        seen = view.camera.project(points)
        x, y = np.floor(seen.points_px[seen.in_picture]).astype(int).T
        colours[seen.in_picture] = image[y, x] / 255.0
    return colours
