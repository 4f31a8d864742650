"""Putting the pictures of items where a written suite wants them."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from ..errors import BenchDataError
from ..images.decoding import decode
from ..images.limits import ImageLimits
from .item import SuiteImage
from .paths import inside, relative_path

__all__ = ["PictureCopier", "picture_size"]


class PictureCopier:
    """Copies pictures into a suite's folder; each file once, however many questions show it.

    Args:
        folder: of the suite that is written.
        limits: on pictures.
    """

    def __init__(self, folder: Path, limits: ImageLimits | None = None) -> None:
        self._folder = folder
        self._limits = limits or ImageLimits()
        self._placed: dict[str, str] = {}
        self._roots: dict[Path, str] = {}

    def place(self, image: SuiteImage, path: str | None = None) -> str:
        """Where the picture lies in the new suite.

        Args:
            image: the picture.
            path: a place of the suite's own, where it is put whatever lies there. By default it lies where it lay; when
                another picture is there, it is left alone, and a few letters of a hash are added to the name.

        Raises:
            BenchDataError: the picture cannot be read, or the new folder leads elsewhere by a link.
        """
        wanted = relative_path(path or image.path)
        key = self._key(image)
        if self._placed.get(wanted) == key:
            return wanted
        if path is None and not self._is_free(wanted, image):
            name = PurePosixPath(wanted)
            wanted = str(name.with_name(f"{name.stem}-{hashlib.sha256(key.encode()).hexdigest()[:8]}{name.suffix}"))
            if self._placed.get(wanted) == key:
                return wanted
        target = inside(self._folder, wanted)
        if not _is_same_file(target, image):
            data = image.read(self._limits)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        self._placed[wanted] = key
        return wanted

    def _is_free(self, wanted: str, image: SuiteImage) -> bool:
        """Whether nothing else lies there."""
        target = inside(self._folder, wanted)
        if wanted in self._placed:
            return False
        if not target.exists() or _is_same_file(target, image):
            return True
        return target.is_file() and target.read_bytes() == image.read(self._limits)

    def _key(self, image: SuiteImage) -> str:
        """The same for the same file."""
        if image.data is not None:
            return "data:" + hashlib.sha256(image.data).hexdigest()
        if image.root is None:
            raise BenchDataError(f"{image.path}: this picture has neither a folder nor bytes; set SuiteImage.root")
        root = self._roots.get(image.root)
        if root is None:
            root = self._roots[image.root] = str(image.root.resolve())
        return f"file:{root}/{image.path}"


def _is_same_file(target: Path, image: SuiteImage) -> bool:
    source = image.file if image.data is None else None
    return source is not None and target.exists() and source.exists() and target.samefile(source)


def picture_size(image: SuiteImage, limits: ImageLimits | None = None) -> tuple[int, int]:
    """(width, height) in pixels, upright.

    Raises:
        BenchDataError: the picture cannot be read.
    """
    limits = limits or ImageLimits()
    decoded = decode(image.read(limits), source=image.path, limits=limits, animated="first")
    width, height = decoded.image.size
    # EXIF orientations 5 to 8 turn the picture by a quarter.
    return (height, width) if decoded.orientation >= 5 else (width, height)
