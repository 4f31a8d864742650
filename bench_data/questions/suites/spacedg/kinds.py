"""The kinds of questions of the suite, and how they read.

Every text names the frame that it is asked in: whose axes, level or tilted, centre or surface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...answer_format import AnswerType
from ...options import direction_keys
from ...question import Option
from ...units import Unit

__all__ = [
    "BEARINGS",
    "COMPASS_OPTIONS",
    "KINDS",
    "MOVES",
    "PLACES",
    "PLACES_IN_VIEW",
    "RELATIVE_OPTIONS",
    "TURNS",
    "Kind",
]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of question.

    Args:
        name: question type and sub type, with a dot between.
        wordings: templates for ``str.format``; {a}, {b}, {c} are names, {x} a number or a word.
        tags: question_type, sub_question_type, task_group and answer_kind, as the published tables have them.
        published_wordings: where the published rule asks in another frame than ours; like its templates they do not
            say in which.
    """

    name: str
    answer_type: AnswerType
    unit: Unit | None
    margin_unit: str
    wordings: tuple[str, ...]
    tags: Mapping[str, str]
    published_wordings: tuple[str, ...] = ()


def _kind(
    question_type: str,
    sub_type: str,
    group: str,
    form: str,
    wordings: tuple[str, ...],
    *,
    margin_unit: str = "",
    decimals: int | None = None,
    published: tuple[str, ...] = (),
) -> Kind:
    answer_type, unit = {
        "MCQ": (AnswerType.CHOICE, None),
        "YN": (AnswerType.YES_NO, None),
        "NA": (AnswerType.NUMBER, Unit.METRE),
        "COUNT": (AnswerType.NUMBER, Unit.COUNT),
        "SIZE_LIST": (AnswerType.LIST, Unit.METRE),
    }[form]
    tags = {"question_type": question_type, "sub_question_type": sub_type, "task_group": group, "answer_kind": form}
    if decimals is not None:
        tags["decimals"] = str(decimals)
    return Kind(f"{question_type}.{sub_type}", answer_type, unit, margin_unit, wordings, tags, published)


