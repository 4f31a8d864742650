"""Lens flare: a strong light shines into the lens, is scattered in it, and is reflected between its surfaces.

What is drawn is in `glare`: scatter with a long tail (which veils the whole picture and takes contrast), a starburst,
and ghosts on the line from the source through the optical centre. The picture's own bright parts scatter too.

The main source is just outside of the picture, above or to the side: nothing in the picture contradicts that, and it is
how most flare comes about. Compact white spots in the picture are sources too: up to three that fill 0.02 to 1.5 % of
it, and are at least three times as bright as the picture on average. A photograph cannot tell how far above white a
spot is; 12 times white is assumed, as for a lamp behind its shade.

A source's light is given in white pictures: how much light a white picture of this size would be. The sun, 100,000 lux,
is 4.4 of them for a view of 60 by 45 degrees that is exposed for sunlit white (30,000 cd/m^2 over 0.75 sr). A clean
lens scatters 1 to 3 % of it (ISO 9358 calls that veiling glare), a dirty or scratched one 10 % and more. A coated
surface reflects 0.3 to 1 % of the light, a bare one 4 %; most lenses mix them.

SpaceDG has no flare, so "bench" is ours. Levels, as share scattered: 1: 1.0-1.3 % (a slight veil, faint ghosts), 2:
2.4-3.0 %, 3: 5-6 % (shadows grey near the source), 4: 9-11 %, 5: 15-18 % (half the picture washed out), bench:
25-32 %.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..stress import Stress
from .glare import Aperture, glare_of_picture, glare_of_source, with_ghosts
from .luminance import luminance, mean_luminance
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .severity import Range, draw
from .viewpoint import Viewpoint, viewpoint_of

__all__ = ["LensFlareParameters", "Spot", "lens_flare", "white_spots"]

_SCATTERED: dict[Severity, Range] = {
    1: (0.010, 0.013),
    2: (0.024, 0.030),
    3: (0.05, 0.06),
    4: (0.09, 0.11),
    5: (0.15, 0.18),
    "bench": (0.25, 0.32),
}
_REFLECTED: dict[Severity, Range] = {
    1: (0.0040, 0.0050),
    2: (0.0060, 0.0070),
    3: (0.0085, 0.0100),
    4: (0.0115, 0.0130),
    5: (0.0150, 0.0170),
    "bench": (0.0200, 0.0240),
}
_SOURCE_LIGHT = (3.0, 5.0)
_BEYOND = (0.06, 0.30)

_WHITE = 0.9
_SPOT_SHARE = (0.0002, 0.015)
_SPOT_OVER_MEAN = 3.0
_SPOT_FILL = 0.45
_SPOT_LENGTH = 3
_MOST_SPOTS = 3
_LAMP_OVER_WHITE = 12.0
_SPOT_BLUR = 0.003


class Spot(NamedTuple):
    """A place in the picture, pixel centres at +0.5, and an area in pixels: how much white would give its light."""

    x_px: float
    y_px: float
    area_px: float


class LensFlareParameters(DegradationParameters):
    """A lens and the light that shines into it.

    Args:
        source_light: of the source outside of the picture, in white pictures.
        source_tint: of the source: positive is warm.
        scattered_share: of all light that enters the lens.
        surface_reflectance: R of each glass surface; a ghost carries R^2 of the source's light.
        bearing_rad: from the middle of the picture to that source; 0 is right, -pi / 2 is up.
        beyond: distance of that source from the picture's edge, over half of the diagonal.
        blades: of the aperture.
        turn_rad: of the aperture.
        lens_seed: of its ghosts and of the dust on it.
    """

    source_light: float = Field(ge=0, le=1000)
    source_tint: float = Field(ge=-0.5, le=0.5)
    scattered_share: float = Field(ge=0, le=1)
    surface_reflectance: float = Field(ge=0, le=0.2)
    bearing_rad: float
    beyond: float = Field(ge=0, le=10)
    blades: int = Field(ge=3, le=24)
    turn_rad: float
    lens_seed: int = Field(ge=0)

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        return cls(
            scattered_share=draw(_SCATTERED, severity, rng),
            surface_reflectance=draw(_REFLECTED, severity, rng),
            source_light=float(rng.uniform(*_SOURCE_LIGHT)),
            source_tint=float(rng.uniform(-0.02, 0.12)),
            bearing_rad=float(-np.pi / 2 + rng.uniform(-1.3, 1.3)),
            beyond=float(rng.uniform(*_BEYOND)),
            blades=int(rng.integers(5, 10)),
            turn_rad=float(rng.uniform(0, np.pi)),
            lens_seed=int(rng.integers(2**31)),
        )


@light_degradation(
    Stress.LENS_FLARE,
    summary="a strong light shines into the lens: veil, star and ghosts",
    stage=FormationStage.LENS,
    parameters=LensFlareParameters,
)
def lens_flare(light: SceneLight, parameters: LensFlareParameters, rng: np.random.Generator) -> LightEffect:
    """Scatters the picture's own light, and adds the stray light of one source."""
    image = light.image_linear
    height, width = image.shape[:2]
    view = viewpoint_of(light)
    aperture = Aperture(parameters.blades, parameters.turn_rad, parameters.lens_seed)
    tint = np.array([1 + parameters.source_tint, 1.0, 1 - parameters.source_tint])
    share = parameters.scattered_share
    result = image + (glare_of_picture(image, view.mean_focal_px) - image) * np.float32(share)
    sources = [Spot(*_outside(view, parameters), parameters.source_light * height * width)]
    spots = white_spots(image)
    sources += [Spot(spot.x_px, spot.y_px, _LAMP_OVER_WHITE * spot.area_px) for spot in spots]
    for source in sources:
        light_px, place = source.area_px * tint, (source.x_px, source.y_px)
        scattered = glare_of_source(aperture, place, view.mean_focal_px, height, width)
        result += scattered * (share * light_px).astype(np.float32)
        ghost_light = light_px * parameters.surface_reflectance**2
        result = with_ghosts(result, aperture, source_px=place, centre_px=view.centre_px, light=ghost_light)
    assumed = ["a light just outside of the picture was assumed, at the same place in all views"]
    if spots:
        assumed.append(f"white spots ({len(spots)}) were taken as {_LAMP_OVER_WHITE:g} times as bright as white")
    return LightEffect(result, (*view.approximations, *assumed))


