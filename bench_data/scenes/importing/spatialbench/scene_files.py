"""The files of a scene, frame by frame: they are paired by their order, not by their names."""

from __future__ import annotations

from pathlib import Path

from ....errors import BenchDataError
from ..files import inside, picture_suffixes, read_json, validated
from .frame_files import FrameFiles, SceneMeta
from .tables import DATASETS

__all__ = ["read_meta", "scene_frames"]

_NOT_FRAMES = frozenset({"K_rect.npy", "K_distorted.npy", "distortion_coeffs.npy", "intrinsic.npy"})
_MASKS = (".png",)
_ARRAYS = (".npy",)


def read_meta(folder: Path) -> SceneMeta:
    """A scene's meta.json; defaults without one.

    Raises:
        BenchDataError: it cannot be used.
    """
    file = inside(folder, "meta.json")
    if not file.is_file():
        return SceneMeta()
    meta = validated(SceneMeta, read_json(file), str(file))
    meta.check()
    return meta


def scene_frames(folder: Path, count: int, dataset: str, *, notes: list[str] | None = None) -> tuple[FrameFiles, ...]:
    """The files of a scene's frames.

    Args:
        folder: of the scene.
        count: of the frames.
        dataset: some data sets ignore some files, see `DatasetRules`; unknown ones use all.
        notes: takes what is said where there are more files than frames, of which the first are taken then; without it
            they are an error.

    Raises:
        BenchDataError: files are missing, or a link leads out of the scene.
    """
    rules = DATASETS.get(dataset)
    meta = read_meta(folder)
    masked = rules is None or rules.uses_masks
    aliasing = masked and (rules is None or rules.uses_aliasing_masks)
    straightens = rules is not None and rules.straightens

    def whole(name: str, suffixes: tuple[str, ...] | None) -> list[Path]:
        return _first(_files(folder, name, suffixes), count, f"{folder.name}/{name}", notes)

    def mask(name: str, *, wanted: bool = masked) -> list[Path] | list[None]:
        return whole(name, _MASKS) if wanted and _files(folder, name, _MASKS) else [None] * count

    images = whole("images", picture_suffixes)
    depths = whole("depths", None) if meta.has_depth else [None] * count
    poses = whole("poses", _ARRAYS) if meta.has_poses else [None] * count
    intrinsics = _intrinsics(folder, meta, count, notes, shared=straightens)
    depth_masks, sky_masks, confidences = mask("depth_masks"), mask("sky_masks"), mask("conf_masks")
    aliasing_masks = mask("aliasing_masks", wanted=aliasing)
    return tuple(
        FrameFiles(
            image=images[at],
            depth=depths[at],
            pose=poses[at],
            intrinsics=intrinsics[at],
            depth_mask=depth_masks[at],
            aliasing_mask=aliasing_masks[at],
            sky_mask=sky_masks[at],
            confidence=confidences[at],
            lens=folder / "intrinsics" if straightens and meta.distorted else None,
            meta=meta,
        )
        for at in range(count)
    )


def _intrinsics(folder: Path, meta: SceneMeta, count: int, notes: list[str] | None, *, shared: bool) -> list[Path]:
    if shared or meta.intrinsic_mode == "shared":
        file = inside(folder, "intrinsics/intrinsic.npy")
        if not file.is_file():
            raise BenchDataError(f"{folder.name}/intrinsics: intrinsic.npy is missing")
        return [file] * count
    own = [file for file in _files(folder, "intrinsics", _ARRAYS) if file.name not in _NOT_FRAMES]
    return _first(own, count, f"{folder.name}/intrinsics", notes)


def _first(files: list[Path], count: int, where: str, notes: list[str] | None) -> list[Path]:
    if len(files) > count and notes is not None:
        notes.append(f"{where} holds {len(files)} files, the index has {count} frames: the first are taken")
    elif len(files) != count:
        folder, _, what = where.rpartition("/")
        raise BenchDataError(f"{folder}: {len(files)} files in {what} for {count} frames of the index")
    return files[:count]


def _files(folder: Path, name: str, suffixes: tuple[str, ...] | None) -> list[Path]:
    """The files of a part of a scene in the order of their names, hidden ones excepted."""
    part = folder / name
    if not part.is_dir():
        return []
    found = [path for path in part.iterdir() if suffixes is None or path.suffix.lower() in suffixes]
    for path in found:
        inside(folder, f"{name}/{path.name}")
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))
