"""make_street: a street from a seed, from driver's to drone's height, with the truth about everything in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...degrade.seeds import derived_rng
from ...errors import BenchDataError
from ..describing import described
from ..scene import Instance, Scene, SceneKind
from .assembling import Placed, Product, assembled
from .light import Lighting, sun_direction
from .palette import pick
from .plan import boxes_touch
from .shapes import Assembly
from .street_objects import MAKERS, SPACING_M
from .street_objects.buildings import building
from .street_objects.ground import KERB_M, RoadWidths, grass, pavement, road, sky_dome
from .surfels import Array
from .viewpoints import Lens, sampled_views

__all__ = ["CAMERA_HEIGHTS", "make_street"]

CAMERA_HEIGHTS = ("driver", "pedestrian", "drone", "mixed")
"""Where a street is looked at from."""

_VERSION = 1
_VOXEL_M = 0.4
_MOST_OBJECTS = 120
_TRIES = 60

_COLOURS = ("white", "black", "grey", "red", "blue", "green", "yellow", "orange", "beige", "turquoise")


def make_street(
    seed: int,
    *,
    objects: int = 30,
    length_m: float = 80.0,
    cameras: str = "mixed",
    sky: bool = True,
    views: int = 8,
    lens: Lens | None = None,
    density: float = 1.0,
    scene_id: str | None = None,
) -> Scene:
    """A street along x with houses on both sides, built of flat Gaussians under a sun; same arguments, same bytes.

    Args:
        seed: of everything.
        objects: things besides houses and ground, 1 to 120; houses come with the length.
        length_m: of the built-up part, 30 to 300.
        cameras: one of `CAMERA_HEIGHTS`: 1.2 to 1.5 m in a lane, 1.5 to 1.8 m on a pavement, 8 to 30 m looking down by
            30 to 60 degrees, or each in turn.
        sky: with a dome of Gaussians, an instance "sky" with is_structure, whose depth is that of the dome (as far as
            the ground reaches, about 0.6 length_m + 110 m). Without it the sky is empty: alpha 0 and no depth; give the
            renderer a background.
        views: how many cameras, none nearer than 0.4 m to anything.
        lens: their size and field of view.
        density: Gaussians against the usual number; 2 for twice as many.
        scene_id: None for "street-<seed>".

    Returns:
        A scene in metres, z up, the road's surface at z = 0 and its middle at the origin.

    Raises:
        BenchDataError: an argument out of its range, or a street that is too short for its objects.
    """
    _check(objects, length_m, cameras, views, density)
    rng = derived_rng("procedural street", _VERSION, seed)
    half, scale = length_m / 2, 1 / density**0.5
    elevation, azimuth = float(rng.uniform(0.5, 1.0)), float(rng.uniform(-math.pi, math.pi))
    to_sun = sun_direction(azimuth, elevation)
    crossings = (round(float(rng.uniform(-0.7, 0.7)) * half, 1),)
    ground = _ground(rng, half, crossings, scale)
    if sky:
        dome = sky_dome(derived_rng("sky of a street", _VERSION, seed), _reach_m(half), to_sun)
        ground.append(Placed(dome, np.zeros(3)))
    plan = _StreetPlan(rng, half, crossings, scale)
    plan.build_houses()
    plan.fill(objects)
    placed = [*ground, *plan.placed]
    low, high = np.array([-half - 12, -30.0, 0.0]), np.array([half + 12, 30.0, 24.0])
    light = Lighting(
        sky=np.array([0.62, 0.67, 0.76]),
        ground=np.array([0.36, 0.35, 0.31]),
        sun=np.array([1.28, 1.18, 1.0]),
        to_sun=to_sun,
        mean_light=0.95,
    )
    cloud, instances = assembled(placed, light, voxel_m=_VOXEL_M, low_m=low, high_m=high)
    scene = Scene(
        id=scene_id or f"street-{seed}",
        kind=SceneKind.STREET,
        cloud=cloud,
        instances=described(instances),
        source=f"procedural street, seed {seed}, version {_VERSION}",
    )
    obstacles = [one.box for one in scene.objects]
    return scene.with_views(
        sampled_views(
            rng, views, lens or Lens(), scene.objects, obstacles, _standpoints(rng, half, scene.objects, cameras)
        )
    )


def _check(objects: int, length_m: float, cameras: str, views: int, density: float) -> None:
    if isinstance(objects, bool) or not isinstance(objects, int) or not 1 <= objects <= _MOST_OBJECTS:
        raise BenchDataError(f"a street takes 1 to {_MOST_OBJECTS} objects, got {objects!r}")
    if not (math.isfinite(length_m) and 30 <= length_m <= 300):
        raise BenchDataError(f"length_m of a street must be 30 to 300, got {length_m!r}")
    if cameras not in CAMERA_HEIGHTS:
        raise BenchDataError(f"unknown cameras {cameras!r}; choose from {', '.join(CAMERA_HEIGHTS)}")
    if isinstance(views, bool) or not isinstance(views, int) or views < 0:
        raise BenchDataError(f"views must be a whole number of at least 0, got {views!r}")
    if not (math.isfinite(density) and 0.05 <= density <= 20):
        raise BenchDataError(f"density must be 0.05 to 20, got {density!r}")


def _reach_m(half: float) -> float:
    """How far the ground and the sky are from the middle."""
    return 1.2 * half + 110.0


def _ground(rng: np.random.Generator, half: float, crossings: tuple[float, ...], scale: float) -> list[Placed]:
    parts = [
        road(rng, half + 20, crossings, 0.3 * scale),
        pavement(rng, half + 20, 1, 0.3 * scale),
        pavement(rng, half + 20, -1, 0.3 * scale),
        grass(rng, half + 20, _reach_m(half), 0.5 * scale),
    ]
    return [Placed(part, np.zeros(3)) for part in parts]


class _StreetPlan:
    """A street that is being filled."""

    def __init__(self, rng: np.random.Generator, half_m: float, crossings_m: tuple[float, ...], scale: float) -> None:
        self.rng = rng
        self.half_m = half_m
        self.crossings_m = crossings_m
        self.scale = scale
        self.placed: list[Placed] = []
        self._unplaced: dict[str, Product] = {}

    def build_houses(self) -> None:
        """Rows on both sides, with a gap or a garden now and then."""
        rng = self.rng
        for side in (-1, 1):
            at = -self.half_m + float(rng.uniform(0, 3))
            while at < self.half_m - 8:
                width, depth = float(rng.uniform(8, 15)), float(rng.uniform(8, 11))
                width = min(width, self.half_m - at)
                if width < 7:
                    break
                if rng.random() < 0.14:
                    at += width * 0.8
                    continue
                made = building(Assembly(0.64 * self.scale, rng), width, depth, int(rng.integers(2, 7)))
                y = side * (RoadWidths.PAVEMENT + 0.6 + float(made.size_m[0]) / 2)
                origin = np.array([at + float(made.size_m[1]) / 2, y, KERB_M - 0.02])
                self.placed.append(Placed(made, origin, -side * math.pi / 2))
                at += float(made.size_m[1]) + (float(rng.uniform(1.5, 4)) if rng.random() < 0.4 else 0.12)

    def fill(self, count: int) -> None:
        """One thing after another until there are so many."""
        wanted, tries = len(self.placed) + count, 0
        kinds = tuple(_PLACES)
        shares = np.array([_PLACES[kind][0] for kind in kinds])
        while len(self.placed) < wanted:
            kind = kinds[int(self.rng.choice(len(kinds), p=shares / shares.sum()))]
            done = _PLACES[kind][1](self, kind)
            tries = 0 if done else tries + 1
            if tries > _TRIES:
                raise BenchDataError(
                    f"{count} objects do not fit into a street of {2 * self.half_m:g} m; give a larger length_m"
                )

    def new(self, label: str) -> Product:
        """Something in one of the colours of a street: what found no place before, or a new one."""
        if label not in self._unplaced:
            rng = np.random.default_rng(int(self.rng.integers(2**31)))
            self._unplaced[label] = MAKERS[label](Assembly(SPACING_M[label] * self.scale, rng), self.colour())
        return self._unplaced[label]

    def colour(self) -> str:
        """A paint."""
        return pick(self.rng, _COLOURS)

    def settle(self, product: Product, x: float, y: float, z: float, heading_rad: float, gap_m: float) -> bool:
        """Puts it there unless it touches something or sticks out of the street."""
        candidate = Placed(product, np.array([x, y, z]), heading_rad)
        box = candidate.box
        if abs(x) > self.half_m or any(boxes_touch(box, other.box, gap_m=gap_m) for other in self.placed):
            return False
        self.placed.append(candidate)
        self._unplaced.pop(product.label, None)
        return True

    def along(self, margin_m: float = 2.0) -> float:
        """A place along the street."""
        return float(self.rng.uniform(-self.half_m + margin_m, self.half_m - margin_m))

    def side(self) -> int:
        """-1 or 1."""
        return 1 if self.rng.random() < 0.5 else -1


def _in_traffic(plan: _StreetPlan, kind: str) -> bool:
    """In a lane, on the right, or parked at the kerb."""
    product, side = plan.new(kind), plan.side()
    parked = kind in ("car", "van", "motorcycle", "bicycle") and plan.rng.random() < 0.55
    half_width = float(product.size_m[1]) / 2
    y = -side * (RoadWidths.ROAD - half_width - 0.18) if parked else -side * 1.68
    x = plan.along(float(product.size_m[0]) / 2)
    if parked and any(abs(x - at) < 5 for at in plan.crossings_m):
        return False
    heading = (0.0 if side > 0 else math.pi) + float(plan.rng.normal(0, 0.015))
    return plan.settle(product, x, y, 0.0, heading, gap_m=0.7 if parked else 1.2)


def _at_kerb(plan: _StreetPlan, kind: str) -> bool:
    """In the strip of a pavement beside the road, facing it."""
    product, side = plan.new(kind), plan.side()
    facing = -side * math.pi / 2
    inset = 0.5 + float(product.size_m[0]) / 2 * 0.3
    if kind in ("traffic light", "road sign"):
        facing = math.pi if side < 0 else 0.0  # towards the traffic that comes along on that side
    if kind == "street lamp":
        inset = 0.45 - float(product.size_m[0]) / 2 + 0.1
    x = plan.crossings_m[0] + side * 2.3 if kind == "traffic light" else plan.along()
    return plan.settle(product, x, side * (RoadWidths.ROAD + inset), KERB_M, facing, gap_m=0.25)


def _on_pavement(plan: _StreetPlan, kind: str) -> bool:
    """Where people walk."""
    product, side = plan.new(kind), plan.side()
    y = side * float(plan.rng.uniform(RoadWidths.ROAD + 1.1, RoadWidths.PAVEMENT - 0.5))
    heading = float(plan.rng.choice([0.0, math.pi])) + float(plan.rng.normal(0, 0.25))
    if kind == "bench":
        y, heading = side * (RoadWidths.PAVEMENT - 0.6), -side * math.pi / 2
    return plan.settle(product, plan.along(), y, KERB_M, heading, gap_m=0.2)


def _on_grass(plan: _StreetPlan, kind: str) -> bool:
    """In gaps between houses, before them or behind them."""
    product, side = plan.new(kind), plan.side()
    y = side * float(plan.rng.uniform(RoadWidths.PAVEMENT + 1.2, RoadWidths.PAVEMENT + 16))
    return plan.settle(product, plan.along(), y, KERB_M - 0.02, float(plan.rng.uniform(-3.1, 3.1)), gap_m=0.1)


def _tree_somewhere(plan: _StreetPlan, kind: str) -> bool:
    return (_at_kerb if plan.rng.random() < 0.55 else _on_grass)(plan, kind)


_Placer = Callable[[_StreetPlan, str], bool]
_PLACES: dict[str, tuple[float, _Placer]] = {
    "car": (7.0, _in_traffic),
    "van": (1.5, _in_traffic),
    "bus": (0.7, _in_traffic),
    "truck": (0.8, _in_traffic),
    "motorcycle": (0.8, _in_traffic),
    "bicycle": (1.2, _in_traffic),
    "person": (4.0, _on_pavement),
    "tree": (3.0, _tree_somewhere),
    "bush": (1.5, _on_grass),
    "street lamp": (2.0, _at_kerb),
    "traffic light": (0.8, _at_kerb),
    "road sign": (1.2, _at_kerb),
    "bench": (1.0, _on_pavement),
    "litter bin": (1.0, _at_kerb),
    "hydrant": (0.7, _at_kerb),
    "bollard": (0.9, _at_kerb),
    "post box": (0.6, _at_kerb),
    "traffic cone": (0.6, _at_kerb),
}
"""How often each thing comes, and where it goes."""


def _standpoints(
    rng: np.random.Generator, half: float, objects: Sequence[Instance], cameras: str
) -> Callable[[int], tuple[Array, Array]]:
    kinds = [cameras] if cameras != "mixed" else ["driver", "pedestrian", "drone"]

    def place(number: int) -> tuple[Array, Array]:
        kind = kinds[number % len(kinds)]
        x, side = float(rng.uniform(-half, half)), 1 if rng.random() < 0.5 else -1
        if kind == "drone":
            return _from_the_air(rng, half, objects)
        if kind == "driver":
            centre = np.array([x, -side * 1.68, float(rng.uniform(1.2, 1.5))])
            ahead = np.array([side * 20.0, float(rng.normal(0, 2.5)), float(rng.uniform(-1.5, 0.5))])
            return centre, centre + ahead
        y = side * float(rng.uniform(RoadWidths.ROAD + 0.6, RoadWidths.PAVEMENT - 0.5))
        centre = np.array([x, y, KERB_M + float(rng.uniform(1.5, 1.8))])
        target = objects[int(rng.integers(len(objects)))].box.centre_m.copy()
        target[2] = min(float(target[2]), 2.5)
        if np.linalg.norm((target - centre)[:2]) < 2:
            target = centre + np.array([10.0, -side * 6.0, -0.5])
        return centre, target

    return place


def _from_the_air(rng: np.random.Generator, half: float, objects: Sequence[Instance]) -> tuple[Array, Array]:
    """Over the street, looking down by 30 to 60 degrees at one of the objects."""
    height, down = float(rng.uniform(8, 30)), float(rng.uniform(math.radians(30), math.radians(60)))
    low = [one for one in objects if one.label != "building"] or list(objects)
    target = low[int(rng.integers(len(low)))].box.centre_m
    away = (height - float(target[2])) / math.tan(down)
    along_street = float(rng.choice([0.0, math.pi]))
    azimuth = along_street + float(rng.normal(0, 0.5))  # from the side, houses would be in the way
    centre = np.array([target[0] + away * math.cos(azimuth), target[1] + away * math.sin(azimuth), height])
    return centre, target
