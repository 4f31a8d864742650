"""Paths written in a suite's files: relative, with forward slashes, and never out of the suite's folder."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from ..errors import BenchDataError

__all__ = ["PathError", "inside", "relative_path"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST = 1024


class PathError(BenchDataError):
    """A path of a suite leads out of its folder, or is none."""


@lru_cache(maxsize=65536)
def relative_path(text: str) -> str:
    """The path in its plain form: no empty parts and no ".".

    >>> relative_path("./ori//s1/a.jpg")
    'ori/s1/a.jpg'

    Raises:
        PathError: empty, absolute, with "..", a backslash, a drive letter, a URL, a control character, or too long.
    """
    shown = repr(text if len(text) <= 80 else text[:77] + "...")
    if not text.strip():
        raise PathError("the path is empty; give one relative to the suite's folder")
    if len(text) > _LONGEST:
        raise PathError(f"{shown} has {len(text):,} characters, too many for a path; is it a picture in base64?")
    if _CONTROL.search(text):
        raise PathError(f"{shown} has a control character in it; rename the file")
    if "\\" in text:
        raise PathError(f"{shown} has a backslash; write paths with forward slashes")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    plain = "/".join(parts)
    if _SCHEME.match(plain):
        raise PathError(f"{shown} is a URL or has a drive letter; put the file into the suite's folder")
    if text.startswith("/") or plain.startswith("~"):
        raise PathError(f"{shown} is absolute; write it relative to the suite's folder")
    if ".." in parts:
        raise PathError(f"{shown} leads out of the suite's folder; put the file into it")
    if not plain.strip():
        raise PathError(f"{shown} names a folder, not a file")
    return plain


def inside(root: Path, path: str) -> Path:
    """The file of a relative path below ``root``, which need not exist.

    Raises:
        PathError: a symbolic link on the way leads out of ``root``.
    """
    file = root / relative_path(path)
    try:
        if not file.resolve().is_relative_to(root.resolve()):
            raise PathError(f"{path!r} is a link that leads out of the suite's folder {root}; copy the file into it")
    except (OSError, RuntimeError, ValueError) as error:
        raise PathError(f"{path!r} cannot be followed ({error}); is there a loop of links?") from error
    return file
