"""From an `Ask` to the `Query` that it stands for: what the audit evaluates, independently of how the key was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ....scene_graphs.relations import Relation
from ...query import (
    CameraFrame,
    CameraRef,
    Candidate,
    Choose,
    Count,
    Distance,
    Exceeds,
    FacingFrame,
    LevelFrame,
    ObjectRef,
    Placed,
    Quantity,
    Query,
    Ranking,
    Related,
    RelationSet,
    ScaledZone,
    Sector,
    Size,
    Value,
)
from .kinds import RELATION_KINDS, Ask

__all__ = ["PUBLISHED_SIDES", "Rule", "query_of"]

_EYE = CameraRef(0)
_CANDIDATE = Candidate()

AXES: dict[Relation, tuple[Literal["right", "up", "forward"], int]] = {
    "left": ("right", -1),
    "right": ("right", 1),
    "above": ("up", 1),
    "below": ("up", -1),
    "front": ("forward", -1),
    "behind": ("forward", 1),
}
"""Where each relation lies; "front" is towards the camera."""

GroundSide = Literal["longer_ground", "shorter_ground", "length", "width"]
PUBLISHED_SIDES: dict[bool, tuple[GroundSide, GroundSide]] = {
    True: ("longer_ground", "shorter_ground"),
    False: ("length", "width"),
}
"""Indoors or not -> what length and width mean in the published rule."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How relations and lengths are to be read.

    Args:
        frame: whose left and front.
        zone: the dead zone of relations.
        exclusive: above and below exclude each other.
        vertical: a set of relations may hold above and below.
        plane: in which imagined objects' distances are measured.
        length, width: the sides of a box that go by these names.
    """

    frame: LevelFrame | CameraFrame
    zone: float | ScaledZone
    exclusive: bool = True
    vertical: bool = True
    plane: Literal["ground", "camera_plane"] = "ground"
    length: GroundSide = "longer_ground"
    width: GroundSide = "shorter_ground"


def query_of(ask: Ask, rule: Rule, candidates: tuple[int, ...] = ()) -> Query:
    """The query of an ask; ``candidates`` are the objects that a count goes through."""
    return _BUILDERS[ask.kind](ask, rule, candidates)


def _related(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    of, against = ask.objects
    relation = RELATION_KINDS[ask.kind]
    return Related(_object(of), _object(against), (relation,), rule.frame, rule.zone, rule.exclusive)


def _relation_set(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    of, against = ask.objects
    return RelationSet(_object(of), _object(against), rule.frame, rule.zone, rule.vertical, rule.exclusive)


_SIDES: dict[str, Literal["volume", "height"]] = {
    "bigger_volume": "volume",
    "rank_volume": "volume",
    "taller": "height",
    "rank_height": "height",
    "height": "height",
}


def _quantity(ask: Ask, rule: Rule, one: int) -> Quantity:
    """What an ask wants to know of one of its objects."""
    kind = ask.kind
    side = _SIDES.get(kind)
    if side is not None:
        return _size(one, side)
    if kind in ("wider", "width"):
        return _size(one, rule.width)
    if kind == "length":
        return _size(one, rule.length)
    if kind in ("nearer_anchor", "farther_anchor"):
        return Distance(_object(one), _object(ask.objects[0]))
    return _from_camera(one)


# Queries are immutable, and the same few hundred are asked of every picture of a scene.
@lru_cache(maxsize=1024)
def _object(one: int) -> ObjectRef:
    return ObjectRef(one)


@lru_cache(maxsize=4096)
def _size(one: int, side: Literal["volume", "height"] | GroundSide) -> Size:
    return Size(_object(one), side)


@lru_cache(maxsize=1024)
def _from_camera(one: int) -> Distance:
    return Distance(_EYE, _object(one))


def _choose(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    among = {str(one): _quantity(ask, rule, one) for one in ask.objects[-2:]}
    return Choose(among, "smallest" if ask.kind.startswith("nearer") else "largest")


def _rank(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    among = {str(one): _quantity(ask, rule, one) for one in ask.objects}
    return Ranking(among, "ascending" if ask.kind == "rank_camera_distance" else "descending")


def _value(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    return Value(_quantity(ask, rule, ask.objects[0]))


def _pair_distance(ask: Ask, _: Rule, __: tuple[int, ...]) -> Query:
    return Value(Distance(_object(ask.objects[0]), _object(ask.objects[1])))


def _count_direction(ask: Ask, rule: Rule, candidates: tuple[int, ...]) -> Query:
    relation = ask.relation or "left"
    test = Related(_CANDIDATE, _object(ask.objects[0]), (relation,), rule.frame, rule.zone, rule.exclusive)
    return Value(Count(candidates, (test,)))


def _count_near(ask: Ask, _: Rule, candidates: tuple[int, ...]) -> Query:
    distance = Distance(_CANDIDATE, _object(ask.objects[0]))
    test = Exceeds(ask.metres, distance) if ask.kind == "count_within" else Exceeds(distance, ask.metres)
    return Value(Count(candidates, (test,)))


def _placed(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    anchor, to = ask.objects
    axis, sign = AXES[ask.relation or "left"]
    return Value(Distance(Placed(_object(anchor), rule.frame, axis, sign * ask.metres), _object(to), rule.plane))


def _sector(ask: Ask, rule: Rule, _: tuple[int, ...]) -> Query:
    stand, face, target = map(_object, ask.objects)
    frame = FacingFrame(stand, face, camera_plane=rule.plane == "camera_plane")
    return Sector(stand, target, frame, "relative")


_Builder = Callable[[Ask, Rule, tuple[int, ...]], Query]

_BUILDERS: dict[str, _Builder] = {
    **dict.fromkeys(RELATION_KINDS, _related),
    "pick_direction": _relation_set,
    **dict.fromkeys(
        (
            "bigger_volume",
            "taller",
            "wider",
            "nearer_camera",
            "farther_camera",
            "nearer_anchor",
            "farther_anchor",
        ),
        _choose,
    ),
    **dict.fromkeys(("rank_volume", "rank_height", "rank_camera_distance"), _rank),
    **dict.fromkeys(("length", "width", "height", "camera_distance"), _value),
    "pair_distance": _pair_distance,
    "count_direction": _count_direction,
    "count_within": _count_near,
    "count_beyond": _count_near,
    "placed_distance": _placed,
    "perspective": _sector,
}
