"""What the readers of camera files return."""

from __future__ import annotations

from dataclasses import dataclass

from ..cameras import Camera

__all__ = ["NamedCamera"]


@dataclass(frozen=True)
class NamedCamera:
    """A camera and the picture that it took.

    Args:
        name: the picture's path, as the file gives it.
        camera: intrinsics and pose, in this project's conventions.
    """

    name: str
    camera: Camera