_ALL = (
    _kind(
        "camera_translation",
        "main_dir",
        "camera",
        "MCQ",
        (
            "The camera moved between the two images. By its own axes in the first image (right, up, and forward along "
            "its line of sight), in which main direction did it move?",
            "Take the axes of the camera in the first image: right, up, and forward along its line of sight. Where, "
            "mainly, did the camera move from there to the second image?",
            "From the first image to the second, what is the main direction of the camera's movement, in the frame of "
            "the first camera?",
        ),
        margin_unit="ratio",
    ),
    _kind(
        "camera_translation",
        "distance_exact",
        "camera",
        "NA",
        (
            "How many metres did the camera move, in a straight line, from the first image to the second?",
            "What is the straight-line distance, in metres, between the places from which the images were taken?",
            "Estimate in metres how far apart the camera stood for the two images.",
        ),
        decimals=3,
    ),
    _kind(
        "camera_translation",
        "distance_threshold",
        "camera",
        "YN",
        (
            "Did the camera move more than {x} metres, in a straight line, between the two images?",
            "Are the two positions from which the images were taken more than {x} metres apart?",
            "Is the straight-line distance between the first camera and the second greater than {x} metres?",
        ),
        margin_unit="m",
    ),
    _kind(
        "camera_rotation",
        "single_dominant",
        "camera",
        "MCQ",
        (
            "By the axes of the camera in the first image, which single rotation leads best to the second image?",
            "The camera turned between the two images. In the frame of the first camera, which one rotation is the "
            "most prominent?",
            "From the first image to the second, how did the camera mainly rotate, in the first camera's own frame?",
        ),
        margin_unit="deg",
    ),
    _kind(
        "camera_rotation",
        "dual_dominant",
        "camera",
        "MCQ",
        (
            "By the axes of the camera in the first image, which two rotations together lead best to the second image?",
            "The camera turned about two axes between the images. In the frame of the first camera, which two "
            "rotations are they?",
            "From the first image to the second, which pair of rotations describes best how the camera turned, in the "
            "first camera's own frame?",
        ),
        margin_unit="deg",
    ),
    _kind(
        "camera_object_distance_estimation",
        "bbox_center_distance",
        "camera-object",
        "NA",
        (
            "Both images show {a}. How many metres is its centre from the camera of the second image, in a straight "
            "line?",
            "Find {a} in both images. What is the distance in metres from the position of the second camera to the "
            "centre of this object?",
            "Estimate how far, in metres, the camera of the second image is from the centre of {a}.",
        ),
        decimals=1,
    ),
    _kind(
        "camera_object_distance_estimation",
        "single_view",
        "camera-object",
        "NA",
        (
            "What is the straight-line distance, in metres, from the camera to the centre of {a}?",
            "How many metres away from the camera is the centre of {a}?",
            "Estimate in metres how far the centre of {a} is from where this image was taken.",
        ),
        decimals=1,
    ),
    _kind(
        "camera_object_relative_direction",
        "bbox_center_direction",
        "camera-object",
        "MCQ",
        (
            "The first image shows {a}. Imagine standing where the second image was taken, and looking level in the "
            "direction of that camera. Where is the object, mainly, from there?",
            "In the first image you can see {a}. For someone at the second camera who looks ahead level in its "
            "direction, in which main direction does it lie?",
            "Where is {a}, visible in the first image, relative to you when you take the second image? Think of your "
            "gaze as level.",
        ),
        margin_unit="ratio",
        published=(
            "Both images show {a}. Where is it relative to you when you take the second image?",
            "In which direction from the camera of the second image is {a}?",
            "Find {a} in both images. Seen from the second camera, where does it lie?",
        ),
    ),
    _kind(
        "camera_object_relative_direction",
        "two_objects",
        "camera-object",
        "MCQ",
        (
            "Seen from the camera, with a level gaze, where mainly is the centre of {b} relative to that of {a}?",
            "Compare the centres of {a} and {b} as someone does who stands at the camera and looks ahead level. In "
            "which main direction from {a} does {b} lie?",
            "For a viewer at the camera who looks level, which main direction leads from the centre of {a} to the "
            "centre of {b}?",
        ),
        margin_unit="ratio",
    ),
    _kind(
        "camera_object_relative_direction",
        "relpos_A_facing_B",
        "camera-object",
        "MCQ",
        (
            "Using both images: you stand at {a} and look level towards {b}. In which direction from you is {c}?",
            "Imagine being at {a}, facing {b} with a level gaze. Judging from the two images, where is {c} relative to "
            "you?",
            "The two images show one place. For a person at {a} who faces {b} and looks level, in which direction does "
            "{c} lie?",
        ),
        margin_unit="deg",
        published=(
            "You are at {a} and face {b}. In which direction from you is {c}?",
            "Imagine being at {a}, facing {b}. Judging from the two images, where is {c} relative to you?",
            "The two images show one place. For a person at {a} who faces {b}, in which direction does {c} lie?",
        ),
    ),
    _kind(
        "cross_view_cardinal_direction",
        "cross_image_assumed_dir",
        "camera-object",
        "MCQ",
        (
            "Suppose that {a} lies exactly {x} of the camera of the first image. On the ground, in which compass "
            "direction does {b} lie from the camera of the second image?",
            "Let {a}, in the first image, be due {x} of where that image was taken. In which compass direction, seen "
            "from above, is {b} from where the second image was taken?",
            "Call the level direction from the first camera to {a} {x}. What, then, is the level direction from the "
            "second camera to {b}?",
        ),
        margin_unit="deg",
        published=(
            "The direction from the first image's camera to {a} is {x}. What is the direction from the second image's "
            "camera to {b}?",
            "Suppose that {a} lies {x} of the first camera. In which compass direction from the second camera is {b}?",
            "Let {a} be {x} of where the first image was taken. Where is {b} from where the second was taken?",
        ),
    ),
    _kind(
        "inter_object_distance",
        "center_distance",
        "object",
        "NA",
        (
            "The first image shows {a}, the second {b}. How many metres apart are their centres, in a straight line?",
            "Estimate the distance in metres between the centre of {a} (first image) and the centre of {b} (second "
            "image).",
            "How far, in metres, is the centre of {a} in the first image from the centre of {b} in the second?",
        ),
        decimals=2,
    ),
    _kind(
        "object_proxy_cardinal_direction",
        "proxy_object_direction",
        "object",
        "MCQ",
        (
            "Suppose that {a} lies exactly {x} of {b}. On the ground, in which compass direction from {b} is {c}?",
            "Let {a} be due {x} of {b}. Seen from above, in which compass direction from {b} is {c}?",
            "Call the level direction from {b} to {a} {x}. What, then, is the level direction from {b} to {c}?",
        ),
        margin_unit="deg",
        published=(
            "The direction from {b} to {a} is {x}. What is the direction from {b} to {c}?",
            "Suppose that {a} lies {x} of {b}. In which compass direction from {b} is {c}?",
            "Let {a} be {x} of {b}. Where, then, is {c} from {b}?",
        ),
    ),
    _kind(
        "object_size_comparison",
        "longest_side_compare",
        "object",
        "MCQ",
        (
            "Compare the longest sides of {a} and {b}: whose is the {x} one?",
            "Measured along its longest side, which object is {x}: {a} or {b}?",
            "Of {a} and {b}, which one has the {x} longest side?",
        ),
        margin_unit="m",
    ),
    _kind(
        "object_size_comparison",
        "top_height_compare",
        "object",
        "MCQ",
        (
            "Compare how high above the ground the tops of {a} and {b} are: whose top is {x}?",
            "Which object has the {x} top, {a} or {b}?",
            "Of {a} and {b}, whose highest point is {x} above the ground?",
        ),
        margin_unit="m",
    ),
    _kind(
        "object_bounding_size_estimation",
        "extents",
        "object",
        "SIZE_LIST",
        (
            "What are the sizes of {a} along its own three sides, in metres? Give [shortest, middle, longest].",
            "Estimate the edge lengths of the box that just holds {a}, in metres, as [shortest, middle, longest].",
            "How large is {a}? Give the edges of its bounding box in metres as [shortest, middle, longest].",
        ),
        decimals=2,
    ),
    _kind(
        "object_counting",
        "visible_count",
        "object",
        "COUNT",
        (
            "How many {x} can be seen in this image, partly hidden ones included?",
            "Count the {x} that this image shows, wholly or in part.",
            "What is the number of {x} visible in this image, partly hidden ones included?",
        ),
    ),
    _kind(
        "object_existence_estimation",
        "visible_existence",
        "object",
        "YN",
        (
            "Is there {x} in this image?",
            "Can you find {x} in this image?",
            "Does this image show {x}?",
            "Check this image: is {x} to be seen?",
        ),
    ),
)

