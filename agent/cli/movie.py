"""Writes moving pictures."""

from __future__ import annotations

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
        UsageError: the name ends otherwise, or this system cannot encode.
    """
    if out.suffix.lower() == ".gif":
        return _write_gif(frames, out)
    if out.suffix.lower() == ".mp4":
        return _write_mp4(frames, out)
    raise UsageError(f"cannot write {out}: a movie's name must end in {' or '.join(MOVIE_SUFFIXES)}")


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
                    raise UsageError(f"cannot write {out}: this OpenCV has no MPEG-4 encoder; choose a .gif")
            writer.write(frame[..., ::-1])
            count += 1
    finally:
        if writer is not None:
            writer.release()
    return count
