"""A geometry sample: one scene at one density of views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from ...errors import BenchDataError
from ..files.json_lines import parsed_json
from ..findings import Fields, Finding, RecordError
from ..limits import SuiteLimits
from ..paths import inside, relative_path
from .depth_formats import check_depth_format
from .frame import FrameFiles, SceneMeta

__all__ = ["AXES", "INDEX", "GeometrySample", "sample_from_record"]

INDEX = "index.json"
AXES: dict[str, tuple[str, ...]] = {
    "environment": ("indoor", "outdoor"),
    "dynamics": ("static", "dynamic"),
    "view_type": ("normal", "wrist", "egoview"),
    "data_type": ("real", "simulation"),
    "view_density": ("single", "sparse", "medium", "dense"),
}
"""Tags of the published index with their values; view_density names a folder, so it must be there."""
_PICTURES = (".png", ".jpg", ".jpeg")
_NO_FRAMES = frozenset({"K_rect", "K_distorted", "distortion_coeffs", "intrinsic"})
_MOST_META_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometrySample:
    """One record of the index.

    Args:
        scene_id: unique in the index.
        source_dataset: the first folder below the density.
        scene_path: the folders below that.
        tags: see `AXES`.
        frame_indices: numbers of the frames in the original recording; the files are counted from 0.
        num_frames_total: of the original recording.
        root: the suite's folder.
    """

    scene_id: str
    source_dataset: str
    scene_path: str
    tags: Mapping[str, str]
    frame_indices: tuple[int, ...]
    num_frames_total: int
    root: Path

    @property
    def folder(self) -> Path:
        """Where its files lie.

        Raises:
            BenchDataError: outside of the suite's folder.
        """
        return inside(self.root, f"{self.tags['view_density']}/{self.source_dataset}/{self.scene_path}")

    def meta(self) -> SceneMeta:
        """The scene's meta.json; defaults without one.

        Raises:
            BenchDataError: it cannot be used.
        """
        file = self.folder / "meta.json"
        if not file.exists():
            return SceneMeta()
        if file.stat().st_size > _MOST_META_BYTES:
            raise BenchDataError(f"{file.name} has more than {_MOST_META_BYTES:,} bytes")
        record = parsed_json(file.read_bytes())
        if not isinstance(record, dict):
            raise BenchDataError(f"{file.name}: {record if isinstance(record, str) else 'a record is expected'}")
        return _meta(Fields(record, warn=lambda code, field, message: None, within="meta.json "))

    def frames(self) -> tuple[FrameFiles, ...]:
        """The files of the frames, in order.

        Raises:
            BenchDataError: folders are missing, or their numbers of files do not fit the record.
        """
        meta = self.meta()
        folder = self.folder
        count = len(self.frame_indices)
        images = _files(folder / "images", _PICTURES)
        if len(images) != count:
            raise BenchDataError(f"images/ holds {len(images)} pictures, the record {count} frames")
        depths = _column(folder / "depths", count) if meta.depth_format != "none" else [None] * count
        poses = _column(folder / "poses", count) if meta.has_poses else [None] * count
        if meta.depth_format != "none" and None in depths:
            raise BenchDataError(f"depths/ is missing, but depth_format is {meta.depth_format}")
        intrinsics = _intrinsics(folder / "intrinsics", meta, count)
        # The published loader leaves aliasing masks of this data set alone.
        aliasing = [None] * count if self.source_dataset == "hiroom" else _column(folder / "aliasing_masks", count)
        masks = [_column(folder / name, count) for name in ("depth_masks", "sky_masks", "conf_masks")]
        return tuple(
            FrameFiles(
                image=images[at],
                depth=depths[at],
                pose=poses[at],
                intrinsics=intrinsics[at],
                depth_mask=masks[0][at],
                aliasing_mask=aliasing[at],
                sky_mask=masks[1][at],
                confidence=masks[2][at],
                meta=meta,
            )
            for at in range(count)
        )

    def point_clouds(self) -> tuple[Path, ...]:
        """PLY files of the true surface, if there are any."""
        folder = inside(self.root, f"pointcloud/{self.source_dataset}/{self.scene_path.split('/')[0]}")
        return tuple(sorted(folder.rglob("*.ply"))) if folder.is_dir() else ()

    def findings(self, *, decode: bool, limits: SuiteLimits) -> Iterator[Finding]:
        """What is wrong with its files; with ``decode`` every file is read."""
        try:
            frames = self.frames()
            if self.meta().distorted:
                message = "the pictures still have the lens's distortion; depth and intrinsics do not"
                yield self._finding("warning", "distorted_pictures", message)
        except (BenchDataError, OSError) as error:
            code = error.code if isinstance(error, RecordError) else "bad_scene"
            yield self._finding("error", code, str(error))
            return
        for number, files in enumerate(frames if decode else ()):
            try:
                frame = files.load(limits=limits.image)
            except (BenchDataError, OSError) as error:
                yield self._finding("error", "bad_frame", f"frame {number}: {error}")
                continue
            if frame.depth_m is not None and not (frame.depth_m > 0).any():
                yield self._finding("warning", "no_depth", f"frame {number}: no depth is valid")

    def _finding(self, severity: str, code: str, message: str) -> Finding:
        where = f"{self.tags.get('view_density')}/{self.source_dataset}/{self.scene_path}"
        return Finding("warning" if severity == "warning" else "error", code, where, message, None, self.scene_id[:80])


def sample_from_record(fields: Fields, root: Path) -> GeometrySample:
    """A record of the index.

    Raises:
        RecordError: a field is missing or cannot be used.
    """
    tags = fields.part("tags")
    named = {name: tags.text(name) for name in tags.values}
    for axis, values in AXES.items():
        if axis not in named and axis != "view_density":
            fields.warn("missing_tag", "tags", f"{axis} is missing; the sample is in no group of it")
        elif named.get(axis) not in values:
            raise fields.error("unknown_tag", "tags", f"{axis} must be one of {', '.join(values)}")
    indices = fields.listed("frame_indices")
    numbers = tuple(one for one in indices if isinstance(one, int) and not isinstance(one, bool))
    if not numbers or len(numbers) != len(indices):
        raise fields.error("wrong_type", "frame_indices", "a list of whole numbers is expected")
    total = fields.whole("num_frames_total")
    if list(numbers) != sorted(set(numbers)) or numbers[0] < 0 or numbers[-1] >= total:
        raise fields.error("bad_frame_indices", "frame_indices", f"they must rise, from 0 to below {total}")
    dataset = fields.path("source_dataset")
    return GeometrySample(
        scene_id=fields.text("scene_id"),
        source_dataset=dataset,
        scene_path=fields.path("scene_path"),
        tags=named,
        frame_indices=numbers,
        num_frames_total=total,
        root=root,
    )


def _meta(fields: Fields) -> SceneMeta:
    depth_format = fields.text("depth_format", "none")
    check_depth_format(depth_format)
    flips = {}
    for flip in fields.listed("pyrep_flip") if fields.has("pyrep_flip") else []:
        part = Fields(_record(fields, flip), warn=lambda code, field, message: None, within="meta.json pyrep_flip ")
        flips[part.text("basename")] = (part.values.get("flip_lr") is True, part.values.get("flip_ud") is True)
    return SceneMeta(
        depth_format=depth_format,
        shared_intrinsics=fields.text("intrinsic_mode", "shared") == "shared",
        has_poses=fields.text("pose", "") != "none",
        metric_scale=fields.number("metric_scale") if fields.has("metric_scale") else 1.0,
        flips=flips,
        distorted=fields.text("image_state", "") == "distorted_original",
    )


def _record(fields: Fields, value: JsonValue) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise fields.error("wrong_type", "pyrep_flip", "a list of records is expected")
    return value


def _files(folder: Path, endings: tuple[str, ...] = ()) -> list[Path]:
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if not endings or path.suffix.lower() in endings]
    for path in found:
        inside(folder.parent, relative_path(f"{folder.name}/{path.name}"))
    return sorted(path for path in found if path.is_file())


def _column(folder: Path, count: int) -> list[Path | None]:
    """One file a frame, paired by position; all None when the folder is missing."""
    files = _files(folder)
    if not files:
        return [None] * count
    if len(files) != count:
        raise BenchDataError(f"{folder.name}/ holds {len(files)} files, {count} are expected, one a frame")
    return [*files]


def _intrinsics(folder: Path, meta: SceneMeta, count: int) -> list[Path]:
    if meta.shared_intrinsics:
        shared = inside(folder.parent, "intrinsics/intrinsic.npy")
        if not shared.is_file():
            raise BenchDataError("intrinsics/intrinsic.npy is missing")
        return [shared] * count
    files = [path for path in _files(folder, (".npy",)) if path.stem not in _NO_FRAMES]
    if len(files) != count:
        raise BenchDataError(f"intrinsics/ holds {len(files)} calibrations, {count} are expected, one a frame")
    return files
