"""The language in which questions are put before they are put into words.

A question is a :data:`Query` over a scene: a value, a comparison, a choice, a direction, a count. Queries are made of
quantities ("the distance from the lamp to the second camera"), quantities of places, and directions are read in a
stated frame. From this one structure follow the wording, the truth, the audit of the truth, and what a symbolic engine
can derive from a scene graph: nothing ever has to be read out of English.

All parts are frozen dataclasses with a literal ``type``, so that JSON round-trips through pydantic without loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

__all__ = [
    "Axis",
    "CameraFrame",
    "CameraRef",
    "Candidate",
    "Choose",
    "CompassFrame",
    "Count",
    "DirectionWords",
    "Distance",
    "Exceeds",
    "Exists",
    "FacingFrame",
    "Frame",
    "HeightOf",
    "LabelCount",
    "LevelFrame",
    "Locate",
    "Matches",
    "ObjectRef",
    "Offset",
    "OwnFrame",
    "Place",
    "Placed",
    "Quantity",
    "Query",
    "Ranking",
    "Related",
    "RelationSet",
    "ScaledZone",
    "Sector",
    "Size",
    "Spread",
    "Turn",
    "TurnWords",
    "Value",
    "Values",
]

Axis = Literal["right", "up", "forward"]
"""Axes of every frame; right x up = backward, as for a person who looks forward."""

Relation = Literal["left", "right", "above", "below", "front", "behind"]


# Places ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """The centre of an object's box."""

    id: int
    type: Literal["object"] = "object"


@dataclass(frozen=True, slots=True)
class CameraRef:
    """The optical centre of the camera that took the question's picture number ``view``, from 0."""

    view: int = 0
    type: Literal["camera"] = "camera"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Each of the objects that a count goes through, in turn."""

    type: Literal["candidate"] = "candidate"


@dataclass(frozen=True, slots=True)
class Placed:
    """An imagined object, ``distance_m`` from ``anchor`` along an axis of a frame (negative: the other way)."""

    anchor: ObjectRef | CameraRef
    frame: CameraFrame | LevelFrame
    axis: Axis
    distance_m: float
    type: Literal["placed"] = "placed"


Place = Annotated[ObjectRef | CameraRef | Candidate | Placed, Field(discriminator="type")]


# Frames ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CameraFrame:
    """The camera's own axes, tilted as it is: right, up in the picture, along the optical axis."""

    view: int = 0
    type: Literal["camera_frame"] = "camera_frame"


@dataclass(frozen=True, slots=True)
class LevelFrame:
    """A person at the camera: up is up, forward is level along the optical axis."""

    view: int = 0
    type: Literal["level_frame"] = "level_frame"


@dataclass(frozen=True, slots=True)
class FacingFrame:
    """Someone at ``at`` who looks towards ``towards``; level, unless ``tilted``: forward then points straight at it.

    ``camera_plane``: "level" is the plane of the first picture's x and z axes, as in a published rule.
    """

    at: Place
    towards: Place
    tilted: bool = False
    camera_plane: bool = False
    type: Literal["facing_frame"] = "facing_frame"


@dataclass(frozen=True, slots=True)
class CompassFrame:
    """A compass by declaration: seen from ``at``, ``reference`` lies at ``bearing_deg`` (0 north, 90 east).

    Forward is north, right is east. Level, unless ``camera_plane`` (then "level" is the plane of the camera ``at``'s
    x and z axes, as in the published rule).
    """

    at: Place
    reference: Place
    bearing_deg: float
    camera_plane: bool = False
    type: Literal["compass_frame"] = "compass_frame"


@dataclass(frozen=True, slots=True)
class OwnFrame:
    """An object's own axes: forward out of its front, level."""

    object: int
    type: Literal["own_frame"] = "own_frame"


Frame = Annotated[CameraFrame | LevelFrame | FacingFrame | CompassFrame | OwnFrame, Field(discriminator="type")]


# Quantities -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Distance:
    """Metres between two places: straight, on the ground (level), or in height.

    camera_plane: in the plane of the first picture's x and z axes, as in a published rule.
    """

    a: Place
    b: Place
    along: Literal["straight", "ground", "height", "camera_plane"] = "straight"
    type: Literal["distance"] = "distance"


