"""Which scenes are held out: whole scenes, for questions on one scene share its objects and pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from ...errors import BenchDataError

__all__ = ["held_out_scenes"]

_SHOWN = 8


def held_out_scenes(scenes: Collection[str], wanted: int | Collection[str], *, seed: int = 0) -> tuple[str, ...]:
    """The scenes that training data must not touch, in the order of their names.

    Args:
        scenes: all there are.
        wanted: how many, or their names. A larger number holds the scenes of a smaller one, and a scene that is added
            to the data moves no other one, but for the last that is held out.
        seed: another one draws other scenes.

    Raises:
        BenchDataError: no such scene, or nothing would be left on one side.
    """
    there = sorted(set(scenes))
    if isinstance(wanted, int):
        if not 0 < wanted < len(there):
            raise BenchDataError(
                f"{wanted} of {len(there)} scenes cannot be held out: both sides need at least one; name a number from "
                f"1 to {len(there) - 1}, or build more scenes"
            )
        drawn = sorted(there, key=lambda name: hashlib.sha256(f"{seed}\x1f{name}".encode("utf-8", "replace")).digest())
        return tuple(sorted(drawn[:wanted]))
    missing = sorted(set(wanted) - set(there))
    if missing:
        more = ", ..." if len(there) > _SHOWN else ""
        raise BenchDataError(f"there is no scene {missing[0]!r}; there are: {', '.join(there[:_SHOWN])}{more}")
    if not wanted or len(set(wanted)) == len(there):
        raise BenchDataError("both sides need at least one scene; name fewer scenes than there are, and not none")
    return tuple(sorted(set(wanted)))
