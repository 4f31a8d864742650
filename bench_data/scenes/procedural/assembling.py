"""From objects with surfels and places to a cloud with instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...rotations import quat_from_matrix
from ...splats import GaussianCloud
from ...splats.harmonics import SH_C0
from ..box import OrientedBox
from ..colour_words import colour_shares
from ..scene import Instance
from .light import Lighting, Occupancy, displayed, light_on
from .shapes import Assembly, turn
from .surfels import Array, Surfels

__all__ = ["OPACITY", "Cover", "Placed", "Product", "Surface", "assembled", "product"]

OPACITY = 0.995


@dataclass(frozen=True)
class Surface:
    """A level place to put things on, in the axes of an object: its height and its rectangle (x0, y0, x1, y1)."""

    height_m: float
    rectangle_m: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Cover:
    """A rectangle that hides what is just behind it: a corner and two edges (3,) in the axes of an object."""

    corner_m: Array
    along_u_m: Array
    along_v_m: Array
    depth_m: float = 0.05

    def moved(self, shift_m: Array) -> Cover:
        """The same about another origin."""
        return replace(self, corner_m=self.corner_m + shift_m)

    @classmethod
    def flat(cls, x0: float, y0: float, x1: float, y1: float, height_m: float) -> Cover:
        """Level, facing up."""
        return cls(np.array([x0, y0, height_m]), np.array([x1 - x0, 0, 0]), np.array([0, y1 - y0, 0]))

    @classmethod
    def upright(cls, y0: float, z0: float, y1: float, z1: float, x_m: float) -> Cover:
        """Standing, facing +x."""
        return cls(np.array([x_m, y0, z0]), np.array([0, y1 - y0, 0]), np.array([0, 0, z1 - z0]))


@dataclass(frozen=True, eq=False, kw_only=True)
class Product:
    """An object before it is placed; it stands on z = 0 or hangs with its back at its lowest x.

    Args:
        label: its category.
        surfels: what it looks like, in its own axes.
        low_m, high_m: (3,) exact bounds of its parts.
        attributes: words for its colour, material, pattern and size.
        has_front: +x means something.
        surfaces: where small things may stand.
        is_structure: part of the place.
        lamp_m: where its light is (3,), when it is a lamp that is lit.
        cover: what it hides of the thing that it lies on or hangs on.
        solid_m: corners (3,) of a box in it that no light gets into (a car's, a house's), though only skins are drawn.
    """

    label: str
    surfels: Surfels
    low_m: Array
    high_m: Array
    attributes: Mapping[str, str] = field(default_factory=dict)
    has_front: bool = False
    surfaces: tuple[Surface, ...] = ()
    is_structure: bool = False
    lamp_m: Array | None = None
    cover: Cover | None = None
    solid_m: tuple[Array, Array] | None = None

    @property
    def size_m(self) -> Array:
        """(3,) length, width, height of its bounds."""
        return self.high_m - self.low_m

    def moved(self, shift_m: Array) -> Product:
        """The same about another origin."""
        return replace(
            self,
            surfels=self.surfels.moved(np.eye(3), shift_m),
            low_m=self.low_m + shift_m,
            high_m=self.high_m + shift_m,
            surfaces=tuple(
                Surface(
                    s.height_m + float(shift_m[2]),
                    (
                        s.rectangle_m[0] + float(shift_m[0]),
                        s.rectangle_m[1] + float(shift_m[1]),
                        s.rectangle_m[2] + float(shift_m[0]),
                        s.rectangle_m[3] + float(shift_m[1]),
                    ),
                )
                for s in self.surfaces
            ),
            lamp_m=None if self.lamp_m is None else self.lamp_m + shift_m,
            cover=None if self.cover is None else self.cover.moved(shift_m),
            solid_m=None if self.solid_m is None else (self.solid_m[0] + shift_m, self.solid_m[1] + shift_m),
        )


def product(
    label: str,
    assembly: Assembly,
    *,
    has_front: bool = False,
    surfaces: tuple[Surface, ...] = (),
    is_structure: bool = False,
    lamp_m: Sequence[float] | None = None,
    cover: Cover | None = None,
    solid: tuple[Array, Array] | None = None,
    **attributes: str,
) -> Product:
    """What an assembly has become, with its origin below its middle; empty attributes are left out."""
    low, high = assembly.bounds_m()
    made = Product(
        label=label,
        surfels=assembly.surfels,
        low_m=low,
        high_m=high,
        attributes={name: word for name, word in attributes.items() if word},
        has_front=has_front,
        surfaces=surfaces,
        is_structure=is_structure,
        lamp_m=None if lamp_m is None else np.asarray(lamp_m, dtype=np.float64),
        cover=cover,
        solid_m=solid,
    )
    if is_structure:
        return made
    return made.moved(np.array([-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, -low[2]]))


@dataclass(frozen=True, eq=False)
class Placed:
    """A product somewhere: its origin (3,) in the world and the direction of its front."""

    product: Product
    origin_m: Array
    heading_rad: float = 0.0

    @cached_property
    def box(self) -> OrientedBox:
        """Exactly around its parts."""
        return self.box_around(self.product.low_m, self.product.high_m)

    def box_around(self, low_m: Array, high_m: Array) -> OrientedBox:
        """The box between two corners (3,) in the product's axes; at least a millimetre thick."""
        size = np.maximum(high_m - low_m, 1e-3)
        return OrientedBox.upright(self.to_world((low_m + high_m) / 2), size, heading_rad=self.heading_rad)

    def to_world(self, point_m: Array) -> Array:
        """A point (3,) of the product in the world."""
        return np.asarray(self.origin_m + turn("z", self.heading_rad) @ point_m)


