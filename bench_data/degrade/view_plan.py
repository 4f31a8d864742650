"""ViewPlan: how a view of a scene is to be drawn, before and after lens and motion had their say."""

from __future__ import annotations

from dataclasses import dataclass

from ..cameras import Camera
from ..render.settings import Defocus
from .camera_motion import CameraMotion

__all__ = ["ViewPlan"]


@dataclass(frozen=True, kw_only=True)
class ViewPlan:
    """What a degradation that acts inside the rendering edits with ``dataclasses.replace``.

    Args:
        camera: the lens, at the nominal pose; the size and the pose stay as they are.
        defocus: the aperture; None for a pinhole, in which all is sharp.
        exposure: the motion while the shutter is open; None for an instant.
        readout: the motion between reading the first and the last row; None when all rows are taken at once. With an
            exposure, every row is exposed about the instant at which it is read.
    """

    camera: Camera
    defocus: Defocus | None = None
    exposure: CameraMotion | None = None
    readout: CameraMotion | None = None
