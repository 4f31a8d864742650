"""Where everything lies in the folder of a data set; relative names with forward slashes."""

from __future__ import annotations

from ..scenes import SceneKind

__all__ = [
    "MANIFEST",
    "METRES_PER_UNIT",
    "NOMINAL",
    "SUMMARY",
    "answer_file",
    "depth_file",
    "image_file",
    "instance_file",
    "mark_file",
    "marked_file",
    "pose_file",
    "question_file",
    "record_file",
    "scene_folder",
    "truth_file",
]

MANIFEST = "manifest.json"
SUMMARY = "questions/summary.json"

NOMINAL = "nominal"
"""In place of a condition: depth and ids of all conditions that leave pixels where they are."""

METRES_PER_UNIT = {SceneKind.ROOM: 0.001, SceneKind.STREET: 0.005}
"""What a stored 1 means in a 16-bit depth map. Rooms reach 65 m, streets 327 m; what is farther counts as unknown."""


def scene_folder(scene: str) -> str:
    """With scene.json and, where it is kept, cloud.npz."""
    return f"scenes/{scene}"


def pose_file(scene: str) -> str:
    """The cameras, as nerfstudio has them."""
    return f"poses/{scene}/transforms.json"


def truth_file(scene: str) -> str:
    """See `questions.truth_file`."""
    return f"truth/{scene}.json"


def image_file(condition: str, scene: str, view: str) -> str:
    """8-bit RGB."""
    return f"images/{condition}/{scene}/{view}.png"


def depth_file(condition: str, scene: str, view: str) -> str:
    """16 bits, 0 = unknown; the unit stands in the manifest."""
    return f"depth/{condition}/{scene}/{view}.png"


def instance_file(condition: str, scene: str, view: str) -> str:
    """16 bits, object number + 1, 0 = none."""
    return f"instances/{condition}/{scene}/{view}.png"


def marked_file(suite: str, condition: str, scene: str, view: str) -> str:
    """The picture with the numbers that a suite's questions speak of."""
    return f"marked/{suite}/{condition}/{scene}/{view}.png"


def mark_file(suite: str, scene: str) -> str:
    """Which number is drawn on which object, picture by picture."""
    return f"questions/marks/{suite}/{scene}.json"


def record_file(condition: str, scene: str, view: str) -> str:
    """See `picture_record`."""
    return f"records/{condition}/{scene}/{view}.json"


def question_file(suite: str) -> str:
    """One question a line, without loss."""
    return f"questions/{suite}.jsonl"


def answer_file(condition: str, suite: str) -> str:
    """What a condition changes about the answers of a suite."""
    return f"answers/{condition}/{suite}.jsonl"