def white_spots(image_linear: NDArray[np.float32]) -> tuple[Spot, ...]:
    """The largest compact white spots of a picture, at most three, largest first; the area is without their border."""
    import cv2

    height, width = image_linear.shape[:2]
    threshold = max(_WHITE, _SPOT_OVER_MEAN * mean_luminance(image_linear))
    blur_px = max(_SPOT_BLUR * max(height, width), 0.5)
    smooth = cv2.GaussianBlur(luminance(image_linear), (0, 0), blur_px, borderType=cv2.BORDER_REFLECT_101)
    white = (np.asarray(smooth).reshape(height, width) >= threshold).astype(np.uint8)
    _, _, boxes, centres = cv2.connectedComponentsWithStats(white)
    box_width, box_height, area = (np.asarray(boxes)[1:, column].astype(np.int64) for column in (2, 3, 4))
    low, high = (share * height * width for share in _SPOT_SHARE)
    compact = (area >= _SPOT_FILL * box_width * box_height) & (
        np.maximum(box_width, box_height) <= _SPOT_LENGTH * np.minimum(box_width, box_height)
    )
    chosen = np.flatnonzero(compact & (area >= low) & (area <= high))
    largest = chosen[np.argsort(-area[chosen], kind="stable")][:_MOST_SPOTS]
    # Whole numbers are pixel centres to OpenCV, halves are to this project.
    x, y = (np.asarray(centres)[1:][largest] + 0.5).T
    return tuple(Spot(*spot) for spot in zip(x.tolist(), y.tolist(), area[largest].astype(float).tolist(), strict=True))


def _outside(view: Viewpoint, parameters: LensFlareParameters) -> tuple[float, float]:
    """(x, y) of a source beyond the edge of the picture, in the direction of its bearing."""
    right, down = np.cos(parameters.bearing_rad), np.sin(parameters.bearing_rad)
    half_width, half_height = view.width / 2, view.height / 2
    to_edge = min(half_width / max(abs(right), 1e-9), half_height / max(abs(down), 1e-9))
    distance = to_edge + parameters.beyond * float(np.hypot(half_width, half_height))
    return float(half_width + distance * right), float(half_height + distance * down)
