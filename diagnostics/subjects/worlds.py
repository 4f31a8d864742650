"""Worlds that a subject may have in mind: the scene as it looks to imperfect eyes, and a scene that is not there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...bench_data.questions import SceneTruth
from ...bench_data.scenes import Instance, OrientedBox
from ..scene_graph import SceneGraph, scene_graph_of
from .sheet import KnownPicture

__all__ = ["graph_of_world", "imagined_world", "perceived_world"]

TURN_DEG = 20.0
"""At a noise of 1 an object is seen this far beside its place, in one standard deviation."""
_SIZE_FACTOR = 2.0
_REACH_FACTOR = 1.5


def perceived_world(picture: KnownPicture, noise: float, rng: np.random.Generator) -> SceneTruth:
    """The scene of a picture as imperfect eyes see it.

    Each object is moved about the camera: its level distance by a factor e to the power of ``noise`` times a normal
    number, its direction by 20 degrees times ``noise`` times another; its sizes change by such factors too.

    Args:
        noise: 0 for the scene as it is.
    """
    eye = picture.truth.views[picture.view].camera.centre_m
    boxes = {}
    for number in picture.marks:
        box = picture.truth.objects[number].box
        draws = rng.standard_normal(5)
        turn = math.radians(TURN_DEG) * noise * float(draws[0])
        reach = math.exp(noise * float(draws[1]))
        centre = eye + np.append(reach * _turned((box.centre_m - eye)[:2], turn), (box.centre_m - eye)[2])
        boxes[number] = OrientedBox(centre, box.size_m * np.exp(noise * draws[2:]), box.world_from_box)
    return _changed(picture, boxes)


def imagined_world(picture: KnownPicture, rng: np.random.Generator) -> SceneTruth:
    """A scene with the same objects in other places and of other sizes, so that little holds but by accident.

    Places and sizes are handed on in two random rings, so that each object has those of others, and then changed
    further: sizes by a factor of two and distances by one and a half, in one standard deviation, and left is swapped
    with right half of the time.
    """
    camera = picture.truth.views[picture.view].camera
    eye, ahead = camera.centre_m, camera.world_from_camera[:2, 2]
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    mirrored = bool(rng.random() < 0.5)
    boxes, places, sizes = {}, _handed_on(picture, rng), _handed_on(picture, rng)
    for number in sorted(picture.marks):
        place, size = places[number], sizes[number].size_m * _SIZE_FACTOR ** rng.standard_normal(3)
        offset = (place.centre_m - eye)[:2] * _REACH_FACTOR ** float(rng.standard_normal())
        if mirrored:
            offset = 2 * float(offset @ ahead) * ahead - offset
        centre = np.append(eye[:2] + offset, place.bottom_m + size[2] / 2)
        boxes[number] = OrientedBox(centre, size, picture.truth.objects[number].box.world_from_box)
    return _changed(picture, boxes)


def _handed_on(picture: KnownPicture, rng: np.random.Generator) -> dict[int, OrientedBox]:
    """Number -> the box of another object, each once."""
    numbers = sorted(picture.marks)
    order = [numbers[place] for place in rng.permutation(len(numbers))]
    return {one: picture.truth.objects[next_].box for one, next_ in zip(order, order[1:] + order[:1], strict=True)}


def graph_of_world(picture: KnownPicture, world: SceneTruth) -> SceneGraph:
    """The graph of a world in the form of the picture's true graph, around the same object."""
    truth = picture.graph
    objects = {mark: number for number, mark in picture.marks.items()}
    return scene_graph_of(
        world,
        (0,),
        ids=[objects[mark] for mark in truth.ids],
        marks=picture.marks,
        edges="star" if truth.centre is not None else "full" if truth.edges else "none",
        centre=None if truth.centre is None else objects[truth.centre],
        with_positions=picture.with_positions,
        with_cameras=bool(truth.cameras),
        frame=truth.frame,
        reading=truth.reading,
        sides=truth.sides,
    )


def _changed(picture: KnownPicture, boxes: dict[int, OrientedBox]) -> SceneTruth:
    """The scene with other boxes, and only this picture."""
    instances = tuple(_moved(one, boxes.get(one.id)) for one in picture.truth.instances)
    return SceneTruth(
        scene=picture.truth.scene,
        kind=picture.truth.kind,
        instances=instances,
        views=(picture.truth.views[picture.view],),
    )


def _moved(one: Instance, box: OrientedBox | None) -> Instance:
    return one if box is None else replace(one, box=box)


def _turned(level: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * level[0] - s * level[1], s * level[0] + c * level[1]])
