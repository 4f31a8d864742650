"""A model's graph drawn over its picture, and from above beside what is really there."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from ....bench_data.marks import Mark
from ....bench_data.scene_graphs import Relation
from ...scene_graph import SceneEdge, SceneGraph, SceneObject
from .svg import GREEN, GREY, INK, ORANGE, PALE, dot, drawing, line, polygon, text

__all__ = ["graph_from_above", "graph_over_picture", "implied_places"]

Place = tuple[float, float]
"""(right, forward) in metres from the camera."""

_STEPS: dict[Relation, Place] = {"left": (-1, 0), "right": (1, 0), "front": (0, -1), "behind": (0, 1)}
_SIDE_PX = 420.0
_MOST_STEPS = 6


def graph_over_picture(
    picture_uri: str, size: tuple[int, int], marks: Sequence[Mark], own: SceneGraph | None, true: SceneGraph
) -> Markup:
    """The picture with a line for each edge that the model drew: plain where its relations are right, dashed where not.

    Args:
        picture_uri: the picture as a data URI.
        size: (width, height) in pixels that the marks are measured in.
        marks: the numbers on it.
        own: what the model drew; None for the picture alone.
        true: the true graph.
    """
    width, height = size
    scale = width / 640
    parts = [f'<image href="{picture_uri}" width="{width}" height="{height}"/>']
    spots = {mark.number: mark.centre_px for mark in marks}
    for edge in () if own is None else own.edges:
        if edge.source not in spots or edge.target not in spots:
            continue
        true_edge = true.edge(edge.source, edge.target)
        right = true_edge is not None and set(edge.relations or ()) == set(true_edge.relations or ())
        (x0, y0), (x1, y1) = spots[edge.source], spots[edge.target]
        colour, dash = (GREEN, "") if right else (ORANGE, f"{7 * scale:.0f} {4 * scale:.0f}")
        parts.append(line(x0, y0, x1, y1, colour="#fff", width=5 * scale))
        parts.append(line(x0, y0, x1, y1, colour=colour, width=2.5 * scale, dash=dash))
    size_px, taken = 13 * scale, [(x, y + 4 * scale) for x, y in spots.values()]
    for edge in () if own is None else own.edges:
        if edge.target in spots:
            x, y = spots[edge.target]
            words = ", ".join(edge.relations or ()) or "–"
            anchor = "start" if x < width / 2 else "end"
            y = _free_line(x, y - 14 * scale, taken, reach=0.55 * size_px * len(words), height=1.15 * size_px)
            parts.append(text(x, y, words, size=size_px, anchor=anchor, halo=True))
    return drawing(width, height, parts, label="the model's graph over the picture")


def graph_from_above(own: SceneGraph | None, true: SceneGraph) -> Markup:
    """The true outlines from above in grey, and where the model's graph puts the objects in orange.

    Args:
        own: what the model drew; None for the truth alone.
        true: the true graph with places.
    """
    real = {one.id: (one.position_m[0], one.position_m[2]) for one in true.objects if one.position_m is not None}
    told = {} if own is None else implied_places(own, real)
    spots = [(0.0, 0.0), *real.values(), *told.values()]
    low_x, high_x = min(x for x, _ in spots), max(x for x, _ in spots)
    low_y, high_y = min(y for _, y in spots), max(y for _, y in spots)
    span = max(high_x - low_x, high_y - low_y, 1.0) * 1.25
    middle = (low_x + high_x) / 2, (low_y + high_y) / 2

    def on_paper(place: Place) -> Place:
        return (
            _SIDE_PX * (0.5 + (place[0] - middle[0]) / span),
            _SIDE_PX * (0.5 - (place[1] - middle[1]) / span),
        )

    step = next(one for one in (0.5, 1, 2, 5, 10, 20, 50, 100) if one * 8 >= span or one == 100)
    parts = _grid(middle, span, step)
    for one in true.objects:
        if one.id in real:
            parts.append(polygon([on_paper(corner) for corner in _outline(one, real[one.id])], fill=PALE, stroke=GREY))
    for number, place in told.items():
        if number in real:
            parts.append(line(*on_paper(place), *on_paper(real[number]), colour=ORANGE, dash="3 3"))
    taken: list[Place] = []
    for number, place in real.items():
        x, y = on_paper(place)
        y = _free_line(x, y + 4, taken, reach=14, height=14)
        parts.append(text(x, y, str(number), anchor="middle", size=13, bold=True, halo=True))
    taken = []
    for number, place in told.items():
        x, y = on_paper(place)
        y = _free_line(x, y, taken, reach=16, height=16)
        parts += [
            dot(x, y, 9, fill=ORANGE),
            text(x, y + 4, str(number), anchor="middle", size=11, colour="#fff", bold=True),
        ]
    x, y = on_paper((0.0, 0.0))
    parts.append(polygon([(x, y - 8), (x - 7, y + 7), (x + 7, y + 7)], fill=INK, stroke=INK))
    parts.append(text(8, _SIDE_PX - 8, f"grid {step:g} m", size=11, colour=GREY))
    return drawing(_SIDE_PX, _SIDE_PX, parts, label="the scene from above: truth in grey, the model's graph in orange")


def implied_places(own: SceneGraph, real: dict[int, Place]) -> dict[int, Place]:
    """Where a graph puts its objects, (right, forward) in metres.

    Stated places are taken as they are. Without them the centre of the star is put in its true direction at the told
    distance from the camera, and each other object where its relations and its distance from the centre say; one of
    which only "above" is told lies on the centre, and one of which nothing is told is left out.
    """
    stated = {one.id: (one.position_m[0], one.position_m[2]) for one in own.objects if one.position_m is not None}
    if stated or own.centre is None or own.centre not in real:
        return stated
    node, (x, y) = own.node(own.centre), real[own.centre]
    reach = math.hypot(x, y)
    told_m = None if node is None else node.distance_to_camera_m
    factor = told_m / reach if told_m is not None and reach > 0 else 1.0
    places = {own.centre: (x * factor, y * factor)}
    for edge in own.edges:
        if edge.source == own.centre and (place := _beside(places[own.centre], edge)) is not None:
            places[edge.target] = place
    return places


def _beside(centre: Place, edge: SceneEdge) -> Place | None:
    if edge.relations is None or edge.distance_m is None:
        return None
    steps = [_STEPS[one] for one in edge.relations if one in _STEPS]
    x, y = sum(step[0] for step in steps), sum(step[1] for step in steps)
    length = math.hypot(x, y)
    if length == 0:
        return centre if edge.relations else None
    return centre[0] + edge.distance_m * x / length, centre[1] + edge.distance_m * y / length


def _free_line(x: float, y: float, taken: list[Place], *, reach: float, height: float) -> float:
    """The height nearest to ``y``, upwards or downwards in steps, at which nothing is written near ``x``; takes it."""
    for step in range(2 * _MOST_STEPS):
        at = y + height * (-((step + 1) // 2) if step % 2 else step // 2)
        if all(abs(at - other_y) >= height or abs(x - other_x) >= reach for other_x, other_y in taken):
            y = at
            break
    taken.append((x, y))
    return y


def _outline(one: SceneObject, place: Place) -> list[Place]:
    """Corners of the ground plan; a small square where sizes or direction are not stated."""
    axes = one.own_axes
    length, width = one.length_m or 0.2, one.width_m or 0.2
    right, forward = ((1.0, 0.0), (0.0, 1.0)) if axes is None else ((axes[0][0], axes[0][2]), (axes[2][0], axes[2][2]))
    return [
        (
            place[0] + a * length / 2 * forward[0] + b * width / 2 * right[0],
            place[1] + a * length / 2 * forward[1] + b * width / 2 * right[1],
        )
        for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
    ]


def _grid(middle: Place, span: float, step: float) -> list[str]:
    parts = []
    for axis in (0, 1):
        first = math.ceil((middle[axis] - span / 2) / step)
        last = math.floor((middle[axis] + span / 2) / step)
        for number in range(first, last + 1):
            share = (number * step - middle[axis]) / span
            at = _SIDE_PX * (0.5 + share if axis == 0 else 0.5 - share)
            ends = (at, 0.0, at, _SIDE_PX) if axis == 0 else (0.0, at, _SIDE_PX, at)
            parts.append(line(*ends, colour=PALE))
    return parts
