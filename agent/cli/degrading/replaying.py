"""Making degraded photographs again from a file of records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....bench_data.errors import BenchDataError
from ..common import ExitCode, UsageError, load_pictures, say
from ..picture_files import PICTURE_SUFFIXES, check_writable, is_grey_file
from .photographs import DepthFiles, inputs_to_keep, write_result

if TYPE_CHECKING:
    from ....bench_data.degrade.record_file import RecordedResult
    from ....bench_data.images import Picture

__all__ = ["replay_photographs"]


def replay_photographs(
    files: Sequence[Path], record_file: Path, out: Path, *, depth: DepthFiles, force: bool
) -> ExitCode:
    """Makes all results that the file records of these pictures, which are told by their pixels, not by their names.

    Raises:
        UsageError: the file records nothing of a picture, or OUT does not fit.
        BenchDataError: a picture, a depth map or the file cannot be used.
    """
    from ....bench_data.degrade.record_file import read_record_file

    recorded = read_record_file(record_file).results
    pictures = load_pictures([str(file) for file in files])
    work: list[tuple[Path, Picture, RecordedResult]] = []
    for file, picture in zip(files, pictures, strict=True):
        mine = [result for result in recorded if result.picture_sha256 == picture.sha256]
        if not mine:
            raise UsageError(
                f"{record_file} records nothing of {file}: its pixels are {picture.sha256[:12]}, those recorded are "
                f"{', '.join(sorted({result.picture_sha256[:12] for result in recorded})) or 'none'}"
            )
        work += [(file, picture, result) for result in mine]
    targets = _targets([result.output for _, _, result in work], out)
    kept = inputs_to_keep(files, depth, force=force)
    for target in targets:
        check_writable(target, kept)
    same = [_replayed(*entry, target, depth) for entry, target in zip(work, targets, strict=True)]
    return ExitCode.OK if all(same) else ExitCode.FAILED


def _targets(names: list[str], out: Path) -> list[Path]:
    if out.suffix.lower() in PICTURE_SUFFIXES and not out.is_dir():
        if len(names) > 1:
            raise UsageError(f"-o {out} is one picture, and {len(names)} are recorded; name a folder instead")
        return [out]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise UsageError(f"two of the recorded results are called {doubled}; replay one input after the other")
    return [out / name for name in names]


def _replayed(file: Path, picture: Picture, result: RecordedResult, target: Path, depth: DepthFiles) -> bool:
    from ....bench_data.degrade import replay

    uses_depth = any(record.depth_sha256 is not None for record in result.records)
    if uses_depth and depth.place is None:
        raise BenchDataError(f"{result.output} was made with a depth map; pass the same one as --depth")
    made = replay(picture, result.records, depth_m=depth.of(file) if uses_depth else None)
    write_result(made, target, grey=is_grey_file(file))
    if made.sha256 == result.degraded_sha256:
        return True
    say(
        f"error: {target} differs from what was recorded ({made.sha256[:12]} instead of "
        f"{result.degraded_sha256[:12]}); other versions of NumPy or OpenCV compute other pixels"
    )
    return False
