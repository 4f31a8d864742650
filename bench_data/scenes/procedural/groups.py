"""How people furnish: a sofa with its table, a desk with its chair, a bed between nightstands, and what lies about.

A group is a generator. Each step puts one object and yields it, so that whoever asks may stop at any number of objects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..box import OrientedBox
from .assembling import Placed
from .plan import RoomPlan
from .shell import wall_frames

__all__ = ["GROUPS", "Group", "clutter", "small_things", "wall_things"]

Group = Callable[[RoomPlan], Iterator[Placed]]


def living(plan: RoomPlan) -> Iterator[Placed]:
    """Sofa, coffee table (on a rug), television opposite, armchair, lamp, and cushions."""
    rng = plan.rng
    sofa = plan.along_wall(plan.new("sofa"))
    if sofa is None:
        return
    yield sofa
    forward = sofa.box.forward
    reach = float(sofa.product.size_m[0]) / 2
    table_spot, under, z = None, None, 0.0
    if rng.random() < 0.6:
        rug = plan.new("rug")
        middle = sofa.origin_m + forward * (reach + 0.12 + rug.size_m[0] / 2)
        under = plan.settle(rug, middle.tolist(), sofa.heading_rad, gap_m=0.005)
        if under is not None:
            yield under
            z, table_spot = float(rug.size_m[2]), middle
    table = plan.new("coffee table")
    if table_spot is None:
        table_spot = sofa.origin_m + forward * (reach + 0.38 + table.size_m[0] / 2)
    coffee = plan.settle(table, (table_spot[0], table_spot[1], z), sofa.heading_rad, on=under)
    if coffee is not None:
        yield coffee
        plan.keep_free(_around(coffee, 0.35))
    yield from _television(plan, sofa)
    for label in ("cushion", "armchair", "floor lamp", "cushion"):
        thing = _beside_sofa(plan, sofa, label)
        if thing is not None:
            yield thing
    if coffee is not None:
        for label in rng.permutation(["mug", "stack of books", "vase", "bottle", "laptop"])[: int(rng.integers(1, 3))]:
            put = plan.on_top(plan.new(str(label)), coffee, coffee.product.surfaces[0])
            if put is not None:
                yield put


def _around(placed: Placed, margin_m: float) -> OrientedBox:
    box = placed.box
    return OrientedBox.upright(
        box.centre_m, box.size_m + np.array([2 * margin_m, 2 * margin_m, 0]), heading_rad=box.heading_rad
    )


def _beside_sofa(plan: RoomPlan, sofa: Placed, label: str) -> Placed | None:
    rng, side = plan.rng, 1 if plan.rng.random() < 0.5 else -1
    if label == "cushion":
        seat = sofa.product.surfaces[0]
        return plan.on_top(plan.new(label), sofa, seat, heading_rad=float(rng.uniform(-0.3, 0.3)))
    thing = plan.new(label)
    along = sofa.product.size_m[1] / 2
    if label == "armchair":
        place = sofa.to_world(np.array([1.45, side * (along + 0.25), 0.0]))
        turned = sofa.heading_rad - side * math.pi / 2 + float(rng.uniform(-0.35, 0.35))
        return plan.settle(thing, (place[0], place[1], 0.0), turned)
    place = sofa.to_world(np.array([-0.1, side * (along + thing.size_m[1] / 2 + 0.08), 0.0]))
    return plan.settle(thing, (place[0], place[1], 0.0), 0.0)


def _television(plan: RoomPlan, sofa: Placed) -> Iterator[Placed]:
    """A stand on the wall that the sofa looks at, with a screen on it."""
    wall = max(range(4), key=lambda k: -float(wall_frames(plan.walls.size_m)[k][2] @ sofa.box.forward))
    corner, right, _ = wall_frames(plan.walls.size_m)[wall]
    at = float((sofa.origin_m - corner) @ right)
    stand = plan.along_wall(plan.new("TV stand"), wall=wall, at=at) or plan.along_wall(plan.new("TV stand"), wall=wall)
    if stand is None:
        return
    yield stand
    screen = plan.on_top(plan.new("television"), stand, stand.product.surfaces[0], heading_rad=0.0, at=(0.0, 0.0))
    if screen is not None:
        yield screen


def dining(plan: RoomPlan) -> Iterator[Placed]:
    """A table with chairs around it, a lamp over it and things on it."""
    rng, table = plan.rng, plan.new("dining table")
    w, d, h = plan.walls.size_m
    set_down = None
    for _ in range(40):
        lengthwise = 0.0 if rng.random() < 0.5 else math.pi / 2
        x, y = rng.uniform([1.2, 1.2], [max(w - 1.2, 1.25), max(d - 1.2, 1.25)])
        set_down = plan.settle(table, (float(x), float(y), 0.0), lengthwise, gap_m=0.55)
        if set_down is not None:
            break
    if set_down is None:
        return
    yield set_down
    seats = _seats(set_down)
    colour, seed, same = plan.palette.pick(rng), int(rng.integers(2**31)), bool(rng.random() < 0.3)
    for k in rng.permutation(len(seats))[: int(rng.integers(2, len(seats) + 1))]:
        word = colour if same else plan.palette.pick(rng)
        chair = plan.new("dining chair", colour=word, seed=seed)
        x, y, facing = seats[int(k)]
        away = chair.size_m[0] / 2 + float(rng.uniform(0.03, 0.12))
        place = set_down.to_world(np.array([x - away * math.cos(facing), y - away * math.sin(facing), 0.0]))
        turned = set_down.heading_rad + facing
        put = plan.settle(chair, place.tolist(), turned, gap_m=0.01)
        if put is not None:
            yield put
    for label in rng.permutation(["vase", "bottle", "mug", "mug", "stack of books"])[: int(rng.integers(1, 4))]:
        thing = plan.on_top(plan.new(str(label)), set_down, set_down.product.surfaces[0])
        if thing is not None:
            yield thing
    if rng.random() < 0.6:
        lamp = plan.new("ceiling lamp")
        hung = plan.settle(lamp, (*set_down.origin_m[:2].tolist(), h - float(lamp.size_m[2])), 0.0, ignore_free=True)
        if hung is not None:
            yield hung


def _seats(table: Placed) -> list[tuple[float, float, float]]:
    """Places at the edge of a table and the way to face there, in the table's axes."""
    length, width, _ = (float(v) / 2 for v in table.product.size_m)
    if table.product.attributes.get("shape") == "round":
        angles = [math.pi / 4 + k * math.pi / 2 for k in range(4)]
        return [(length * math.cos(a), length * math.sin(a), a + math.pi) for a in angles]
    sides = [(x * length, s * width, -s * math.pi / 2) for x in (-0.45, 0.45) for s in (-1, 1)]
    return [*sides, (length, 0.0, math.pi), (-length, 0.0, 0.0)]


