"""Writes moving pictures."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .common import UsageError

__all__ = ["FRAMES_PER_SECOND", "MOVIE_SUFFIXES", "write_movie"]

FRAMES_PER_SECOND = 25
MOVIE_SUFFIXES = (".mp4", ".gif")


def write_movie(frames: Iterable[NDArray[np.uint8]], out: Path) -> int:
    """Writes display-encoded frames (H, W, 3) of one size to an .mp4, or to a .gif that loops; how many there were.

    Raises:
        OutputError: the file cannot be written; there is no half movie then.
        UsageError: the name ends otherwise, or this system cannot encode.
    """
    from ...bench_data.whole_file import whole_file

    if out.suffix.lower() not in MOVIE_SUFFIXES:
        raise UsageError(f"cannot write {out}: a movie's name must end in {' or '.join(MOVIE_SUFFIXES)}")
    write = _write_gif if out.suffix.lower() == ".gif" else _write_mp4
    with whole_file(out) as part:
        return write(frames, part)


def _write_gif(frames: Iterable[NDArray[np.uint8]], out: Path) -> int:
    from PIL import Image

    pictures = [Image.fromarray(frame).quantize(colors=255, method=Image.Quantize.MEDIANCUT) for frame in frames]
    duration_ms = 1000 // FRAMES_PER_SECOND
    pictures[0].save(out, save_all=True, append_images=pictures[1:], duration=duration_ms, loop=0)
    return len(pictures)


def _write_mp4(frames: Iterable[NDArray[np.uint8]], out: Path) -> int:
    import cv2

    writer, count = None, 0
    try:
        for frame in frames:
            if writer is None:
                height, width = frame.shape[:2]
                codec = cv2.VideoWriter.fourcc(*"mp4v")
                writer = cv2.VideoWriter(str(out), codec, FRAMES_PER_SECOND, (width, height))
                if not writer.isOpened():
                    raise UsageError("this OpenCV has no MPEG-4 encoder; choose a .gif")
            writer.write(frame[..., ::-1])
            count += 1
    finally:
        if writer is not None:
            writer.release()
    if count and not _holds(out, count):
        # The encoder writes without a word on a full disk, and the file has no end then.
        raise OSError(errno.ENOSPC, "the movie is not whole; is there space left?")
    return count


def _holds(movie: Path, frames: int) -> bool:
    import cv2

    capture = cv2.VideoCapture(str(movie))
    try:
        return capture.isOpened() and int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) == frames
    finally:
        capture.release()
