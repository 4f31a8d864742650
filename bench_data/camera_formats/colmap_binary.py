"""COLMAP's binary files, little-endian; every count is checked against what is left of the file."""

from __future__ import annotations

import struct

import numpy as np

from ..errors import BenchDataError
from .colmap_records import MODEL_NAMES, ColmapCamera, ColmapImage, ColmapPoints

__all__ = ["cameras_from_bytes", "images_from_bytes", "points_from_bytes"]

_POINT_2D_BYTES = 24
_TRACK_ENTRY_BYTES = 8


class _Reader:
    """A position in a file that cannot be passed beyond its end."""

    def __init__(self, data: bytes, source: str) -> None:
        self._data, self._at, self._source = data, 0, source

    def take(self, form: struct.Struct) -> tuple[float | int, ...]:
        self._need(form.size)
        values = form.unpack_from(self._data, self._at)
        self._at += form.size
        return values

    def skip(self, size: int) -> None:
        self._need(size)
        self._at += size

    def text(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise BenchDataError(f"cannot read {self._source}: a name without an end; it is cut off or damaged")
        raw, self._at = self._data[self._at : end], end + 1
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BenchDataError(f"cannot read {self._source}: a name that is no text; it is damaged") from error

    def count(self, smallest: int) -> int:
        """A number of records of at least ``smallest`` bytes each."""
        number = int(self.take(_COUNT)[0])
        self._need(number * smallest)
        return number

    def _need(self, size: int) -> None:
        left = len(self._data) - self._at
        if size > left:
            raise BenchDataError(
                f"cannot read {self._source}: at byte {self._at} it needs {size} bytes, {left} are left; it is cut off "
                "or damaged"
            )


_COUNT = struct.Struct("<Q")
_CAMERA = struct.Struct("<IiQQ")
_IMAGE = struct.Struct("<I7dI")
_POINT = struct.Struct("<Q3d3BdQ")


def cameras_from_bytes(data: bytes, source: str) -> list[ColmapCamera]:
    """The records of ``cameras.bin``."""
    reader = _Reader(data, source)
    cameras = []
    for _ in range(reader.count(_CAMERA.size)):
        camera_id, model, width, height = map(int, reader.take(_CAMERA))
        if not 0 <= model < len(MODEL_NAMES):
            raise BenchDataError(f"cannot read {source}: the camera {camera_id} has the unknown model number {model}")
        name, parameters = MODEL_NAMES[model]
        params = reader.take(struct.Struct(f"<{parameters}d"))
        cameras.append(ColmapCamera(camera_id, name, width, height, params))
    return cameras


def images_from_bytes(data: bytes, source: str) -> list[ColmapImage]:
    """The records of ``images.bin``, without their points."""
    reader = _Reader(data, source)
    images = []
    for _ in range(reader.count(_IMAGE.size + 1 + _COUNT.size)):
        image_id, qw, qx, qy, qz, tx, ty, tz, camera_id = reader.take(_IMAGE)
        name = reader.text()
        reader.skip(_POINT_2D_BYTES * int(reader.take(_COUNT)[0]))
        images.append(ColmapImage(int(image_id), (qw, qx, qy, qz), (tx, ty, tz), int(camera_id), name))
    return images


def points_from_bytes(data: bytes, source: str) -> ColmapPoints:
    """The records of ``points3D.bin``, without their tracks."""
    reader = _Reader(data, source)
    number = reader.count(_POINT.size)
    points, colours = np.empty((number, 3)), np.empty((number, 3), np.uint8)
    for row in range(number):
        _, x, y, z, red, green, blue, _, track = reader.take(_POINT)
        points[row], colours[row] = (x, y, z), (red, green, blue)
        reader.skip(_TRACK_ENTRY_BYTES * int(track))
    return ColmapPoints(points, colours)