def study(plan: RoomPlan) -> Iterator[Placed]:
    """A desk with a chair before it and a screen on it, a bin, a bookshelf."""
    rng = plan.rng
    desk = plan.along_wall(plan.new("desk"))
    if desk is None:
        return
    yield desk
    chair = plan.new("office chair")
    away = desk.product.size_m[0] / 2 + chair.size_m[0] / 2 + float(rng.uniform(0.08, 0.25))
    place = desk.to_world(np.array([away, float(rng.uniform(-0.15, 0.15)), 0.0]))
    put = plan.settle(chair, (place[0], place[1], 0.0), desk.heading_rad + math.pi + float(rng.uniform(-0.3, 0.3)))
    if put is not None:
        yield put
    top, back = desk.product.surfaces[0], -desk.product.size_m[0] / 2
    main = plan.new("monitor" if rng.random() < 0.65 else "laptop")
    spot = (float(back + 0.06 + main.size_m[0] / 2), float(rng.uniform(-0.1, 0.1)))
    screen = plan.on_top(main, desk, top, heading_rad=0.0, at=spot)
    if screen is not None:
        yield screen
    for label in rng.permutation(["table lamp", "mug", "stack of books", "laptop", "potted plant", "bottle"])[:3]:
        heading = 0.0 if label == "laptop" else None
        thing = plan.on_top(plan.new(str(label)), desk, top, heading_rad=heading)
        if thing is not None:
            yield thing
    for label in ("bookshelf", "waste bin"):
        other = plan.along_wall(plan.new(label), front_m=0.4 if label == "bookshelf" else 0.0)
        if other is not None:
            yield other


