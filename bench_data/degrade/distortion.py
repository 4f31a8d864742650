"""Lens distortion by the equidistant polynomial theta_d = theta (1 + k1 theta^2 + ...), equation 5 of SpaceDG.

Published ranges (table 9): k1 -0.24 to -0.23, k2 1e-4 to 3e-4, k3 1e-4 to 2e-4, k4 0 to 1e-4, theta up to 1.5 rad. That
polynomial stops growing at 1.18 to 1.21 rad; what lies beyond would be folded back over the picture, so nothing beyond
the top is imaged. With all k zero it is not a pinhole but an equidistant fisheye. So levels lie between the k of a
pinhole (the series of the tangent) and the published ones, by a share of the way. Levels of the share, and how far the
corner of a 4:3 picture that sees 60 degrees across moves inwards at the same focal length: 1: 0.11-0.14 (2.7 %),
2: 0.23-0.28 (5.4 %), 3: 0.42-0.48 (9.5 %), 4: 0.60-0.66 (13 %), 5: 0.78-0.84 (17 %), bench: 1 (21 %).

The paper does not say which focal length the distorted picture has. Ours has no black corners ("filled"). In a scene
the focal length stays, and more of the scene comes into view, unless the image circle would end inside the picture:
then it is enlarged until it does not. Of a photograph nothing is known beyond its border, so the focal length is
enlarged until the corners stay where they were; the middle grows by up to 27 % at bench. "published" keeps the focal
length, with black where nothing is imaged. On a photograph the lens is taken for a pinhole, and every position moves
exactly as the polynomial says, whatever its depth.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..cameras import Camera
from ..errors import BenchDataError
from ..fisheye import Coefficients, distorted_angle, monotone_limit_rad, undistorted_angle
from ..stress import Stress
from .photograph_camera import ASSUMED_CAMERA, assumed_pinhole, picture_along
from .pixel_map import PixelMap
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .severity import Range, draw
from .view_plan import ViewPlan

__all__ = ["DistortionParameters", "Framing", "distorted_camera", "distortion"]

Framing = Literal["filled", "published"]

_SHARE: dict[Severity, Range] = {
    1: (0.11, 0.14),
    2: (0.23, 0.28),
    3: (0.42, 0.48),
    4: (0.60, 0.66),
    5: (0.78, 0.84),
    "bench": (1.0, 1.0),
}
_PUBLISHED: tuple[Range, ...] = ((-0.24, -0.23), (1e-4, 3e-4), (1e-4, 2e-4), (0.0, 1e-4))
_PINHOLE = (1 / 3, 2 / 15, 17 / 315, 62 / 2835)
"""tan(theta) = theta + theta^3 / 3 + 2 theta^5 / 15 + ...: to 1e-4 at 36 degrees from the axis."""

_MAX_THETA_RAD = 1.5
_LARGEST_ZOOM = 8.0
_DRAWN_BEYOND = 1.5
_BORDER_POINTS = 65


class DistortionParameters(DegradationParameters):
    """A fisheye lens.

    Args:
        k1, k2, k3, k4: of the polynomial, theta in radians.
        max_theta_rad: nothing farther from the axis is imaged, nor beyond the top of the polynomial.
        framing: "filled" enlarges the focal length where corners would be black; "published" keeps it.
    """

    k1: float = Field(ge=-10, le=10)
    k2: float = Field(ge=-10, le=10)
    k3: float = Field(ge=-10, le=10)
    k4: float = Field(ge=-10, le=10)
    max_theta_rad: float = Field(default=_MAX_THETA_RAD, gt=0, le=np.pi)
    framing: Framing = "filled"

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        share = draw(_SHARE, severity, rng)
        published = [float(rng.uniform(low, high)) for low, high in _PUBLISHED]
        k1, k2, k3, k4 = (
            (1 - share) * straight + share * bent for straight, bent in zip(_PINHOLE, published, strict=True)
        )
        return cls(k1=k1, k2=k2, k3=k3, k4=k4)

    @property
    def coefficients(self) -> Coefficients:
        """k1 to k4."""
        return self.k1, self.k2, self.k3, self.k4

    @property
    def theta_limit_rad(self) -> float:
        """The largest angle that is imaged: there the polynomial still grows."""
        return min(self.max_theta_rad, monotone_limit_rad(self.coefficients))


def _through_lens(plan: ViewPlan, parameters: DistortionParameters) -> ViewPlan:
    return replace(plan, camera=distorted_camera(plan.camera, parameters, beyond_picture=True))


@light_degradation(
    Stress.DISTORTION,
    summary="a wide-angle lens bends straight lines",
    stage=FormationStage.LENS,
    parameters=DistortionParameters,
    version="2",
    on_view=_through_lens,
)
def distortion(light: SceneLight, parameters: DistortionParameters, rng: np.random.Generator) -> LightEffect:
    """Moves every pixel of a photograph to where the lens would have put it."""
    height, width = light.image_linear.shape[:2]
    nominal = light.camera or assumed_pinhole(width, height)
    pixel_map = PixelMap(nominal, distorted_camera(nominal, parameters, beyond_picture=False))
    image = picture_along(light.image_linear, pixel_map, beyond="black")
    assumed = () if light.camera is not None else (ASSUMED_CAMERA,)
    shown = (
        "the middle was enlarged until the corners stayed in place"
        if parameters.framing == "filled"
        else "where the lens saw more than the photograph shows, the picture is black"
    )
    return LightEffect(image, (*assumed, shown), pixel_map)


def distorted_camera(camera: Camera, parameters: DistortionParameters, *, beyond_picture: bool) -> Camera:
    """The same camera behind the distorting lens.

    Args:
        camera: a pinhole.
        beyond_picture: there is something to see beyond the camera's picture, as in a scene.

    Raises:
        BenchDataError: a camera that is distorted already, or a lens that images far too little for this picture.
    """
    if camera.model != "pinhole":
        raise BenchDataError(
            "this camera is a fisheye already; distortion takes a pinhole: undistort the picture first"
        )
    zoom = 1.0 if parameters.framing == "published" else _zoom_to_fill(camera, parameters, beyond_picture)
    if zoom > _LARGEST_ZOOM:
        raise BenchDataError(
            f"a lens with k = {parameters.coefficients} images {np.degrees(parameters.theta_limit_rad):.3g} degrees "
            "from its axis at most, which fills this picture only when enlarged more than eightfold; use other k, or "
            'framing="published"'
        )
    limit = parameters.theta_limit_rad
    if beyond_picture:
        limit = _drawn_limit_rad(float(_border_tangents(camera).max()) / zoom, parameters)
    return replace(
        camera,
        model="fisheye",
        distortion=parameters.coefficients,
        max_theta_rad=limit,
        fx=camera.fx * zoom,
        fy=camera.fy * zoom,
    )


def _drawn_limit_rad(corner_theta_d: float, parameters: DistortionParameters) -> float:
    """The angle at which drawing ends, a little outside of the corner, whose theta_d is given.

    A Gaussian near a right angle from the axis is stretched so much by the linearised lens that it smears over pictures
    it is nowhere near; the pinhole keeps such ones at bay in the same way.
    """
    limit, coefficients = parameters.theta_limit_rad, parameters.coefficients
    beyond = float(undistorted_angle(_DRAWN_BEYOND * corner_theta_d, coefficients, limit_rad=limit))
    return beyond if math.isfinite(beyond) else limit


def _zoom_to_fill(camera: Camera, parameters: DistortionParameters, beyond_picture: bool) -> float:
    """How much the focal length must grow, so that every point of the border shows something."""
    tangents = _border_tangents(camera)
    limit = parameters.theta_limit_rad
    if beyond_picture:
        return max(1.0, float(tangents.max()) / float(distorted_angle(limit, parameters.coefficients)))
    seen = np.minimum(np.arctan(tangents), limit)
    return float((tangents / distorted_angle(seen, parameters.coefficients)).max())


def _border_tangents(camera: Camera) -> NDArray[np.float64]:
    """Tangents (N,) of the angles from the axis under which a pinhole sees the border of its picture; none is zero."""
    along = np.linspace(0, 1, _BORDER_POINTS)
    xs = (along * camera.width - camera.cx) / camera.fx
    ys = (along * camera.height - camera.cy) / camera.fy
    sides = [np.hypot(xs, y) for y in (ys[0], ys[-1])] + [np.hypot(x, ys) for x in (xs[0], xs[-1])]
    return np.asarray(np.maximum(np.concatenate(sides), 1e-9))
