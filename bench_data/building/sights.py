"""From what is drawn to what questions rest on: the truth of a scene, and where things are in a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..questions import SceneTruth, Sight, ViewTruth
from ..scenes import Scene
from ..views import InstanceView, Observation, co_visibility

__all__ = ["Place", "place_in", "scene_truth"]


class Place(NamedTuple):
    """Where an object is seen in a picture; continuous pixel coordinates."""

    pixels: int
    box_px: tuple[float, float, float, float]
    """(x0, y0, x1, y1) around its pixels."""
    point_px: tuple[float, float]
    """(x, y) of the pixel's centre that lies deepest within them."""


def place_in(instance_ids: NDArray[np.int32], object_id: int) -> Place | None:
    """Where an object is in a map of ids (H, W); None where it has no pixel."""
    import cv2

    mask = (instance_ids == object_id).view(np.uint8)
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return None
    # A rim of zeros: the border of the picture is an edge too.
    padded = np.pad(mask[y : y + height, x : x + width], 1)
    depth = cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
    row, column = divmod(int(np.argmax(depth)), width)
    return Place(
        pixels=int(np.count_nonzero(padded)),
        box_px=(float(x), float(y), float(x + width), float(y + height)),
        point_px=(x + column + 0.5, y + row + 0.5),
    )


def scene_truth(scene: Scene, observations: Sequence[Observation]) -> SceneTruth:
    """The truth of a scene and of its views.

    Args:
        scene: with its objects.
        observations: of all its views, in order.
    """
    return SceneTruth(
        scene=scene.id,
        kind=scene.kind,
        instances=scene.instances,
        views=tuple(_view_truth(one) for one in observations),
        co_visibility=co_visibility([one.posed_depth for one in observations]),
    )


def _view_truth(observation: Observation) -> ViewTruth:
    seen = {}
    for one in observation.instances:
        sight = _sight(one, observation.instance_ids) if one.visible_px else None
        if sight is not None:
            seen[one.instance.id] = sight
    return ViewTruth(observation.name, observation.camera, seen)


def _sight(one: InstanceView, instance_ids: NDArray[np.int32]) -> Sight | None:
    place = place_in(instance_ids, one.instance.id)
    if place is None:
        return None
    return Sight(
        pixels=place.pixels,
        occlusion=one.occlusion_rate,
        # What covers nothing by half, wherever one looks, is too thin to be asked about: as if all of it were outside.
        truncation=1.0 if math.isnan(one.truncation_share) else one.truncation_share,
        box_px=place.box_px,
        point_px=place.point_px,
    )
