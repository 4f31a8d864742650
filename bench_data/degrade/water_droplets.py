"""Water droplets on the glass before the lens: each is a small strong lens that shows the scene upside down.

As SpaceDG's appendix B: a procedural height field in layers gives normals, refraction moves the place that a pixel sees
by an offset in proportion to n_xy (equation 8), the view in a drop is blurred, and a highlight after Phong is added. A
drop is convex, so the offset points against the normal: what lies to its right is seen at its left. See
`droplet_field`.

Published ranges (table 9): scale 2.5-4, radius 0.25-0.75, strength 0.3-0.5, blur sigma 2-2.5 with a kernel of 9. No
units are given; here scale is the cells of the coarsest layer over the picture's shorter side, radius the smallest and
largest radius over half of a cell, strength the offset at n_xy = 1 over the shorter side, and sigma is in pixels of
1752-pixel-wide renders (a kernel of 9 cuts it at 1.8 sigma or more, which is all there is to see). A drop also shrinks
what it shows; the blur is never less than that calls for. Number of layers, density and direction of light are not
published.

The levels differ in density, the share of cells that hold a drop: 1: 0.08-0.11 (a few drops), 2: 0.18-0.22, 3:
0.34-0.40, 4: 0.52-0.58, 5: 0.70-0.76, bench: 0.86-1. Drops of a lower level stay where they are.
The pattern is on the lens: pictures degraded with one seed share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ..stress import Stress
from .droplet_field import RIM_SLOPE, SMALLEST_PX, DropField, drop_field, placed_drops
from .luminance import mean_luminance
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .severity import Range, draw

__all__ = ["WaterDropletsParameters", "droplets_of", "refraction_offset_px", "water_droplets"]

_DENSITY: dict[Severity, Range] = {
    1: (0.08, 0.11),
    2: (0.18, 0.22),
    3: (0.34, 0.40),
    4: (0.52, 0.58),
    5: (0.70, 0.76),
    "bench": (0.86, 1.0),
}
_CELLS = (2.5, 4.0)
_RADIUS = (0.25, 0.75)
_STRENGTH = (0.3, 0.5)
_BLUR_PX = (2.0, 2.5)
_PUBLISHED_WIDTH_PX = 1752
_NO_BLUR_PX = 0.2

_RIM_DARKNESS = 0.8
_GLOW = 0.45
_SHININESS = 160.0
_HIGHLIGHT = 0.9
_LIGHT_ELEVATION = 0.62
"""Part of the light's direction that points along the optical axis, of 1."""


class WaterDropletsParameters(DegradationParameters):
    """Drops on the glass.

    Args:
        cells: of the coarsest layer over the shorter side ("scale" in the paper).
        radius: smallest and largest radius of a drop, over half of a cell.
        strength: offset of the view at n_xy = 1, over the shorter side.
        blur_px: standard deviation of the blur in drops, in pixels of a 1752-pixel-wide picture.
        density: share of cells that hold a drop.
        light_rad: direction of the highlight in the picture; 0 is right, pi / 2 is down.
        pattern_seed: of the places and sizes of the drops.
    """

    cells: float = Field(gt=0, le=20)
    radius: tuple[float, float]
    strength: float = Field(ge=0, le=2)
    blur_px: float = Field(ge=0, le=100)
    density: float = Field(ge=0, le=1)
    light_rad: float
    pattern_seed: int = Field(ge=0)

    @model_validator(mode="after")
    def _radius_in_order(self) -> Self:
        if not 0 < self.radius[0] <= self.radius[1] <= 2:
            raise ValueError(f"radius must be two numbers, 0 < smallest <= largest <= 2, got {self.radius}")
        return self

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        return cls(
            density=draw(_DENSITY, severity, rng),
            cells=float(rng.uniform(*_CELLS)),
            radius=_RADIUS,
            strength=float(rng.uniform(*_STRENGTH)),
            blur_px=float(rng.uniform(*_BLUR_PX)),
            light_rad=float(-np.pi / 2 + rng.uniform(-0.8, 0.8)),
            pattern_seed=int(rng.integers(2**31)),
        )


@dataclass(frozen=True)
class _WetPixels:
    """Pixels in drops: their places counted in whole pixels, and the drop there; each (N,) float32."""

    row: NDArray[np.float32]
    column: NDArray[np.float32]
    normal_x: NDArray[np.float32]
    normal_y: NDArray[np.float32]
    radius_px: NDArray[np.float32]


