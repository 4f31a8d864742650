"""Files that appear whole or not at all, however the writing ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import OutputError

__all__ = ["check_place", "whole_file"]


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A name to write to, with the target's suffix; it becomes the target when the block ends well.

    Folders on the way are made. A link is followed, so that it stays one.

    Args:
        target: a new file, or one to be replaced.

    Raises:
        OutputError: instead of every OSError of the block, and for a target that is a folder or a device.
    """
    try:
        place = Path(os.path.realpath(target))
        check_place(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        # Short, because the target's name may be as long as the system allows.
        part = place.with_name(f".seeworthy-{os.getpid()}.part{place.suffix}")
        try:
            yield part
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from error


def check_place(target: Path) -> None:
    """Refuses what can be no file: a folder, a device, or a name below something that is no folder.

    Raises:
        OutputError: it says which of them.
    """
    try:
        if target.exists() and not target.is_file():
            raise OutputError(f"cannot write {target}: it is {'a folder' if target.is_dir() else 'no ordinary file'}")
        above = next((one for one in target.parents if one.exists()), None)
        if above is not None and not above.is_dir():
            raise OutputError(f"cannot write {target}: {above} is no folder")
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from error
