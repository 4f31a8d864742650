"""What was made of a scene: its views, clean and degraded, with the records and what is true of the pixels.

JSON beside the pictures. Names of files are relative to the manifest, with forward slashes. Boxes are
``(x0, y0, x1, y1)`` in continuous pixels of the picture they belong to.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from .record import DegradationRecord
from .record_file import read_json_file, within_the_folder, write_json_file

__all__ = ["ObjectEntry", "ResultEntry", "SceneManifest", "ViewEntry", "read_scene_manifest", "write_scene_manifest"]

FileName = Annotated[str, AfterValidator(within_the_folder)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ObjectEntry(_Entry):
    """One object in one degraded view; see `views.object_visibility`.

    Args:
        instance_id: in the cloud and in the id maps.
        label: its category; empty where only ids are known.
        box_px, degraded_box_px: around its visible pixels, clean and degraded; None where it has none.
        clean_pixels, degraded_pixels: how many.
        clean_ratio, degraded_ratio: contrast against its surroundings over what hides it.
        is_visible: a person could still see it.
    """

    instance_id: int
    label: str
    box_px: tuple[float, float, float, float] | None
    degraded_box_px: tuple[float, float, float, float] | None
    clean_pixels: int
    degraded_pixels: int
    clean_ratio: float
    degraded_ratio: float
    is_visible: bool


class ResultEntry(_Entry):
    """One degraded view.

    Args:
        label: what was done: "haze-3", "night_capture".
        picture: the degraded picture.
        degraded_sha256: hash of its pixels.
        depth, instances: truth of its pixels: those of the clean view, or others where pixels moved.
        nominal_pixels: where pixels moved, a float32 array (H, W, 2) that tells for each pixel centre where in the
            clean view it lies; NaN where that is not known. None where no pixel moved.
        records: in the order in which they acted.
        objects: empty for a cloud without instances.
    """

    label: str
    picture: FileName
    degraded_sha256: str
    depth: FileName
    instances: FileName | None
    nominal_pixels: FileName | None
    records: tuple[DegradationRecord, ...] = Field(min_length=1)
    objects: tuple[ObjectEntry, ...]


class ViewEntry(_Entry):
    """One view.

    Args:
        name: of the camera.
        picture: without degradation.
        depth: float32 TIFF, metres along the axis, NaN = unknown.
        instances: 16-bit PNG, instance id + 1, 0 = none; None for a cloud without instances.
        results: what was made of it.
    """

    name: str
    picture: FileName
    depth: FileName
    instances: FileName | None
    results: tuple[ResultEntry, ...]


class SceneManifest(_Entry):
    """All views of one command.

    Args:
        scene: the input's name.
        seed: of all parameters and noise.
        far_m: the depth that counts as far in the scene.
        views: in the order of the cameras.
    """

    format: Literal["seeworthy degraded scene 1"] = "seeworthy degraded scene 1"
    scene: str
    seed: int
    far_m: float
    views: tuple[ViewEntry, ...]


def read_scene_manifest(path: str | os.PathLike[str]) -> SceneManifest:
    """The manifest of a folder of degraded views.

    Raises:
        BenchDataError: no such file, or one of another form; the message names the field.
    """
    return read_json_file(Path(path), SceneManifest, "manifest of degraded views")


def write_scene_manifest(manifest: SceneManifest, path: str | os.PathLike[str]) -> None:
    """Writes the file whole or not at all."""
    write_json_file(manifest, Path(path))
