"""The truth of each ask by the sound rule, from a table's plain numbers, or the reason why it is not asked."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise

from ....scene_graphs.placed import PlacedObject
from ....scene_graphs.relations import OPPOSITE, RELATIONS, Relation
from ...evaluate import RELATIVE_NAMES
from ...query import LevelFrame
from .judged import Judged
from .kinds import RELATION_KINDS, Ask
from .queries import AXES, Rule
from .settings import CrispMargins
from .table import Compared, Table, compared

__all__ = ["Sound"]

_PLACE = {name: place for place, name in enumerate(RELATIONS)}
_LEVEL_PAIRS: tuple[tuple[Relation, Relation], ...] = (("left", "right"), ("front", "behind"))
_HEIGHT_PAIR: tuple[Relation, Relation] = ("above", "below")

BORDERLINE = "too close to the border of the dead zone"
TOO_MANY = "not exactly two relations hold clearly"
ALIKE = "sizes too much alike"
EQUALLY_FAR = "distances too much alike"
GUESSABLE = "the answer repeats a number of the question"
NEAR_SECTOR_BORDER = "too close to the border of a sector"
NO_BEARING = "too near along the ground to have a bearing"
NEAR_THRESHOLD = "an object is too close to the asked distance"
STEEP = "the camera looks too steeply up or down"
NOT_VERTICAL = "above and below are not asked about here"


class Sound:
    """Level frame, dead zones that grow with the objects, and margins for everything that is compared."""

    def __init__(self, margins: CrispMargins, *, vertical: bool) -> None:
        self._margins = margins
        self._zone = margins.zone
        self.vertical = vertical
        self.rule = Rule(frame=LevelFrame(0), zone=self._zone, vertical=vertical)
        self._pairs = (*_LEVEL_PAIRS, _HEIGHT_PAIR) if vertical else _LEVEL_PAIRS
        self.judges: dict[str, Callable[[Ask, Table], Judged | str]] = {
            **dict.fromkeys(RELATION_KINDS, self._related),
            "pick_direction": self._relation_set,
            **dict.fromkeys(("bigger_volume", "taller", "wider"), self._larger),
            **dict.fromkeys(("nearer_camera", "farther_camera", "nearer_anchor", "farther_anchor"), self._farther),
            **dict.fromkeys(("rank_volume", "rank_height", "rank_camera_distance"), self._rank),
            **dict.fromkeys(("length", "width", "height", "camera_distance", "pair_distance"), self._value),
            "count_direction": self._count_direction,
            "count_within": self._count_near,
            "count_beyond": self._count_near,
            "placed_distance": self._placed,
            "perspective": self._sector,
        }

    def judge(self, ask: Ask, table: Table) -> Judged | str:
        """The truth with its margin and the numbers that it rests on, or the reason of refusal."""
        return self.judges[ask.kind](ask, table)

    def _compared(self, table: Table, of: int, against: int) -> Compared:
        """How one object stands to another; each pair is worked out once."""
        found = table.scores.get((of, against))
        if found is None:
            found = table.scores[of, against] = compared(table.objects[of], table.objects[against], self._zone)
        return found

    def _related(self, ask: Ask, table: Table) -> Judged | str:
        if not table.level:
            return STEEP
        relation = RELATION_KINDS[ask.kind]
        is_height = relation in _HEIGHT_PAIR
        if is_height and not self.vertical:
            return NOT_VERTICAL
        scores, level, height = self._compared(table, *ask.objects)
        clear = self._margins.relation_share * (height if is_height else level)
        score = scores[_PLACE[relation]]
        # "No" means the opposite: nobody agrees on whether what is hardly left is left.
        if score < clear and scores[_PLACE[OPPOSITE[relation]]] < clear:
            return BORDERLINE
        return Judged(score > 0, abs(score))

    def _relation_set(self, ask: Ask, table: Table) -> Judged | str:
        if not table.level:
            return STEEP
        scores, level, height = self._compared(table, *ask.objects)
        held = []
        margin = math.inf
        for pair in self._pairs:
            clear = self._margins.relation_share * (height if pair is _HEIGHT_PAIR else level)
            first, second = scores[_PLACE[pair[0]]], scores[_PLACE[pair[1]]]
            most = max(first, second)
            if abs(most) < clear:
                return BORDERLINE
            if most > 0:
                held.append(pair[0] if first > second else pair[1])
            margin = min(margin, abs(first), abs(second))
        if len(held) != 2:
            return TOO_MANY
        held.sort(key=_PLACE.__getitem__)
        return Judged("+".join(held), margin)

    def _larger(self, ask: Ask, table: Table) -> Judged | str:
        first, second = ask.objects
        a, b = (_size(ask.kind, table.objects[one]) for one in ask.objects)
        if not self._sizes_differ(ask.kind, a, b):
            return ALIKE
        return Judged(str(first if a > b else second), abs(a - b), (a, b))

    def _sizes_differ(self, kind: str, a: float, b: float) -> bool:
        small, large = (a, b) if a < b else (b, a)
        margins = self._margins
        if kind in ("bigger_volume", "rank_volume"):
            return large >= margins.volume_ratio * small
        return large >= margins.size_ratio * small and large - small >= margins.size_m

    def _farther(self, ask: Ask, table: Table) -> Judged | str:
        first, second = ask.objects[-2:]
        distances = table.camera_m if len(ask.objects) == 2 else table.edge_m
        a, b = distances[first], distances[second]
        if not self._distances_differ(a, b):
            return EQUALLY_FAR
        nearer = ask.kind.startswith("nearer")
        return Judged(str(first if (a < b) == nearer else second), abs(a - b), (a, b))

    def _distances_differ(self, a: float, b: float) -> bool:
        gap = abs(a - b)
        return gap >= self._margins.distance_m and gap >= self._margins.distance_share * max(a, b)

    def _rank(self, ask: Ask, table: Table) -> Judged | str:
        ascending = ask.kind == "rank_camera_distance"
        if ascending:
            values = [table.camera_m[one] for one in ask.objects]
        else:
            values = [_size(ask.kind, table.objects[one]) for one in ask.objects]
        order = sorted(range(3), key=values.__getitem__, reverse=not ascending)
        sizes = [values[place] for place in order]
        for a, b in pairwise(sizes):
            if not (self._distances_differ(a, b) if ascending else self._sizes_differ(ask.kind, a, b)):
                return EQUALLY_FAR if ascending else ALIKE
        margin = min(abs(sizes[0] - sizes[1]), abs(sizes[1] - sizes[2]))
        key = (" < " if ascending else " > ").join(str(ask.objects[place]) for place in order)
        return Judged(key, margin, tuple(values))

    def _value(self, ask: Ask, table: Table) -> Judged | str:
        one = table.objects[ask.objects[0]]
        match ask.kind:
            case "length":
                value = one.length_m
            case "width":
                value = one.width_m
            case "height":
                value = one.height_m
            case "camera_distance":
                value = table.camera_m[one.id]
            case _:
                value = one.distance_to_m(table.objects[ask.objects[1]])
        return Judged(value, None, (value,))

    def _count_direction(self, ask: Ask, table: Table) -> Judged | str:
        if not table.level:
            return STEEP
        place = _PLACE[ask.relation or "left"]
        count, margin = 0, math.inf
        share, anchor = self._margins.relation_share, ask.objects[0]
        for one in table.neighbours:
            scores, level, _ = table.scores.get((one, anchor)) or self._compared(table, one, anchor)
            score = scores[place]
            if score > 0:
                count += 1
            else:
                score = -score
            if score < share * level:
                return BORDERLINE
            if score < margin:
                margin = score
        return Judged(str(count), margin)

    def _count_near(self, ask: Ask, table: Table) -> Judged | str:
        distances = table.sorted_edges_m
        within = bisect_left(distances, ask.metres)
        margin = min([abs(distance - ask.metres) for distance in distances[max(0, within - 1) : within + 1]])
        if margin < self._margins.threshold_m:
            return NEAR_THRESHOLD
        return Judged(str(within if ask.kind == "count_within" else len(distances) - within), margin)

    def _placed(self, ask: Ask, table: Table) -> Judged | str:
        if not table.level:
            return STEEP
        anchor, to = (table.objects[one] for one in ask.objects)
        axis, sign = AXES[ask.relation or "left"]
        right, forward = anchor.right_m - to.right_m, anchor.forward_m - to.forward_m
        between = math.hypot(right, forward)
        if axis == "right":
            right += sign * ask.metres
        else:
            forward += sign * ask.metres
        value = math.hypot(right, forward)
        share = self._margins.placed_share
        if abs(value - ask.metres) < share * ask.metres or abs(value - between) < share * between:
            return GUESSABLE
        return Judged(value, None, (value,))

    def _sector(self, ask: Ask, table: Table) -> Judged | str:
        if not table.level:
            return STEEP
        stand, face, target = [table.objects[one] for one in ask.objects]
        right, forward = face.right_m - stand.right_m, face.forward_m - stand.forward_m
        target_right, target_forward = target.right_m - stand.right_m, target.forward_m - stand.forward_m
        reach_m = self._margins.bearing_reach_m
        if math.hypot(right, forward) < reach_m or math.hypot(target_right, target_forward) < reach_m:
            return NO_BEARING
        turn = math.atan2(target_right, target_forward) - math.atan2(right, forward)
        bearing_deg = math.degrees(math.remainder(turn, math.tau))
        sector = round(bearing_deg / 45)
        margin_deg = 22.5 - abs(bearing_deg - 45 * sector)
        if margin_deg < self._margins.sector_deg:
            return NEAR_SECTOR_BORDER
        return Judged(RELATIVE_NAMES[sector % 8], margin_deg, (bearing_deg,))


def _size(kind: str, one: PlacedObject) -> float:
    if kind in ("bigger_volume", "rank_volume"):
        return one.volume_m3
    return one.width_m if kind == "wider" else one.height_m