@dataclass(frozen=True, slots=True)
class Offset:
    """Metres from ``start`` to ``end`` along an axis of a frame, signed; its absolute value if ``absolute``."""

    start: Place
    end: Place
    frame: Frame
    axis: Axis
    absolute: bool = False
    type: Literal["offset"] = "offset"


@dataclass(frozen=True, slots=True)
class Size:
    """Metres along a side of an object's own box, or its volume in cubic metres.

    length, width, height: along its front, across it, upwards. longest, middle, shortest: sorted.
    longer_ground, shorter_ground: of the two level sides.
    third_corner_distance: the third smallest of the different distances between corners, to 1e-6 m, which a published
    generator takes for the longest side: that of a box with sides 1, 2, 3 is the diagonal of its smallest face.
    """

    object: ObjectRef | Candidate
    side: Literal[
        "length",
        "width",
        "height",
        "longest",
        "middle",
        "shortest",
        "longer_ground",
        "shorter_ground",
        "volume",
        "third_corner_distance",
    ]
    type: Literal["size"] = "size"


@dataclass(frozen=True, slots=True)
class Spread:
    """Metres that an object's corners spread over along an axis of a frame; unlike `Size` it depends on the view."""

    object: ObjectRef | Candidate
    frame: CameraFrame | LevelFrame
    axis: Axis | Literal["volume"]
    type: Literal["spread"] = "spread"


@dataclass(frozen=True, slots=True)
class HeightOf:
    """Metres of an object's top, bottom or centre above the world's zero."""

    object: ObjectRef | Candidate
    end: Literal["top", "bottom", "centre"]
    type: Literal["height_of"] = "height_of"


@dataclass(frozen=True, slots=True)
class Turn:
    """Degrees that the camera turned from one view to another: yaw (+ right), pitch (+ up), roll (+ clockwise), or all.

    Yaw, pitch and roll are the intrinsic Y-X-Z angles of the relative rotation; "total" is its angle.
    """

    first: int
    second: int
    about: Literal["yaw", "pitch", "roll", "total"]
    type: Literal["turn"] = "turn"


@dataclass(frozen=True, slots=True)
class LabelCount:
    """How many objects of a category are visible in any of the views."""

    label: str
    views: tuple[int, ...]
    type: Literal["label_count"] = "label_count"


@dataclass(frozen=True, slots=True)
class Count:
    """How many of the candidates meet all conditions, which speak of them as `Candidate`."""

    candidates: tuple[int, ...]
    where: tuple[Annotated[Exceeds | Related, Field(discriminator="type")], ...]
    type: Literal["count"] = "count"


@dataclass(frozen=True, slots=True)
class Matches:
    """1 where that word describes an object ("colour", "red"), 0 where it does not."""

    object: ObjectRef | Candidate
    attribute: str
    word: str
    type: Literal["matches"] = "matches"


Quantity = Annotated[
    Distance | Offset | Size | Spread | HeightOf | Turn | LabelCount | Count | Matches, Field(discriminator="type")
]


# Queries --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value:
    """A number."""

    quantity: Quantity
    type: Literal["value"] = "value"


@dataclass(frozen=True, slots=True)
class Values:
    """Several numbers, in this order."""

    quantities: tuple[Quantity, ...]
    type: Literal["values"] = "values"


@dataclass(frozen=True, slots=True)
class Exceeds:
    """Yes when the first is greater than the second; either may be a plain number."""

    left: Quantity | float
    right: Quantity | float
    type: Literal["exceeds"] = "exceeds"


@dataclass(frozen=True, slots=True)
class ScaledZone:
    """A dead zone that grows with the two objects.

    Level: ``side_share`` of the mean of their longer level sides, at least ``least_m``. Upwards: ``height_share`` of
    the smaller one's height, bottom to top; at most 0.5, so that above and below exclude each other.
    """

    side_share: float = 0.25
    least_m: float = 0.1
    height_share: float = 0.5
    type: Literal["scaled_zone"] = "scaled_zone"


