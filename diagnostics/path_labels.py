"""Short names for files and folders, by which messages and reports tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .errors import DiagnosticsError

__all__ = ["path_labels"]


def path_labels(paths: Sequence[Path], *, what: str) -> tuple[str, ...]:
    """Their own names, with as many parents before them as it takes to make all different.

    >>> path_labels([Path("/runs/a"), Path("/runs/b")], what="folder")
    ('a', 'b')
    >>> path_labels([Path("/1/run"), Path("/2/run")], what="folder")
    ('1/run', '2/run')

    Args:
        paths: in any order.
        what: they are, for the message.

    Raises:
        DiagnosticsError: one is given twice.
    """
    places = [path.absolute().parts for path in paths]
    if len(set(places)) < len(places):
        raise DiagnosticsError(f"a {what} is given twice; give each once")
    depth = 1
    while len({place[-depth:] for place in places}) < len(places):
        depth += 1
    return tuple("/".join(place[-depth:]).replace("//", "/") for place in places)
