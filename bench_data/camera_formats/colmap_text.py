"""COLMAP's text files."""

from __future__ import annotations

import math

import numpy as np

from ..errors import BenchDataError
from .colmap_records import MODELS, ColmapCamera, ColmapImage, ColmapPoints

__all__ = ["cameras_from_text", "images_from_text", "points_from_text"]


def cameras_from_text(text: str, source: str) -> list[ColmapCamera]:
    """The rows of ``cameras.txt``: ``CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]``."""
    cameras = []
    for number, line in _rows(text):
        words = line.split()
        where = _where(source, number, line)
        if len(words) < 4 or words[1] not in MODELS:
            raise BenchDataError(
                f"{where}: expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS[], with a model that COLMAP has"
            )
        params = _floats(words[4:], MODELS[words[1]], where)
        camera_id, width, height = (_whole(word, where) for word in (words[0], *words[2:4]))
        cameras.append(ColmapCamera(camera_id, words[1], width, height, params))
    return cameras


def images_from_text(text: str, source: str) -> list[ColmapImage]:
    """The rows of ``images.txt``: ``IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME``, each before a line of points.

    The line of points is empty for a picture without points, and must not be taken for the next picture.
    """
    images = []
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), start=1) if not line.startswith("#")]
    at = 0
    while at < len(lines):
        number, line = lines[at]
        if not line:
            at += 1
            continue
        where = _where(source, number, line)
        words = line.split(maxsplit=9)
        if len(words) != 10:
            raise BenchDataError(f"{where}: expected IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME")
        qw, qx, qy, qz, tx, ty, tz = _floats(words[1:8], 7, where)
        image_id, camera_id = _whole(words[0], where), _whole(words[8], where)
        images.append(ColmapImage(image_id, (qw, qx, qy, qz), (tx, ty, tz), camera_id, words[9]))
        at += 2
    return images


def points_from_text(text: str, source: str) -> ColmapPoints:
    """The rows of ``points3D.txt``: ``POINT3D_ID X Y Z R G B ERROR TRACK[]``."""
    points, colours = [], []
    for number, line in _rows(text):
        words = line.split(maxsplit=8)
        where = _where(source, number, line)
        if len(words) < 8:
            raise BenchDataError(f"{where}: expected POINT3D_ID X Y Z R G B ERROR TRACK[]")
        points.append(_floats(words[1:4], 3, where))
        colour = [_whole(word, where) for word in words[4:7]]
        if max(colour) > 255:
            raise BenchDataError(f"{where}: a colour above 255")
        colours.append(colour)
    return ColmapPoints(
        np.array(points, dtype=np.float64).reshape(-1, 3), np.array(colours, dtype=np.uint8).reshape(-1, 3)
    )


def _rows(text: str) -> list[tuple[int, str]]:
    """(line number, text) of lines that are neither blank nor comments."""
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def _where(source: str, number: int, line: str) -> str:
    return f"cannot read {source}: line {number} ({line[:60]!r})"


def _whole(word: str, where: str) -> int:
    if not word.isdecimal() or not word.isascii() or len(word) > 18:
        raise BenchDataError(f"{where}: {word[:30]!r} is no whole number")
    return int(word)


def _floats(words: list[str], count: int, where: str) -> tuple[float, ...]:
    try:
        values = tuple(float(word) for word in words)
    except ValueError:
        values = ()
    if len(values) != count or not all(map(math.isfinite, values)):
        raise BenchDataError(f"{where}: expected {count} finite numbers, got {' '.join(words)[:80]!r}")
    return values
