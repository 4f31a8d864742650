"""ScanNet++: ``scans/`` with the laser scan and its objects, ``dslr/nerfstudio/transforms.json`` with the cameras.

* The scan's world is metres with z up, and is kept. ``scans/mesh_aligned_0.05.ply`` (or ``pc_aligned.ply``) gives the
  Gaussians where no splat file is given; ``scans/segments.json`` says which vertex is whose.
* Cameras are camera-to-world with OpenGL axes, in a world that nerfstudio's COLMAP converter turned: its x is the
  scan's y, its y the scan's x, its z the scan's -z. They are turned back. ``test_frames`` are not read.
* Boxes (``segments_anno.json``, ``obb``): ``centroid``, ``axesLengths``, ``normalizedAxes`` as nine numbers, which are
  taken axis by axis unless the objects' own vertices fit them better row by row. The axis nearest to z is the box's
  height, whatever its place (published tools take the second). An axis has no front.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ....camera_formats import read_nerfstudio
from ....errors import BenchDataError
from ....splats import NO_INSTANCE, GaussianCloud
from ...box import OrientedBox
from ...scene import Instance, SceneKind
from ..boxes_file import with_descriptions
from ..files import inside, read_json, validated
from ..importing import finished, spread_over
from ..objects import box_from_axes, is_structure_label, plain_label
from ..options import ImportedScene, ImportOptions
from ..point_clouds import PlyPoints, read_ply_points
from ..registry import scene_importer
from ..splat_files import cloud_of_file, points_as_gaussians
from ..views import named_views
from ..voxels import fitting_side_m, voxel_owners
from ..world import WorldChange

__all__ = ["SCAN_FROM_NERFSTUDIO", "load_scannetpp"]

SCAN_FROM_NERFSTUDIO = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""(3, 3): negate z, then exchange x and y."""

_CAMERAS = ("dslr/nerfstudio/transforms.json", "dslr/nerfstudio/transforms_undistorted.json")
_PICTURES = ("dslr/resized_images", "dslr/resized_undistorted_images")
_SCANS = ("scans/mesh_aligned_0.05.ply", "scans/pc_aligned.ply")
_ANNOTATIONS, _SEGMENTS = "scans/segments_anno.json", "scans/segments.json"
_BOX_MARGIN_M = 0.01
_TOLERANCE = 1e-3

_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
_Triple: TypeAlias = tuple[_Finite, _Finite, _Finite]


class _Obb(BaseModel):
    centroid: _Triple
    axesLengths: _Triple  # noqa: N815 - the file's own names
    normalizedAxes: Annotated[list[_Finite], Field(min_length=9, max_length=9)]  # noqa: N815


class _Group(BaseModel):
    objectId: int  # noqa: N815
    label: str
    segments: list[int] = []
    obb: _Obb


class _Annotations(BaseModel):
    segGroups: Annotated[list[_Group], Field(max_length=20_000)]  # noqa: N815


class _Segments(BaseModel):
    segIndices: list[int]  # noqa: N815


def _detect(path: Path) -> bool:
    return (path / "scans").is_dir() and any((path / name).is_file() for name in _CAMERAS)


@scene_importer(
    "scannetpp",
    convention="camera-to-world, OpenGL camera axes, nerfstudio's world turned back to the scan's: metres, z up",
    detect=_detect,
)
def load_scannetpp(path: Path, options: ImportOptions) -> ImportedScene:
    """A scene's folder of ScanNet++."""
    options.allow("scannetpp", "splats")
    notes: list[str] = []
    cameras = next((path / name for name in _CAMERAS if (path / name).is_file()), path / _CAMERAS[0])
    pictures = path / _PICTURES[_CAMERAS.index(cameras.relative_to(path).as_posix())]
    named = read_nerfstudio(cameras)
    scan_file = next((path / name for name in _SCANS if (path / name).is_file()), None)
    scan = None if scan_file is None else read_ply_points(scan_file)
    groups = _groups(path, notes)
    owners = None if scan is None else _owners(path, groups, len(scan.points), notes)
    instances = with_descriptions(_instances(groups, None if scan is None else scan.points, owners, notes))
    cloud, what = _cloud(options, scan_file, scan, owners, notes)
    chosen = [named[k] for k in spread_over(len(named), options.max_views)]
    return finished(
        path,
        options,
        kind=SceneKind.ROOM,
        cloud=cloud,
        instances=instances,
        views=named_views(chosen, WorldChange(SCAN_FROM_NERFSTUDIO)),
        source=f"ScanNet++ {path.resolve().name} (camera-to-world, OpenGL axes, turned from nerfstudio's world to "
        f"the scan's: metres, z up), Gaussians of {what}",
        pictures={one.name: inside(pictures, one.name) for one in chosen if inside(pictures, one.name).is_file()},
        notes=notes,
    )


