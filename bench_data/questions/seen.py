"""What a picture shows, as plain Python numbers worked out once: no array is touched for a question.

Suites that ask about one picture at a time build on it. Offsets are those of a person at the camera: right and forward
are level, up is up (`LevelFrame`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..scenes import Instance
from .query import CameraRef, LevelFrame, ObjectRef
from .registry import SuiteSettings
from .scene_truth import SceneTruth, Sight, ViewTruth

__all__ = ["EYE", "LEVEL", "Seen", "SeenSettings", "SeenView", "alike", "seen_views"]

EYE, LEVEL = CameraRef(0), LevelFrame(0)
"""The camera of the only picture, and the frame of a person who stands there."""

Array = NDArray[np.float64]


class SeenSettings(SuiteSettings):
    """What an object must show of itself to be asked about.

    Args:
        least_pixels, least_picture_share: visible pixels, and their share of the picture (0.1 % is 31 x 31 pixels of a
            picture of 1280 x 720).
        most_occlusion: share of its silhouette that something else may hide.
        most_truncation: share that may lie outside of the picture.
        most_truncation_for_size: the same where its size is asked for.
        steepest_pitch_deg: a camera that looks up or down more steeply has no meaningful level "forward", and no
            question then needs one.
    """

    least_pixels: int = Field(default=150, ge=1)
    least_picture_share: float = Field(default=0.001, ge=0, lt=1)
    most_occlusion: float = Field(default=0.5, ge=0, le=1)
    most_truncation: float = Field(default=0.5, ge=0, le=1)
    most_truncation_for_size: float = Field(default=0.1, ge=0, le=1)
    steepest_pitch_deg: float = Field(default=75.0, gt=0, lt=90)


class Seen(NamedTuple):
    """An object in a picture.

    Args:
        name: its description; "" when it has none.
        height_m: of its centre above the world's zero.
        right_m, up_m, forward_m: of its centre from the camera, level.
        ground_m, distance_m: how far its centre is from the camera, on the ground and straight.
        longer_m, tall_m, volume_m3: of its own box: the longer of its two level sides, its height, its volume.
        apparent_width_m: how far its corners spread to the sides, seen from the camera.
        well: shows enough of itself, and lies in front of the camera as a whole.
        whole: hardly cut off by the border of the picture.
    """

    id: int
    label: str
    name: str
    ref: ObjectRef
    attributes: Mapping[str, str]
    sight: Sight
    height_m: float
    right_m: float
    up_m: float
    forward_m: float
    ground_m: float
    distance_m: float
    top_m: float
    longer_m: float
    tall_m: float
    volume_m3: float
    apparent_width_m: float
    well: bool
    whole: bool

    @property
    def smaller_side_px(self) -> float:
        """Of the box around its visible pixels."""
        x0, y0, x1, y1 = self.sight.box_px
        return min(x1 - x0, y1 - y0)

    def between(self, other: Seen) -> tuple[float, float, float]:
        """(right, up, forward) metres from its centre to another's."""
        return other.right_m - self.right_m, other.up_m - self.up_m, other.forward_m - self.forward_m


@dataclass(frozen=True, eq=False)
class SeenView:
    """A picture.

    Args:
        name: of the view.
        level: there is a level frame to speak of.
        objects: all with a visible pixel, in the order of their numbers; no structure.
    """

    name: str
    level: bool
    objects: tuple[Seen, ...]

    @cached_property
    def named(self) -> tuple[Seen, ...]:
        """Those seen well that have a description."""
        return tuple(one for one in self.objects if one.well and one.name)


def seen_views(truth: SceneTruth, settings: SeenSettings) -> tuple[SeenView, ...]:
    """The pictures of a scene, in order."""
    objects = tuple(truth.objects.values())
    boxes = [one.box for one in objects]
    centres = np.array([box.centre_m for box in boxes]).reshape(-1, 3)
    corners = np.array([box.corners_m for box in boxes]).reshape(-1, 8, 3)
    fixed = [_fixed(one) for one in objects]
    return tuple(_view(view, objects, centres, corners, fixed, settings) for view in truth.views)


_Fixed = tuple[ObjectRef, float, float, float, float, float]


def _fixed(one: Instance) -> _Fixed:
    """What does not depend on the picture: reference, height of centre and top, longer level side, height, volume."""
    length, width, height = one.box.size_m.tolist()
    centre_m = float(one.box.centre_m[2])
    return ObjectRef(one.id), centre_m, one.box.top_m, max(length, width), height, length * width * height


def _view(
    view: ViewTruth,
    objects: tuple[Instance, ...],
    centres: Array,
    corners: Array,
    fixed: list[_Fixed],
    settings: SeenSettings,
) -> SeenView:
    pose = view.camera.world_from_camera
    eye, gaze = pose[:3, 3], pose[:3, 2]
    flat = math.hypot(gaze[0], gaze[1])
    level = math.degrees(math.acos(min(1.0, flat))) <= settings.steepest_pitch_deg
    # A camera that looks straight down has no level axes; what is measured along them is then not asked for.
    forward = np.array([gaze[0] / flat, gaze[1] / flat, 0.0]) if level else np.array([1.0, 0.0, 0.0])
    right = np.array([forward[1], -forward[0], 0.0])
    offsets = centres - eye
    across = corners @ right
    columns = (
        (offsets @ right).tolist(),
        offsets[:, 2].tolist(),
        (offsets @ forward).tolist(),
        np.hypot(offsets[:, 0], offsets[:, 1]).tolist(),
        np.sqrt((offsets**2).sum(axis=1)).tolist(),
        (across.max(axis=1) - across.min(axis=1)).tolist(),
        (((corners - eye) @ gaze).min(axis=1) > 0).tolist(),
    )
    least = max(settings.least_pixels, settings.least_picture_share * view.camera.width * view.camera.height)
    seen = []
    for one, constant, right_m, up_m, forward_m, ground_m, distance_m, spread_m, ahead in zip(
        objects, fixed, *columns, strict=True
    ):
        sight = view.seen.get(one.id)
        if sight is None:
            continue
        ref, height_m, top_m, longer_m, tall_m, volume_m3 = constant
        seen.append(
            Seen(
                id=one.id,
                label=one.label,
                name=one.description,
                ref=ref,
                attributes=one.attributes,
                sight=sight,
                height_m=height_m,
                right_m=right_m,
                up_m=up_m,
                forward_m=forward_m,
                ground_m=ground_m,
                distance_m=distance_m,
                top_m=top_m,
                longer_m=longer_m,
                tall_m=tall_m,
                volume_m3=volume_m3,
                apparent_width_m=spread_m,
                well=ahead and _shows_enough(sight, least, settings),
                whole=sight.truncation <= settings.most_truncation_for_size,
            )
        )
    return SeenView(view.name, level, tuple(sorted(seen, key=lambda one: one.id)))


def _shows_enough(sight: Sight, least_pixels: float, settings: SeenSettings) -> bool:
    return (
        sight.pixels >= least_pixels
        and sight.occlusion <= settings.most_occlusion
        and sight.truncation <= settings.most_truncation
    )


def alike(one: str, other: str) -> bool:
    """Whether a noun may mean what another one names: an office chair and an armchair are chairs too.

    >>> alike("chair", "office chair"), alike("armchair", "chair"), alike("office chair", "armchair")
    (True, True, False)
    """
    return one.endswith(other) or other.endswith(one)
