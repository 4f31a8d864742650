"""Directions, sectors and rotations by their names, in plain Python: the fast counterpart of `questions.evaluate`."""

from __future__ import annotations

import math

from .tables import Triple

__all__ = ["Named", "azimuth_deg", "direction_words", "sector", "turn_words"]

SHARE = 0.5774
"""An axis counts from this share of the largest on, the tangent of 30 degrees (SpaceDG, appendix C)."""
SINGLE_RATIO, DUAL_RATIO, LEAST_SECOND_TURN_DEG = 0.4, 0.6, 5.0

Named = tuple[str, float]
"""A name, and how far it is from turning into another."""

_TURNS = (("yaw_left", "yaw_right"), ("pitch_down", "pitch_up"), ("roll_anticlockwise", "roll_clockwise"))


def direction_words(parts: Triple, *, most: int = 3) -> Named | None:
    """The main directions of a vector by its (right, up, forward) parts; None of a vector without length.

    The margin is a share of the largest part.
    """
    right, up, forward = parts
    sizes = (abs(right), abs(up), abs(forward))
    largest = max(sizes)
    if largest == 0:
        return None
    least = SHARE * largest
    margin = min(abs(sizes[0] / largest - SHARE), abs(sizes[1] / largest - SHARE), abs(sizes[2] / largest - SHARE))
    floor = least
    if most < 3:
        order = sorted((0, 1, 2), key=lambda axis: -sizes[axis])
        if sizes[order[most]] >= least:
            # One axis more would count than may be named; of equal ones the earlier is kept.
            margin = min(margin, (sizes[order[most - 1]] - sizes[order[most]]) / largest)
            kept = order[:most]
            sizes = (sizes[0] if 0 in kept else -1.0, sizes[1] if 1 in kept else -1.0, sizes[2] if 2 in kept else -1.0)
    words = []
    if sizes[0] >= floor:
        words.append("right" if right > 0 else "left")
    if sizes[1] >= floor:
        words.append("up" if up > 0 else "down")
    if sizes[2] >= floor:
        words.append("forward" if forward > 0 else "backward")
    return "+".join(words), margin


def azimuth_deg(x: float, y: float) -> float:
    """Degrees clockwise, seen from above, from the world's y axis."""
    return math.degrees(math.atan2(x, y))


def sector(bearing_deg: float) -> tuple[int, float]:
    """The eighth of the circle that a bearing falls into (0 ahead, clockwise), and degrees to its border."""
    turns = bearing_deg / 45
    index = round(turns)
    return index % 8, (0.5 - abs(turns - index)) * 45


def turn_words(turns_deg: Triple) -> Named | None:
    """The dominant one or two of (yaw, pitch, roll); None when too small, or neither one nor two.

    The margin is in degrees: between the first and the second, or the second and the third.
    """
    sizes = sorted(((abs(angle), axis) for axis, angle in enumerate(turns_deg)), reverse=True)
    (large, main), (small, other), (third, _) = sizes
    if large < LEAST_SECOND_TURN_DEG:
        return None
    if small < LEAST_SECOND_TURN_DEG or small <= SINGLE_RATIO * large:
        return _TURNS[main][turns_deg[main] > 0], large - small
    if small >= DUAL_RATIO * large:
        first, second = min(main, other), max(main, other)
        words = f"{_TURNS[first][turns_deg[first] > 0]}+{_TURNS[second][turns_deg[second] > 0]}"
        return words, small - third
    return None
