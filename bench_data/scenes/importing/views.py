"""Views out of cameras of other programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...camera_formats import NamedCamera
from ..scene import SceneView
from .options import ImportOptions
from .world import Up, WorldChange, direction_of

__all__ = ["named_views", "up_in_words", "upright_without_unit"]


def named_views(named: Sequence[NamedCamera], change: WorldChange) -> tuple[SceneView, ...]:
    """Views under their pictures' names, in this project's world."""
    return tuple(SceneView(one.name, change.camera(one.camera)) for one in named)


def upright_without_unit(
    named: Sequence[NamedCamera], options: ImportOptions, notes: list[str]
) -> tuple[WorldChange, str]:
    """From the world of a reconstruction, of no known unit, to ours.

    Args:
        named: its cameras, which tell which way is up unless the options do.
        options: give the unit, perhaps.
        notes: takes what was assumed.

    Returns:
        The change, and which way was up and how long a unit was, in words.
    """
    up: Up = options.up or "cameras"
    direction = direction_of(up, [one.camera for one in named])
    change = WorldChange.upright(direction, scale=options.metres_per_unit or 1.0)
    if options.metres_per_unit is None:
        notes.append("the unit is not known: lengths count as metres (metres_per_unit=)")
    return change, f"{up_in_words(up, direction)} there; {change.scale:g} m a unit"


def up_in_words(up: Up, direction: NDArray[np.float64]) -> str:
    """For `Scene.source`: which way was up in the source's world.

    >>> up_in_words("-y", np.array([0.0, -1.0, 0.0]))
    'up is -y'
    """
    if up != "cameras":
        return f"up is {up}"
    shown = ", ".join(f"{value:.3f}" for value in direction + 0.0)
    return f"up is ({shown}), estimated from how the cameras are held"
