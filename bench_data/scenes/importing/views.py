"""Views out of cameras of other programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...camera_formats import NamedCamera
from ..scene import SceneView
from .world import Up, WorldChange

__all__ = ["named_views", "up_in_words"]


def named_views(named: Sequence[NamedCamera], change: WorldChange) -> tuple[SceneView, ...]:
    """Views under their pictures' names, in this project's world."""
    return tuple(SceneView(one.name, change.camera(one.camera)) for one in named)


def up_in_words(up: Up, direction: NDArray[np.float64]) -> str:
    """For `Scene.source`: which way was up in the source's world.

    >>> up_in_words("-y", np.array([0.0, -1.0, 0.0]))
    'up is -y'
    """
    if up != "cameras":
        return f"up is {up}"
    shown = ", ".join(f"{value:.3f}" for value in direction + 0.0)
    return f"up is ({shown}), estimated from how the cameras are held"
