"""Rain drops and snow flakes in the air before the camera: where they are, and how much of each pixel they cover.

Sizes follow an exponential law N(D) = N0 exp(-L D), as Marshall and Palmer found for rain (J. Meteor. 5, 1948) and Gunn
and Marshall for snow (J. Meteor. 15, 1958). A particle is drawn where its image is wider than 1 / 1600 of the picture,
and than 0.4 pixels; narrower ones cannot be told apart and act together as a veil, with the optical depth that is
missing. So picture size decides what is drawn, but not how much light is lost: on average the scene is seen through
exp(-beta d), with beta the cross-section of all particles in a cubic metre. That is half of the extinction that
meteorologists measure: the other half is light that each particle diffracts, by an angle that is less than a pixel.

While the shutter is open a particle moves by speed times exposure, and covers each place on its way for a part of the
time: a streak of that length times focal length over depth, and fainter the longer it is (Garg and Nayar, "Vision and
Rain", IJCV 75(1), 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .disc_blur import disc_blurred_dots
from .viewpoint import Viewpoint

__all__ = ["Particles", "Shutter", "SizeLaw", "coverage", "drawn_width_rad", "scatter", "veil_optical_depth"]

Array = NDArray[np.float64]

_DRAWN_WIDTH_PX = 0.4
_DRAWN_SHARE = 1 / 1600
"""Particles whose image is narrower, in pixels or over the longer side of the picture, are part of the veil."""

NEAREST_M = 0.25
"""Nearer ones would land on the lens."""

_FEWEST = 1e-5
"""Share of particles so large that no farther depth is looked at."""

_FARTHEST_M = 80.0
"""Farther particles are part of the veil even if a long lens would show them: there are too many of them."""

_DEPTH_STEPS = 256
_STEP_PX = 0.8
_MAX_STEPS = 4096
_BLUR_STEP = 1.6
_MIN_BLUR_PX = 0.6
_MAX_BLUR_SHARE = 0.05


@dataclass(frozen=True)
class SizeLaw:
    """N(D) = intercept exp(-slope D).

    Args:
        intercept_per_m4: particles per cubic metre and metre of diameter at D = 0.
        slope_per_m: one over the mean diameter.
    """

    intercept_per_m4: float
    slope_per_m: float

    def number_per_m3(self, larger_than_m: Array | float) -> Array:
        """Particles per cubic metre with a diameter above ``larger_than_m``."""
        slope = self.slope_per_m
        return np.asarray(self.intercept_per_m4 / slope * np.exp(-slope * np.asarray(larger_than_m)))

    @property
    def cross_section_per_m(self) -> float:
        """beta: area of all particles per volume, the integral of pi D^2 / 4 N(D)."""
        return float(np.pi / 2 * self.intercept_per_m4 / self.slope_per_m**3)

    def share_smaller(self, than_m: Array) -> Array:
        """The share of beta that particles below a diameter contribute."""
        x = self.slope_per_m * than_m
        return np.asarray(1 - np.exp(-x) * (1 + x + x * x / 2))


@dataclass(frozen=True)
class Particles:
    """Particles in camera axes (x right, y down, z forward) in the middle of the exposure.

    Args:
        position_m: (N, 3).
        velocity_m_s: (N, 3).
        diameter_m: (N,).
        flicker: (N, 3) amplitude, phase in radians, and frequency in Hz of the brightness along the way.
    """

    position_m: Array
    velocity_m_s: Array
    diameter_m: Array
    flicker: Array | None = None


@dataclass(frozen=True)
class Shutter:
    """Exposure time and aperture of the camera; ``focus_m`` is the depth that is sharp."""

    exposure_s: float
    aperture_m: float
    focus_m: float


def drawn_width_rad(view: Viewpoint) -> float:
    """Width over depth from which on a particle is drawn."""
    return max(_DRAWN_WIDTH_PX, _DRAWN_SHARE * max(view.width, view.height)) / view.mean_focal_px


def scatter(
    law: SizeLaw, view: Viewpoint, *, margin_m: float, farthest_m: float, rng: np.random.Generator, columns: int
) -> tuple[Array, Array, Array]:
    """Random places and sizes of the particles that are wide enough to be drawn.

    Random numbers are drawn particle by particle, so that with one generator a heavier fall keeps the random numbers of
    a lighter one and adds to them.

    Args:
        margin_m: how far outside the picture's pyramid particles are placed, as their streaks may reach into it.
        farthest_m: depth beyond which everything is hidden.
        columns: further random numbers wanted per particle.

    Returns:
        (N, 3) positions in metres in camera axes, (N,) diameters in metres, (N, columns) uniform numbers in [0, 1).
    """
    depth_m = np.linspace(NEAREST_M, _drawn_up_to_m(law, view, farthest_m), _DEPTH_STEPS)
    width_m, height_m = _extent(view, depth_m, margin_m)
    density = width_m * height_m * law.number_per_m3(depth_m * drawn_width_rad(view))
    steps = np.diff(depth_m) * (density[1:] + density[:-1]) / 2
    cumulative = np.concatenate([[0.0], np.cumsum(steps)])
    # Rounded up or down at random: the mean is right also where fewer than one is expected.
    count = int(cumulative[-1] + rng.random())
    uniform = rng.random((count, 4 + columns))
    z = np.interp(uniform[:, 0] * cumulative[-1], cumulative, depth_m)
    width_m, height_m = _extent(view, z, margin_m)
    x = (0.5 * view.width - view.centre_px[0]) / view.focal_px[0] * z + (uniform[:, 1] - 0.5) * width_m
    y = (0.5 * view.height - view.centre_px[1]) / view.focal_px[1] * z + (uniform[:, 2] - 0.5) * height_m
    diameter_m = z * drawn_width_rad(view) - np.log1p(-uniform[:, 3]) / law.slope_per_m
    return np.stack([x, y, z], axis=1), diameter_m, uniform[:, 4:]


def veil_optical_depth(law: SizeLaw, view: Viewpoint, depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) optical depth of all particles that are not drawn, up to the scene."""
    # Up to the nearest particle that is drawn all are part of the veil, and so they are beyond the farthest.
    between_m = np.clip(depth_m, np.float32(NEAREST_M), np.float32(_drawn_up_to_m(law, view, float(depth_m.max()))))
    per_m = law.slope_per_m * drawn_width_rad(view)
    nearest, x = per_m * NEAREST_M, between_m * np.float32(per_m)
    # What is left by `share_smaller`: the integral of exp(-x) (1 + x + x^2 / 2) is -exp(-x) (3 + 2 x + x^2 / 2).
    drawn = np.float32(np.exp(-nearest) * (3 + 2 * nearest + nearest**2 / 2)) - np.exp(-x) * (3 + x * (2 + x / 2))
    return np.asarray(np.float32(law.cross_section_per_m) * (depth_m - drawn / np.float32(per_m)), dtype=np.float32)


