"""Where a run keeps what its state only names: pictures by content, and the results of paid calls.

Both come in two kinds, in memory and in a folder. Files are written beside their place, flushed to disk and renamed, so
that a killed process leaves either the whole file or none.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..bench_data.images import Picture
from .errors import SolverError

__all__ = ["CallCache", "FolderCalls", "FolderPictures", "MemoryCalls", "MemoryPictures", "PictureStore", "write_whole"]


class PictureStore(Protocol):
    """Pictures by the SHA-256 of their pixels."""

    def put(self, picture: Picture) -> str:
        """Keeps a picture and returns its hash."""
        ...

    def get(self, sha256: str) -> Picture:
        """The picture of that hash; an unknown or damaged one is a ``SolverError``."""
        ...


class CallCache(Protocol):
    """Results of tool and model calls by everything that decides them, so that a resumed run pays once.

    Caches that hold the same results are equal and have one hash.
    """

    def get(self, key: str) -> dict[str, object] | None: ...

    def put(self, key: str, value: dict[str, object]) -> None: ...


class MemoryPictures:
    """Pictures of one process."""

    def __init__(self) -> None:
        self._pictures: dict[str, Picture] = {}

    def put(self, picture: Picture) -> str:
        self._pictures.setdefault(picture.sha256, picture)
        return picture.sha256

    def get(self, sha256: str) -> Picture:
        try:
            return self._pictures[sha256]
        except KeyError:
            raise SolverError(f"picture {sha256[:12]} is not in this process; resume needs the run's folder") from None


class MemoryCalls:
    """Call results of one process."""

    def __init__(self) -> None:
        self._results: dict[str, dict[str, object]] = {}

    def get(self, key: str) -> dict[str, object] | None:
        return self._results.get(key)

    def put(self, key: str, value: dict[str, object]) -> None:
        self._results[key] = value


class FolderPictures:
    """Pictures as PNG files named by their hash, with the last few used kept in memory."""

    def __init__(self, folder: Path, *, keep: int = 16) -> None:
        self._folder = folder
        self._keep = keep
        self._recent: OrderedDict[str, Picture] = OrderedDict()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, picture: Picture) -> str:
        path = self._path(picture.sha256)
        if not path.exists():
            write_whole(path, picture.png())
        return self._remember(picture).sha256

    def get(self, sha256: str) -> Picture:
        known = self._recent.get(sha256)
        return self._remember(known if known is not None else self._read(sha256))

    def _remember(self, picture: Picture) -> Picture:
        self._recent[picture.sha256] = picture
        self._recent.move_to_end(picture.sha256)
        while len(self._recent) > self._keep:
            self._recent.popitem(last=False)
        return picture

    def _read(self, sha256: str) -> Picture:
        from ..bench_data.images import load_image

        path = self._path(sha256)
        if not path.exists():
            raise SolverError(f"{path} is missing; the run's folder is incomplete, start a new run")
        picture = load_image(path)
        if picture.sha256 != sha256:
            raise SolverError(f"{path} does not hold the picture it is named for; delete it and start a new run")
        return picture

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / f"{sha256}.png"


@dataclass(frozen=True)
class FolderCalls:
    """Call results as JSON files named by their key; two on the same folder are equal.

    Args:
        folder: made when it is not there.
    """

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> dict[str, object] | None:
        path = self._path(key)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise SolverError(f"{path} is damaged ({error}); delete it to make the call again") from error
        if not isinstance(stored, dict):
            raise SolverError(f"{path} is damaged (not an object); delete it to make the call again")
        return stored

    def put(self, key: str, value: dict[str, object]) -> None:
        write_whole(self._path(key), json.dumps(value, ensure_ascii=True, sort_keys=True).encode())

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that is there whole, on the disk, or not at all; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
