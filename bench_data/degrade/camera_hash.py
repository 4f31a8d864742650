"""The hash by which records know a camera again."""

from __future__ import annotations

import hashlib

from ..cameras import Camera

__all__ = ["camera_sha256"]


def camera_sha256(camera: Camera) -> str:
    """Hash of lens, size, limits and pose, the same in every process."""
    numbers = (camera.fx, camera.fy, camera.cx, camera.cy, *camera.distortion, camera.max_theta_rad, camera.near_m)
    # Adding 0.0 turns -0.0 into 0.0: they are the same camera.
    pose = (camera.world_from_camera + 0.0).astype("<f8").tobytes()
    text = f"{camera.model} {camera.width}x{camera.height} {camera.far_m!r} " + " ".join(repr(n + 0.0) for n in numbers)
    return hashlib.sha256(text.encode() + pose).hexdigest()
