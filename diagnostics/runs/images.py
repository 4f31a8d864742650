"""The pictures of a run: kept beside the records by their content, loaded once while many calls show them."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from ...bench_data.errors import BenchDataError
from ...bench_data.images import Picture, picture_from_bytes
from ..errors import DiagnosticsError
from .items import PictureRef

__all__ = ["ImageFolder", "PictureLoader", "read_picture_file"]

_CACHE_BYTES = 256 * 2**20


class ImageFolder:
    """Picture files by the SHA-256 of their bytes.

    Args:
        path: made when the first file comes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, sha256: str) -> Path:
        """Where a file lies, or would lie."""
        return self.path / sha256[:2] / sha256

    def put(self, data: bytes, sha256: str) -> None:
        """Keeps a file; it is there as a whole or not at all.

        Raises:
            DiagnosticsError: it cannot be written.
        """
        target = self.file(sha256)
        if target.exists():
            return
        part = target.with_name(f".{sha256}.{os.getpid()}.part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise DiagnosticsError(f"cannot write {target}: {error.strerror or error}; free some room") from error

    def load(self, sha256: str, *, source: str) -> Picture:
        """A kept picture.

        Raises:
            DiagnosticsError: it is not there, or is not what it is named for.
        """
        target = self.file(sha256)
        try:
            data = target.read_bytes()
        except OSError as error:
            raise DiagnosticsError(f"{source}: {target} cannot be read ({error.strerror or error})") from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise DiagnosticsError(f"{source}: {target} is damaged; delete it and give the run's command again")
        return picture_from_bytes(data, source=source)


def read_picture_file(picture: PictureRef) -> bytes:
    """The file of a picture, from its suite.

    Raises:
        BenchDataError: it cannot be read.
    """
    if picture.fault or picture.image is None:
        raise BenchDataError(picture.fault or f"{picture.path}: the suite is not at hand")
    data = picture.image.read()
    if hashlib.sha256(data).hexdigest() != picture.sha256:
        raise BenchDataError(f"{picture.path}: the file changed while the run went on; give the command again")
    return data


class PictureLoader:
    """Loads the pictures of calls, with the last ones kept in memory.

    Args:
        keep: where their files are kept; None keeps none.
        read: gives the file of a picture, checked; called in a thread.
    """

    def __init__(self, keep: ImageFolder | None, *, read: Callable[[PictureRef], bytes] = read_picture_file) -> None:
        self._keep = keep
        self._read_file = read
        self._recent: OrderedDict[str, Picture] = OrderedDict()
        self._recent_bytes = 0
        self._under_way: dict[str, asyncio.Task[Picture]] = {}

    async def load(self, picture: PictureRef) -> Picture:
        """The picture, decoded in a thread.

        Raises:
            BenchDataError: it cannot be read or decoded, or the file changed since the run was planned.
            DiagnosticsError: it cannot be kept.
        """
        known = self._recent.get(picture.sha256)
        if known is not None:
            self._recent.move_to_end(picture.sha256)
            return known
        place = picture.sha256 or picture.path
        if place not in self._under_way:
            self._under_way[place] = asyncio.create_task(self._read_once(picture, place))
        # Others may wait for the same file when this caller is cancelled.
        return await asyncio.shield(self._under_way[place])

    async def _read_once(self, picture: PictureRef, place: str) -> Picture:
        try:
            loaded = await asyncio.to_thread(self._read, picture)
        finally:
            del self._under_way[place]
        self._recent[picture.sha256] = loaded
        self._recent_bytes += loaded.image_srgb_u8.nbytes
        while self._recent_bytes > _CACHE_BYTES and len(self._recent) > 1:
            _, oldest = self._recent.popitem(last=False)
            self._recent_bytes -= oldest.image_srgb_u8.nbytes
        return loaded

    def _read(self, picture: PictureRef) -> Picture:
        data = self._read_file(picture)
        loaded = picture_from_bytes(data, source=picture.path)
        if self._keep is not None:
            self._keep.put(data, picture.sha256)
        return loaded
