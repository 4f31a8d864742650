"""Writing files of a data set: each whole or not at all, with its hash taken on the way."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import OutputError

__all__ = [
    "PART_SUFFIX",
    "FileSink",
    "HashedFile",
    "Output",
    "file_sha256",
    "png_bytes",
    "remove_parts",
    "writing",
]

PART_SUFFIX = ".part"
"""Ends the names of files that are not whole yet; after a kill they are swept away."""


class HashedFile:
    """A file that is being written, with the hash of what was written so far."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Appends."""
        self._file.write(data)
        self._digest.update(data)

    @property
    def sha256(self) -> str:
        """Of all that was written."""
        return self._digest.hexdigest()


class FileSink(Protocol):
    """Takes the files of a data set by their names."""

    def write(self, name: str, data: bytes) -> None: ...


class Output:
    """The files of one folder.

    Args:
        root: of the data set.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._written: dict[str, str] = {}

    def write(self, name: str, data: bytes) -> None:
        """Writes a file.

        Raises:
            OutputError: it cannot be written (no space, no permission); what to do then.
        """
        with self.open(name) as file:
            file.write(data)

    @contextmanager
    def open(self, name: str) -> Iterator[HashedFile]:
        """A file to be written in pieces; it appears under its name when the block ends well.

        Raises:
            OutputError: as `write`.
        """
        target = self.root / name
        part = target.with_name(f".{target.name}.{os.getpid()}{PART_SUFFIX}")
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with writing(target), part.open("wb") as file:
                hashed = HashedFile(file)
                yield hashed
            with writing(target):
                part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        self._written[name] = hashed.sha256

    def taken(self) -> dict[str, str]:
        """Name -> SHA-256 of what was written since this was last asked."""
        written, self._written = self._written, {}
        return written


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turns what the system says about a file into an error that says what to do.

    Raises:
        OutputError: instead of any OSError.
    """
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot write {target}: {error.strerror or error}; what is there is kept, and the same command goes on "
            "from it once there is room and permission"
        ) from error


def file_sha256(path: Path) -> str | None:
    """The hash of a file; None where there is none that can be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def remove_parts(root: Path) -> None:
    """Sweeps away what was not whole when a build was killed."""
    for part in root.rglob(f"*{PART_SUFFIX}"):
        part.unlink(missing_ok=True)


def png_bytes(pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    """(H, W, 3) of 8 bits or (H, W) of 8 or 16 bits as PNG, the same bytes each time."""
    import io

    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="PNG", compress_level=4)
    return file.getvalue()
