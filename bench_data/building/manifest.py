"""The manifest of a data set: what it was made with, what is in it, and the hash of every file."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from ..degrade.record_file import read_json_file, within_the_folder
from ..scenes import SceneKind
from .layout import MANIFEST
from .output import file_sha256
from .settings import BuildSettings

__all__ = ["Manifest", "SceneEntry", "changed_files", "read_manifest", "versions_here"]

FileName = Annotated[str, AfterValidator(within_the_folder)]
_FORMAT: Final = "seeworthy data set 1"
_DISTRIBUTIONS = ("seeworthy", "numpy", "scipy", "numba", "opencv-contrib-python-headless", "pillow", "pyarrow")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SceneEntry(_Entry):
    """One scene.

    Args:
        id, kind, seed: see `SceneSpec`.
        depth_metres_per_unit: what a stored 1 means in its depth maps.
    """

    id: str
    kind: SceneKind
    seed: int
    depth_metres_per_unit: float


class Manifest(_Entry):
    """A finished data set.

    Args:
        settings: that make it again.
        versions: of what it was made with; others may draw pixels that differ in the last bit.
        scenes: in order.
        questions: suite -> how many.
        pictures: how many, without marked versions.
        files: name -> SHA-256 of every file but this one.
    """

    format: Literal["seeworthy data set 1"] = _FORMAT
    settings: BuildSettings
    versions: dict[str, str]
    scenes: tuple[SceneEntry, ...]
    questions: dict[str, int]
    pictures: int
    files: dict[FileName, str]


def read_manifest(root: Path) -> Manifest:
    """The manifest of a data set, by its folder or by the file itself.

    Raises:
        BenchDataError: no such file, or one of another form.
    """
    return read_json_file(root / MANIFEST if root.is_dir() else root, Manifest, "manifest of a data set")


def versions_here() -> dict[str, str]:
    """Versions of what decides the bytes of a data set."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed as a package"
    return found


def changed_files(root: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Names of the files that are missing or not as listed."""
    for name, sha256 in files.items():
        if file_sha256(root / name) != sha256:
            yield name
