"""A scene graph as a drawing from above: camera, outlines to scale, numbers, and a grid in metres."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import DiagnosticsError
from .schema import CameraPose, SceneGraph, SceneObject, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["birds_eye_figure", "birds_eye_image", "birds_eye_svg", "ground_plan"]

Point = tuple[float, float]
Corners = list[Point]

_INCHES = 8.0
"""Side of the drawing: letters and lines grow with its pixels."""
_INK, _FILL, _FRONT, _GRID, _CAMERA = "#1a1a1a", "#9ecae1", "#d95f02", "#d9d9d9", "#000000"
_LEAST_SPAN_M = 2.0
_MARGIN = 0.15
_NUMBER_STEP = 0.042
"""Distance between two numbers below which one gives way, as a share of the drawing."""


def birds_eye_image(graph: SceneGraph, *, size_px: int = 768, labels: bool = False) -> NDArray[np.uint8]:
    """(size_px, size_px, 3) the drawing as an sRGB picture; the same bytes in every process.

    Args:
        graph: with positions.
        size_px: of its side, 256 to 4096.
        labels: also the categories beside the numbers.

    Raises:
        DiagnosticsError: an object without a position, no objects, or a size out of range.
    """
    stream = io.BytesIO()
    birds_eye_figure(graph, size_px=size_px, labels=labels).savefig(stream, format="rgba")
    pixels = np.frombuffer(stream.getvalue(), dtype=np.uint8).reshape(size_px, size_px, 4)
    return pixels[..., :3].copy()


def birds_eye_svg(graph: SceneGraph, *, size_px: int = 768, labels: bool = False) -> str:
    """The drawing as SVG, with its text as text; see `birds_eye_image`."""
    import matplotlib

    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "seeworthy", "svg.fonttype": "none"}):
        figure = birds_eye_figure(graph, size_px=size_px, labels=labels)
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue().decode("utf-8")


def birds_eye_figure(graph: SceneGraph, *, size_px: int = 768, labels: bool = False) -> Figure:
    """The drawing as a matplotlib figure, whose coordinates are metres; see `birds_eye_image`."""
    from matplotlib.figure import Figure

    if not 256 <= size_px <= 4096:
        raise DiagnosticsError(f"a drawing from above is 256 to 4096 pixels wide, not {size_px}")
    places = [(one, one.position_m) for one in graph.objects if one.position_m is not None]
    if not places or len(places) != len(graph.objects):
        raise DiagnosticsError("a drawing from above needs a position for each object; ask for positions, or use text")
    figure = Figure(figsize=(_INCHES, _INCHES), dpi=size_px / _INCHES, facecolor="white")
    axes = figure.add_axes((0.1, 0.09, 0.87, 0.87))
    outlines = [ground_plan(one, place) for one, place in places]
    spots = [(place[0], place[2]) for _, place in places]
    eyes = [(camera.position_m[0], camera.position_m[2]) for camera in graph.cameras] or [(0.0, 0.0)]
    centre, span = _extent([*_flat(outlines), *spots, *eyes])
    _draw_frame(axes, centre, span)
    for (one, place), corners in zip(places, outlines, strict=True):
        _draw_object(axes, one, place, corners)
    _draw_cameras(axes, graph.cameras, span)
    _draw_numbers(axes, spots, [one for one, _ in places], span, labels)
    return figure


def _flat(outlines: Iterable[Corners]) -> Iterable[Point]:
    return (corner for corners in outlines for corner in corners)


def ground_plan(one: SceneObject, place: Vector) -> Corners:
    """(right, forward) corners of the ground plan, front edge first; [] where its size or direction is not stated."""
    axes = one.own_axes
    if axes is None or one.length_m is None or one.width_m is None:
        return []
    (right_x, _, right_z), _, (front_x, _, front_z) = axes
    corners = []
    for along, across in ((0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)):
        length, width = along * one.length_m, across * one.width_m
        corners.append((place[0] + length * front_x + width * right_x, place[2] + length * front_z + width * right_z))
    return corners


def _extent(points: Sequence[Point]) -> tuple[Point, float]:
    """The middle of all points and the side of the square that shows them."""
    low, high = ([bound(values) for values in zip(*points, strict=True)] for bound in (min, max))
    span = max(high[0] - low[0], high[1] - low[1], _LEAST_SPAN_M) * (1 + 2 * _MARGIN)
    return ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2), span


def _draw_frame(axes: Axes, centre: Point, span: float) -> None:
    axes.set_xlim(centre[0] - span / 2, centre[0] + span / 2)
    axes.set_ylim(centre[1] - span / 2, centre[1] + span / 2)
    axes.set_aspect("equal")
    step = 10.0 ** math.floor(math.log10(span / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 10)
    ticks = [(math.ceil((middle - span / 2) / step), math.floor((middle + span / 2) / step)) for middle in centre]
    axes.set_xticks([step * n for n in range(ticks[0][0], ticks[0][1] + 1)])
    axes.set_yticks([step * n for n in range(ticks[1][0], ticks[1][1] + 1)])
    axes.grid(color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("metres to the right of the camera")
    axes.set_ylabel("metres in front of the camera")


def _draw_object(axes: Axes, one: SceneObject, place: Vector, corners: Corners) -> None:
    if not corners:
        axes.plot([place[0]], [place[2]], marker="o", markersize=9, color=_FILL, markeredgecolor=_INK, zorder=3)
        return
    axes.fill(*zip(*corners, strict=True), facecolor=_FILL, edgecolor=_INK, linewidth=1.2, alpha=0.8, zorder=2)
    (x0, y0), (x1, y1) = corners[:2]
    axes.plot([x0, x1], [y0, y1], color=_FRONT, linewidth=3.0, solid_capstyle="butt", zorder=3)


def _draw_cameras(axes: Axes, cameras: Sequence[CameraPose], span: float) -> None:
    poses = [(camera.view, camera.position_m, camera.axes[2]) for camera in cameras]
    for view, position, gaze in poses or [(0, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))]:
        length = math.hypot(gaze[0], gaze[2])
        forward = (gaze[0] / length, gaze[2] / length) if length > 1e-6 else (0.0, 1.0)
        side = (forward[1], -forward[0])
        tip, half = 0.035 * span, 0.018 * span
        triangle = [
            (position[0] + a * forward[0] + b * side[0], position[2] + a * forward[1] + b * side[1])
            for a, b in ((tip, 0.0), (-tip / 2, half), (-tip / 2, -half))
        ]
        axes.fill(*zip(*triangle, strict=True), color=_CAMERA, zorder=4)
        name = "camera" if len(poses) < 2 else f"camera {view + 1}"
        on_right = position[0] > sum(axes.get_xlim()) / 2
        axes.text(
            position[0] + (-tip if on_right else tip),
            position[2],
            name,
            fontsize=11,
            color=_INK,
            ha="right" if on_right else "left",
            va="center",
            zorder=5,
        )


def _draw_numbers(axes: Axes, places: list[Point], objects: list[SceneObject], span: float, labels: bool) -> None:
    """Numbers at the centres; one that would cover another stands beside, with a line to its object."""
    taken: list[Point] = []
    for place, one in zip(places, objects, strict=True):
        spot = _free_spot(place, taken, span, (axes.get_xlim(), axes.get_ylim()))
        taken.append(spot)
        if spot != place:
            axes.plot(*zip(place, spot, strict=True), color=_INK, linewidth=0.9, zorder=5)
        text = f"{one.id}" + (f" {one.label}" if labels and one.label else "")
        # A dollar sign in a label is no formula.
        axes.text(
            *spot,
            text,
            fontsize=13,
            weight="bold",
            ha="center",
            va="center",
            color=_INK,
            parse_math=False,
            zorder=6,
            bbox={"boxstyle": "round,pad=0.18", "facecolor": "white", "edgecolor": _INK, "linewidth": 0.8},
        )


def _free_spot(place: Point, taken: Sequence[Point], span: float, limits: tuple[Point, Point]) -> Point:
    """The nearest spot around a place that no number has taken yet, inside the drawing."""
    least = _NUMBER_STEP * span
    for ring in range(8):
        for turn in range(max(1, 8 * ring)):
            angle = 2 * math.pi * turn / max(1, 8 * ring)
            spot = (place[0] + ring * least * math.sin(angle), place[1] + ring * least * math.cos(angle))
            inside = all(low + least / 2 < at < high - least / 2 for at, (low, high) in zip(spot, limits, strict=True))
            if inside and all(math.dist(spot, other) >= least for other in taken):
                return spot
    return place
