"""Degrading photographs: files in, files out, and a file of records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ....bench_data.errors import BenchDataError, OutputError
from ..common import ExitCode, UsageError, say
from ..picture_files import PICTURE_SUFFIXES, READ_SUFFIXES, KeptFiles, check_writable, is_grey_file, write_picture
from .treatments import Treatment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ....bench_data.degrade import DegradationRecord
    from ....bench_data.degrade.record_file import RecordedResult
    from ....bench_data.images import Picture

__all__ = ["DepthFiles", "Plan", "Talk", "degrade_photographs", "inputs_to_keep", "plan_outputs", "write_result"]

_NOT_EVERYWHERE = re.compile(r"[\\:\x00-\x1f]|^\.\.(?=/|$)")
_MILLIMETRES = (".png",)
_DEPTH_SUFFIXES = (".png", ".tif", ".tiff", ".pfm", ".npy")


@dataclass(frozen=True)
class DepthFiles:
    """Where the depth of a picture is.

    Args:
        place: a file for one picture, or a folder with files of the pictures' names; None for no depth.
        metres_per_unit: None for the usual: millimetres in PNG files, metres in others.
    """

    place: Path | None = None
    metres_per_unit: float | None = None

    def file_of(self, picture: Path) -> Path | None:
        """The file for this picture, which may not exist; None when there is none in the folder."""
        if self.place is None or not self.place.is_dir():
            return self.place
        names = [self.place / f"{picture.stem}{suffix}" for suffix in _DEPTH_SUFFIXES]
        return next((name for name in names if name.is_file()), None)

    def of(self, picture: Path) -> NDArray[np.float32] | None:
        """(H, W) in metres, NaN = unknown; None when no depth was asked for.

        Raises:
            UsageError: the folder has no depth for this picture.
            BenchDataError: the file is no depth map.
        """
        from ....bench_data.images import load_depth

        if self.place is None:
            return None
        file = self.file_of(picture)
        if file is None:
            raise UsageError(f"--depth {self.place}: no file {picture.stem}.png, .tiff, .pfm or .npy in it")
        usual = 0.001 if file.suffix.lower() in _MILLIMETRES else 1.0
        unit = usual if self.metres_per_unit is None else self.metres_per_unit
        return load_depth(file, metres_per_unit=unit)


@dataclass(frozen=True)
class Plan:
    """Which results there will be.

    Args:
        folder: results are named relative to it.
        outputs: for each input its treatments and the names of their results, with forward slashes.
    """

    folder: Path
    outputs: dict[Path, tuple[tuple[Treatment, str], ...]]


def plan_outputs(files: Sequence[Path], wanted: Sequence[Treatment], out: Path, *, single_input: bool) -> Plan:
    """Names of all results: OUT itself for one; in the folder OUT else.

    One input gives ``haze-3.png``; several inputs give ``NAME.png``, or ``NAME/haze-3.png`` when several things are
    done to each.

    Raises:
        UsageError: OUT names one picture and there are several results, or two inputs have one name.
    """
    if out.suffix.lower() in PICTURE_SUFFIXES and not out.is_dir():
        if len(files) * len(wanted) > 1:
            raise UsageError(f"-o {out} is one picture, and {len(files) * len(wanted)} are made; name a folder instead")
        return Plan(out.parent, {files[0]: ((wanted[0], out.name),)})
    if out.is_file():
        raise UsageError(f"-o {out} is a file; name a picture or a folder")
    if out.suffix.lower() in READ_SUFFIXES and not out.is_dir():
        raise UsageError(f"cannot write {out}: the name must end in {', '.join(PICTURE_SUFFIXES)}, or be a folder's")
    if single_input:
        return Plan(out, {files[0]: tuple((treatment, f"{treatment.label}.png") for treatment in wanted)})
    stems: dict[str, Path] = {}
    for file in files:
        other = stems.setdefault(_safe(file.stem).lower(), file)
        if other is not file:
            raise UsageError(f"{other} and {file} would be written to one name; degrade them one after the other")
    if len(wanted) == 1:
        return Plan(out, {file: ((wanted[0], f"{_safe(file.stem)}.png"),) for file in files})
    return Plan(
        out,
        {
            file: tuple((treatment, f"{_safe(file.stem)}/{treatment.label}.png") for treatment in wanted)
            for file in files
        },
    )


def _safe(name: str) -> str:
    """A name that is one on every system, and that a file of records may hold."""
    return _NOT_EVERYWHERE.sub("_", name)


@dataclass
class Talk:
    """Says each thing once, however many pictures it is true of."""

    said: set[str] = field(default_factory=set)

    def approximations(self, records: Sequence[DegradationRecord]) -> None:
        for record in records:
            for text in record.approximations:
                line = f"{record.name}: {text}"
                if line not in self.said:
                    self.said.add(line)
                    say(line)


def degrade_photographs(plan: Plan, *, seed: int, depth: DepthFiles, record_to: Path | None, force: bool) -> ExitCode:
    """Makes and writes all results; a picture that cannot be used is named and left out.

    Raises:
        UsageError: a result would overwrite an input.
    """
    from ....bench_data.degrade.record_file import RecordFile, write_record_file

    kept = inputs_to_keep(list(plan.outputs), depth, force=force)
    for names in plan.outputs.values():
        for _, name in names:
            check_writable(plan.folder / name, kept)
    if record_to is not None:
        _check_record_name(record_to, plan, kept)
    results: list[RecordedResult] = []
    talk, failed = Talk(), 0
    for file in plan.outputs:
        try:
            results.extend(_of_one(file, plan, seed, depth, talk))
        except OutputError:
            raise  # the next picture would have no more space or permission
        except (BenchDataError, UsageError) as error:
            if len(plan.outputs) == 1:
                raise
            say(f"error: {error}")
            failed += 1
    if record_to is not None:
        write_record_file(RecordFile(results=tuple(results)), record_to)
        say(f"wrote {record_to}")
    if failed:
        say(f"{failed} of {len(plan.outputs)} pictures could not be used")
    return ExitCode.USAGE if failed else ExitCode.OK


def inputs_to_keep(files: Sequence[Path], depth: DepthFiles, *, force: bool) -> KeptFiles:
    """The pictures and depth maps that no result may replace; none with ``force``."""
    if force:
        return KeptFiles(())
    maps = (depth.file_of(file) for file in files)
    return KeptFiles([*files, *(file for file in maps if file is not None)])


def _check_record_name(record_to: Path, plan: Plan, kept: KeptFiles) -> None:
    if record_to.parent != plan.folder and not record_to.parent.is_dir():
        raise UsageError(f"cannot write {record_to}: there is no folder {record_to.parent}")
    special = record_to.exists() and not record_to.is_file()
    if special or record_to in kept or record_to.suffix.lower() in PICTURE_SUFFIXES:
        raise UsageError(
            f"cannot write {record_to}: it is a folder, a device, a picture or an input; name another file"
        )


def _of_one(file: Path, plan: Plan, seed: int, depth: DepthFiles, talk: Talk) -> Iterator[RecordedResult]:
    from ....bench_data.degrade import compose
    from ....bench_data.degrade.record_file import RecordedResult
    from ..common import load_pictures

    [picture] = load_pictures([str(file)])
    depth_m = depth.of(file)
    grey = is_grey_file(file)
    for treatment, name in plan.outputs[file]:
        made = compose(picture, treatment.degradations, seed=seed, depth_m=depth_m)
        talk.approximations(made.records)
        write_result(made.picture, plan.folder / name, grey=grey)
        yield RecordedResult(
            input=str(file),
            output=_safe(name),
            picture_sha256=picture.sha256,
            degraded_sha256=made.picture.sha256,
            records=made.records,
        )


def write_result(picture: Picture, out: Path, *, grey: bool) -> None:
    """Writes a result, making its folder.

    Raises:
        OutputError: it cannot be written.
    """
    write_picture(picture, out, grey=grey)
    if out.suffix.lower() in (".jpg", ".jpeg"):
        say(f"{out}: JPEG adds a loss of its own; choose .png to keep the degradation as it was made")
    say(f"wrote {out}")
