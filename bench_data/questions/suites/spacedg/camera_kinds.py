"""How the camera moved and turned between two pictures."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import cache

from ...draws import Uniform
from ...options import below
from ...query import CameraFrame, DirectionWords, Distance, Exceeds, TurnWords, Value
from ...question import Fact, Question
from ...units import Unit
from .directions import direction_words, turn_words
from .kinds import KINDS, MOVES, TURNS
from .maker import Candidate, Maker
from .pairs import view_distance_m, view_pairs
from .tables import FIRST, SECOND, Triple, ViewRow, subtract

__all__ = [
    "MAIN_DIRECTION",
    "MOVED",
    "ROTATION",
    "distance_facts",
    "distances",
    "moves",
    "rotation_tags",
    "rotations",
    "turn_facts",
    "way_facts",
]

MOVED = Distance(FIRST, SECOND)
MAIN_DIRECTION = DirectionWords(FIRST, SECOND, CameraFrame(0))
ROTATION = TurnWords(0, 1)

_DECIMALS = 2
_TRIES = 4


def distance_facts(distance_m: float) -> tuple[Fact, ...]:
    """What a question about the way between two cameras rests on."""
    return (Fact("distance between the two cameras", distance_m, Unit.METRE),)


def way_facts(parts: Triple) -> tuple[Fact, ...]:
    """What a direction rests on: parts along the axes of its frame."""
    return (
        Fact("to the right", parts[0], Unit.METRE),
        Fact("upwards", parts[1], Unit.METRE),
        Fact("forward", parts[2], Unit.METRE),
    )


def turn_facts(turns_deg: Triple) -> tuple[Fact, ...]:
    """What a rotation rests on."""
    yaw, pitch, roll = turns_deg
    return (
        Fact("yaw to the right", yaw, Unit.DEGREE),
        Fact("pitch upwards", pitch, Unit.DEGREE),
        Fact("roll clockwise", roll, Unit.DEGREE),
    )


def rotation_tags(sub_type: str, turns_deg: Triple) -> Mapping[str, str]:
    """With the two largest axes and the published buckets: from 30 degrees easy, from 10 medium, below hard."""
    sizes = [abs(angle) for angle in turns_deg]
    first, second, _ = sorted(range(3), key=lambda axis: -sizes[axis])
    largest = sizes[first]
    return _rotation_tags(sub_type, first, second, "easy" if largest >= 30 else "medium" if largest >= 10 else "hard")


@cache
def _rotation_tags(sub_type: str, first: int, second: int, difficulty: str) -> Mapping[str, str]:
    axes = ("yaw", "pitch", "roll")
    named = f"{axes[first]}+{axes[second]}_{sub_type}"
    return {**KINDS[sub_type].tags, "sub_question_type": named, "difficulty": difficulty}


def distances(maker: Maker) -> Iterator[Question]:
    """How far the camera moved."""
    kind = KINDS["distance_exact"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_translation_m):
        distance_m = view_distance_m(a, b)
        found.append(Candidate((a, b), Value(MOVED), distance_m, None, distance_facts(distance_m)))
    yield from maker.numbers(kind, rng, found)


def moves(maker: Maker) -> Iterator[Question]:
    """Main directions of movement, apart by the number of their words."""
    kind = KINDS["main_dir"]
    rng = maker.rng(kind.name)
    by_words: dict[int, list[Candidate]] = {1: [], 2: [], 3: []}
    for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_translation_m):
        parts = a.along_axes(subtract(b.centre_m, a.centre_m))
        named = direction_words(parts)
        if named is None or named[1] < maker.settings.axis_guard:
            maker.refuse(kind, "between two main directions")
            continue
        words, margin = named
        by_words[words.count("+") + 1].append(Candidate((a, b), MAIN_DIRECTION, words, margin, way_facts(parts)))
    yield from maker.choices(kind, rng, by_words.values(), MOVES)


def thresholds(maker: Maker) -> Iterator[Question]:
    """Two pairs of pictures share a threshold that lies between their distances: one yes, one no.

    So neither the number nor its digits say anything about the answer, and no threshold is more frequent than others.
    """
    kind = KINDS["distance_threshold"]
    rng = maker.rng(kind.name)
    pairs = view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_translation_m)
    ways = sorted(((view_distance_m(a, b), place) for place, (a, b) in enumerate(pairs)))
    groups: list[tuple[Candidate, ...]] = []
    for low, high, threshold_m in _matched(rng, [distance for distance, _ in ways], maker.settings.threshold_factors):
        shared = [(pairs[pair], distance_m) for distance_m, pair in (ways[low], ways[high])]
        groups.append(tuple([_threshold(views, distance_m, threshold_m) for views, distance_m in shared]))
    maker.refuse(kind, "no other answer to balance it", len(pairs) - 2 * len(groups))
    for group in maker.few_enough(kind, rng, groups):
        for one in group:
            yield maker.question(kind, rng, one)


def _threshold(views: tuple[ViewRow, ViewRow], distance_m: float, threshold_m: float) -> Candidate:
    return Candidate(
        views,
        Exceeds(MOVED, threshold_m),
        distance_m > threshold_m,
        abs(distance_m - threshold_m),
        distance_facts(distance_m),
        x=f"{threshold_m:.{_DECIMALS}f}",
    )


def _matched(
    rng: Uniform, distances_m: list[float], factors: tuple[float, float, float, float]
) -> Iterator[tuple[int, int, float]]:
    """(place of the shorter, place of the longer, a threshold between them), each place at most once."""
    least, below_one, above_one, most = factors
    free = [True] * len(distances_m)
    for low, short in enumerate(distances_m):
        first = bisect_left(distances_m, short * above_one / below_one)
        last = bisect_right(distances_m, short * most / least)
        if not free[low] or first >= last:
            continue
        for _ in range(_TRIES):
            high = first + below(rng, last - first)
            if not free[high]:
                continue
            long = distances_m[high]
            start, end = max(short * above_one, long * least), min(long * below_one, short * most)
            threshold = round(start + (end - start) * rng.random(), _DECIMALS)
            if start <= threshold <= end:
                free[low] = free[high] = False
                yield low, high, threshold
                break


def rotations(maker: Maker) -> Iterator[Question]:
    """The one or two main rotations."""
    rng = maker.rng("camera_rotation")
    found: dict[str, list[Candidate]] = {"single_dominant": [], "dual_dominant": []}
    single, settings = KINDS["single_dominant"], maker.settings
    turns = maker.tables.turns_deg
    for a, b in view_pairs(maker, rng, single, least_turn_deg=settings.least_rotation_deg):
        turns_deg = turns[a.index][b.index]
        named = turn_words(turns_deg)
        sub_type = "dual_dominant" if named and "+" in named[0] else "single_dominant"
        if named is None or (sub_type == "dual_dominant" and named[1] < settings.rotation_guard_deg):
            maker.refuse(KINDS[sub_type], "neither one nor two main rotations")
            continue
        words, margin = named
        found[sub_type].append(
            Candidate((a, b), ROTATION, words, margin, turn_facts(turns_deg), tags=rotation_tags(sub_type, turns_deg))
        )
    for sub_type, candidates in found.items():
        yield from maker.choices(KINDS[sub_type], rng, [candidates], TURNS)
