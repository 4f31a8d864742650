"""RoomPlan: where things stand, and where more may stand without touching anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..box import OrientedBox
from .assembling import Placed, Product, Surface
from .furniture import made
from .palette import PAINTS
from .shell import Walls, wall_frames
from .surfels import Array

__all__ = ["Palette", "RoomPlan", "boxes_touch"]

_TRIES = 40
_SKIRTING_M = 0.02


@dataclass(frozen=True)
class Palette:
    """Colours that a room is furnished in."""

    words: tuple[str, ...]
    shares: tuple[float, ...]

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Palette:
        """Calm colours for half of the things, three lively ones for most of the rest, and a few of any other."""
        calm = ("white", "grey", "black", "beige", "brown")
        lively = tuple(word for word in PAINTS if word not in calm)
        accents = {lively[int(k)] for k in rng.choice(len(lively), 3, replace=False)}
        words = (*calm, *lively)
        weights = np.array([1.0 if word in calm else 1.3 if word in accents else 0.25 for word in words])
        return cls(words, tuple(float(share) for share in weights / weights.sum()))

    def pick(self, rng: np.random.Generator) -> str:
        """One of its colours."""
        return self.words[int(rng.choice(len(self.words), p=self.shares))]


class RoomPlan:
    """A room that is being furnished.

    Args:
        walls: its size and openings.
        rng: for all that is left to chance.
        density: of surfels.
    """

    def __init__(self, walls: Walls, rng: np.random.Generator, *, density: float = 1.0) -> None:
        self.walls = walls
        self.rng = rng
        self.density = density
        self.palette = Palette.drawn(rng)
        self.placed: list[Placed] = []
        self._unplaced: dict[str, Product] = {}
        self._kept_free: list[OrientedBox] = [self._before_opening(k) for k in range(len(walls.openings))]

    def new(self, label: str, *, colour: str | None = None, seed: int | None = None) -> Product:
        """An object of that category: what found no place before, or a new one in a colour of the room."""
        if colour is None and seed is None and label in self._unplaced:
            return self._unplaced[label]
        word = colour or self.palette.pick(self.rng)
        number = int(self.rng.integers(2**31)) if seed is None else seed
        fresh = made(label, word, number, density=self.density)
        if colour is None and seed is None:
            self._unplaced[label] = fresh
        return fresh

    def keep_free(self, box: OrientedBox) -> None:
        """Nothing that stands on the floor may be put there from now on."""
        self._kept_free.append(box)

    def settle(
        self,
        product: Product,
        origin_m: Sequence[float],
        heading_rad: float,
        *,
        gap_m: float = 0.015,
        on: Placed | None = None,
        ignore_free: bool = False,
    ) -> Placed | None:
        """Puts an object there if it stays inside the room and touches nothing; ``on``: what it stands in or on."""
        candidate = Placed(product, np.asarray(origin_m, dtype=np.float64), heading_rad)
        box = candidate.box
        corners, (w, d, h) = box.corners_m, self.walls.size_m
        low, high = corners.min(axis=0), corners.max(axis=0)
        if low[0] < 0.004 or low[1] < 0.004 or high[0] > w - 0.004 or high[1] > d - 0.004 or high[2] > h + 1e-6:
            return None
        for other in self.placed:
            if other is not on and boxes_touch(box, other.box, gap_m=gap_m):
                return None
        if on is None and not ignore_free and any(boxes_touch(box, free, gap_m=0.0) for free in self._kept_free):
            return None
        self.placed.append(candidate)
        if self._unplaced.get(product.label) is product:
            del self._unplaced[product.label]
        return candidate

    def along_wall(
        self,
        product: Product,
        *,
        gap_m: float = 0.03,
        front_m: float = 0.0,
        wall: int | None = None,
        at: float | None = None,
    ) -> Placed | None:
        """Stands with its back to a wall, away from the door, and not before a window that it would cover.

        Args:
            product: what to put.
            gap_m: to the wall.
            front_m: how far before it nothing may stand afterwards.
            wall: which one, or any.
            at: how far along it, or anywhere.
        """
        size = product.size_m
        for _ in range(_TRIES):
            k = int(self.rng.integers(4)) if wall is None else wall
            length = self.walls.length_m(k)
            if length < size[1] + 0.1:
                continue
            along = float(self.rng.uniform(size[1] / 2 + 0.05, length - size[1] / 2 - 0.05)) if at is None else at
            corner, right, inward = wall_frames(self.walls.size_m)[k]
            if self._covers_opening(k, along, float(size[1]), float(size[2])):
                continue
            origin = corner + right * along + inward * (size[0] / 2 + gap_m + _SKIRTING_M)
            done = self.settle(product, origin.tolist(), math.atan2(inward[1], inward[0]), gap_m=0.04)
            if done is not None:
                if front_m > 0:
                    self.keep_free(before(done, front_m))
                return done
            if at is not None:
                return None
        return None

    def on_wall(self, product: Product, low_m: float, high_m: float) -> Placed | None:
        """Hangs on a wall with its middle between two heights, over whatever stands there."""
        size = product.size_m
        for _ in range(_TRIES):
            k = int(self.rng.integers(4))
            length = self.walls.length_m(k)
            if length < size[1] + 0.4:
                continue
            along = float(self.rng.uniform(size[1] / 2 + 0.2, length - size[1] / 2 - 0.2))
            bottom = float(self.rng.uniform(low_m, high_m)) - size[2] / 2
            if (
                self._covers_opening(k, along, float(size[1]) + 0.7, 9.0)
                or bottom + size[2] > self.walls.size_m[2] - 0.1
            ):
                continue
            corner, right, inward = wall_frames(self.walls.size_m)[k]
            origin = corner + right * along + inward * (size[0] / 2 + 0.005) + [0, 0, bottom]
            done = self.settle(product, origin.tolist(), math.atan2(inward[1], inward[0]), gap_m=0.05, ignore_free=True)
            if done is not None:
                return done
        return None

    def on_floor(self, product: Product, *, gap_m: float = 0.12, turned: bool = True) -> Placed | None:
        """Stands somewhere free, more often near a wall than not."""
        w, d, _ = self.walls.size_m
        reach = float(np.hypot(product.size_m[0], product.size_m[1])) / 2 + 0.03
        if 2 * reach > min(w, d):
            return None
        for _ in range(2 * _TRIES):
            x, y = self.rng.uniform([reach, reach], [w - reach, d - reach])
            if self.rng.random() < 0.6:
                x, y = (
                    ((reach if x < w / 2 else w - reach), y)
                    if self.rng.random() < 0.5
                    else (x, reach if y < d / 2 else d - reach)
                )
            heading = float(self.rng.uniform(-math.pi, math.pi)) if turned else math.atan2(d / 2 - y, w / 2 - x)
            done = self.settle(product, (float(x), float(y), 0.0), heading, gap_m=gap_m)
            if done is not None:
                return done
        return None

    def on_top(
        self,
        product: Product,
        under: Placed,
        surface: Surface,
        *,
        heading_rad: float | None = None,
        at: tuple[float, float] | None = None,
    ) -> Placed | None:
        """Stands on a surface of another thing; the heading and the place are in that thing's axes."""
        x0, y0, x1, y1 = surface.rectangle_m
        for _ in range(_TRIES // 2):
            turned = float(self.rng.uniform(-math.pi, math.pi)) if heading_rad is None else heading_rad
            c, s = abs(math.cos(turned)), abs(math.sin(turned))
            reach_x = (c * product.size_m[0] + s * product.size_m[1]) / 2
            reach_y = (s * product.size_m[0] + c * product.size_m[1]) / 2
            if x0 + reach_x > x1 - reach_x or y0 + reach_y > y1 - reach_y:
                return None
            x, y = self.rng.uniform([x0 + reach_x, y0 + reach_y], [x1 - reach_x, y1 - reach_y]) if at is None else at
            place = under.to_world(np.array([x, y, surface.height_m]))
            done = self.settle(product, place.tolist(), under.heading_rad + turned, gap_m=0.02, on=under)
            if done is not None or at is not None:
                return done
        return None

    def _before_opening(self, number: int) -> OrientedBox:
        """The floor before a door, as far as it swings; just a strip before a window."""
        o = self.walls.openings[number]
        corner, right, inward = wall_frames(self.walls.size_m)[o.wall]
        deep = 0.95 if o.kind == "door" else 0.16
        low, high = (0.0, 2.1) if o.kind == "door" else (o.low_m - 0.04, o.high_m)
        middle = corner + right * (o.left_m + o.right_m) / 2 + inward * deep / 2
        size = (deep, o.right_m - o.left_m, high - low)
        return OrientedBox.upright(
            (middle[0], middle[1], (low + high) / 2), size, heading_rad=math.atan2(inward[1], inward[0])
        )

    def _covers_opening(self, wall: int, along_m: float, wide_m: float, tall_m: float) -> bool:
        """Whether something so wide and tall would stand before a door, or before a window and its curtains."""
        for o in self.walls.openings:
            side = 0.1 if o.kind == "door" else 0.32
            beside = along_m + wide_m / 2 < o.left_m - side or along_m - wide_m / 2 > o.right_m + side
            if o.wall == wall and not beside and (o.kind == "door" or tall_m > 0.05):
                return True
        return False


def before(placed: Placed, depth_m: float, *, height_m: float = 1.0) -> OrientedBox:
    """The space in front of something."""
    box = placed.box
    centre = box.centre_m + box.forward * (box.size_m[0] / 2 + depth_m / 2)
    size = (depth_m, float(box.size_m[1]), height_m)
    return OrientedBox.upright((centre[0], centre[1], height_m / 2), size, heading_rad=placed.heading_rad)


def boxes_touch(a: OrientedBox, b: OrientedBox, *, gap_m: float) -> bool:
    """Whether two upright boxes come closer than a gap on the ground while they share a height (separating axes)."""
    if a.bottom_m >= b.top_m - 1e-4 or b.bottom_m >= a.top_m - 1e-4:
        return False
    offset = (b.centre_m - a.centre_m)[:2]
    for box in (a, b):
        for axis in (box.world_from_box[:2, 0], box.world_from_box[:2, 1]):
            if abs(float(offset @ axis)) > _reach(a, axis) + _reach(b, axis) + gap_m:
                return False
    return True


def _reach(box: OrientedBox, axis: Array) -> float:
    half = box.size_m[:2] / 2
    return float(half[0] * abs(box.world_from_box[:2, 0] @ axis) + half[1] * abs(box.world_from_box[:2, 1] @ axis))