def sleeping(plan: RoomPlan) -> Iterator[Placed]:
    """A bed with its head at a wall, nightstands with lamps, a wardrobe and a chest of drawers."""
    rng = plan.rng
    bed = plan.along_wall(plan.new("bed"))
    if bed is None:
        return
    yield bed
    colour, seed = plan.palette.pick(rng), int(rng.integers(2**31))
    for side in (-1, 1):
        stand = plan.new("nightstand", colour=colour, seed=seed)
        x = -bed.product.size_m[0] / 2 + stand.size_m[0] / 2
        place = bed.to_world(np.array([x, side * (bed.product.size_m[1] / 2 + stand.size_m[1] / 2 + 0.06), 0.0]))
        put = plan.settle(stand, (place[0], place[1], 0.0), bed.heading_rad)
        if put is None:
            continue
        yield put
        if rng.random() < 0.75:
            lamp = plan.on_top(plan.new("table lamp"), put, put.product.surfaces[0], heading_rad=0.0)
            if lamp is not None:
                yield lamp
    for label, space in (("wardrobe", 0.6), ("chest of drawers", 0.4)):
        other = plan.along_wall(plan.new(label), front_m=space)
        if other is not None:
            yield other
    for _ in range(int(rng.integers(0, 3))):
        cushion = plan.on_top(plan.new("cushion"), bed, bed.product.surfaces[0])
        if cushion is not None:
            yield cushion


def kitchen(plan: RoomPlan) -> Iterator[Placed]:
    """A fridge, a washing machine with a microwave on it, and a stool."""
    fridge = plan.along_wall(plan.new("fridge"), front_m=0.5)
    if fridge is not None:
        yield fridge
    machine = plan.along_wall(plan.new("washing machine"), front_m=0.4)
    if machine is not None:
        yield machine
        oven = plan.on_top(plan.new("microwave"), machine, machine.product.surfaces[0], heading_rad=0.0)
        if oven is not None:
            yield oven
    for label in ("stool", "waste bin", "stool"):
        thing = plan.on_floor(plan.new(label))
        if thing is not None:
            yield thing


def clutter(plan: RoomPlan) -> Iterator[Placed]:
    """What stands about: sixty tries, each of which yields something if there is room for it."""
    labels = (
        "potted plant",
        "cardboard box",
        "suitcase",
        "backpack",
        "waste bin",
        "basket",
        "toy ball",
        "pouf",
        "stool",
    )
    shelves = ("bookshelf", "chest of drawers", "side table", "floor lamp", "armchair")
    for _ in range(60):
        if plan.rng.random() < 0.3:
            label = shelves[int(plan.rng.integers(len(shelves)))]
            thing = plan.along_wall(plan.new(label), front_m=0.3 if label in shelves[:2] else 0.0)
        else:
            label = labels[int(plan.rng.integers(len(labels)))]
            thing = plan.on_floor(plan.new(label), turned=label not in ("suitcase",))
        if thing is not None:
            yield thing


def small_things(plan: RoomPlan) -> Iterator[Placed]:
    """Vases, mugs, books and lamps on whatever has room for them."""
    labels = ("vase", "mug", "bottle", "stack of books", "table lamp", "potted plant")
    for _ in range(60):
        holders = [
            one for one in plan.placed if one.product.surfaces and one.product.label not in ("sofa", "bed", "armchair")
        ]
        if not holders:
            return
        under = holders[int(plan.rng.integers(len(holders)))]
        label = labels[int(plan.rng.integers(len(labels)))]
        thing = plan.on_top(plan.new(label), under, under.product.surfaces[0])
        if thing is not None:
            yield thing


def wall_things(plan: RoomPlan) -> Iterator[Placed]:
    """Pictures, a mirror, a clock."""
    rng = plan.rng
    for label in rng.permutation(["picture", "picture", "picture", "mirror", "clock", "picture"]):
        low, high = (1.9, 2.05) if label == "clock" else (1.4, 1.65)
        hung = plan.on_wall(plan.new(str(label)), low, high)
        if hung is not None:
            yield hung


GROUPS: dict[str, Group] = {
    "living": living,
    "dining": dining,
    "office": study,
    "bedroom": sleeping,
    "kitchen": kitchen,
}
"""The main groups, under the name of the room that they make."""
