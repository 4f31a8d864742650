"""CRISP's own rule, faults included: fixed dead zone in the tilted camera's frame, no margins, guessable options.

Used only under ``published=True``. Known faults: a tie goes to the object named last; counts go over the edges of a
star that is cut at 2.5 m, not over objects; the options of a count lie around the true number, sectors next to the true
one are never offered, and two of six orders never occur, so that each can be guessed without the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product

from ....scene_graphs.relations import RELATIONS, Relation, Scores, relation_scores
from ....scenes import SceneKind
from ...draws import Uniform
from ...evaluate import RELATIVE_NAMES
from ...options import below, drawn, shuffled
from ...query import CameraFrame
from .judged import Judged
from .kinds import RELATION_KINDS, Ask
from .queries import AXES, PUBLISHED_SIDES, Rule
from .table import Table

__all__ = [
    "ZERO_COUNT_CHANCE",
    "Published",
    "published_count_keys",
    "published_order_keys",
    "published_relation_sets",
    "published_sector",
]

ZERO_COUNT_CHANCE = 0.05
"""A count of zero is kept so often."""

PLACED_M = {SceneKind.STREET: (5.0, 10.0, 15.0, 20.0), SceneKind.ROOM: (0.5, 1.0, 2.0)}
THRESHOLDS_M = (10.0, 20.0)

CAMERA_GAP_M = 1.0
ANCHOR_GAP_M = 0.5
PLACED_GAP_M = 1.0

NO_EDGE = "no edge between the two"
NOT_ALLOWED = "the set of relations is not among the published ones"
MISSING_ORDER = "the order is not among the published ones"
TOO_EQUAL = "distances differ too little"
NEVER = "the published generator never makes it"
GUESSABLE = "the answer differs from the placing distance by less than 1 m"
BEHIND = "the faced object is behind the centre"
FRONT = "the direction is front"
FEW = "too few neighbours"
NOT_VERTICAL = "above and below are not asked about here"

HOPELESS = frozenset({NEVER, NOT_VERTICAL, FEW})
"""Reasons that another draw does not change."""

_SECTORS = RELATIVE_NAMES


class Published:
    """The published rule for a kind of scene."""

    def __init__(self, kind: SceneKind, *, zone_m: float, vertical: bool) -> None:
        length, width = PUBLISHED_SIDES[kind is SceneKind.ROOM]
        self.vertical = vertical
        self.rule = Rule(
            frame=CameraFrame(0),
            zone=zone_m,
            exclusive=False,
            vertical=True,
            plane="camera_plane",
            length=length,
            width=width,
        )
        self.relation_sets = published_relation_sets(vertical=vertical)
        self._zone = zone_m
        self._judges: dict[str, Callable[[Ask, Table], Judged | str]] = {
            **dict.fromkeys(RELATION_KINDS, self._related),
            "pick_direction": self._relation_set,
            **dict.fromkeys(("bigger_volume", "taller", "wider"), _larger),
            **dict.fromkeys(("nearer_camera", "farther_camera", "nearer_anchor", "farther_anchor"), _farther),
            **dict.fromkeys(("rank_volume", "rank_height", "rank_camera_distance"), _rank),
            **dict.fromkeys(("length", "width", "height", "camera_distance"), _value),
            "pair_distance": lambda _ask, _table: NEVER,
            "count_direction": self._count_direction,
            **dict.fromkeys(("count_within", "count_beyond"), _count_near),
            "placed_distance": _placed,
            "perspective": _sector,
        }

    def judge(self, ask: Ask, table: Table) -> Judged | str:
        """The published truth, or why the published generator would not ask."""
        return self._judges[ask.kind](ask, table)

    def _related(self, ask: Ask, table: Table) -> Judged | str:
        relation = RELATION_KINDS[ask.kind]
        if relation in ("above", "below") and not self.vertical:
            return NOT_VERTICAL
        held = _relations(ask, table)
        if held is None:
            return NO_EDGE
        return Judged(relation in held, abs(self._scores(ask.objects, table)[RELATIONS.index(relation)]))

    def _relation_set(self, ask: Ask, table: Table) -> Judged | str:
        held = _relations(ask, table)
        if held is None:
            return NO_EDGE
        key = "+".join(name for name in RELATIONS if name in held)
        if key not in self.relation_sets:
            return NOT_ALLOWED
        return Judged(key, min(abs(score) for score in self._scores(ask.objects, table)))

    def _count_direction(self, ask: Ask, table: Table) -> Judged:
        count = sum(ask.relation in edge.relations for edge in table.graph.edges)
        place = RELATIONS.index(ask.relation or "left")
        scores = [self._scores((one, table.centre), table)[place] for one in table.neighbours]
        return Judged(str(count), min(map(abs, scores)))

    def _scores(self, objects: tuple[int, ...], table: Table) -> Scores:
        of, against = (table.objects[one] for one in objects)
        return relation_scores(of, against, self._zone, exclusive=False)

    def relation_keys(self, rng: Uniform, truth: str) -> list[str]:
        """The truth among three other allowed sets, supersets but no subsets of it."""
        true = set(truth.split("+"))
        others = [key for key in self.relation_sets if not set(key.split("+")) <= true]
        return shuffled(rng, [truth, *drawn(rng, others, 3)])


def published_relation_sets(*, vertical: bool) -> tuple[str, ...]:
    """The allowed sets of relations: one or two level ones; with ``vertical`` also up or down alone, or with one."""
    pairs: list[tuple[Relation, Relation]] = [("left", "right"), ("above", "below"), ("front", "behind")]
    if not vertical:
        pairs.remove(("above", "below"))
    singles = [name for pair in pairs for name in pair]
    return (*singles, *("+".join(names) for two in combinations(pairs, 2) for names in product(*two)))


def published_sector(angle_rad: float) -> str:
    """The sector of a relative bearing, right positive, borders as published (towards front and back)."""
    turn = math.remainder(angle_rad, math.tau)
    size = abs(turn)
    if size <= math.pi / 8:
        place = 0
    elif size >= 7 * math.pi / 8:
        place = 4
    elif size <= 3 * math.pi / 8:
        place = 1
    else:
        place = 2 if size <= 5 * math.pi / 8 else 3
    return _SECTORS[place if turn > 0 else -place % 8]


def published_count_keys(rng: Uniform, truth: int) -> list[str]:
    """The true number among three others at most 3 away: it is in the middle more often than not."""
    around = [number for number in range(max(0, truth - 3), truth + 4) if number != truth]
    return [str(number) for number in shuffled(rng, [truth, *drawn(rng, around, 3)])]


def published_order_keys(objects: Sequence[int], separator: str) -> list[str]:
    """The four orders that are offered of the objects as named: ABC, ACB, BAC, CBA."""
    a, b, c = (str(one) for one in objects)
    return [separator.join(order) for order in ((a, b, c), (a, c, b), (b, a, c), (c, b, a))]


def published_sector_keys(rng: Uniform, truth: str) -> list[str]:
    """The true sector among three of the five that are not next to it."""
    place = _SECTORS.index(truth)
    others = [_SECTORS[(place + step) % 8] for step in range(2, 7)]
    return shuffled(rng, [truth, *drawn(rng, others, 3)])


def keeps_count(rng: Uniform, truth: str) -> bool:
    """Whether a count is kept: zero only rarely."""
    return truth != "0" or below(rng, 1000) < 1000 * ZERO_COUNT_CHANCE


def _relations(ask: Ask, table: Table) -> tuple[Relation, ...] | None:
    """The relations of the first object to the second, by the edge between them."""
    edge = table.graph.edge(ask.objects[1], ask.objects[0])
    return None if edge is None else edge.relations


def _larger(ask: Ask, table: Table) -> Judged:
    first, second = ask.objects
    a, b = (_size(ask.kind, table, one) for one in ask.objects)
    return Judged(str(first if a > b else second), abs(a - b), (a, b))


def _farther(ask: Ask, table: Table) -> Judged | str:
    anchored = len(ask.objects) == 3
    distances = table.edge_m if anchored else table.camera_m
    first, second = ask.objects[-2:]
    if first not in distances or second not in distances:
        return NO_EDGE
    a, b = distances[first], distances[second]
    if abs(a - b) < (ANCHOR_GAP_M if anchored else CAMERA_GAP_M):
        return TOO_EQUAL
    wins = a < b if ask.kind.startswith("nearer") else a > b
    return Judged(str(first if wins else second), abs(a - b), (a, b))


def _rank(ask: Ask, table: Table) -> Judged | str:
    ascending = ask.kind == "rank_camera_distance"
    values = [table.camera_m[one] if ascending else _size(ask.kind, table, one) for one in ask.objects]
    order = sorted(range(3), key=lambda place: values[place] if ascending else -values[place])
    separator = " < " if ascending else " > "
    key = separator.join(str(ask.objects[place]) for place in order)
    if key not in published_order_keys(ask.objects, separator):
        return MISSING_ORDER
    sizes = [values[place] for place in order]
    return Judged(key, min(abs(sizes[0] - sizes[1]), abs(sizes[1] - sizes[2])), tuple(values))


def _value(ask: Ask, table: Table) -> Judged:
    one = table.objects[ask.objects[0]]
    exact = {
        "length": one.length_m,
        "width": one.width_m,
        "height": one.height_m,
        "camera_distance": one.distance_m,
    }[ask.kind]
    return Judged(round(exact, 2), None, (exact,))


def _count_near(ask: Ask, table: Table) -> Judged:
    within = sum(distance <= ask.metres for distance in table.edge_m.values())
    count = within if ask.kind == "count_within" else len(table.edge_m) - within
    return Judged(str(count), min(abs(distance - ask.metres) for distance in table.edge_m.values()))


def _placed(ask: Ask, table: Table) -> Judged | str:
    if table.graph.edge(*ask.objects) is None:
        return NO_EDGE
    anchor, to = (table.objects[one] for one in ask.objects)
    axis, sign = AXES[ask.relation or "left"]
    right, forward = anchor.right_m - to.right_m, anchor.forward_m - to.forward_m
    if axis == "right":
        right += sign * ask.metres
    else:
        forward += sign * ask.metres
    value = math.hypot(right, forward)
    if abs(value - ask.metres) < PLACED_GAP_M:
        return GUESSABLE
    return Judged(round(value, 2), None, (value,))


def _sector(ask: Ask, table: Table) -> Judged | str:
    if len(table.neighbours) < 2:
        return FEW
    stand, face, target = ask.objects
    edges = {edge.target: edge for edge in table.graph.edges}
    if stand != table.centre or face not in edges or target not in edges:
        return NO_EDGE
    if "behind" in edges[face].relations:
        return BEHIND
    bearings = [math.radians(edges[one].bearing_deg or 0.0) for one in (face, target)]
    turn = bearings[1] - bearings[0]
    sector = published_sector(turn)
    if sector == "front":
        return FRONT
    bearing_deg = math.degrees(math.remainder(turn, math.tau))
    return Judged(sector, 22.5 - abs(bearing_deg - 45 * round(bearing_deg / 45)), (bearing_deg,))


def _size(kind: str, table: Table, number: int) -> float:
    one = table.objects[number]
    if kind in ("bigger_volume", "rank_volume"):
        return one.volume_m3
    return one.width_m if kind == "wider" else one.height_m