@dataclass(frozen=True, slots=True)
class Related:
    """Yes when all these relations hold of ``of`` seen against ``against``; see `RelationSet`."""

    of: Place
    against: Place
    relations: tuple[Relation, ...]
    frame: Frame
    dead_zone_m: float | ScaledZone
    exclusive: bool = True
    type: Literal["related"] = "related"


@dataclass(frozen=True, slots=True)
class Choose:
    """The key of the largest or smallest quantity; "same" when the two best differ by at most ``same_within``.

    equal: the key that stands for two exactly equal ones, as in published rules; without it they have no answer.
    rank: 2 for the second largest or smallest, and so on; above 1 nothing can be "same".
    """

    among: dict[str, Quantity]
    pick: Literal["largest", "smallest"]
    same_within: float | None = None
    equal: str | None = None
    rank: int = 1
    type: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The keys in the order of their quantities, joined by " > " (descending) or " < " (ascending)."""

    among: dict[str, Quantity]
    order: Literal["ascending", "descending"]
    type: Literal["ranking"] = "ranking"


@dataclass(frozen=True, slots=True)
class DirectionWords:
    """The main directions from ``start`` to ``end``: axes that reach ``share`` of the largest one, at most ``most``.

    The answer joins them with "+" in the order of the axes: "left+forward". Words: right, left, up, down, forward,
    backward. Where the two places are the same the answer is ``still``; without one there is none.
    """

    start: Place
    end: Place
    frame: Frame
    most: int = 3
    share: float = 0.5774
    axes: tuple[Axis, ...] = ("right", "up", "forward")
    still: str | None = None
    type: Literal["direction_words"] = "direction_words"


@dataclass(frozen=True, slots=True)
class Sector:
    """The sector of the bearing from ``start`` to ``end``, clockwise from forward, sectors centred on their names.

    relative, 8: front, front-right, right, back-right, back, back-left, left, front-left.
    compass, 8: N, NE, E, SE, S, SW, W, NW. clock, 12: the hour, 12 in front. floored_clock: the hour that the bearing,
    to a hundredth of a degree, has reached, not the nearest one, as in a published rule; also of no direction at all.
    """

    start: Place
    end: Place
    frame: Frame
    naming: Literal["relative", "compass", "clock", "floored_clock"]
    type: Literal["sector"] = "sector"


@dataclass(frozen=True, slots=True)
class RelationSet:
    """All relations of ``of`` seen against ``against``, joined by "+": left, right, above, below, front, behind.

    left / right: more than the dead zone along the frame's right axis. front / behind: nearer to / farther from the
    camera by more than the dead zone along its forward axis (in an observer's frame, "front" is nearer). above / below:
    the bottom of one is higher than the top of the other, less the dead zone; of two that both hold, the one that holds
    by more, unless not ``exclusive`` (the published rule, by which thin things are above and below each other at once).
    """

    of: Place
    against: Place
    frame: Frame
    dead_zone_m: float | ScaledZone
    vertical: bool = True
    exclusive: bool = True
    type: Literal["relation_set"] = "relation_set"


@dataclass(frozen=True, slots=True)
class TurnWords:
    """How the camera turned: the dominant one or two of yaw, pitch and roll: "yaw_right", "yaw_left+pitch_up"."""

    first: int
    second: int
    type: Literal["turn_words"] = "turn_words"


@dataclass(frozen=True, slots=True)
class Exists:
    """Yes when an object of this category is visible in any of the views."""

    label: str
    views: tuple[int, ...]
    type: Literal["exists"] = "exists"


@dataclass(frozen=True, slots=True)
class Locate:
    """Where an object appears in a picture: the box of its visible pixels, or a point on it.

    object: its number, or how it is found among others, by their numbers as keys ("the nearest chair").
    """

    object: int | Choose
    view: int
    shape: Literal["box", "point"]
    type: Literal["locate"] = "locate"


Query = Annotated[
    Value
    | Values
    | Exceeds
    | Related
    | Choose
    | Ranking
    | DirectionWords
    | Sector
    | RelationSet
    | TurnWords
    | Exists
    | Locate,
    Field(discriminator="type"),
]
