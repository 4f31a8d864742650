"""How often each kind of question is practised: what the model shall claim more often, what it cannot learn less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .claims import CLAIMED_KINDS
from .lessons import GRAPH_KIND

__all__ = ["CHOOSING_FROM", "NAMING_UNTIL", "OF_ALL_THINGS", "early_weight", "kind_weight", "picture_weight"]

_WEIGHTS: Final[Mapping[str, float]] = {
    GRAPH_KIND: 2.0,
    "naming/what": 1.0,
    "naming/which": 1.0,
    "crisp/camera_distance": 1.5,
    "crisp/count_beyond": 0.5,
    "crisp/count_direction": 0.5,
    "crisp/count_within": 0.5,
    "crisp/farther_anchor": 1.5,
    "crisp/farther_camera": 3.0,
    "crisp/is_left_of": 1.5,
    "crisp/is_right_of": 1.5,
    "crisp/nearer_anchor": 1.5,
    "crisp/nearer_camera": 3.0,
    "crisp/pair_distance": 1.5,
    "crisp/perspective": 0.5,
    "crisp/pick_direction": 2.0,
    "crisp/placed_distance": 0.3,
    "crisp/rank_height": 0.4,
    "crisp/rank_volume": 0.4,
    "spacedg/camera_object_distance_estimation.single_view": 0.7,
    "spacedg/camera_object_relative_direction.two_objects": 2.0,
    "spacedg/object_bounding_size_estimation.extents": 0.3,
    "spacedg/object_counting.visible_count": 4.0,
    "spacedg/object_existence_estimation.visible_existence": 3.0,
}
_PLACING, _OPEN3DVQA, _SAME = 0.4, 0.35, 0.6
"""That suite asks the same about every pair in many ways; where "about the same" is an option, it is rarer."""


NAMING_UNTIL, _PLACING_UNTIL, _ONE_THING_UNTIL, CHOOSING_FROM = 0.022, 0.06, 0.148, 0.556
"""Shares of the decoder's stage. Only naming comes first: without it, which patch a word speaks of is not found in
thousands of steps, with it in three hundred. Then come the places of things, then questions about one thing and simple
comparisons, then all; and last, with what is known by then a little rarer, to say the name of the one that is meant."""
_ONE_THING: Final = (
    *("camera_distance", "/height", "/length", "/width", "single_view", "visible_existence", "2agent", "width_data"),
    *("height_data", "is_left", "is_right", "left_predicate", "right_predicate", "left_choice", "right_choice"),
    *("nearer_camera", "farther_camera"),
)
"""Parts of the names of kinds about one thing, and of the simplest ones about two."""
_LATER: Final = 0.15
_BASICS: Final = ("naming/", "placing/")


def early_weight(kind: str, done: float) -> float:
    """The weight of a kind when this share of the decoder's stage is done."""
    if done < NAMING_UNTIL:
        return float(kind.startswith("naming/"))
    if done < _PLACING_UNTIL:
        return float(kind.startswith(_BASICS))
    if done >= CHOOSING_FROM:
        return late_weight(kind)
    later = done < _ONE_THING_UNTIL and not kind.startswith(_BASICS) and not any(p in kind for p in _ONE_THING)
    return kind_weight(kind) * (_LATER if later else 1.0)


def kind_weight(kind: str) -> float:
    """The weight of a kind, 1 for most."""
    if kind.startswith("placing/"):
        return _PLACING
    if kind.startswith("open3dvqa/"):
        return _SAME if kind.endswith("multichoice") else _OPEN3DVQA
    return _WEIGHTS.get(kind, 1.0)


_NAMED_CHOICE: Final = 6.0
_KNOWN: Final = 0.6


def late_weight(kind: str) -> float:
    """The weight of a kind in the end of the decoder's stage: by names is what it learns last."""
    if kind.endswith(("_predicate", "_tfqa", "relationship2agent")) or kind.startswith(_BASICS):
        return _KNOWN * kind_weight(kind)
    return kind_weight(kind) * (_NAMED_CHOICE if kind.endswith("_choice") else 1.0)


OF_ALL_THINGS: Final = frozenset(
    {
        GRAPH_KIND,
        "crisp/count_beyond",
        "crisp/count_direction",
        "crisp/count_within",
        "spacedg/object_counting.visible_count",
        "spacedg/object_existence_estimation.visible_existence",
    }
)
"""Kinds whose answer depends on everything in the picture: where a part of it may be blank, it would be a guess."""
_OF_PICTURES: Final[Mapping[str, float]] = {
    # Whole weights, in place of the usual: the models answer these worst of what they claim, or pictures bring few.
    # A graph is read whole or not at all, and is long: few of them find room beside other questions.
    GRAPH_KIND: 12.0,
    "open3dvqa/direction2agent": 1.0,
    "open3dvqa/left_choice": 10.0,
    "open3dvqa/left_predicate": 0.5,
    "open3dvqa/left_tfqa": 0.5,
    "open3dvqa/right_choice": 10.0,
    "open3dvqa/right_predicate": 0.5,
    "open3dvqa/right_tfqa": 0.5,
    "spacedg/camera_object_relative_direction.two_objects": 5.0,
    "spacedg/object_counting.visible_count": 10.0,
    "spacedg/object_existence_estimation.visible_existence": 7.0,
}
_UNCLAIMED: Final = 0.3
"""Of their usual weight: what the models are not held to answer only helps them with what they are."""


def picture_weight(kind: str) -> float:
    """The weight of a kind when pictures are answered."""
    usual = late_weight(kind) * (1.0 if kind in CLAIMED_KINDS else _UNCLAIMED)
    return _OF_PICTURES.get(kind, usual)
