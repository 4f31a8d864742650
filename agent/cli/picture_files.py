"""Pictures in and out of the commands: which files, which names, and the same mode where the format can hold it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .common import UsageError

if TYPE_CHECKING:
    from ...bench_data.images import Picture

__all__ = [
    "PICTURE_SUFFIXES",
    "READ_SUFFIXES",
    "KeptFiles",
    "check_writable",
    "is_grey_file",
    "pictures_in",
    "write_picture",
]

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp")
"""What pictures can be written to. JPEG at quality 95 without chroma subsampling, WebP without loss."""

READ_SUFFIXES = (*PICTURE_SUFFIXES, ".gif", ".ppm", ".pgm", ".pnm", ".avif")
"""What counts as a picture in a folder."""

_GREY_MODES = ("1", "L", "LA", "La", "I", "F", "I;16", "I;16B", "I;16L", "I;16N")


def pictures_in(inputs: Sequence[str]) -> list[Path]:
    """The files that are meant: files as given, and of a folder the pictures that lie in it, by name.

    Raises:
        UsageError: a folder without pictures, or the same file twice.
    """
    found: list[Path] = []
    for given in inputs:
        if not given:
            raise UsageError("an input is empty; was a variable of the shell not set?")
        if "://" in given:
            raise UsageError(f"{given} is an address; nothing is fetched here, so save it to a file first")
        place = Path(given)
        if not place.is_dir():
            found.append(place)
            continue
        inside = sorted(p for p in place.iterdir() if p.suffix.lower() in READ_SUFFIXES and not p.name.startswith("."))
        if not inside:
            raise UsageError(f"{given} holds no pictures; they are told by their suffix ({', '.join(READ_SUFFIXES)})")
        found += inside
    seen: set[Path] = set()
    for place in found:
        real = place.resolve()
        if real in seen:
            raise UsageError(f"{place} is given twice")
        seen.add(real)
    return found


def is_grey_file(place: Path) -> bool:
    """True when the file holds one channel of brightness; of no picture at all it is false."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(place) as image:
            return image.mode in _GREY_MODES
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return False  # the loader, which reads more formats and has limits of its own, says what is wrong


class KeptFiles:
    """Files that no result may replace, told by what they are and not by their names.

    Args:
        files: those that do not exist are left out.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._known = {(found.st_dev, found.st_ino) for file in files if (found := _stat(file)) is not None}

    def __contains__(self, file: Path) -> bool:
        found = _stat(file)
        return found is not None and (found.st_dev, found.st_ino) in self._known


def check_writable(out: Path, kept: KeptFiles) -> None:
    """Refuses names that cannot be written, and those of inputs, which would be lost.

    Raises:
        UsageError: with what to do instead.
    """
    from ...bench_data.errors import OutputError
    from ...bench_data.whole_file import check_place

    if out.suffix.lower() not in PICTURE_SUFFIXES:
        raise UsageError(f"cannot write {out}: the name must end in {', '.join(PICTURE_SUFFIXES)}")
    try:
        check_place(out)
    except OutputError as error:
        raise UsageError(str(error)) from error
    if out in kept:
        raise UsageError(f"cannot write {out}: it is the input, which would be lost; choose another name, or --force")


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None


def write_picture(picture: Picture, out: Path, *, grey: bool = False) -> None:
    """Writes a picture in the format that the name says.

    Args:
        picture: what to write.
        out: ends in one of `PICTURE_SUFFIXES`.
        grey: write one channel, the green one. The input had three alike, so green is what a camera without colours
            sees: its noise is that of one channel, not the mean of three.

    Raises:
        OutputError: it cannot be written; there is no half picture then.
    """
    from PIL import Image

    from ...bench_data.whole_file import whole_file

    pixels = picture.image_srgb_u8[..., 1] if grey else picture.image_srgb_u8
    image = Image.fromarray(pixels)
    suffix = out.suffix.lower()
    with whole_file(out) as part:
        if suffix in (".jpg", ".jpeg"):
            image.save(part, format="JPEG", quality=95, subsampling=0)
        elif suffix == ".webp":
            image.save(part, format="WEBP", lossless=True)
        elif suffix == ".png":
            image.save(part, format="PNG", compress_level=4)
        else:
            image.save(part)
