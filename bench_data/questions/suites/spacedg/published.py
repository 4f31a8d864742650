"""The kinds whose published rules differ from ours, by those rules and with their faults.

From the specification of the published generator. Where it is silent (options of a single vertical direction, of a
movement forward) the set is closed under opposites, as its known sets are. Kinds without a published rule
(single-view distances, extents, counts, existence) have none here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...draws import Uniform
from ...options import arranged, below, drawn
from ...query import (
    CameraFrame,
    Choose,
    CompassFrame,
    DirectionWords,
    Exceeds,
    FacingFrame,
    HeightOf,
    Sector,
    Size,
)
from ...question import Fact, Option, Question
from ...units import Unit
from .camera_kinds import MAIN_DIRECTION, MOVED, ROTATION, distance_facts, rotation_tags, turn_facts, way_facts
from .comparisons import facts_of
from .directions import azimuth_deg, direction_words, sector, turn_words
from .kinds import BEARINGS, COMPASS_OPTIONS, KINDS, MOVES, PLACES, RELATIVE_OPTIONS, TURNS, Kind
from .maker import Candidate, Maker
from .object_directions import object_triplets
from .pairs import object_pairs, view_distance_m, view_pairs
from .tables import FIRST, SECOND, ObjectRow, Triple, ViewRow, subtract

__all__ = [
    "STATIONARY",
    "camera_directions",
    "comparisons",
    "cross_view_compass",
    "direction_set",
    "forbidden_sector",
    "move_set",
    "moves",
    "object_compass",
    "relative_positions",
    "rotation_set",
    "rotations",
    "threshold_m",
    "thresholds",
]

_NEAR_BORDER_DEG = 3.0
_SAME_WITHIN_M = 1e-3
_LEAST_THRESHOLD_M = 0.05
_LEAST_TURN_DEG = 0.35
_OPPOSITES = {
    "left": "right",
    "right": "left",
    "up": "down",
    "down": "up",
    "forward": "backward",
    "backward": "forward",
}
STATIONARY = "stationary"
_MOVE = replace(MAIN_DIRECTION, still=STATIONARY)
_MOVES = {**MOVES, STATIONARY: Option(STATIONARY, STATIONARY)}
_ACROSS = ("left", "right", "up", "down")
_COMPASS_WORDS = (
    *("forward", "right+forward", "right", "right+backward"),
    *("backward", "left+backward", "left", "left+forward"),
)
"""Keys of the compass directions, clockwise from north, as `DirectionWords` gives them."""
_COMPASS = {key: Option(key, option.text) for key, option in zip(_COMPASS_WORDS, COMPASS_OPTIONS, strict=True)}


def direction_set(truth: str, *, single: Sequence[str]) -> list[str]:
    """The four options of a direction.

    One word: the given set, or both ways of the truth's axis and left and right. Two words: all signs. Three words: the
    truth and its parts of two words, which are all partly right and shorter.
    """
    words = truth.split("+")
    if len(words) == 1:
        return list(single) if truth in single else ["left", "right", truth, _OPPOSITES[truth]]
    if len(words) == 2:
        first, second = words
        return [f"{a}+{b}" for a in (first, _OPPOSITES[first]) for b in (second, _OPPOSITES[second])]
    return [truth, *("+".join(word for word in words if word != left_out) for left_out in words)]


def move_set(rng: Uniform, truth: str) -> list[str]:
    """The four options of a movement; beside no movement at all stand three of the ways across."""
    if truth == STATIONARY:
        return [truth, *drawn(rng, _ACROSS, 3)]
    return direction_set(truth, single=_ACROSS)


def rotation_set(turns_deg: Triple) -> list[str]:
    """The four options of a rotation: both signs of the two largest axes, alone or together."""
    sizes = [abs(angle) for angle in turns_deg]
    first, second = sorted(sorted(range(3), key=lambda axis: -sizes[axis])[:2])
    keys = (("yaw_left", "yaw_right"), ("pitch_down", "pitch_up"), ("roll_anticlockwise", "roll_clockwise"))
    named = turn_words(turns_deg)
    if named is not None and "+" in named[0]:
        return [f"{a}+{b}" for a in keys[first] for b in keys[second]]
    return [*keys[first], *keys[second]]


def threshold_m(distance_m: float, factor: float) -> float:
    """The threshold for a drawn factor; those near 1 pile up at 0.85 and 1.15."""
    if 0.85 < factor < 1.15:
        factor = 0.85 if factor < 1 else 1.15
    return round(max(_LEAST_THRESHOLD_M, distance_m * factor), 2)


def forbidden_sector(bearing_deg: float) -> int | None:
    """The neighbouring eighth that is no option, as the bearing is within 3 degrees of it."""
    index, margin = sector(bearing_deg)
    if margin >= _NEAR_BORDER_DEG:
        return None
    beyond = (bearing_deg - 45 * index + 180) % 360 - 180 > 0
    return (index + (1 if beyond else -1)) % 8


def moves(maker: Maker) -> Iterator[Question]:
    """Main directions. The limit on the rotation was meant for the translation."""
    kind = KINDS["main_dir"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b in view_pairs(maker, rng, kind, least_turn_deg=_LEAST_TURN_DEG):
        parts = a.along_axes(subtract(b.centre_m, a.centre_m))
        words, margin = direction_words(parts) or (STATIONARY, 0.0)
        found.append(Candidate((a, b), _MOVE, words, margin, way_facts(parts)))
    for one in maker.limited(kind, found):
        yield maker.question(kind, rng, one, arranged(rng, [_MOVES[key] for key in move_set(rng, str(one.truth))]))


def thresholds(maker: Maker) -> Iterator[Question]:
    """Thresholds at a factor of the distance."""
    kind = KINDS["distance_threshold"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_translation_m):
        distance_m = view_distance_m(a, b)
        bound_m = threshold_m(distance_m, 0.6 + 0.8 * rng.random())
        margin = abs(distance_m - bound_m)
        query = Exceeds(MOVED, bound_m)
        facts = distance_facts(distance_m)
        found.append(Candidate((a, b), query, distance_m > bound_m, margin, facts, x=f"{bound_m:.2f}"))
    yield from maker.numbers(kind, rng, found)


def rotations(maker: Maker) -> Iterator[Question]:
    """Rotations."""
    rng = maker.rng("camera_rotation")
    turns = maker.tables.turns_deg
    found: dict[str, list[Candidate]] = {"single_dominant": [], "dual_dominant": []}
    least = maker.settings.least_rotation_deg
    for a, b in view_pairs(maker, rng, KINDS["single_dominant"], least_turn_deg=least):
        turns_deg = turns[a.index][b.index]
        named = turn_words(turns_deg)
        if named is None:
            maker.refuse(KINDS["single_dominant"], "neither one nor two main rotations")
            continue
        sub_type = "dual_dominant" if "+" in named[0] else "single_dominant"
        facts, tags = turn_facts(turns_deg), rotation_tags(sub_type, turns_deg)
        found[sub_type].append(Candidate((a, b), ROTATION, named[0], named[1], facts, tags=tags))
    for sub_type, candidates in found.items():
        kind = KINDS[sub_type]
        for one in maker.limited(kind, candidates):
            keys = rotation_set(turns[one.views[0].index][one.views[1].index])
            yield maker.question(kind, rng, one, arranged(rng, [TURNS[key] for key in keys]))


def camera_directions(maker: Maker) -> Iterator[Question]:
    """Directions by the tilted camera, of objects that both pictures show."""
    kind = KINDS["bbox_center_direction"]
    rng = maker.rng(kind.name)
    settings = maker.settings
    shared = settings.direction_co_visibility if maker.tables.co_visibility is not None else None
    found: list[Candidate] = []
    for a, b in view_pairs(maker, rng, kind, co_visibility=shared):
        both = [row for row in b.named if row.id in a.well]
        if not both:
            maker.refuse(kind, "no object with a name seen well in both")
        for row in drawn(rng, both, settings.objects_per_view_pair):
            parts = b.along_axes(subtract(row.centre_m, b.centre_m))
            named = direction_words(parts, most=2)
            if named is not None:
                query = DirectionWords(SECOND, row.ref, CameraFrame(1), most=2)
                found.append(Candidate((a, b), query, named[0], named[1], way_facts(parts), (row,)))
    for one in maker.limited(kind, found):
        keys = direction_set(str(one.truth), single=("left", "right", "forward", "backward"))
        yield maker.question(kind, rng, one, arranged(rng, [PLACES[key] for key in keys]))


def relative_positions(maker: Maker) -> Iterator[Question]:
    """At one object, facing another with a tilted gaze; the neighbour beyond a near border is no option."""
    kind = KINDS["relpos_A_facing_B"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b, one, two, three in object_triplets(maker, rng, kind):
        parts = _tilted(subtract(two.centre_m, one.centre_m), subtract(three.centre_m, one.centre_m))
        if parts is None or math.hypot(parts[0], parts[2]) < 1e-6:
            maker.refuse(kind, "too near on the ground")
            continue
        right, up, forward = parts
        if abs(up) >= maker.settings.steepest * math.hypot(right, forward):
            maker.refuse(kind, "too steep")
            continue
        bearing = azimuth_deg(right, forward) % 360
        index, margin = sector(bearing)
        query = Sector(one.ref, three.ref, FacingFrame(one.ref, two.ref, tilted=True), "relative")
        facts = (Fact("bearing, clockwise from the line of sight", bearing, Unit.DEGREE),)
        found.append(Candidate((a, b), query, RELATIVE_OPTIONS[index].key, margin, facts, (one, two, three)))
    for candidate in maker.limited(kind, found):
        bearing = candidate.facts[0].value
        index, forbidden = sector(bearing)[0], forbidden_sector(bearing)
        others = [option for place, option in enumerate(RELATIVE_OPTIONS) if place not in (index, forbidden)]
        yield maker.question(kind, rng, candidate, arranged(rng, [RELATIVE_OPTIONS[index], *drawn(rng, others, 3)]))


def _tilted(gaze: Triple, way: Triple) -> Triple | None:
    """(right, up, forward) parts of ``way`` for someone whose forward points along ``gaze``, also up or down."""
    ground, length = math.hypot(gaze[0], gaze[1]), math.hypot(*gaze)
    if ground < 1e-6:
        return None
    fx, fy, fz = gaze[0] / length, gaze[1] / length, gaze[2] / length
    rx, ry = gaze[1] / ground, -gaze[0] / ground
    # up = right x forward
    ux, uy, uz = ry * fz, -rx * fz, rx * fy - ry * fx
    x, y, z = way
    return rx * x + ry * y, ux * x + uy * y + uz * z, fx * x + fy * y + fz * z


def cross_view_compass(maker: Maker) -> Iterator[Question]:
    """A compass in the plane of the tilted first camera, with wide cardinal and narrow diagonal directions."""
    kind = KINDS["cross_image_assumed_dir"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_baseline_m):
        for one, two in object_pairs(maker, rng, kind, a, b):
            reference = a.along_axes(subtract(one.centre_m, a.centre_m))
            target = a.along_axes(subtract(two.centre_m, b.centre_m))
            word, declared_deg = BEARINGS[below(rng, 4)]
            frame = CompassFrame(FIRST, one.ref, declared_deg, camera_plane=True)
            query = DirectionWords(SECOND, two.ref, frame, most=2, axes=("right", "forward"))
            found.extend(_by_compass(maker, kind, (a, b), (one, two), reference, target, query, word, declared_deg))
    yield from _compass_questions(maker, kind, rng, found)


def object_compass(maker: Maker) -> Iterator[Question]:
    """A level compass around the second object, with wide cardinal and narrow diagonal directions."""
    kind = KINDS["proxy_object_direction"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b, one, two, three in object_triplets(maker, rng, kind):
        x, y, _ = subtract(one.centre_m, two.centre_m)
        x2, y2, _ = subtract(three.centre_m, two.centre_m)
        word, declared_deg = BEARINGS[below(rng, 4)]
        query = DirectionWords(
            two.ref, three.ref, CompassFrame(two.ref, one.ref, declared_deg), most=2, axes=("right", "forward")
        )
        found.extend(
            _by_compass(maker, kind, (a, b), (one, two, three), (x, 0.0, y), (x2, 0.0, y2), query, word, declared_deg)
        )
    yield from _compass_questions(maker, kind, rng, found)


def _by_compass(
    maker: Maker,
    kind: Kind,
    views: tuple[ViewRow, ViewRow],
    objects: tuple[ObjectRow, ...],
    reference: Triple,
    target: Triple,
    query: DirectionWords,
    word: str,
    declared_deg: float,
) -> Iterator[Candidate]:
    """The candidate, unless a direction has no length; vectors are (right, up, forward) of any level frame."""
    length = math.hypot(target[0], target[2])
    if math.hypot(reference[0], reference[2]) < 1e-6 or length < 1e-6:
        maker.refuse(kind, "too near on the ground")
        return
    bearing = azimuth_deg(target[0], target[2]) - azimuth_deg(reference[0], reference[2]) + declared_deg
    east, north = length * math.sin(math.radians(bearing)), length * math.cos(math.radians(bearing))
    named = _plane_words(east, north)
    facts = (Fact("to the east", east, Unit.METRE), Fact("to the north", north, Unit.METRE))
    yield Candidate(views, query, named[0], named[1], facts, objects, word)


def _plane_words(east: float, north: float) -> tuple[str, float]:
    """The words of a direction in a plane, and the margin over its two axes alone."""
    largest = max(abs(east), abs(north))
    share = min(abs(east), abs(north)) / largest
    named = direction_words((east, 0.0, north))
    return (named[0] if named else ""), min(abs(share - 0.5774), 1 - 0.5774)


def _compass_questions(maker: Maker, kind: Kind, rng: Uniform, found: list[Candidate]) -> Iterator[Question]:
    for one in maker.limited(kind, found):
        others = [option for key, option in _COMPASS.items() if key != one.truth]
        yield maker.question(kind, rng, one, arranged(rng, [_COMPASS[str(one.truth)], *drawn(rng, others, 3)]))


def comparisons(maker: Maker) -> Iterator[Question]:
    """Longest side (in truth the third distance between corners) or top, by a coin; always with four options."""
    rng = maker.rng("object_size_comparison")
    longest = KINDS["longest_side_compare"]
    asked = {"longest_side_compare": 0, "top_height_compare": 0}
    most = maker.settings.most_per_kind
    for a, b in view_pairs(maker, rng, longest, least_distance_m=maker.settings.least_baseline_m):
        for one, other in object_pairs(maker, rng, longest, a, b):
            sub_type = "longest_side_compare" if rng.random() < 0.5 else "top_height_compare"
            kind = KINDS[sub_type]
            if most is not None and asked[sub_type] >= most:
                maker.refuse(kind, "more than asked for")
                continue
            asked[sub_type] += 1
            yield _comparison(maker, kind, rng, (a, b), one, other)


def _comparison(
    maker: Maker,
    kind: Kind,
    rng: Uniform,
    views: tuple[ViewRow, ViewRow],
    one: ObjectRow,
    other: ObjectRow,
) -> Question:
    if kind is KINDS["top_height_compare"]:
        value, other_value, x = one.top_m, other.top_m, "higher"
        query = Choose(
            {"first": HeightOf(one.ref, "top"), "second": HeightOf(other.ref, "top")}, "largest", _SAME_WITHIN_M
        )
    else:
        value, other_value, x = one.third_corner_m, other.third_corner_m, "longer"
        query = Choose(
            {key: Size(row.ref, "third_corner_distance") for key, row in (("first", one), ("second", other))},
            "largest",
            _SAME_WITHIN_M,
        )
    gap = abs(value - other_value)
    truth = "same" if gap <= _SAME_WITHIN_M else "first" if value > other_value else "second"
    facts = facts_of(kind, one, value, other, other_value)
    candidate = Candidate(views, query, truth, abs(gap - _SAME_WITHIN_M), facts, (one, other), x)
    options = [
        Option("first", one.name),
        Option("second", other.name),
        Option("same", "the same"),
        Option("unknown", "cannot be told"),
    ]
    return maker.question(kind, rng, candidate, arranged(rng, options))