def assembled(
    placed: Sequence[Placed], lighting: Lighting, *, voxel_m: float, low_m: Array, high_m: Array
) -> tuple[GaussianCloud, tuple[Instance, ...]]:
    """Lights everything and makes it one cloud; instance numbers follow the order of ``placed``.

    Args:
        placed: all objects, structure included.
        lighting: of the place.
        voxel_m: size of the voxels that shadows are made of.
        low_m, high_m: corners (3,) of the part of the world that casts shadows.
    """
    if not placed:
        raise BenchDataError("a scene needs at least one object to be assembled")
    surfels = _uncovered(
        placed, [one.product.surfels.moved(turn("z", one.heading_rad), one.origin_m) for one in placed]
    )
    counts = np.array([len(part) for part in surfels])
    everything = Surfels.joined(surfels)
    frames, scales, normals = everything.frames()
    casts = np.repeat([not one.product.is_structure or one.product.label in _CASTING for one in placed], counts)
    area = np.linalg.norm(everything.along_u_m, axis=1) * np.linalg.norm(everything.along_v_m, axis=1)
    occluders = Occupancy.of_points(
        everything.centres_m[casts], area[casts], voxel_m=voxel_m, low_m=low_m, high_m=high_m
    )
    for one in placed:
        if one.product.solid_m is not None:
            occluders.fill(one.box_around(*one.product.solid_m))
    light, openness = light_on(everything.centres_m, normals, occluders.blurred(), lighting)
    is_place = np.repeat([one.product.is_structure for one in placed], counts)
    light *= _exposure(light[is_place], area[is_place], lighting.mean_light)
    seen = area * openness * (normals[:, 2] > -0.5)
    colours_srgb = displayed(everything.albedo * light + everything.glow)
    cloud = GaussianCloud(
        means=everything.centres_m.astype(np.float32),
        quats_wxyz=quat_from_matrix(frames).astype(np.float32),
        scales=scales.astype(np.float32),
        opacities=np.full(len(everything), OPACITY, dtype=np.float32),
        sh=((colours_srgb - np.float32(0.5)) / np.float32(SH_C0))[:, None, :],
        instance_ids=np.repeat(np.arange(len(placed)), counts),
    )
    ends = np.cumsum(counts)
    instances = tuple(
        _instance(number, one, colours_srgb[end - count : end], seen[end - count : end])
        for number, (one, count, end) in enumerate(zip(placed, counts, ends, strict=True))
    )
    return cloud, instances


def _exposure(light: Array, area_m2: Array, wanted: float) -> float:
    """What brings the mean light on the place itself to what is wanted, as a camera's automatic exposure does."""
    if len(light) == 0:
        return 1.0
    return wanted / float(np.average(light.mean(axis=1), weights=area_m2))


def _uncovered(placed: Sequence[Placed], surfels: list[Surfels]) -> list[Surfels]:
    """Everything but what lies hidden just behind a rug, a picture or a laptop."""
    for hider, one in enumerate(placed):
        cover = one.product.cover
        if cover is None:
            continue
        R = turn("z", one.heading_rad)
        corner, u, v = one.to_world(cover.corner_m), R @ cover.along_u_m, R @ cover.along_v_m
        for k, part in enumerate(surfels):
            if k != hider:
                hidden = part.behind(corner, u, v, depth_m=cover.depth_m)
                surfels[k] = part.selected(~hidden) if hidden.any() else part
    return surfels


_CASTING = frozenset({"pavement"})
"""Structure that casts shadows in the open; a room's walls are known to the light as planes."""


_NEUTRAL = ("black", "grey", "white")

_PART_SHARE = 0.2
"""Of what one sees of people, so much must have the colour of their top."""


def _instance(number: int, one: Placed, colours_srgb: NDArray[np.float32], seen_m2: Array) -> Instance:
    """Colour words stay only where the object as it is lit and drawn bears them out."""
    made = one.product
    attributes = dict(made.attributes)
    shares = colour_shares(colours_srgb, seen_m2)
    for name in ("colour", "wearing") if "wearing" in attributes else ("colour",):
        word = attributes.get(name, "")
        sure = _borne_out(word, shares) if name == "colour" else shares.get(word, 0.0) >= _PART_SHARE
        if not sure:
            attributes.pop(name, None)
            maybe = [key for key, share in shares.items() if share >= _PART_SHARE or key == word]
            attributes[f"{name}_may_be"] = " ".join(maybe)
    return Instance(
        id=number,
        label=made.label,
        box=one.box,
        attributes=attributes,
        is_structure=made.is_structure,
        has_front=made.has_front,
    )


def _borne_out(word: str, shares: dict[str, float]) -> bool:
    """Whether people would call something by that colour, given the shares of colours in what one sees of it.

    A red car is red although its glass, tyres and shadows are black: a hue need only stand out among hues. A black,
    grey or white thing must be so for the most part.
    """
    if word in _NEUTRAL:
        return shares.get(word, 0.0) >= 0.55
    hues = sum(share for name, share in shares.items() if name not in _NEUTRAL)
    return shares.get(word, 0.0) >= max(0.25, 0.6 * hues)
