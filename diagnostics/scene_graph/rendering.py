"""A scene graph as a model is shown it: JSON in the form that is asked for, or plain sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from ...bench_data.scene_graphs import Relation
from .schema import SceneEdge, SceneGraph, SceneObject

__all__ = ["TextMedium", "graph_text", "prompt_json", "prose"]

TextMedium = Literal["json", "prose"]

_SAID: dict[Relation, str] = {
    "left": "to the left of it",
    "right": "to the right of it",
    "front": "in front of it",
    "behind": "behind it",
    "above": "above it",
    "below": "below it",
}


def graph_text(graph: SceneGraph, medium: TextMedium, *, digits: int = 2, labels: bool = False) -> str:
    """The graph in one of the text media, without a legend (see `graph_legend`)."""
    return (prompt_json if medium == "json" else prose)(graph, digits=digits, labels=labels)


def prompt_json(graph: SceneGraph, *, digits: int = 2, labels: bool = False) -> str:
    """The graph as JSON with the keys of the graph task, one object or edge a line; `parse_scene_graph` reads it back.

    Args:
        graph: what is not stated is left out.
        digits: after the decimal point.
        labels: also the categories; without them objects are known by their numbers alone.
    """
    objects = ",\n ".join(json.dumps(_object(one, digits, labels), ensure_ascii=False) for one in graph.objects)
    edges = ",\n ".join(json.dumps(_edge(edge, digits)) for edge in graph.edges)
    return f'{{"objects": [\n {objects}],\n"edges": [\n {edges}]}}'


def _object(one: SceneObject, digits: int, labels: bool) -> dict[str, object]:
    position = one.position_m
    record = {
        "id": one.id,
        "label": one.label or None if labels else None,
        "distance_to_camera": _rounded(one.distance_to_camera_m, digits),
        "length": _rounded(one.length_m, digits),
        "width": _rounded(one.width_m, digits),
        "height": _rounded(one.height_m, digits),
        "position": None
        if position is None
        else {axis: _rounded(value, digits) for axis, value in zip(("right", "up", "forward"), position, strict=True)},
        "heading_deg": _rounded(one.heading_deg, 0),
    }
    return {key: value for key, value in record.items() if value is not None}


def _edge(edge: SceneEdge, digits: int) -> dict[str, object]:
    record: dict[str, object] = {"from": edge.source, "to": edge.target}
    if edge.distance_m is not None:
        record["distance"] = _rounded(edge.distance_m, digits)
    if edge.relations is not None:
        record["relations"] = list(edge.relations)
    return record


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits) + 0.0


def prose(graph: SceneGraph, *, digits: int = 2, labels: bool = False) -> str:
    """The graph in sentences, one object or edge a line.

    Args:
        graph: what is not stated is not spoken of.
        digits: after the decimal point.
        labels: also the categories, in quotation marks: they are data, whatever they say.

    >>> print(prose(SceneGraph(objects=(SceneObject(id=1, distance_to_camera_m=2.5, height_m=1.0), SceneObject(id=2)))))
    Object 1 is 2.50 m away from the camera. It is 1.00 m high.
    Object 2 is in the scene.
    """
    lines = [" ".join(_object_sentences(one, digits, labels)) for one in graph.objects]
    lines += [sentence for edge in graph.edges if (sentence := _edge_sentence(edge, digits))]
    return "\n".join(lines)


def _object_sentences(one: SceneObject, digits: int, labels: bool) -> Iterator[str]:
    name = f"Object {one.id}"
    if labels and one.label:
        name += f" ({json.dumps(one.label, ensure_ascii=False)})"
    if one.distance_to_camera_m is None:
        yield f"{name} is in the scene."
    else:
        yield f"{name} is {one.distance_to_camera_m:.{digits}f} m away from the camera."
    sides = [
        f"{value:.{digits}f} m {word}"
        for value, word in ((one.length_m, "long"), (one.width_m, "wide"), (one.height_m, "high"))
        if value is not None
    ]
    if sides:
        yield f"It is {_joined(sides)}."
    if one.position_m is not None:
        yield f"Seen from the camera it lies {_place(one.position_m, digits)}."
    if one.heading_deg is not None:
        yield f"Its heading is {one.heading_deg + 0.0:.0f} degrees."


def _place(position_m: tuple[float, float, float], digits: int) -> str:
    words = (("left", "right"), ("down", "up"), ("behind", "ahead"))
    return _joined(
        [f"{abs(value):.{digits}f} m {pair[value >= 0]}" for value, pair in zip(position_m, words, strict=True)]
    )


def _edge_sentence(edge: SceneEdge, digits: int) -> str:
    said = []
    if edge.distance_m is not None:
        said.append(f"is {edge.distance_m:.{digits}f} m away from object {edge.source}")
    if edge.relations is not None:
        words = _joined([_SAID[one] for one in edge.relations])
        where = words or "neither left nor right of it, nor in front of, behind, above or below it"
        said.append(f"is {where}" if said else f"compared with object {edge.source} is {where}")
    return f"Object {edge.target} {' and '.join(said)}." if said else ""


def _joined(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else ", ".join(parts[:-1]) + " and " + parts[-1]
