"""Answers queries from the truth of a scene, plainly and one at a time: the reference that keys are checked with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import BenchDataError
from .facts import SceneFacts, Vector
from .query import (
    Candidate,
    Choose,
    Count,
    DirectionWords,
    Distance,
    Exceeds,
    Exists,
    HeightOf,
    LabelCount,
    Locate,
    Matches,
    ObjectRef,
    Offset,
    Place,
    Quantity,
    Query,
    Ranking,
    Related,
    RelationSet,
    ScaledZone,
    Sector,
    Size,
    Spread,
    Turn,
    TurnWords,
    Value,
    Values,
)
from .question import Truth

__all__ = ["COMPASS_NAMES", "RELATIVE_NAMES", "Evaluated", "evaluate", "located", "measure", "object_number"]

RELATIVE_NAMES = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")
COMPASS_NAMES = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
_WORDS = {"right": ("left", "right"), "up": ("down", "up"), "forward": ("backward", "forward")}
_TURNS = {
    "yaw": ("yaw_left", "yaw_right"),
    "pitch": ("pitch_down", "pitch_up"),
    "roll": ("roll_anticlockwise", "roll_clockwise"),
}
_AXES = ("right", "up", "forward")

SINGLE_RATIO, DUAL_RATIO = 0.4, 0.6
"""A second turn below the first ratio of the largest does not count, above the second it does; between: unclear."""
LEAST_SECOND_TURN_DEG = 5.0


@dataclass(frozen=True, slots=True)
class Evaluated:
    """An answer, and how far the scene is from giving another one (None: it cannot turn).

    The margin is in the unit of what is compared: metres, cubic metres, degrees for sectors and turns, a share of the
    largest component for direction words. Of a count it is that of the candidate nearest to changing sides. Of a place
    in a picture it is the smaller side of the object's box, in pixels: what a reply may be off by at the very most.
    """

    value: Truth
    margin: float | None = None


def measure(quantity: Quantity, facts: SceneFacts, candidate: int | None = None) -> float:
    """The value of a quantity: metres, cubic metres, degrees, or a count.

    Raises:
        BenchDataError: it speaks of what is not there, or has no direction.
    """
    match quantity:
        case Distance(a=a, b=b, along=along):
            difference = facts.point(b, candidate) - facts.point(a, candidate)
            if along == "height":
                return abs(float(difference[2]))
            if along == "camera_plane":
                R = facts.camera(0).world_from_camera[:3, :3]
                return math.hypot(float(R[:, 0] @ difference), float(R[:, 2] @ difference))
            return float(np.linalg.norm(difference[:2] if along == "ground" else difference))
        case Offset():
            difference = facts.point(quantity.end, candidate) - facts.point(quantity.start, candidate)
            value = float(getattr(facts.axes(quantity.frame, candidate), quantity.axis) @ difference)
            return abs(value) if quantity.absolute else value
        case Size():
            return _size(quantity, facts, candidate)
        case Spread():
            return _spread(quantity, facts, candidate)
        case HeightOf(object=reference, end=end):
            box = facts.box(facts.candidate_id(reference, candidate))
            return {"top": box.top_m, "bottom": box.bottom_m, "centre": float(box.centre_m[2])}[end]
        case Turn():
            return _turn(quantity, facts)
        case LabelCount(label=label, views=views):
            seen = set().union(*(facts.visible[view] for view in views))
            return float(sum(facts.labels[one] == label for one in seen))
        case Count(candidates=candidates, where=where):
            return float(sum(all(evaluate(test, facts, one).value for test in where) for one in candidates))
        case Matches(object=reference, attribute=attribute, word=word):
            return float(facts.attributes.get(facts.candidate_id(reference, candidate), {}).get(attribute) == word)


def evaluate(query: Query, facts: SceneFacts, candidate: int | None = None) -> Evaluated:
    """The answer to a query.

    Raises:
        BenchDataError: it speaks of what is not there, or the answer is not defined (a tie between choices, a frame
            without direction, a turn that is neither single nor dual).
    """
    match query:
        case Value(quantity=quantity):
            value = measure(quantity, facts, candidate)
            margin = _count_margin(quantity, facts) if isinstance(quantity, Count) else None
            return Evaluated(int(value) if isinstance(quantity, LabelCount | Count) else value, margin)
        case Values(quantities=quantities):
            return Evaluated(tuple(measure(one, facts, candidate) for one in quantities))
        case Exceeds(left=left, right=right):
            first, second = (
                one if isinstance(one, int | float) else measure(one, facts, candidate) for one in (left, right)
            )
            difference = first - second
            return Evaluated(difference > 0, abs(difference))
        case Choose():
            return _choose(query, facts)
        case Ranking():
            return _rank(query, facts)
        case DirectionWords():
            return _direction_words(query, facts)
        case Sector():
            return _sector(query, facts)
        case Related():
            scores = _relation_scores(query.of, query.against, query, facts, candidate)
            return Evaluated(
                all(scores[name] > 0 for name in query.relations), min(abs(scores[n]) for n in query.relations)
            )
        case RelationSet():
            return _relation_set(query, facts)
        case TurnWords(first=first, second=second):
            return _turn_words(first, second, facts)
        case Exists(label=label, views=views):
            return Evaluated(measure(LabelCount(label, views), facts) > 0)
        case Locate():
            return _locate(query, facts)


def located(query: Locate, facts: SceneFacts) -> int:
    """The number of the object that is to be found.

    Raises:
        BenchDataError: the choice has no answer, or its keys are not numbers of objects.
    """
    return query.object if isinstance(query.object, int) else object_number(_choose(query.object, facts).value)


def object_number(key: Truth) -> int:
    """The object that a key of a choice among objects stands for.

    Raises:
        BenchDataError: it stands for none.
    """
    if not isinstance(key, str) or not key.isdecimal():
        raise BenchDataError(f"an object can only be chosen by its number, got the key {key!r}")
    return int(key)


def _locate(query: Locate, facts: SceneFacts) -> Evaluated:
    object_id = located(query, facts)
    places: Mapping[int, tuple[float, ...]] = (facts.image_boxes if query.shape == "box" else facts.image_points)[
        query.view
    ]
    if object_id not in places or object_id not in facts.image_boxes[query.view]:
        raise BenchDataError(f"object {object_id} is not seen in view {query.view}")
    x0, y0, x1, y1 = facts.image_boxes[query.view][object_id]
    return Evaluated(tuple(float(value) for value in places[object_id]), float(min(x1 - x0, y1 - y0)))


def _size(quantity: Size, facts: SceneFacts, candidate: int | None) -> float:
    length, width, height = (float(v) for v in facts.box(facts.candidate_id(quantity.object, candidate)).size_m)
    shortest, middle, longest = sorted((length, width, height))
    return {
        "length": length,
        "width": width,
        "height": height,
        "longest": longest,
        "middle": middle,
        "shortest": shortest,
        "longer_ground": max(length, width),
        "shorter_ground": min(length, width),
        "volume": length * width * height,
        "third_corner_distance": _third_corner_distance((shortest, middle, longest)),
    }[quantity.side]


def _third_corner_distance(sides: tuple[float, float, float]) -> float:
    a, b, c = sides
    distances = (a, b, c, math.hypot(a, b), math.hypot(a, c), math.hypot(b, c), math.hypot(a, b, c))
    # Rounded, as equal distances between computed corners differ in their last digits.
    return sorted({round(distance, 6) for distance in distances})[2]


def _spread(quantity: Spread, facts: SceneFacts, candidate: int | None) -> float:
    corners = facts.box(facts.candidate_id(quantity.object, candidate)).corners_m
    axes = facts.axes(quantity.frame)
    names = _AXES if quantity.axis == "volume" else (quantity.axis,)
    return math.prod(float(np.ptp(corners @ getattr(axes, name))) for name in names)


def _turn(quantity: Turn, facts: SceneFacts) -> float:
    from scipy.spatial.transform import Rotation

    first, second = (facts.camera(view).world_from_camera[:3, :3] for view in (quantity.first, quantity.second))
    relative = Rotation.from_matrix(first.T @ second)
    if quantity.about == "total":
        return float(np.rad2deg(relative.magnitude()))
    # With y down and z forward, a positive turn about y goes right, about x up, about z clockwise.
    yaw, pitch, roll = relative.as_euler("YXZ", degrees=True)
    return float({"yaw": yaw, "pitch": pitch, "roll": roll}[quantity.about])


def _choose(query: Choose, facts: SceneFacts) -> Evaluated:
    sign = 1 if query.pick == "largest" else -1
    values = sorted(((sign * measure(one, facts), key) for key, one in query.among.items()), reverse=True)
    if query.rank > 1:
        return _ranked(values, query.rank)
    gap = values[0][0] - values[1][0]
    if query.same_within is not None:
        return Evaluated("same" if gap <= query.same_within else values[0][1], abs(gap - query.same_within))
    if gap == 0 and query.equal is not None:
        return Evaluated(query.equal, 0.0)
    if gap == 0:
        raise BenchDataError(f"{values[0][1]} and {values[1][1]} are equal; the choice has no answer")
    return Evaluated(values[0][1], gap)


def _ranked(values: list[tuple[float, str]], rank: int) -> Evaluated:
    """The key in that place, and how far its value is from those before and after it."""
    if rank > len(values):
        raise BenchDataError(f"there are {len(values)} to choose from; none of them is number {rank}")
    value, key = values[rank - 1]
    beside = [values[place] for place in (rank - 2, rank) if place < len(values)]
    gap = min(abs(value - other) for other, _ in beside)
    if gap == 0:
        raise BenchDataError(f"{key} and {min(beside, key=lambda one: abs(value - one[0]))[1]} are equal; no answer")
    return Evaluated(key, gap)


def _rank(query: Ranking, facts: SceneFacts) -> Evaluated:
    values = sorted((measure(one, facts), key) for key, one in query.among.items())
    if query.order == "descending":
        values.reverse()
    gaps = [abs(values[i + 1][0] - values[i][0]) for i in range(len(values) - 1)]
    return Evaluated((" < " if query.order == "ascending" else " > ").join(key for _, key in values), min(gaps))


def _direction_words(query: DirectionWords, facts: SceneFacts) -> Evaluated:
    components = dict(zip(_AXES, facts.axes(query.frame).of(_between(query.start, query.end, facts)), strict=True))
    # Of equal parts the one earlier in the order of the axes comes first.
    parts = sorted(((abs(components[axis]), axis) for axis in _AXES if axis in query.axes), key=lambda part: -part[0])
    largest = parts[0][0]
    if largest == 0 and query.still is not None:
        return Evaluated(query.still, 0.0)
    if largest == 0:
        raise BenchDataError("the two places are the same; there is no direction between them")
    large = [axis for size, axis in parts if size >= query.share * largest]
    kept = [axis for axis in _AXES if axis in large[: query.most]]
    nearest = min(abs(size / largest - query.share) for size, _ in parts)
    if len(large) > query.most:
        nearest = min(nearest, (parts[query.most - 1][0] - parts[query.most][0]) / largest)
    return Evaluated("+".join(_WORDS[axis][components[axis] > 0] for axis in kept), nearest)


def _sector(query: Sector, facts: SceneFacts) -> Evaluated:
    right, _, forward = facts.axes(query.frame).of(_between(query.start, query.end, facts))
    if query.naming == "floored_clock":
        bearing_deg = math.degrees(math.atan2(right, forward))
        return Evaluated(int(round(bearing_deg, 2) % 360 // 30) or 12, min(bearing_deg % 30, -bearing_deg % 30))
    if math.hypot(right, forward) == 0:
        raise BenchDataError("the place is straight above or below; it has no bearing")
    count = 12 if query.naming == "clock" else 8
    turns = math.atan2(right, forward) / (2 * math.pi) * count
    index = round(turns) % count
    margin_deg = (0.5 - abs(turns - round(turns))) * 360 / count
    if query.naming == "clock":
        return Evaluated(index or 12, margin_deg)
    return Evaluated((RELATIVE_NAMES if query.naming == "relative" else COMPASS_NAMES)[index], margin_deg)


def _count_margin(quantity: Count, facts: SceneFacts) -> float | None:
    """How far the candidate nearest to it is from being counted, or no longer counted."""
    margins = []
    for one in quantity.candidates:
        found = [evaluate(test, facts, one) for test in quantity.where]
        failed = [result.margin or 0.0 for result in found if not result.value]
        # All failed tests have to turn before it counts; one that turns is enough to lose it.
        margins.append(max(failed) if failed else min(result.margin or 0.0 for result in found))
    return min(margins, default=None)


def _relation_scores(
    of: Place, against: Place, query: RelationSet | Related, facts: SceneFacts, candidate: int | None = None
) -> dict[str, float]:
    """Metres by which each relation holds; negative where it does not."""
    difference = facts.point(of, candidate) - facts.point(against, candidate)
    right, _, forward = facts.axes(query.frame, candidate).of(difference)
    (bottom, top), (other_bottom, other_top) = (_heights(place, facts, candidate) for place in (of, against))
    if isinstance(query.dead_zone_m, ScaledZone):
        sides = sum(_longer_side(place, facts, candidate) for place in (of, against))
        zone = max(query.dead_zone_m.least_m, query.dead_zone_m.side_share * sides / 2)
        height_zone = query.dead_zone_m.height_share * min(top - bottom, other_top - other_bottom)
    else:
        zone = height_zone = query.dead_zone_m
    scores = {"left": -right - zone, "right": right - zone, "front": -forward - zone, "behind": forward - zone}
    above, below = bottom - other_top + height_zone, other_bottom - top + height_zone
    if not query.exclusive:
        return {**scores, "above": above, "below": below}
    # Two thin things at one height would be above and below each other at once.
    scores["above"] = above if above >= below else min(above, -abs(below - above))
    scores["below"] = below if below > above else min(below, -abs(above - below))
    return scores


def _heights(place: Place, facts: SceneFacts, candidate: int | None) -> tuple[float, float]:
    if isinstance(place, ObjectRef | Candidate):
        box = facts.box(facts.candidate_id(place, candidate))
        return box.bottom_m, box.top_m
    height = float(facts.point(place)[2])
    return height, height


def _longer_side(place: Place, facts: SceneFacts, candidate: int | None) -> float:
    """The longer level side of an object's box; 0 of a place without extent."""
    if not isinstance(place, ObjectRef | Candidate):
        return 0.0
    return float(max(facts.box(facts.candidate_id(place, candidate)).size_m[:2]))


