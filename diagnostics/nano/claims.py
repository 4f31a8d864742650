"""What the embedded models are held to answer: the kinds of questions that the demo and the study ask them.

Of things called by their names, kinds that the names answer are left out, since they do not tell whether a model sees:
pictures hang above sofas, and wardrobes are taller than lamps. Nor do they claim to say which of two things is nearer
to a third.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CLAIMED_KINDS", "is_claimed"]

CLAIMED_KINDS: Final[frozenset[str]] = frozenset(
    {
        # Existence, counting, distances and direction of things by their names.
        "spacedg/object_existence_estimation.visible_existence",
        "spacedg/object_counting.visible_count",
        "spacedg/camera_object_distance_estimation.single_view",
        "spacedg/camera_object_relative_direction.two_objects",
        # Relations, directions, distances and sizes of things by the numbers drawn on them.
        "crisp/is_left_of",
        "crisp/is_right_of",
        "crisp/is_above",
        "crisp/is_below",
        "crisp/is_in_front_of",
        "crisp/is_behind",
        "crisp/pick_direction",
        "crisp/nearer_camera",
        "crisp/farther_camera",
        "crisp/camera_distance",
        "crisp/pair_distance",
        "crisp/bigger_volume",
        "crisp/taller",
        "crisp/wider",
        "crisp/length",
        "crisp/width",
        "crisp/height",
        # The same in the words of another suite.
        "open3dvqa/left_predicate",
        "open3dvqa/right_predicate",
        "open3dvqa/left_choice",
        "open3dvqa/right_choice",
        "open3dvqa/left_tfqa",
        "open3dvqa/right_tfqa",
        "open3dvqa/left_relationship2agent",
        "open3dvqa/right_relationship2agent",
        "open3dvqa/distance2agent",
        "open3dvqa/distance_data",
        "open3dvqa/direction2agent",
    }
)
"""Suite and kind, as in "crisp/is_left_of". All of them are about one picture."""


def is_claimed(suite: str, kind: str) -> bool:
    """Whether the models are held to answer questions of this kind.

    >>> is_claimed("crisp", "is_left_of"), is_claimed("crisp", "perspective")
    (True, False)
    """
    return f"{suite}/{kind}" in CLAIMED_KINDS
