"""Reading a file that a user named, with a message for each way in which that goes wrong."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import BenchDataError
from .limits import ImageLimits

__all__ = ["read_file"]

_URL = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")


def read_file(path: str | os.PathLike[str], limits: ImageLimits) -> bytes:
    """The bytes of a regular file.

    Raises:
        BenchDataError: a URL or data URI, no path at all, missing, a folder or device, unreadable, empty or too large.
    """
    if not isinstance(path, str | os.PathLike):
        raise BenchDataError(f"expected a path, got {type(path).__name__}; for bytes use picture_from_bytes()")
    text = os.fspath(path)
    if not isinstance(text, str) or not text:
        raise BenchDataError(f"{text!r} is no path; give the file's path as text")
    if text.startswith("data:"):
        raise BenchDataError(f"{text[:40]!r}... is a data URI, not a path; decode it and use picture_from_bytes()")
    if _URL.match(text):
        raise BenchDataError(f"{text}: is a URL, not a path; download the file and give its path")
    try:
        file = Path(text)
        if file.is_dir():
            raise BenchDataError(f"{text}: is a folder; give the path of a file in it")
        if not file.exists():
            where = "" if file.is_absolute() else f" (looked in {Path.cwd()})"
            raise BenchDataError(f"{text}: no such file{where}; check the path")
        if not file.is_file():
            raise BenchDataError(f"{text}: is a device or pipe, not a file; copy its content to a file first")
        limits.check_file(file.stat().st_size, text)
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise BenchDataError(f"{text}: cannot be read ({error}); check the path and your permissions") from error
