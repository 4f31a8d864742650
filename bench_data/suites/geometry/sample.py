"""A geometry sample: one scene at one density of views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import BenchDataError
from ...scenes.importing.spatialbench import (
    TAG_AXES,
    BenchFrames,
    FrameFiles,
    IndexEntry,
    Resolution,
    SceneMeta,
    load_frames,
    read_meta,
    scene_frames,
)
from ..findings import Fields, Finding, RecordError
from ..limits import SuiteLimits
from ..paths import inside

__all__ = ["AXES", "INDEX", "GeometrySample", "sample_from_record"]

INDEX = "index.json"
AXES = TAG_AXES
"""Tags of the published index with their values; view_density names a folder, so it must be there."""


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

    @property
    def entry(self) -> IndexEntry:
        """The record as the importer of scenes has it."""
        return IndexEntry(
            scene_id=self.scene_id,
            source_dataset=self.source_dataset,
            scene_path=self.scene_path,
            tags=dict(self.tags),
            frame_indices=self.frame_indices,
            num_frames_total=self.num_frames_total,
        )

    def meta(self) -> SceneMeta:
        """The scene's meta.json; defaults without one.

        Raises:
            BenchDataError: it cannot be used.
        """
        return read_meta(self.folder)

    def frames(self) -> tuple[FrameFiles, ...]:
        """The files of the frames, in order, to be loaded as they are stored.

        Raises:
            BenchDataError: folders are missing, or their numbers of files do not fit the record.
        """
        return scene_frames(self.folder, len(self.frame_indices), self.source_dataset)

    def scored_frames(
        self, *, resolution: Resolution | None = None, least_confidence: float | None = None
    ) -> BenchFrames:
        """The frames as the benchmark scores them: with its far limits, at its resolution; see `load_frames`.

        Args:
            resolution: None for the data set's.
            least_confidence: None for the data set's.

        Raises:
            BenchDataError: an unknown data set, or files that are missing or of the wrong size.
        """
        return load_frames(self.root, self.entry, resolution=resolution, least_confidence=least_confidence)

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
                if frames[0].lens is not None:
                    message += "; they are straightened when they are read"
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
