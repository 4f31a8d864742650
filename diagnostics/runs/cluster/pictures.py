"""Pictures on their way to the workers: put once into the cluster's memory, known by the content of their files."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ....bench_data.errors import BenchDataError, ClusterError
from ..images import ImageFolder, read_picture_file
from ..items import PictureRef

if TYPE_CHECKING:
    from ray import ObjectRef

__all__ = ["Parcel", "PictureDesk", "PictureShelf"]

_SHELF_BYTES = 256 * 2**20

Parcel = dict[str, "list[ObjectRef[bytes]] | str"]
"""Content of a picture -> where its file is, in a list so that it is not sent along; or why it cannot be read."""


class PictureShelf:
    """The sender's side: files in the cluster's memory, the last ones for a while.

    Args:
        keep: where the files are kept too; None keeps none.
    """

    def __init__(self, keep: ImageFolder | None) -> None:
        self._keep = keep
        self._recent: OrderedDict[str, tuple[ObjectRef[bytes], int]] = OrderedDict()
        self._recent_bytes = 0
        self._under_way: dict[str, asyncio.Task[ObjectRef[bytes]]] = {}

    async def parcel(self, pictures: Iterable[PictureRef]) -> Parcel:
        """The pictures of a call.

        Raises:
            DiagnosticsError: one cannot be kept.
            ClusterError: the cluster has no room for it.
        """
        parcel: Parcel = {}
        for picture in pictures:
            try:
                parcel[_content(picture)] = [await self._ref(picture)]
            except BenchDataError as error:
                # Its call has this as its outcome, in the words that it has everywhere.
                parcel[_content(picture)] = str(error)
        return parcel

    async def _ref(self, picture: PictureRef) -> ObjectRef[bytes]:
        content = _content(picture)
        known = self._recent.get(content)
        if known is not None:
            self._recent.move_to_end(content)
            return known[0]
        if content not in self._under_way:
            self._under_way[content] = asyncio.create_task(self._put_once(picture, content))
        # Others may wait for the same file when this caller is cancelled.
        return await asyncio.shield(self._under_way[content])

    async def _put_once(self, picture: PictureRef, content: str) -> ObjectRef[bytes]:
        try:
            ref, size = await asyncio.to_thread(self._put, picture)
        finally:
            del self._under_way[content]
        self._recent[content] = (ref, size)
        self._recent_bytes += size
        while self._recent_bytes > _SHELF_BYTES and len(self._recent) > 1:
            _, (_, oldest) = self._recent.popitem(last=False)
            self._recent_bytes -= oldest
        return ref

    def _put(self, picture: PictureRef) -> tuple[ObjectRef[bytes], int]:
        import ray
        from ray.exceptions import RayError

        data = read_picture_file(picture)
        if self._keep is not None:
            self._keep.put(data, picture.sha256)
        try:
            return ray.put(data), len(data)
        except RayError as error:
            raise ClusterError(
                f"{picture.path}: the Ray cluster has no room for it ({type(error).__name__}); the same command goes on"
            ) from error


class PictureDesk:
    """The worker's side: gives the files of the calls that are being made."""

    def __init__(self) -> None:
        self._files: dict[str, list[ObjectRef[bytes]] | str] = {}
        self._calls: Counter[str] = Counter()

    @contextmanager
    def holding(self, parcel: Mapping[str, list[ObjectRef[bytes]] | str]) -> Iterator[None]:
        """Has the pictures of a call at hand, for as long as it is made."""
        self._files.update(parcel)
        self._calls.update(parcel.keys())
        try:
            yield
        finally:
            for content in parcel:
                self._calls[content] -= 1
                if not self._calls[content]:
                    del self._calls[content], self._files[content]

    def read(self, picture: PictureRef) -> bytes:
        """The file of a picture; to be called in a thread.

        Raises:
            BenchDataError: it could not be read where the suite is.
        """
        import ray

        found = self._files[_content(picture)]
        if isinstance(found, str):
            raise BenchDataError(found)
        data: bytes = ray.get(found[0])
        return data


def _content(picture: PictureRef) -> str:
    return picture.sha256 or picture.path
