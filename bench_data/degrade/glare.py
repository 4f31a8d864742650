"""Light that a lens throws to the wrong place: scatter with a long tail, a starburst, and ghosts of the aperture.

Angles from the source are measured as pixels over focal length. Each part is normalised: a share of the source's light
lands elsewhere, and none is made.

* **Scatter**: 1 / (theta^2 + theta_0^2), the tail that eyes show beyond a degree (Spencer et al., "Physically-based
  glare effects for digital images", SIGGRAPH 1995) and that makes veiling glare in lenses (Talvala et al., "Veiling
  glare in high dynamic range imaging", SIGGRAPH 2007), and an even part from reflections between sensor and barrel.
* **Starburst**: light bent at the straight edges of the aperture, in spikes square to them: as many as blades for an
  even number, twice as many for an odd one; between them the fine rays of dust and scratches.
* **Ghosts**: each pair of glass surfaces reflects R^2 of the light once back and forth, as an image of the aperture on
  the line from the source through the optical centre (Hullin et al., "Physically-based real-time lens flare rendering",
  SIGGRAPH 2011); coatings leave each its own tint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .seeds import derived_rng

__all__ = ["Aperture", "Ghost", "ghosts_of", "glare_of_picture", "glare_of_source", "with_ghosts"]

Array = NDArray[np.float64]

_CORE_RAD = 0.012
_WIDEST_RAD = 1.2
"""Scattered light is taken to land within this angle."""

_EVEN_SHARE = 0.35
_STAR_SHARE = 0.22
_HAIR_SHARE = 0.45
"""Of the scattered light: even over the picture; in the starburst. Of the starburst: in the fine rays."""

_STAR_FREE = 1 - _EVEN_SHARE - _STAR_SHARE

_NARROWEST_RAD = 5e-4
_SPIKE_WIDTH_RAD = 0.0022
_SPIKE_REACH_RAD = 0.30
_HAIRS = 360
_ANGLES = 1440
_RADII = 160
_WAVELENGTH = np.array([1.12, 1.0, 0.86])
"""Red, green and blue over green: diffraction bends red most."""

_COARSE_PX = 96
_GHOSTS = 15
_DISPERSION = 0.035
_SOFTEST_EDGE = 0.6
"""Over the radius; a softer outline would reach beyond the area that `_profile_area` looks at."""


@dataclass(frozen=True)
class Aperture:
    """The opening of the lens: its number of blades, how it is turned, and the seed of what differs between lenses."""

    blades: int
    turn_rad: float
    lens_seed: int


@dataclass(frozen=True)
class Ghost:
    """One image of the aperture.

    Args:
        along: its place: optical centre plus this times the way from there to the source.
        radius: over half of the picture's diagonal.
        tint: linear RGB; the mean is the share that this pair of surfaces reflects of what the worst pair does.
        ring: 0 for an even disc, 1 for one that is bright at the rim only.
        roundness: 0 for the aperture's polygon, 1 for a circle.
        edge: width of its soft outline, over its radius.
    """

    along: float
    radius: float
    tint: tuple[float, float, float]
    ring: float
    roundness: float
    edge: float


def glare_of_source(
    aperture: Aperture, source_px: tuple[float, float], focal_px: float, height: int, width: int
) -> NDArray[np.float32]:
    """(H, W, 3) share of a white source's scattered light that lands on each pixel, for a source at (x, y).

    Sums to at most 1 over the pixels within 1.2 rad of the source; farther ones get what is found there.
    """
    import cv2

    x = (np.arange(width, dtype=np.float32) + np.float32(0.5 - source_px[0])) / np.float32(focal_px)
    y = (np.arange(height, dtype=np.float32) + np.float32(0.5 - source_px[1])) / np.float32(focal_px)
    # A pixel cannot be nearer to the source than its own size lets it.
    nearest = np.float32(max(_NARROWEST_RAD, 0.3 / focal_px)) ** 2
    squared = np.clip(x[None, :] ** 2 + y[:, None] ** 2, nearest, np.float32(_WIDEST_RAD**2))
    per_step = np.float32(0.5 * (_RADII - 1) / np.log(_WIDEST_RAD / _NARROWEST_RAD))
    place = np.log(squared / np.float32(_NARROWEST_RAD**2)) * per_step
    turn = np.arctan2(y[:, None], x[None, :]) * np.float32(_ANGLES / (2 * np.pi))
    turn[turn < 0] += _ANGLES
    table = _polar_spread(aperture, 1 / focal_px)
    spread = cv2.remap(table, place, turn, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    per_pixel = np.float32(1 / focal_px**2)
    return np.asarray(spread, dtype=np.float32).reshape(height, width, 3) * per_pixel


def glare_of_picture(image_linear: NDArray[np.float32], focal_px: float) -> NDArray[np.float32]:
    """(H, W, 3) the picture as its scattered light alone shows it, with the same mean; a mirror image lies outside."""
    import cv2

    height, width = image_linear.shape[:2]
    shrink = max(1.0, max(height, width) / _COARSE_PX)
    size = (max(1, round(width / shrink)), max(1, round(height / shrink)))
    coarse = cv2.resize(image_linear, size, interpolation=cv2.INTER_AREA).reshape(size[1], size[0], 3)
    reach = max(size)
    step = np.arange(-reach, reach + 1) * (shrink / focal_px)
    kernel = 1 / (step[:, None] ** 2 + step[None, :] ** 2 + (_CORE_RAD + shrink / focal_px / 2) ** 2)
    kernel = ((1 - _EVEN_SHARE) / kernel.sum() * kernel).astype(np.float32)
    scattered = cv2.filter2D(coarse, cv2.CV_32F, kernel, borderType=cv2.BORDER_REFLECT).reshape(coarse.shape)
    scattered += np.float32(_EVEN_SHARE) * coarse.mean(axis=(0, 1), dtype=np.float64).astype(np.float32)
    smooth = cv2.resize(np.maximum(scattered, 0), (width, height), interpolation=cv2.INTER_CUBIC)
    return np.maximum(np.asarray(smooth, dtype=np.float32).reshape(image_linear.shape), 0)


@lru_cache(maxsize=8)
def _polar_spread(aperture: Aperture, pixel_rad: float) -> NDArray[np.float32]:
    """(angles + 1, log radii, 3) scattered light per square of angle, for a source that sends 1 in each colour.

    The last angle repeats the first, so that the circle closes.
    """
    rng = derived_rng("lens_flare", "starburst", aperture.lens_seed)
    theta: Array = np.asarray(np.exp(np.linspace(np.log(_NARROWEST_RAD), np.log(_WIDEST_RAD), _RADII)), np.float64)
    angle: Array = np.asarray(np.arange(_ANGLES) * (2 * np.pi / _ANGLES), dtype=np.float64)
    # Steps are even in log theta: d(area) = theta^2 d(log theta) d(angle). The first step takes in the disc inside.
    area = theta**2 * (np.log(_WIDEST_RAD / _NARROWEST_RAD) / (_RADII - 1)) * (2 * np.pi / _ANGLES)

    tail = 1 / (theta**2 + _CORE_RAD**2)
    radial = _STAR_FREE * tail / (tail @ area * _ANGLES) + _EVEN_SHARE / (area.sum() * _ANGLES)
    spikes = _spikes(aperture, angle, theta, pixel_rad, rng)
    spikes *= _STAR_SHARE * (1 - _HAIR_SHARE) / np.einsum("arc,r->c", spikes, area)
    strength, along = _hairs(theta, rng)
    along *= _STAR_SHARE * _HAIR_SHARE / (strength.sum() * np.einsum("rc,r->c", along, area))
    total = spikes + strength[:, None, None] * along + radial[:, None]
    table = np.concatenate([total, total[:1]]).astype(np.float32)
    table.setflags(write=False)
    return table


def _spikes(aperture: Aperture, angle: Array, theta: Array, pixel_rad: float, rng: np.random.Generator) -> Array:
    """(angles, radii, 3) the spikes, at least a pixel wide."""
    count = aperture.blades if aperture.blades % 2 == 0 else 2 * aperture.blades
    sector = 2 * np.pi / count
    turned = (angle - aperture.turn_rad + sector / 2) % (2 * np.pi)
    # Opposite spikes come from the same edges.
    edges = count // 2
    edge = (turned / sector).astype(np.int64) % edges
    gain = rng.uniform(0.5, 1.0, edges)
    reach = _SPIKE_REACH_RAD * rng.uniform(0.6, 1.0, edges)
    aside = np.abs(np.sin(turned % sector - sector / 2))
    width = np.hypot(_SPIKE_WIDTH_RAD, 0.6 * pixel_rad) * (1 + theta / 0.06)
    across = np.exp(-((aside[:, None] * (theta / width)) ** 2))
    along = gain[:, None, None] * np.exp(-theta[:, None] / (reach[:, None, None] * _WAVELENGTH))
    along /= theta[:, None] ** 1.6 + 0.004
    return np.asarray(across[..., None] * along[edge])


def _hairs(theta: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """(angles,) strength of the fine rays and (radii, 3) how they fade."""
    strength = np.bincount(rng.integers(0, _ANGLES, _HAIRS), rng.gamma(0.6, 1.0, _HAIRS), _ANGLES)
    # Rays of about half a degree; the ends of the list meet.
    bell = np.exp(-((np.arange(-6, 7) / 2.2) ** 2))
    padded = np.concatenate([strength[-6:], strength, strength[:6]])
    strength = 0.4 * strength.mean() + np.convolve(padded, bell / bell.sum(), mode="valid")
    return strength, np.exp(-theta[:, None] / (0.11 * _WAVELENGTH)) / (theta[:, None] + 0.02)


def ghosts_of(aperture: Aperture) -> tuple[Ghost, ...]:
    """The ghosts of one lens: small bright ones, middling ones and large faint ones."""
    rng = derived_rng("lens_flare", "ghosts", aperture.lens_seed)
    ghosts = []
    for number in range(_GHOSTS):
        # Most lie on the far side of the centre, as most pairs of surfaces reverse the image.
        along = float(rng.uniform(-1.25, 0.75))
        radius = float(np.exp(rng.uniform(np.log(0.025), np.log(0.10))) * (1.0, 1.5, 3.0)[number % 3])
        hue, depth = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.3, 0.9))
        strength = float(np.exp(rng.uniform(np.log(0.1), 0)))
        tint = strength * (1 + depth * np.cos(hue + np.array([0, 2 * np.pi / 3, 4 * np.pi / 3])))
        ring, roundness = float(rng.uniform(0.0, 0.8)), float(rng.uniform(0.1, 0.6))
        edge = float(np.exp(rng.uniform(np.log(0.06), np.log(0.5))))
        red, green, blue = (float(value) for value in tint)
        ghosts.append(Ghost(along, radius, (red, green, blue), ring, roundness, edge))
    return tuple(ghosts)


def with_ghosts(
    image_linear: NDArray[np.float32],
    aperture: Aperture,
    *,
    source_px: tuple[float, float],
    centre_px: tuple[float, float],
    light: NDArray[np.float64],
) -> NDArray[np.float32]:
    """(H, W, 3) the picture with all ghosts added; each carries ``light`` (3,), in pixels of white, times its tint."""
    result = image_linear.copy()
    height, width = result.shape[:2]
    half_diagonal_px = float(np.hypot(height, width)) / 2
    for ghost in ghosts_of(aperture):
        x = centre_px[0] + ghost.along * (source_px[0] - centre_px[0])
        y = centre_px[1] + ghost.along * (source_px[1] - centre_px[1])
        radius_px = ghost.radius * half_diagonal_px
        reach = radius_px * (1 + _DISPERSION) * (1 + ghost.edge) + 1
        left, right = max(0, int(x - reach)), min(width, int(x + reach) + 1)
        top, bottom = max(0, int(y - reach)), min(height, int(y + reach) + 1)
        if left >= right or top >= bottom:
            continue
        across = (np.arange(left, right, dtype=np.float32) + np.float32(0.5 - x)) / np.float32(radius_px)
        down = (np.arange(top, bottom, dtype=np.float32) + np.float32(0.5 - y)) / np.float32(radius_px)
        shape = _aperture_radius(across[None, :], down[:, None], aperture, ghost.roundness)
        edge = min(max(ghost.edge, 1 / radius_px), _SOFTEST_EDGE)
        for channel, size in enumerate((1 + _DISPERSION, 1.0, 1 - _DISPERSION)):
            profile = _profile(shape / np.float32(size), edge, ghost.ring)
            whole_px = _profile_area(aperture.blades, ghost, edge) * (radius_px * size) ** 2
            amount = light[channel] * ghost.tint[channel] / max(whole_px, 1.0)
            result[top:bottom, left:right, channel] += np.float32(amount) * profile
    return result


def _aperture_radius(
    x: NDArray[np.float32], y: NDArray[np.float32], aperture: Aperture, roundness: float
) -> NDArray[np.float32]:
    """Distance from the middle such that the outline of the aperture is at 1."""
    polygon = np.full(np.broadcast_shapes(x.shape, y.shape), -np.inf, dtype=np.float32)
    for blade in range(aperture.blades):
        towards = aperture.turn_rad + 2 * np.pi * blade / aperture.blades
        np.maximum(polygon, x * np.float32(np.cos(towards)) + y * np.float32(np.sin(towards)), out=polygon)
    polygon /= np.float32(np.cos(np.pi / aperture.blades))
    rounded = np.float32(1 - roundness) * polygon + np.float32(roundness) * np.hypot(x, y)
    return np.asarray(rounded, dtype=np.float32)


def _profile(shape: NDArray[np.float32], edge: float, ring: float) -> NDArray[np.float32]:
    """Light of a ghost: even or brighter towards the rim, and soft at its outline."""
    cover = np.clip((1 - shape) / np.float32(edge) + np.float32(0.5), 0, 1)
    cover = cover * cover * (3 - 2 * cover)
    brightness = np.float32(1 - ring) + np.float32(ring) * np.minimum(shape, 1) ** 4
    return np.asarray(cover * brightness, dtype=np.float32)


@lru_cache(maxsize=128)
def _profile_area(blades: int, ghost: Ghost, edge: float) -> float:
    """The integral of a ghost's profile, for a radius of 1."""
    reach, steps = 1 + _SOFTEST_EDGE / 2, 160
    place = np.asarray(((np.arange(steps) + 0.5) / steps * 2 - 1) * reach, dtype=np.float32)
    shape = _aperture_radius(place[None, :], place[:, None], Aperture(blades, 0.0, 0), ghost.roundness)
    return float(_profile(shape, edge, ghost.ring).sum(dtype=np.float64)) * (2 * reach / steps) ** 2
