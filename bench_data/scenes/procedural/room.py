"""make_room: a furnished room from a seed, with the truth about everything in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...degrade.seeds import derived_rng
from ...errors import BenchDataError
from ..describing import described
from ..scene import Instance, Scene, SceneKind
from .assembling import Placed, assembled
from .groups import GROUPS, clutter, small_things, wall_things
from .light import Lamp, Lighting, WindowLight, sun_direction
from .plan import RoomPlan
from .shell import Opening, Walls, room_shell
from .surfels import Array
from .viewpoints import NEAREST_M, Lens, sampled_views

__all__ = ["ROOM_STYLES", "make_room"]

ROOM_STYLES = (*GROUPS, "mixed")
"""What a room may be for."""

_VERSION = 1
_VOXEL_M = 0.05
_MOST_OBJECTS = 60


def make_room(
    seed: int,
    *,
    objects: int = 15,
    size_m: tuple[float, float] | None = None,
    style: str | None = None,
    views: int = 8,
    lens: Lens | None = None,
    density: float = 1.0,
    scene_id: str | None = None,
) -> Scene:
    """A room with exact boxes, built of flat Gaussians under baked daylight; the same arguments give the same bytes.

    Args:
        seed: of everything.
        objects: how many things there are besides the room itself, 1 to 60.
        size_m: width (along x) and depth (along y) of the floor; None for one that suits the number of objects.
        style: one of `ROOM_STYLES`; None for any.
        views: cameras at eye height, none nearer than 0.4 m to anything.
        lens: their size and field of view.
        density: Gaussians against the usual number (some 10,000 an object); 2 for twice as many.
        scene_id: None for "room-<seed>".

    Returns:
        A scene in metres, z up, a corner of the floor at the origin. Instance boxes lie exactly around their parts.

    Raises:
        BenchDataError: an argument out of its range, or a room that is too small for its objects.
    """
    _check(objects, size_m, style, views, density)
    rng = derived_rng("procedural room", _VERSION, seed)
    style = style or ROOM_STYLES[int(rng.integers(len(ROOM_STYLES)))]
    walls = _drawn_walls(rng, size_m, objects)
    plan = RoomPlan(walls, rng, density=density)
    _furnish(plan, style, objects)
    shell, windows = room_shell(walls, rng, density=density)
    placed = [*shell, *plan.placed]
    size = np.asarray(walls.size_m)
    cloud, instances = assembled(
        placed, _daylight(rng, windows, plan.placed, size), voxel_m=_VOXEL_M, low_m=np.zeros(3), high_m=size
    )
    scene = Scene(
        id=scene_id or f"room-{seed}",
        kind=SceneKind.ROOM,
        cloud=cloud,
        instances=described(instances),
        source=f"procedural room, style {style}, seed {seed}, version {_VERSION}",
    )
    return scene.with_views(
        sampled_views(
            rng,
            views,
            lens or Lens(),
            scene.objects,
            [one.box for one in scene.objects],
            lambda _number: _standpoint(rng, size, scene.objects),
        )
    )


def _check(objects: int, size_m: tuple[float, float] | None, style: str | None, views: int, density: float) -> None:
    if isinstance(objects, bool) or not isinstance(objects, int) or not 1 <= objects <= _MOST_OBJECTS:
        raise BenchDataError(f"a room takes 1 to {_MOST_OBJECTS} objects, got {objects!r}")
    if size_m is not None and not (len(size_m) == 2 and all(2.0 <= side <= 20.0 for side in size_m)):
        raise BenchDataError(f"size_m of a room must be two lengths of 2 to 20 m, got {size_m!r}")
    if style is not None and style not in ROOM_STYLES:
        raise BenchDataError(f"unknown style {style!r}; choose from {', '.join(ROOM_STYLES)}")
    if isinstance(views, bool) or not isinstance(views, int) or views < 0:
        raise BenchDataError(f"views must be a whole number of at least 0, got {views!r}")
    if not (math.isfinite(density) and 0.05 <= density <= 20):
        raise BenchDataError(f"density must be 0.05 to 20, got {density!r}")


def _drawn_walls(rng: np.random.Generator, size_m: tuple[float, float] | None, objects: int) -> Walls:
    """Proportions between 1:1 and 3:2; one or two windows and a door."""
    if size_m is None:
        area, ratio = (8.5 + 0.95 * objects) * rng.uniform(0.9, 1.15), rng.uniform(1.05, 1.45)
        width, depth = float(np.sqrt(area * ratio)), float(np.sqrt(area / ratio))
        if rng.random() < 0.5:
            width, depth = depth, width
    else:
        width, depth = (float(side) for side in size_m)
    size = (round(width, 2), round(depth, 2), round(float(rng.uniform(2.5, 2.75)), 2))
    order = rng.permutation(4)
    openings = [_opening(rng, "door", int(order[0]), size)]
    for wall in order[1 : 2 + int(rng.random() < 0.45)]:
        openings.append(_opening(rng, "window", int(wall), size))
    return Walls(size, tuple(openings))


def _opening(rng: np.random.Generator, kind: str, wall: int, size: tuple[float, float, float]) -> Opening:
    length = size[wall % 2]
    if kind == "door":
        wide = 0.85
        left = 0.2 if rng.random() < 0.5 else length - wide - 0.2
        return Opening(kind, wall, left, left + wide, 0.0, 2.02)
    wide = min(float(rng.uniform(1.2, 1.9)), length - 0.9)
    left = float(rng.uniform(0.42, length - wide - 0.42))
    low = float(rng.uniform(0.75, 0.95))
    return Opening(kind, wall, left, left + wide, low, 2.1)


def _furnish(plan: RoomPlan, style: str, count: int) -> None:
    """Main groups first, then walls, surfaces and what stands about, until there are so many things."""
    steps = _in_turn(plan, style)
    while len(plan.placed) < count:
        if next(steps, None) is None:
            w, d, _ = plan.walls.size_m
            raise BenchDataError(
                f"{count} objects do not fit into a room of {w:g} x {d:g} m (placed {len(plan.placed)}); "
                "give a larger size_m or fewer objects"
            )


def _in_turn(plan: RoomPlan, style: str) -> Iterator[Placed]:
    rng = plan.rng
    names = [str(name) for name in rng.permutation(list(GROUPS))]
    if style != "mixed":
        names = [style, *(name for name in names if name != style)][: 2 if rng.random() < 0.7 else 3]
    decorations = [wall_things(plan), small_things(plan), clutter(plan)]
    for name in names:
        yield from GROUPS[name](plan)
        for source in decorations:
            for _ in range(int(rng.integers(0, 3))):
                thing = next(source, None)
                if thing is not None:
                    yield thing
    yield from clutter(plan)
    yield from small_things(plan)
    yield from wall_things(plan)


def _daylight(
    rng: np.random.Generator, windows: tuple[WindowLight, ...], placed: list[Placed], size: Array
) -> Lighting:
    """Sky through the windows, often sun through the first, lit lamps, and what the walls send back."""
    first = windows[0].inward
    azimuth = math.atan2(-first[1], -first[0]) + float(rng.uniform(-0.75, 0.75))
    sunny = rng.random() < 0.65
    glass = sum(4 * float(np.linalg.norm(w.half_along_m) * np.linalg.norm(w.half_up_m)) for w in windows)
    floor = float(size[0] * size[1])
    lamps = tuple(
        Lamp(one.to_world(one.product.lamp_m), np.array([0.10, 0.085, 0.06]))
        for one in placed
        if one.product.lamp_m is not None
    )
    return Lighting(
        sky=np.array([0.74, 0.74, 0.73]),
        ground=np.array([0.60, 0.58, 0.55]),
        sun=np.array([1.9, 1.75, 1.5]) if sunny else np.zeros(3),
        to_sun=sun_direction(azimuth, float(rng.uniform(0.45, 0.8))),
        windows=windows,
        window_power=np.array([0.92, 0.96, 1.0]) * 0.042 * floor / glass,
        lamps=lamps,
        room_m=(np.zeros(3), size),
        mean_light=0.86,
    )


def _standpoint(rng: np.random.Generator, size: Array, objects: Sequence[Instance]) -> tuple[Array, Array]:
    """A place for a camera and something to look at."""
    margin = NEAREST_M + 0.02
    x, y = (float(rng.uniform(margin, side - margin)) for side in size[:2])
    centre = np.array([x, y, float(rng.uniform(1.25, 1.75))])
    target = objects[int(rng.integers(len(objects)))].box.centre_m
    away = target[:2] - centre[:2]
    if np.linalg.norm(away) < 0.8:  # too near to look at; over it, towards the middle
        target = np.array([size[0] / 2, size[1] / 2, 0.9]) + rng.uniform(-0.5, 0.5, 3)
    aim = target * 0.7 + 0.3 * np.array([size[0] / 2, size[1] / 2, 0.8]) + rng.normal(0, 0.12, 3)
    if np.linalg.norm((aim - centre)[:2]) < 0.3:
        aim = centre + np.array([1.0, 0.3, -0.3])
    return centre, aim
