"""What a picture depends on besides the cloud and the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..cameras import Camera
from ..errors import BenchDataError

__all__ = [
    "ALPHA_MIN",
    "LOW_PASS_PX2",
    "MAX_ALPHA",
    "MIN_TRANSMITTANCE",
    "TANGENT_MARGIN",
    "Defocus",
    "RenderSettings",
    "TangentLimits",
]

LOW_PASS_PX2 = 0.3
"""Added to the variance of every projected Gaussian, as in Kerbl et al. 2023: none is smaller than about a pixel."""

TANGENT_MARGIN = 0.15
"""The linearised pinhole keeps x / z within the picture plus this share of its width on either side, as gsplat does."""

MIN_TRANSMITTANCE = 1e-4
"""A pixel is finished before the Gaussian that would leave this much light or less."""

ALPHA_MIN = 1 / 255
MAX_ALPHA = 0.999
"""gsplat 1.5's limits of one Gaussian's alpha; gsplat 1.6 and the original code have 0.99."""


class TangentLimits(NamedTuple):
    """x / z and y / z are kept between these where a pinhole is linearised."""

    left: float
    right: float
    top: float
    bottom: float

    @classmethod
    def of(cls, camera: Camera) -> TangentLimits:
        """Those of a whole picture: its borders, and `TANGENT_MARGIN` of its size beyond."""
        margin_x, margin_y = TANGENT_MARGIN * camera.width / camera.fx, TANGENT_MARGIN * camera.height / camera.fy
        return cls(
            left=-camera.cx / camera.fx - margin_x,
            right=(camera.width - camera.cx) / camera.fx + margin_x,
            top=-camera.cy / camera.fy - margin_y,
            bottom=(camera.height - camera.cy) / camera.fy + margin_y,
        )


@dataclass(frozen=True, kw_only=True)
class Defocus:
    """A lens with a round, soft aperture: SpaceDG eqs. 3 and 4.

    A Gaussian at depth z is spread by a circle of confusion with standard deviation ``aperture_px |z - focus_m| / z``,
    which is added to its 2D covariance. Its opacity falls as its peak does, so that it holds as much light.

    Args:
        aperture_px: standard deviation of the spread at infinity, in pixels, >= 0; nothing is spread at 0.
        focus_m: the depth that is sharp, > 0.
        largest_coc_share: no spread exceeds this share of the picture's width. Without a limit, what is just in front
            of the camera covers everything.
    """

    aperture_px: float
    focus_m: float
    largest_coc_share: float = 0.25

    def __post_init__(self) -> None:
        for name, least in (("aperture_px", 0.0), ("focus_m", 1e-6), ("largest_coc_share", 0.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= least):
                raise BenchDataError(f"Defocus.{name} must be finite and at least {least:g}, got {value!r}")
            object.__setattr__(self, name, float(value))

    def largest_coc_px(self, camera: Camera) -> float:
        """The limit in pixels of this camera."""
        return self.largest_coc_share * camera.width


@dataclass(frozen=True, kw_only=True)
class RenderSettings:
    """Checked settings of a picture; the arguments of `render` explain them.

    ``tangent_limits`` are those of the whole picture where the camera shows only some rows of it, so that the rows look
    as they do there; None for those of the camera itself.
    """

    defocus: Defocus | None = None
    background: tuple[float, float, float] = (0.0, 0.0, 0.0)
    sh_degree: int | None = None
    antialiased: bool = False
    max_alpha: float = MAX_ALPHA
    alpha_min: float = ALPHA_MIN
    instances: bool = False
    median_depth: bool = False
    tangent_limits: TangentLimits | None = None

    def __post_init__(self) -> None:
        if len(self.background) != 3 or not all(0 <= value <= 1 for value in self.background):
            raise BenchDataError(f"background must be three display-encoded values in [0, 1], got {self.background!r}")
        if self.sh_degree is not None and self.sh_degree not in range(4):
            raise BenchDataError(f"sh_degree must be 0, 1, 2, 3 or None, got {self.sh_degree!r}")
        object.__setattr__(self, "background", tuple(float(value) for value in self.background))
        for name in ("max_alpha", "alpha_min"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not 0 < self.alpha_min < self.max_alpha < 1:
            raise BenchDataError(
                "alphas must obey 0 < alpha_min < max_alpha < 1, "
                f"got alpha_min={self.alpha_min!r} and max_alpha={self.max_alpha!r}"
            )