KINDS: Mapping[str, Kind] = {kind.tags["sub_question_type"]: kind for kind in _ALL}
"""Sub type -> kind."""

_WAYS = (("left", "right"), ("down", "up"), ("backward", "forward"))


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _directions(texts: Mapping[str, str]) -> dict[str, Option]:
    keys = [key for words in (1, 2, 3) for key in direction_keys(_WAYS, words)]
    return {key: Option(key, _joined([texts[word] for word in key.split("+")])) for key in keys}


MOVES = _directions({word: word for pair in _WAYS for word in pair})
"""Key of a direction -> option, for movements."""
PLACES = _directions(
    {
        "left": "to the left",
        "right": "to the right",
        "down": "below",
        "up": "above",
        "backward": "behind",
        "forward": "in front",
    }
)
"""The same for where something is."""
PLACES_IN_VIEW = _directions(
    {
        "left": "further to the left",
        "right": "further to the right",
        "down": "lower down",
        "up": "higher up",
        "backward": "nearer to the viewer",
        "forward": "farther from the viewer",
    }
)
"""The same for where one of two things in a picture is, compared with the other."""

_TURN_KEYS = (("yaw_left", "yaw_right"), ("pitch_down", "pitch_up"), ("roll_anticlockwise", "roll_clockwise"))
_TURN_WORDS = {
    "yaw_left": "turn left",
    "yaw_right": "turn right",
    "pitch_down": "tilt down",
    "pitch_up": "tilt up",
    "roll_anticlockwise": "roll anticlockwise",
    "roll_clockwise": "roll clockwise",
}
TURNS = {
    key: Option(key, _joined([_TURN_WORDS[word] for word in key.split("+")]))
    for words in (1, 2)
    for key in direction_keys(_TURN_KEYS, words)
}
"""Key of one or two rotations -> option."""

RELATIVE_OPTIONS = (
    Option("front", "in front"),
    Option("front-right", "in front, to the right"),
    Option("right", "to the right"),
    Option("back-right", "behind, to the right"),
    Option("back", "behind"),
    Option("back-left", "behind, to the left"),
    Option("left", "to the left"),
    Option("front-left", "in front, to the left"),
)
"""Eighths of the circle, clockwise from ahead."""
COMPASS_OPTIONS = tuple(
    Option(key, text)
    for key, text in zip(
        ("N", "NE", "E", "SE", "S", "SW", "W", "NW"),
        ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"),
        strict=True,
    )
)
BEARINGS = (("north", 0.0), ("east", 90.0), ("south", 180.0), ("west", 270.0))
"""Directions that are declared, with their bearing in degrees."""