@light_degradation(
    Stress.WATER_DROPLETS,
    summary="drops of water on the glass before the lens",
    stage=FormationStage.LENS,
    parameters=WaterDropletsParameters,
    version="2",
)
def water_droplets(light: SceneLight, parameters: WaterDropletsParameters, rng: np.random.Generator) -> LightEffect:
    """Refracts, blurs and lights what is seen through drops; between them the picture stays as it is."""
    image = light.image_linear
    height, width = image.shape[:2]
    field = droplets_of(parameters, height, width)
    wet = np.flatnonzero(field.inside)
    drop = _WetPixels(
        row=(wet // width).astype(np.float32),
        column=(wet % width).astype(np.float32),
        normal_x=field.normal_xy[..., 0].ravel()[wet],
        normal_y=field.normal_xy[..., 1].ravel()[wet],
        radius_px=field.radius_px.ravel()[wet],
    )
    through = _lit(_refracted(image, drop, parameters), drop, parameters.light_rad, mean_luminance(image))
    result = image.reshape(-1, 3).copy()
    dry = result[wet].T
    result[wet] = (dry + (through - dry) * field.edge.ravel()[wet]).T
    mirrored = "the scene beyond the picture's border was taken as its mirror image"
    return LightEffect(result.reshape(image.shape), (mirrored,))


def droplets_of(parameters: WaterDropletsParameters, height: int, width: int) -> DropField:
    """The water on the glass, for a picture of a size."""
    shorter_px = min(height, width)
    drops = placed_drops(
        cells=parameters.cells,
        radius=parameters.radius,
        density=parameters.density,
        pattern_seed=parameters.pattern_seed,
        span=(width / shorter_px, height / shorter_px),
        smallest=SMALLEST_PX / shorter_px,
    )
    return drop_field(drops, height, width)


def refraction_offset_px(field: DropField, strength: float) -> NDArray[np.float32]:
    """(H, W, 2) from a pixel to the place of the clean picture that it sees, right and down; zero outside of drops."""
    shorter_px = min(field.inside.shape)
    return np.asarray(-np.float32(strength * shorter_px) * field.normal_xy, dtype=np.float32)


def _refracted(
    image: NDArray[np.float32], drop: _WetPixels, parameters: WaterDropletsParameters
) -> NDArray[np.float32]:
    """(3, N) what each wet pixel sees, blurred as strongly as its drop shrinks the view."""
    import cv2

    from .kernels import blend_levels

    height, width = image.shape[:2]
    offset_px = np.float32(parameters.strength * min(height, width))
    # In the middle of a drop the normal turns by RIM_SLOPE per radius; that many pixels are seen in one.
    half_shrinkage = offset_px * np.float32(RIM_SLOPE / 2) / drop.radius_px
    base_px = parameters.blur_px * max(height, width) / _PUBLISHED_WIDTH_PX
    level = np.log2(np.maximum(np.sqrt(half_shrinkage**2 + np.float32(base_px**2)), 1))
    source = image
    if base_px > _NO_BLUR_PX:
        blurred = cv2.GaussianBlur(image, (0, 0), base_px, borderType=cv2.BORDER_REFLECT_101)
        source = np.asarray(blurred, dtype=np.float32).reshape(image.shape)
    pyramid = _pyramid(source, 1 + int(np.ceil(level.max(initial=0))))
    seen = np.empty((3, len(level)), dtype=np.float32)
    blend_levels(
        np.concatenate([smaller.reshape(-1, 3) for smaller in pyramid]),
        np.array([smaller.shape[:2] for smaller in pyramid]),
        # As continuous coordinates, pixel centres at +0.5; the view is pulled against the normal.
        drop.column + np.float32(0.5) - offset_px * drop.normal_x,
        drop.row + np.float32(0.5) - offset_px * drop.normal_y,
        level,
        seen,
    )
    return seen


def _pyramid(image: NDArray[np.float32], levels: int) -> list[NDArray[np.float32]]:
    """The picture, and pictures of half, a quarter ... of its size, each pixel the mean of those it stands for."""
    import cv2

    pyramid = [image]
    for _ in range(levels - 1):
        height, width = pyramid[-1].shape[:2]
        size = ((width + 1) // 2, (height + 1) // 2)
        smaller = cv2.resize(pyramid[-1], size, interpolation=cv2.INTER_AREA)
        pyramid.append(np.asarray(smaller, dtype=np.float32).reshape(size[1], size[0], 3))
    return pyramid


def _lit(seen: NDArray[np.float32], drop: _WetPixels, light_rad: float, surroundings: float) -> NDArray[np.float32]:
    """(3, N) with a dark rim, a glow on the side away from the light, and a highlight on the side towards it."""
    upright = np.sqrt(np.maximum(1 - drop.normal_x**2 - drop.normal_y**2, 0))
    # At the rim light comes from so far aside that little of it passes the surface.
    tilt = np.clip((1 - upright) / np.float32(1 - np.sqrt(1 - RIM_SLOPE**2)), 0, 1)
    passed = 1 - np.float32(_RIM_DARKNESS) * tilt**2
    towards = drop.normal_x * np.float32(np.cos(light_rad)) + drop.normal_y * np.float32(np.sin(light_rad))
    glow = 1 + np.float32(_GLOW) * np.maximum(-towards / np.float32(RIM_SLOPE), 0) ** 2
    # Phong with the half vector between the light and the viewer, who looks along the axis.
    half_axis = np.sqrt((1 + _LIGHT_ELEVATION) / 2)
    half_aside = np.sqrt(1 - half_axis**2)
    facing = upright * np.float32(half_axis) + towards * np.float32(half_aside)
    highlight = np.float32(_HIGHLIGHT * min(1.0, 5 * surroundings)) * np.maximum(facing, 0) ** np.float32(_SHININESS)
    return np.asarray(seen * (passed * glow) + highlight, dtype=np.float32)
