"""How a camera turned from one picture to another."""

from __future__ import annotations

import math

from ...bench_data.questions.query import CameraFrame, Turn
from .context import Context, Undefined
from .frames import exact_axes

__all__ = ["turn_deg", "turn_words"]

_NAMES = {
    "yaw": ("yaw_left", "yaw_right"),
    "pitch": ("pitch_down", "pitch_up"),
    "roll": ("roll_anticlockwise", "roll_clockwise"),
}
_LEAST_DEG = 5.0
_SINGLE, _DUAL = 0.4, 0.6
"""A second turn up to the first share of the largest does not count, from the other on it does; between is unclear."""
_STEEP_DEG = 89.9999
_SLACK = 1e-7

Matrix = list[list[float]]


def turn_deg(quantity: Turn, context: Context) -> float:
    """Degrees of a turn: intrinsic yaw, pitch and roll of the relative rotation (Y-X-Z), or its whole angle.

    Raises:
        Undefined: the graph does not say how both cameras are turned, or yaw and roll cannot be told apart.
    """
    R = _relative(quantity.first, quantity.second, context)
    found = _whole_deg(R) if quantity.about == "total" else _angles(R)[quantity.about]
    what = "in all" if quantity.about == "total" else quantity.about
    context.teller.say(
        f"from camera {quantity.first + 1} to camera {quantity.second + 1} the turn is {found:.2f}° {what}"
    )
    return found


def _relative(first: int, second: int, context: Context) -> Matrix:
    """Rotation from the second camera's x, y, z to the first one's; their axes are right, -up, forward."""
    a, b = (exact_axes(CameraFrame(view), context) for view in (first, second))
    mine, other = ((axes[0], (-axes[1][0], -axes[1][1], -axes[1][2]), axes[2]) for axes in (a, b))
    return [[sum(p * q for p, q in zip(row, column, strict=True)) for column in other] for row in mine]


def _whole_deg(R: Matrix) -> float:
    spin = math.sqrt((R[2][1] - R[1][2]) ** 2 + (R[0][2] - R[2][0]) ** 2 + (R[1][0] - R[0][1]) ** 2)
    return math.degrees(math.atan2(spin, R[0][0] + R[1][1] + R[2][2] - 1))


def _angles(R: Matrix) -> dict[str, float]:
    """R = Ry(yaw) Rx(pitch) Rz(roll), in degrees."""
    pitch = math.degrees(math.asin(max(-1.0, min(1.0, -R[1][2]))))
    if abs(pitch) > _STEEP_DEG:
        raise Undefined("the camera turned straight up or down; yaw and roll cannot be told apart")
    yaw, roll = math.atan2(R[0][2], R[2][2]), math.atan2(R[1][0], R[1][1])
    return {"yaw": math.degrees(yaw), "pitch": pitch, "roll": math.degrees(roll)}


def turn_words(first: int, second: int, context: Context) -> set[str]:
    """The words that may describe a turn: one, unless it is on a border.

    Raises:
        Undefined: too little of a turn, or neither single nor dual, or the graph does not speak of both cameras.
    """
    angles = _angles(_relative(first, second, context))
    sizes = {about: abs(angles[about]) for about in _NAMES}
    context.teller.say("the camera turned by " + ", ".join(f"{about} {angles[about]:.2f}°" for about in _NAMES))
    order = sorted(sizes, key=lambda about: -sizes[about])
    large, small, third = (sizes[about] for about in order)
    if large < _LEAST_DEG:
        raise Undefined(f"the camera turned by {large:.1f}° about its main axis, too little to name")
    words = {about: _NAMES[about][angles[about] > 0] for about in _NAMES}
    single = {words[order[0]]} if large - small > _SLACK else {words[order[0]], words[order[1]]}
    others = [order[1]] if small - third > _SLACK else order[1:]
    dual = {"+".join(words[about] for about in _NAMES if about in (order[0], other)) for other in others}
    found: set[str] = set()
    for size in (small - _SLACK, small + _SLACK):
        if size < _LEAST_DEG or size <= _SINGLE * large:
            found |= single
        elif size >= _DUAL * large:
            found |= dual
    if not found:
        raise Undefined(f"the turn is neither single nor dual: {large:.1f}° and {small:.1f}°")
    return found