def _groups(path: Path, notes: list[str]) -> list[_Group]:
    """The annotated objects, each id once."""
    file = path / _ANNOTATIONS
    if not file.is_file():
        notes.append(f"no {_ANNOTATIONS}: the scene has no objects")
        return []
    groups = validated(_Annotations, read_json(file), str(file)).segGroups
    seen: set[int] = set()
    for group in groups:
        if group.objectId < 0 or group.objectId in seen:
            raise BenchDataError(f"cannot read {file}: objectId {group.objectId} is negative or occurs twice")
        seen.add(group.objectId)
    return groups


def _owners(path: Path, groups: list[_Group], count: int, notes: list[str]) -> NDArray[np.int32] | None:
    """(V,) the object of each vertex, by its segment; None where the scan is not the one that was segmented."""
    file = path / _SEGMENTS
    if not groups or not file.is_file():
        return None
    segments = np.array(validated(_Segments, read_json(file), str(file)).segIndices, dtype=np.int64)
    if len(segments) != count:
        notes.append(f"{_SEGMENTS} is for {len(segments):,} vertices, the scan has {count:,}: objects go by boxes")
        return None
    known, position = np.unique(segments, return_inverse=True)
    owner = np.full(len(known), NO_INSTANCE, dtype=np.int32)
    # Segments may be shared; the smaller object, which comes last, keeps them.
    for group in sorted(groups, key=lambda one: -float(np.prod(one.obb.axesLengths))):
        owner[np.isin(known, np.array(group.segments, dtype=np.int64))] = group.objectId
    return np.asarray(owner[position])


def _instances(
    groups: list[_Group], points: NDArray[np.float64] | None, owners: NDArray[np.int32] | None, notes: list[str]
) -> list[Instance]:
    rows = points is not None and owners is not None and _axes_are_rows(groups, points, owners)
    if rows:
        notes.append("the axes of the boxes were read row by row: so they fit the objects' vertices better")
    instances, bad = [], []
    for group in groups:
        label = plain_label(group.label)
        try:
            box = _box(group.obb, rows=rows)
        except BenchDataError as error:
            bad.append(f"object {group.objectId} ({label}): {error}")
            continue
        instances.append(Instance(id=group.objectId, label=label, box=box, is_structure=is_structure_label(label)))
    if bad:
        notes.append(f"{len(bad)} objects have no usable box and were left out: {bad[0]}")
    return instances


def _box(obb: _Obb, *, rows: bool) -> OrientedBox:
    nine = np.array(obb.normalizedAxes).reshape(3, 3)
    axes = nine if rows else nine.T
    if np.abs(axes.T @ axes - np.eye(3)).max() > _TOLERANCE:
        raise BenchDataError("normalizedAxes are not three unit vectors at right angles")
    return box_from_axes(np.array(obb.centroid), np.array(obb.axesLengths), axes)


def _axes_are_rows(groups: list[_Group], points: NDArray[np.float64], owners: NDArray[np.int32]) -> bool:
    """Whether boxes hold more of their vertices when the nine numbers are read as the rows of a matrix."""
    held = [0, 0]
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], [group.objectId for group in groups])
    ends = np.searchsorted(owners[order], [group.objectId for group in groups], side="right")
    for group, start, end in zip(groups, starts, ends, strict=True):
        own = points[order[start:end]]
        for way in (0, 1):
            try:
                box = _box(group.obb, rows=bool(way))
            except BenchDataError:
                break  # counted and said when the instances are made
            held[way] += int(box.contains(own, margin_m=_BOX_MARGIN_M).sum())
    return held[1] > held[0]


def _cloud(
    options: ImportOptions,
    scan_file: Path | None,
    scan: PlyPoints | None,
    owners: NDArray[np.int32] | None,
    notes: list[str],
) -> tuple[GaussianCloud, str]:
    if options.splats is not None:
        return cloud_of_file(options.splats, options, notes), options.splats.name
    if scan is None or scan_file is None:
        raise BenchDataError(f"there is neither a splat file (splats=) nor a scan ({' or '.join(_SCANS)})")
    notes.append(f"{scan_file.name} holds no Gaussians: its {len(scan.points):,} vertices became round ones")
    cloud = points_as_gaussians(scan.points, scan.colours_srgb, options, notes)
    if owners is not None:
        cloud = cloud.with_instance_ids(_ids_after_thinning(scan.points, owners, options.max_gaussians))
    return cloud, f"the vertices of {scan_file.name}"


def _ids_after_thinning(points: NDArray[np.float64], owners: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """(N,) the object that most vertices of each kept point belong to, the one of the lowest number when equal."""
    side = fitting_side_m(points, most)
    if side <= 0:
        return owners
    voxels, count = voxel_owners(points, side)
    pairs, votes = np.unique(np.stack([voxels, owners.astype(np.int64)], axis=1), axis=0, return_counts=True)
    order = np.lexsort((pairs[:, 1], -votes, pairs[:, 0]))
    first = order[np.searchsorted(pairs[order, 0], np.arange(count))]
    return np.asarray(pairs[first, 1], dtype=np.int32)
