"""What is known of one picture: how it was made, and which objects a person can still see in it, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from ..degrade.record import DegradationRecord
from ..degrade.record_file import read_json_file, within_the_folder
from ..marks import Mark

__all__ = ["ObjectRecord", "PictureRecord", "read_picture_record"]

FileName = Annotated[str, AfterValidator(within_the_folder)]
_FORMAT: Final = "seeworthy picture 1"


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ObjectRecord(_Entry):
    """One object of the clean picture, or one that another lens brought into this one.

    Args:
        id: its number in the scene.
        clean_pixels, pixels: that show it, clean and in this picture.
        clean_ratio, ratio: its contrast against its surroundings over what hides it, see `object_contrasts`.
        is_visible: a person could see it in this picture.
        was_visible: a person could see it in the clean one.
        box_px, point_px: in this picture, where pixels may have moved; None where none of it is left.
    """

    id: int
    clean_pixels: int
    pixels: int
    clean_ratio: float
    ratio: float
    was_visible: bool
    is_visible: bool
    box_px: tuple[float, float, float, float] | None
    point_px: tuple[float, float] | None


class PictureRecord(_Entry):
    """One picture.

    Args:
        condition, scene, view: which.
        picture: its file.
        pixels_sha256: of its pixels, whatever the file's format (`Picture.sha256`).
        degradations: in the order in which they acted; `replay_view` makes the picture again. None for a clean one.
        moves_pixels: depth, ids and places are not those of the clean picture.
        depth, instances: files of its own, or those of all conditions that leave pixels where they are.
        objects: all that have a pixel in the clean picture or in this one, by number.
        marked: suite -> the picture with marks.
        marks: suite -> the marks on it.
        unmarked: suite -> why there is no picture with marks.
    """

    format: Literal["seeworthy picture 1"] = _FORMAT
    condition: str
    scene: str
    view: str
    picture: FileName
    pixels_sha256: str
    degradations: tuple[DegradationRecord, ...]
    moves_pixels: bool
    depth: FileName
    instances: FileName
    objects: tuple[ObjectRecord, ...]
    marked: dict[str, FileName] = {}
    marks: dict[str, tuple[Mark, ...]] = {}
    unmarked: dict[str, str] = {}


def read_picture_record(path: Path) -> PictureRecord:
    """The record of a picture.

    Raises:
        BenchDataError: no such file, or one of another form.
    """
    return read_json_file(path, PictureRecord, "record of a picture")
