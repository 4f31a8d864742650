"""The tables of nuScenes (``v1.0-*/*.json``), of which only the rows of one key frame are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from ...errors import BenchDataError
from .files import json_records, validated

__all__ = ["Annotation", "Calibration", "KeyFrame", "Pose", "SampleData", "read_key_frame", "tables_folder"]

_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
_Triple: TypeAlias = tuple[_Finite, _Finite, _Finite]
_Side: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
RowT = TypeVar("RowT", bound=BaseModel)

_FEWEST = ("sample", "sample_data", "ego_pose", "calibrated_sensor", "sample_annotation", "instance", "category")


class _Row(BaseModel):
    token: str


class _SceneRow(_Row):
    name: str = ""
    first_sample_token: str


class SampleData(_Row):
    """A picture or a sweep."""

    sample_token: str
    ego_pose_token: str
    calibrated_sensor_token: str
    filename: str
    is_key_frame: bool
    width: int = 0
    height: int = 0


class Pose(_Row):
    """``ego_pose``: the world from the car, metres, quaternion w first."""

    translation: _Triple
    rotation: tuple[_Finite, _Finite, _Finite, _Finite]


class Calibration(Pose):
    """``calibrated_sensor``: the car from the sensor."""

    camera_intrinsic: list[list[_Finite]] = []


class Annotation(Pose):
    """``sample_annotation``: a box; size is width, length, height."""

    sample_token: str
    instance_token: str
    visibility_token: str = ""
    attribute_tokens: list[str] = []
    size: tuple[_Side, _Side, _Side]
    num_lidar_pts: int = 0


class _InstanceRow(_Row):
    category_token: str


class _NamedRow(_Row):
    name: str = ""
    level: str = ""


@dataclass(frozen=True, kw_only=True)
class KeyFrame:
    """What belongs to one sample.

    Args:
        token: of the sample.
        data: its pictures and sweeps, in the order of their file names.
        poses, calibrations: by token.
        annotations: in the order of their instances' tokens.
        category, visibility, attributes: texts by the annotation's token.
    """

    token: str
    data: tuple[SampleData, ...]
    poses: dict[str, Pose]
    calibrations: dict[str, Calibration]
    annotations: tuple[Annotation, ...]
    category: dict[str, str]
    visibility: dict[str, str]
    attributes: dict[str, tuple[str, ...]]


def tables_folder(root: Path) -> Path | None:
    """The folder of the tables: the root itself, or the first of ``v1.0-*`` in it."""
    for folder in (root, *sorted(root.glob("v1.0-*"))):
        if all((folder / f"{name}.json").is_file() for name in _FEWEST):
            return folder
    return None


def read_key_frame(folder: Path, wanted: str | None) -> KeyFrame:
    """The rows of a sample: by its token, by the name of a scene (then its first sample), or the very first.

    Raises:
        BenchDataError: no such sample or scene, or a table that is missing, damaged, or lacks a row.
    """
    token = _sample_token(folder, wanted)
    data = _kept(
        folder,
        "sample_data",
        SampleData,
        lambda row: row.get("sample_token") == token and row.get("is_key_frame") is True,
    )
    if not data:
        raise BenchDataError(f"{folder / 'sample_data.json'} has no key frame of sample {token}")
    annotations = _kept(folder, "sample_annotation", Annotation, lambda row: row.get("sample_token") == token)
    poses = _by_token(folder, "ego_pose", Pose, {one.ego_pose_token for one in data})
    calibrations = _by_token(folder, "calibrated_sensor", Calibration, {one.calibrated_sensor_token for one in data})
    rows = _by_token(folder, "instance", _InstanceRow, {one.instance_token for one in annotations})
    categories = _by_token(folder, "category", _NamedRow, {row.category_token for row in rows.values()})
    levels = _names(folder, "visibility")
    states = _names(folder, "attribute")
    return KeyFrame(
        token=token,
        data=tuple(sorted(data, key=lambda one: one.filename)),
        poses=poses,
        calibrations=calibrations,
        annotations=tuple(sorted(annotations, key=lambda one: one.instance_token)),
        category={one.token: categories[rows[one.instance_token].category_token].name for one in annotations},
        visibility={one.token: levels.get(one.visibility_token, "") for one in annotations},
        attributes={one.token: tuple(states.get(key, "") for key in one.attribute_tokens) for one in annotations},
    )


def _sample_token(folder: Path, wanted: str | None) -> str:
    if wanted is not None and (folder / "scene.json").is_file():
        for scene in _rows(folder, "scene", _SceneRow, lambda row: wanted in (row.get("name"), row.get("token"))):
            return scene.first_sample_token
    for row in _rows(folder, "sample", _Row, lambda row: wanted in (None, row.get("token"))):
        return row.token
    raise BenchDataError(f"{folder} has neither a scene nor a sample {wanted!r}; give a scene's name or a sample token")


def _rows(folder: Path, table: str, model: type[RowT], keep: Callable[[dict[str, object]], bool]) -> Iterator[RowT]:
    file = folder / f"{table}.json"
    for number, row in enumerate(json_records(file)):
        if keep(row):
            yield validated(model, row, f"{file}: row {number}")


def _kept(folder: Path, table: str, model: type[RowT], keep: Callable[[dict[str, object]], bool]) -> list[RowT]:
    return list(_rows(folder, table, model, keep))


def _by_token(folder: Path, table: str, model: type[RowT], tokens: set[str]) -> dict[str, RowT]:
    """The rows of these tokens.

    Raises:
        BenchDataError: one is missing.
    """
    found: dict[str, RowT] = {}
    for row in _rows(folder, table, model, lambda row: row.get("token") in tokens):
        found[str(row.token)] = row  # type: ignore[attr-defined]
        if len(found) == len(tokens):
            break
    missing = sorted(tokens - found.keys())
    if missing:
        raise BenchDataError(f"{folder / f'{table}.json'} has no row {missing[0]!r}, which another table points to")
    return found


def _names(folder: Path, table: str) -> dict[str, str]:
    """Token to name or level of a small table; empty where there is none."""
    if not (folder / f"{table}.json").is_file():
        return {}
    return {row.token: row.level or row.name for row in _rows(folder, table, _NamedRow, lambda row: True)}