def _relation_set(query: RelationSet, facts: SceneFacts) -> Evaluated:
    scores = _relation_scores(query.of, query.against, query, facts)
    names = ["left", "right", "above", "below", "front", "behind"]
    if not query.vertical:
        names = ["left", "right", "front", "behind"]
    return Evaluated("+".join(name for name in names if scores[name] > 0), min(abs(scores[name]) for name in names))


def _turn_words(first: int, second: int, facts: SceneFacts) -> Evaluated:
    angles = {about: measure(Turn(first, second, about), facts) for about in ("yaw", "pitch", "roll")}
    (large, main), (small, other), (third, _) = sorted(
        ((abs(angle), about) for about, angle in angles.items()), reverse=True
    )
    words = {about: _TURNS[about][angles[about] > 0] for about in angles}
    if large < LEAST_SECOND_TURN_DEG:
        raise BenchDataError(f"the camera turned by {large:.1f} degrees about its main axis; too little to name")
    if small < LEAST_SECOND_TURN_DEG or small <= SINGLE_RATIO * large:
        return Evaluated(words[main], large - small)
    if small >= DUAL_RATIO * large:
        # Named in the fixed order yaw, pitch, roll.
        return Evaluated("+".join(words[about] for about in angles if about in (main, other)), small - third)
    raise BenchDataError(f"the turn is neither single nor dual: {large:.1f} and {small:.1f} degrees")


def _between(start: Place, end: Place, facts: SceneFacts) -> Vector:
    return facts.point(end) - facts.point(start)