def coverage(
    particles: Particles, view: Viewpoint, shutter: Shutter, depth_m: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(H, W) share of the exposure during which particles cover a pixel, in [0, 1]; ones behind the scene are hidden.

    Each particle keeps its area: what blur spreads, it thins.
    """
    total = np.zeros((view.height, view.width), dtype=np.float32)
    if len(particles.diameter_m) == 0:
        return total
    blur_px = np.minimum(_blur_radius_px(particles, view, shutter), _MAX_BLUR_SHARE * max(view.width, view.height))
    # Class 0 is sharp; each further class blurs by 1.6 times as much.
    sharp_px = np.float64(_MIN_BLUR_PX)
    classes = np.ceil(np.log(np.maximum(blur_px / sharp_px, 1)) / np.log(_BLUR_STEP)).astype(np.int8)
    streaks = _Streaks.of(particles, view, shutter)
    for blur in range(int(classes.max()) + 1):
        members = np.flatnonzero(classes == blur)
        if len(members) == 0:
            continue
        radius_px = float(blur_px[members].mean()) if blur else 0.0
        # Blur may carry particles from beside the picture into it.
        margin_px = 1 + int(np.ceil(radius_px))
        dots = streaks.drawn(members, view, depth_m, step_px=max(_STEP_PX, radius_px / 2), margin_px=margin_px)
        area = disc_blurred_dots(dots, radius_px, margin_px) if blur else dots[1:-1, 1:-1]
        # Blur must not carry a particle over the edge of something that stands nearer.
        total += area * (depth_m > particles.position_m[members, 2].min())
    return np.minimum(total, 1, out=total)


def _drawn_up_to_m(law: SizeLaw, view: Viewpoint, farthest_m: float) -> float:
    """Depth from which on no particle is drawn, where a scene ends at ``farthest_m``."""
    end_m = -np.log(_FEWEST) / law.slope_per_m / drawn_width_rad(view)
    return max(min(float(end_m), farthest_m, _FARTHEST_M), NEAREST_M)


def _extent(view: Viewpoint, depth_m: Array, margin_m: float) -> tuple[Array, Array]:
    """Width and height of the slice of air at a depth, in metres, with the margin."""
    return (
        view.width / view.focal_px[0] * depth_m + 2 * margin_m,
        view.height / view.focal_px[1] * depth_m + 2 * margin_m,
    )


def _blur_radius_px(particles: Particles, view: Viewpoint, shutter: Shutter) -> Array:
    depth_m = particles.position_m[:, 2]
    own_px = particles.diameter_m / 2 * view.mean_focal_px / depth_m
    # The circle of confusion of a thin lens: aperture times the difference of the inverse depths.
    confusion_px = shutter.aperture_m / 2 * view.mean_focal_px * np.abs(1 / depth_m - 1 / shutter.focus_m)
    return np.asarray(np.hypot(own_px, confusion_px))


@dataclass(frozen=True)
class _Streaks:
    """What particles do to the picture while the shutter is open; the arguments of `kernels.add_dots`."""

    position_m: Array
    way_m: Array
    area_px_m2: Array
    flicker: Array
    length_px: Array

    @classmethod
    def of(cls, particles: Particles, view: Viewpoint, shutter: Shutter) -> _Streaks:
        position, way_m = particles.position_m, particles.velocity_m_s * shutter.exposure_s
        (x, y, z), (way_x, way_y, way_z) = position.T, way_m.T
        length_px = np.hypot(view.focal_px[0] * (way_x - x / z * way_z), view.focal_px[1] * (way_y - y / z * way_z)) / z
        area_px_m2 = np.pi / 4 * (view.mean_focal_px * particles.diameter_m) ** 2
        flicker = np.empty((0, 3))
        if particles.flicker is not None:
            # From hertz to radians per exposure.
            flicker = particles.flicker * np.array([1.0, 1.0, 2 * np.pi * shutter.exposure_s])
        return cls(position, way_m, area_px_m2, flicker, length_px)

    def drawn(
        self,
        members: NDArray[np.int64],
        view: Viewpoint,
        depth_m: NDArray[np.float32],
        *,
        step_px: float,
        margin_px: int,
    ) -> NDArray[np.float32]:
        """(H + 2 margin, W + 2 margin) area in pixels that some particles cover, averaged over the exposure."""
        from .kernels import add_dots

        bordered = np.zeros((view.height + 2 * margin_px, view.width + 2 * margin_px), dtype=np.float32)
        add_dots(
            bordered,
            members,
            np.clip(np.ceil(self.length_px[members] / step_px), 1, _MAX_STEPS).astype(np.int64),
            self.position_m,
            self.way_m,
            self.area_px_m2,
            self.flicker,
            view.focal_px,
            view.centre_px,
            NEAREST_M / 4,
            np.ascontiguousarray(depth_m),
        )
        return bordered
