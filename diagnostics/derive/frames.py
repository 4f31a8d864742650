"""Frames: whose right, up and forward, as exact axes or as a heading that is known within bounds."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...bench_data.questions.query import (
    CameraFrame,
    CameraRef,
    CompassFrame,
    FacingFrame,
    Frame,
    LevelFrame,
    OwnFrame,
)
from ..scene_graph import AxesRows
from .context import Context, Undefined, dot
from .interval import Interval, bearing, cosine, difference, meet, point, product, sine, total
from .stated import Displacement, Vec

__all__ = ["Parts", "Turned", "bearing_in", "exact_axes", "parts_in"]

_IDENTITY: AxesRows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_NO_DIRECTION = 1e-6
"""Metres, or the sine of an angle: what is nearer to straight up than this faces nowhere."""


class Turned(NamedTuple):
    """A frame that is turned about the up axis of another one by ``heading`` radians, clockwise seen from above."""

    base: AxesRows
    heading: Interval


class Parts(NamedTuple):
    """Right, up and forward parts of a way in a frame, in metres."""

    right: Interval
    up: Interval
    forward: Interval


def exact_axes(frame: Frame, context: Context) -> AxesRows:
    """The axes of a frame, in the frame of the graph.

    Raises:
        Undefined: they are not known exactly.
    """
    found = _resolve(frame, context)
    if isinstance(found, Turned):
        if not found.heading.is_exact:
            raise Undefined("the frame that the question speaks of is not known exactly")
        return _turned(found.base, found.heading.middle)
    return found


def parts_in(frame: Frame, way: Displacement, context: Context) -> Parts:
    """The parts of a way in a frame.

    Raises:
        Undefined: the graph does not say how the frame stands.
    """
    found = _resolve(frame, context)
    if not isinstance(found, Turned):
        return _along(found, way)
    base = _along(found.base, way)
    length = _level_length(base, found.base, way)
    angle = difference(bearing(base.right, base.forward), found.heading)
    return Parts(product(length, sine(angle)), base.up, product(length, cosine(angle)))


def bearing_in(frame: Frame, way: Displacement, context: Context) -> tuple[Interval, Interval]:
    """Bearing of a way in a frame, clockwise from its forward axis, in radians; and its level length in metres.

    Raises:
        Undefined: the graph does not say how the frame stands.
    """
    found = _resolve(frame, context)
    base = _along(found.base if isinstance(found, Turned) else found, way)
    length = _level_length(base, found.base if isinstance(found, Turned) else found, way)
    angle = bearing(base.right, base.forward)
    return (difference(angle, found.heading) if isinstance(found, Turned) else angle), length


def _level_length(base: Parts, axes: AxesRows, way: Displacement) -> Interval:
    sides = [(0.0, 0.0)] * 2
    for place, part in enumerate((base.right, base.forward)):
        ends = abs(part.lo), abs(part.hi)
        sides[place] = (0.0 if part.lo <= 0 <= part.hi else min(ends), max(ends))
    length = Interval(math.hypot(sides[0][0], sides[1][0]), math.hypot(sides[0][1], sides[1][1]))
    return meet(length, way.plane) if axes is _IDENTITY and not way.is_exact else length


def _along(axes: AxesRows, way: Displacement) -> Parts:
    if axes is _IDENTITY:
        return Parts(way.right, way.up, way.forward)
    around = Interval(-way.distance.hi, way.distance.hi)
    right, up, forward = (dot(row, way) for row in axes)
    if way.is_exact:
        return Parts(right, up, forward)
    return Parts(meet(right, around), meet(up, around), meet(forward, around))


def _resolve(frame: Frame, context: Context) -> AxesRows | Turned:
    known = context.known
    match frame:
        case CameraFrame(view=view):
            return _camera(view, context)
        case LevelFrame(view=view):
            if view == 0 and known.level_frame:
                return _IDENTITY
            return _levelled(_camera(view, context)[2], context, "the camera looks straight up or down")
        case FacingFrame():
            return _facing(frame, context)
        case CompassFrame():
            return _compass(frame, context)
        case OwnFrame(object=number):
            one = context.object_at(number)
            axes = known.own_axes(one)
            if axes is None:
                raise Undefined(f"the graph does not say which way {context.teller.name(one.id)} faces")
            return _levelled(axes[2], context, f"{context.teller.name(one.id)} faces straight up or down")


def _camera(view: int, context: Context) -> AxesRows:
    known = context.known
    if view == 0 and not known.level_frame:
        return _IDENTITY
    axes = known.eyes.get(view)
    if axes is None:
        raise Undefined(f"the graph does not say how camera {view + 1} is turned")
    return axes


def _base(context: Context, *, camera_plane: bool, view: int = 0) -> AxesRows:
    """Axes whose up is that of the world, or of a camera."""
    if camera_plane:
        return _camera(view, context)
    if context.known.level_frame:
        return _IDENTITY
    # Any level heading will do, as bearings are only compared with each other.
    return _levelled(_IDENTITY[2], context, "the camera looks straight up or down")


def _facing(frame: FacingFrame, context: Context) -> AxesRows | Turned:
    gaze = context.way(frame.at, frame.towards, directed=True)
    base = _base(context, camera_plane=frame.camera_plane)
    turned = Turned(base, _heading(base, gaze, "the place to face is straight above or below"))
    if not frame.tilted:
        return turned
    if not gaze.is_exact:
        raise Undefined("a gaze that is tilted needs positions, which the graph does not state")
    right = _turned(base, turned.heading.middle)[0]
    length = gaze.distance.lo
    forward = (gaze.right.lo / length, gaze.up.lo / length, gaze.forward.lo / length)
    return right, _up_of(right, forward), forward


def _compass(frame: CompassFrame, context: Context) -> Turned:
    if frame.camera_plane and not isinstance(frame.at, CameraRef):
        raise Undefined("a compass in the camera's plane must stand at a camera")
    view = frame.at.view if isinstance(frame.at, CameraRef) else 0
    gaze = context.way(frame.at, frame.reference, directed=True)
    base = _base(context, camera_plane=frame.camera_plane, view=view)
    heading = _heading(base, gaze, "the reference of the compass is straight above or below")
    return Turned(base, total(heading, point(-math.radians(frame.bearing_deg))))


def _heading(base: AxesRows, gaze: Displacement, why_not: str) -> Interval:
    parts = _along(base, gaze)
    if gaze.is_exact and math.hypot(parts.right.lo, parts.forward.lo) < _NO_DIRECTION:
        raise Undefined(f"the frame has no direction: {why_not}")
    return bearing(parts.right, parts.forward)


def _turned(base: AxesRows, heading: float) -> AxesRows:
    s, c = math.sin(heading), math.cos(heading)
    right, up, forward = base
    return _mixed(right, c, forward, -s), up, _mixed(right, s, forward, c)


def _levelled(direction: Vec, context: Context, why_not: str) -> AxesRows:
    """Axes with the world's up and this direction's level part ahead."""
    up = context.known.world_up
    if up is None:
        raise Undefined("the graph does not say which way is up")
    rise = sum(a * b for a, b in zip(direction, up, strict=True))
    flat = _mixed(direction, 1.0, up, -rise)
    length = math.sqrt(sum(part * part for part in flat))
    if length < _NO_DIRECTION:
        raise Undefined(f"the frame has no direction: {why_not}")
    forward = (flat[0] / length, flat[1] / length, flat[2] / length)
    return _cross(up, forward), up, forward


def _mixed(a: Vec, share: float, b: Vec, other: float) -> Vec:
    return share * a[0] + other * b[0], share * a[1] + other * b[1], share * a[2] + other * b[2]


def _cross(a: Vec, b: Vec) -> Vec:
    """Cross product of (right, up, forward) triples, a left-handed frame: up x forward = right."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _up_of(right: Vec, forward: Vec) -> Vec:
    return _cross(forward, right)
